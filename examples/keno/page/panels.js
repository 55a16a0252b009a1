// What stands beside the map: planets and their buildings, fleets, statistics, events. DOM only; knows no gateway.
//
// Text goes in as text, never as HTML: names are other people's.

const $ = (id) => document.getElementById(id);
const MOST_EVENTS = 60;
const TOAST = 6_000; // ms

// made("p", {className: "x"}, "text", child …)
function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const button = (text, onclick, more = {}) => made("button", { type: "button", className: "small", onclick, ...more }, text);
const ore = (amount) => `${Math.round(amount).toLocaleString("en")} ore`;

function span(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

export class Panels {
  #now;
  #ask;
  #onFind;
  #shown = ""; // what the side shows, so that it is not built anew while somebody is at a button
  #ticking = []; // [progress, output, started_at, ends_at]
  #star = null;

  // now: the game's time; ask(route, content): has the game do it; onFind(place): shows a place on the map.
  constructor({ now, ask, onFind }) {
    this.#now = now;
    this.#ask = ask;
    this.#onFind = onFind;
    this.complain = this.complain.bind(this);
  }

  clear() {
    this.#shown = "";
    this.#ticking = [];
    for (const id of ["planets", "fleets", "events", "toasts"]) $(id).replaceChildren();
    $("statistics").replaceChildren(made("tr", {}, made("td", { colSpan: 4, className: "quiet" }, "nothing counted yet")));
    this.showStar(null);
  }

  show(state) {
    $("ore").value = Math.round(state.planets.reduce((sum, planet) => sum + planet.ore, 0)).toLocaleString("en");
    this.showPrice(state);
    const shown = JSON.stringify([state.planets, state.fleets]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#ticking = [];
    $("planets").replaceChildren(...state.planets.map((planet) => this.#planet(planet)));
    const fleets = state.fleets.map((fleet) => this.#fleet(fleet));
    $("fleets").replaceChildren(...(fleets.length ? fleets : [made("p", { className: "quiet" }, "None yet: build one, then choose a star to send it to.")]));
    this.tick();
    if (this.#star) this.showStar(this.#star, state);
  }

  showPrice(state) {
    if (state) $("ships-price").textContent = Number($("ships").value) * state.prices.ship.ore;
  }

  #planet(planet) {
    const find = button("show", () => this.#onFind(planet), { ariaLabel: `Show ${planet.name} on the map` });
    const buildings = planet.buildings.map((building) => this.#building(building, planet));
    return made("div", { className: "planet" }, made("h3", {}, planet.name, find), ...buildings);
  }

  #building(building, planet) {
    const { building_id, kind, level, upgrade, work } = building;
    const ask = (verb) => () => this.#ask(`/building/${verb}`, { building_id });
    const box = made(
      "div",
      { className: "thing", id: `building-${building_id}` },
      made("div", { className: "top" }, made("span", { className: `name ${kind.replace(" ", "-")}` }, kind), made("span", { className: "level" }, `level ${level}`)),
    );
    if (upgrade) box.append(this.#task("upgrading", upgrade));
    if (work) box.append(this.#task("digging", work, "task work"));
    const buttons = made("div", { className: "buttons" });
    if (upgrade) {
      buttons.append(button("Hasten", ask("hastenUpgrade")), button("Cancel", ask("cancelUpgrade")));
    } else {
      const price = `Upgrade · ${ore(building.cost)}, ${span(building.seconds)}`;
      buttons.append(button(price, ask("upgrade"), { disabled: planet.ore < building.cost, ariaLabel: `Upgrade the ${kind}: ${price}` }));
    }
    if (kind === "mine" && !work) buttons.append(button("Dig", ask("work")));
    box.append(buttons);
    return box;
  }

  #fleet(fleet) {
    const { fleet_id, ships, state, body, to_body } = fleet;
    const where = { building: `being built at ${body}`, docked: `at ${body}: choose a star to send it to`, flying: `${body} → ${to_body}` }[state];
    const box = made(
      "div",
      { className: "thing", id: `fleet-${fleet_id}` },
      made("div", { className: "top" }, made("span", { className: "name fleet" }, `Fleet ${fleet_id}`), made("span", { className: "level" }, `${ships} ship${ships === 1 ? "" : "s"}`)),
      made("div", { className: "detail" }, where),
    );
    if (fleet.ends_at) box.append(this.#task(state, fleet));
    if (state === "flying") {
      box.append(made("div", { className: "buttons" }, button("Recall", () => this.#ask("/fleet/recall", { fleet_id }))));
    }
    return box;
  }

  #task(name, { started_at, ends_at }, className = "task") {
    const bar = made("progress", { max: 1, value: 0, ariaLabel: name });
    const left = made("output");
    this.#ticking.push([bar, left, started_at, ends_at]);
    return made("div", { className }, name, bar, left);
  }

  // Time has passed.
  tick() {
    const now = this.#now();
    for (const [bar, left, from, until] of this.#ticking) {
      bar.value = Math.min(1, Math.max(0, (now - from) / (until - from || 1)));
      left.value = span(until - now);
    }
  }

  // A star that was chosen, with its planets and who could fly there; null is none.
  showStar(star, state) {
    this.#star = star;
    const box = $("star");
    box.hidden = !star;
    if (!star) return;
    const docked = state?.fleets.filter((fleet) => fleet.state === "docked") ?? [];
    const close = button("✕", () => this.showStar(null), { ariaLabel: "Close" });
    box.replaceChildren(
      made("h3", {}, star.name, close),
      made("p", { className: "quiet" }, `${star.colour} star at ${star.x}, ${star.y}`),
      ...star.planets.map((planet) => this.#body(planet, docked)),
    );
  }

  #body(planet, docked) {
    const guests = planet.fleets.map(({ empire, ships }) => `${ships} of ${empire.name}`).join(", ");
    const owner = planet.empire ? `empire of ${planet.empire.name}` : "nobody lives here";
    const box = made(
      "div",
      { className: "body" },
      made("strong", {}, planet.name),
      made("p", { className: "quiet" }, `${planet.kind} · ${owner}${guests ? ` · ships: ${guests}` : ""}`),
    );
    const able = docked.filter((fleet) => fleet.body_id !== planet.body_id);
    if (able.length) {
      const which = made("select", { ariaLabel: `Fleet to send to ${planet.name}` });
      which.append(...able.map(({ fleet_id, ships }) => new Option(`Fleet ${fleet_id} (${ships})`, fleet_id)));
      const send = () => this.#ask("/fleet/send", { fleet_id: Number(which.value), body_id: planet.body_id });
      box.append(made("div", { className: "send" }, which, button("Send", send)));
    }
    return box;
  }

  // Rows of some planets; the others stay.
  showStatistics(rows) {
    const table = $("statistics");
    if (rows.length) table.querySelector(".quiet")?.closest("tr").remove();
    for (const row of rows) {
      const id = `statistics-${row.body_id}`;
      const cells = [row.name, row.upgrades, row.highest, row.ore].map((text) => made("td", {}, String(text ?? 0)));
      const line = made("tr", { id, className: "is-new" }, ...cells);
      const old = $(id);
      if (old) old.replaceWith(line);
      else table.append(line);
    }
  }

  // Something has happened.
  tell({ kind, text }, { building_id, fleet_id }) {
    const line = made("li", {}, text, made("time", {}, new Date(this.#now() * 1000).toLocaleTimeString()));
    line.dataset.kind = kind;
    $("events").prepend(line);
    while ($("events").children.length > MOST_EVENTS) $("events").lastChild.remove();
    const id = building_id !== undefined ? `building-${building_id}` : `fleet-${fleet_id}`;
    // The box is made anew when the state has come.
    setTimeout(() => $(id)?.classList.add("is-new"), 200);
  }

  complain(error) {
    const toast = made("p", {}, error.message);
    $("toasts").append(toast);
    setTimeout(() => toast.remove(), TOAST);
  }
}
