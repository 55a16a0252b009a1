// Channels: what each conversation has in hand.

import { api } from "../core/api.js";
import { badge, connectionLink, rateCell } from "../core/cells.js";
import { count } from "../core/format.js";
import { Listing } from "../core/listing.js";
import { absent, content } from "../core/page.js";

const listing = new Listing({
  noun: "Channel",
  path: (query) => api("channels", query),
  key: (row) => row.name,
  sort: "name",
  empty: "No channel is open.",
  fail: absent("channels"),
  columns: [
    {
      name: "name",
      title: "Name",
      sort: "name",
      cell: (row) => connectionLink(row.connection_details?.name, row.name),
    },
    { name: "user", title: "User", sort: "user", cell: (row) => row.user },
    { name: "vhost", title: "Virtual host", sort: "vhost", cell: (row) => row.vhost },
    {
      name: "mode",
      title: "Mode",
      value: (row) => [row.confirm, row.transactional],
      cell: (row) => (row.confirm ? "confirms" : row.transactional ? "transactions" : ""),
    },
    { name: "state", title: "State", sort: "state", cell: (row) => badge(row.state) },
    {
      name: "consumer_count",
      title: "Consumers",
      sort: "consumer_count",
      number: true,
      cell: (row) => count(row.consumer_count),
    },
    {
      name: "prefetch_count",
      title: "Window",
      sort: "prefetch_count",
      number: true,
      cell: (row) => count(row.prefetch_count),
    },
    {
      name: "messages_unacknowledged",
      title: "Unacked",
      sort: "messages_unacknowledged",
      number: true,
      cell: (row) => count(row.messages_unacknowledged),
    },
    {
      name: "messages_unconfirmed",
      title: "Unconfirmed",
      sort: "messages_unconfirmed",
      number: true,
      cell: (row) => count(row.messages_unconfirmed),
    },
    { name: "in", title: "Publishes", number: true, cell: rateCell("publish") },
    { name: "out", title: "Gets", number: true, cell: rateCell("deliver_get") },
  ],
});
content.replaceChildren(listing.node);
