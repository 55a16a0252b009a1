// A table whose rows stay where they are while their numbers change, so that focus, selection and a screen
// reader's place in it are not lost with every update.
//
//     const table = new Table({ caption: "Queues", key: (row) => row.name, columns: [
//       { name: "name", title: "Name", sort: "name", cell: (row) => h("a", …) },
//       { name: "ready", title: "Ready", number: true, cell: (row) => count(row.messages_ready) } ] });
//
// A cell is a text, or a node; a node is made again only when `value(row)` is another (row[name], if not said).

import { fill, h, say } from "./dom.js";

export class Table {
  #columns;
  #key;
  #body = h("tbody");
  #rows = new Map(); // key → {line, cells: [{td, value}]}
  #empty;
  #heads = new Map();

  // sorted: {by, reverse}; onSort(by) is called when a head is pressed; without it the table cannot be sorted.
  constructor({ caption, columns, key, empty = "There is nothing here.", onSort = null, sorted = null }) {
    this.#columns = columns;
    this.#key = key;
    this.#empty = h("p", { class: "empty", hidden: true }, empty);
    const heads = columns.map((column) => this.#head(column, onSort));
    const table = h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, heads)),
      this.#body,
    );
    this.node = h(
      "div",
      { class: "table", role: "group", "aria-label": caption, tabindex: "0" },
      table,
      this.#empty,
    );
    if (sorted) this.markSorted(sorted);
  }

  show(rows) {
    const next = new Map();
    for (const row of rows) {
      const key = this.#key(row);
      const entry = this.#rows.get(key) ?? this.#line();
      this.#update(entry, row);
      next.set(key, entry);
    }
    for (const [key, { line }] of this.#rows) if (!next.has(key)) line.remove();
    this.#rows = next;
    this.#place([...next.values()].map(({ line }) => line));
    this.#empty.hidden = rows.length > 0;
  }

  markSorted({ by, reverse }) {
    for (const [name, head] of this.#heads) {
      if (name === by) head.setAttribute("aria-sort", reverse ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  #head({ title, sort, number, hint }, onSort) {
    const words = title || h("span", { class: "unseen" }, "Actions");
    const label = sort && onSort ? h("button", { class: "sort", onclick: () => onSort(sort) }, words) : words;
    const head = h("th", { scope: "col", class: number ? "number" : null, title: hint }, label);
    if (sort) this.#heads.set(sort, head);
    return head;
  }

  #line() {
    const cells = this.#columns.map(({ number, wide }, place) => {
      const kinds = [number && "number", wide && "wide"].filter(Boolean).join(" ") || null;
      return {
        td: place ? h("td", { class: kinds }) : h("th", { scope: "row", class: kinds }),
        value: undefined,
      };
    });
    return {
      line: h(
        "tr",
        {},
        cells.map(({ td }) => td),
      ),
      cells,
    };
  }

  #update({ cells }, row) {
    this.#columns.forEach((column, place) => {
      const cell = cells[place];
      const value = JSON.stringify(column.value ? column.value(row) : (row[column.name] ?? null));
      if (value === cell.value && column.value !== undefined) return;
      const content = column.cell(row);
      if (!(content instanceof Node) && !Array.isArray(content)) say(cell.td, content ?? "");
      else if (value !== cell.value) fill(cell.td, content);
      cell.value = value;
    });
  }

  // Moves only what is out of its place.
  #place(lines) {
    let at = this.#body.firstElementChild;
    for (const line of lines) {
      if (line === at) at = at.nextElementSibling;
      else this.#body.insertBefore(line, at);
    }
  }
}
