// Connections: who is here.

import { api } from "../core/api.js";
import { badge, connectionLink } from "../core/cells.js";
import { bytes, count, moment } from "../core/format.js";
import { Listing } from "../core/listing.js";
import { absent, content } from "../core/page.js";

const listing = new Listing({
  noun: "Connection",
  path: (query) => api("connections", query),
  key: (row) => row.name,
  sort: "name",
  empty: "Nobody is connected.",
  fail: absent("connections"),
  columns: [
    { name: "name", title: "Name", sort: "name", cell: (row) => connectionLink(row.name) },
    {
      name: "client",
      title: "Client",
      value: (row) => row.client_properties?.connection_name ?? "",
      cell: clientName,
    },
    { name: "user", title: "User", sort: "user", cell: (row) => row.user },
    { name: "vhost", title: "Virtual host", sort: "vhost", cell: (row) => row.vhost },
    { name: "protocol", title: "Protocol", sort: "protocol", cell: (row) => row.protocol },
    { name: "state", title: "State", sort: "state", cell: (row) => badge(row.state) },
    { name: "ssl", title: "TLS", cell: (row) => (row.ssl ? "yes" : "no") },
    {
      name: "channels",
      title: "Channels",
      sort: "channels",
      number: true,
      cell: (row) => count(row.channels),
    },
    {
      name: "recv",
      title: "From client",
      sort: "recv_oct_details.rate",
      number: true,
      cell: (row) => `${bytes(row.recv_oct_details?.rate ?? 0)}/s`,
    },
    {
      name: "send",
      title: "To client",
      sort: "send_oct_details.rate",
      number: true,
      cell: (row) => `${bytes(row.send_oct_details?.rate ?? 0)}/s`,
    },
    {
      name: "connected_at",
      title: "Since",
      sort: "connected_at",
      number: true,
      cell: (row) => moment(row.connected_at / 1000),
    },
  ],
});
content.replaceChildren(listing.node);

// The name that the client gave itself, or what it is.
function clientName({ client_properties: told = {} }) {
  return told.connection_name ?? [told.product, told.version].filter(Boolean).join(" ");
}
