// A list too long for one page: filter, sort and pages are asked of the broker, and stand in the address, so that
// a link shows what its sender saw.

import { rowsIn } from "./api.js";
import { h, say } from "./dom.js";
import { count, plural } from "./format.js";
import { watch } from "./live.js";
import { Table } from "./table.js";

const SIZES = ["25", "50", "100", "250", "500"];
const TYPING = 250; // ms after the last key

export class Listing {
  #state;
  #path;
  #more;
  #table;
  #noun;
  #nouns;
  #fail;
  #unwatch = () => {};
  #count = h("span", { class: "count", role: "status" });
  #pages = h("span", {});
  #buttons;

  // path: a function of the query that gives the API's path; more: what else is always asked.
  constructor({
    noun,
    nouns = `${noun}s`,
    path,
    columns,
    key,
    sort,
    reverse = false,
    more = {},
    empty,
    fail = () => {},
    tools = [],
  }) {
    const said = new URLSearchParams(location.search);
    this.#noun = noun.toLowerCase();
    this.#nouns = nouns.toLowerCase();
    this.#path = path;
    this.#more = more;
    this.#fail = fail;
    this.#state = {
      name: said.get("name") ?? "",
      page: Number(said.get("page")) || 1,
      size: SIZES.includes(said.get("size")) ? said.get("size") : "100",
      sort: said.get("sort") ?? sort,
      reverse: said.has("sort") ? said.get("reverse") === "true" : reverse,
    };
    const sorted = { by: this.#state.sort, reverse: this.#state.reverse };
    this.#table = new Table({
      caption: nouns,
      columns,
      key,
      empty,
      sorted,
      onSort: (by) => this.#sortBy(by),
    });
    this.#buttons = [this.#turn(-1, "Previous page", "‹"), this.#turn(1, "Next page", "›")];
    this.node = h("div", { class: "listing" }, this.#bar(tools), this.#table.node);
    this.#ask();
  }

  #bar(tools) {
    let timer = null;
    const filter = h("input", {
      type: "search",
      id: "filter",
      placeholder: "Filter by name",
      value: this.#state.name,
      autocomplete: "off",
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.#change({ name: filter.value, page: 1 }), TYPING);
      },
    });
    const size = h(
      "select",
      { id: "size", onchange: () => this.#change({ size: size.value, page: 1 }) },
      SIZES.map((each) =>
        h("option", { value: each, selected: each === this.#state.size }, `${each} a page`),
      ),
    );
    return h(
      "div",
      { class: "bar", role: "search", "aria-label": this.#nouns },
      h("label", { class: "unseen", for: "filter" }, `Filter ${this.#nouns} by name`),
      filter,
      this.#count,
      h("span", { class: "space" }),
      tools,
      h("label", { class: "unseen", for: "size" }, "Rows a page"),
      size,
      h("span", { class: "pager" }, this.#buttons[0], this.#pages, this.#buttons[1]),
    );
  }

  #turn(by, label, text) {
    return h(
      "button",
      { "aria-label": label, onclick: () => this.#change({ page: this.#state.page + by }) },
      text,
    );
  }

  #sortBy(by) {
    const reverse = by === this.#state.sort && !this.#state.reverse;
    this.#change({ sort: by, reverse, page: 1 });
    this.#table.markSorted({ by, reverse });
  }

  #change(what) {
    Object.assign(this.#state, what);
    const { name, page, size, sort, reverse } = this.#state;
    history.replaceState(null, "", `?${new URLSearchParams({ name, page, size, sort, reverse })}`);
    this.#ask();
  }

  #ask() {
    const { name, page, size, sort, reverse } = this.#state;
    const query = {
      ...this.#more,
      page,
      page_size: size,
      name,
      use_regex: "false",
      sort,
      sort_reverse: reverse,
    };
    this.#unwatch();
    const fail = (error) => (this.#isPastTheEnd(error) ? this.#change({ page: 1 }) : this.#fail(error));
    this.#unwatch = watch(this.#path(query), (answer) => this.#show(answer), { fail });
  }

  // Rows went away while the last page was open, and RabbitMQ refuses a page that is not there.
  #isPastTheEnd(error) {
    return error.status === 400 && this.#state.page > 1;
  }

  #show(answer) {
    const { page = 1, page_count: pages = 1, filtered_count: filtered, total_count: total } = answer;
    this.#table.show(rowsIn(answer));
    const all = plural(total, this.#noun, this.#nouns);
    say(this.#count, filtered === total ? all : `${count(filtered)} of ${all}`);
    say(this.#pages, `${page} / ${Math.max(1, pages)}`);
    this.#buttons[0].disabled = page <= 1;
    this.#buttons[1].disabled = page >= pages;
  }
}
