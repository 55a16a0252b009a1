// The star map: a canvas over an endless sky, of which chunks of 50 × 50 units are loaded as they come into view.
//
// Coordinates are the game's: x to the right, y upwards.

const CHUNK = 50;
const EDGE = 500;
const SCALES = [3, 24]; // pixels a unit: the farthest and the nearest
const AT_ONCE = 6; // chunks that are asked for at a time
const AGAIN = 2_000; // ms until a chunk is asked for again that could not be had
const STEP = 60; // pixels that an arrow key scrolls
const NEAR = 18; // pixels within which a star is meant
const SPECKS = 40; // far stars in each chunk, for the eye alone

const TINTS = { blue: "#7db4ff", white: "#e8eeff", yellow: "#ffd76a", orange: "#ff9f4a", red: "#ff6b5e" };
const INKS = { blue: "#2f6fd6", white: "#7c8499", yellow: "#c79a1c", orange: "#d2701e", red: "#c23a2e" };

export class StarMap {
  #canvas;
  #now;
  #load;
  #onChoose;
  #onMove;
  #x = 0; // what is in the middle
  #y = 0;
  #scale = 10;
  #chunks = new Map(); // "left:bottom" → {left, bottom, stars, isLoading, isOld, after}
  #empire = null;
  #fleets = [];
  #chosen = null; // star_id
  #frame = 0;
  #gliding = null; // where to
  #dark = matchMedia("(prefers-color-scheme: dark)");

  constructor(canvas, { now, load, onChoose, onMove }) {
    this.#canvas = canvas;
    this.#now = now;
    this.#load = load;
    this.#onChoose = onChoose;
    this.#onMove = onMove;
    this.#listen();
    new ResizeObserver(() => this.#redraw()).observe(canvas);
    this.#dark.addEventListener("change", () => this.#redraw());
  }

  clear(empire) {
    this.#empire = empire;
    this.#chunks.clear();
    this.#fleets = [];
    this.#chosen = null;
    this.#redraw();
  }

  show({ fleets }) {
    this.#fleets = fleets;
    this.#redraw();
  }

  // A chunk is no longer what it was; what is shown stays until the new one is there.
  changed(left, bottom) {
    const chunk = this.#chunks.get(`${left}:${bottom}`);
    if (chunk) chunk.isOld = true;
    this.#redraw();
  }

  reload() {
    for (const chunk of this.#chunks.values()) chunk.isOld = true;
    this.#redraw();
  }

  planet(bodyId) {
    for (const star of this.#stars()) for (const planet of star.planets) if (planet.body_id === bodyId) return planet;
    return null;
  }

  goTo(x, y) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill) this.#moveTo(x, y);
    else this.#gliding = { x, y };
    this.#redraw();
  }

  zoom(factor, at = null) {
    const before = at && this.#toSky(at.x, at.y);
    this.#scale = Math.min(SCALES[1], Math.max(SCALES[0], this.#scale * factor));
    if (at) {
      // What is beneath the pointer stays there.
      const after = this.#toSky(at.x, at.y);
      this.#moveTo(this.#x + before.x - after.x, this.#y + before.y - after.y);
    }
    this.#redraw();
  }

  // Hands

  #listen() {
    const canvas = this.#canvas;
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      held = { x: event.offsetX, y: event.offsetY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
      canvas.classList.add("is-held");
      this.#scroll(dx, dy);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && held.moved < 6) this.#choose(event.offsetX, event.offsetY);
      held = null;
      canvas.classList.remove("is-held");
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, { x: event.offsetX, y: event.offsetY });
    }, { passive: false });
    const keys = {
      ArrowLeft: () => this.#scroll(STEP, 0),
      ArrowRight: () => this.#scroll(-STEP, 0),
      ArrowUp: () => this.#scroll(0, STEP),
      ArrowDown: () => this.#scroll(0, -STEP),
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      Home: () => document.getElementById("home").click(),
      Enter: () => this.#choose(canvas.clientWidth / 2, canvas.clientHeight / 2, Infinity),
      Escape: () => this.#pick(null),
    };
    canvas.addEventListener("keydown", (event) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    canvas.addEventListener("focus", () => this.#redraw());
    canvas.addEventListener("blur", () => this.#redraw());
  }

  #scroll(dx, dy) {
    this.#gliding = null;
    this.#moveTo(this.#x - dx / this.#scale, this.#y + dy / this.#scale);
    this.#redraw();
  }

  #moveTo(x, y) {
    this.#x = Math.min(EDGE, Math.max(-EDGE, x));
    this.#y = Math.min(EDGE, Math.max(-EDGE, y));
  }

  #choose(x, y, within = NEAR) {
    let [best, distance] = [null, within];
    for (const star of this.#stars()) {
      const at = this.#toPixels(star.x, star.y);
      const far = Math.hypot(at.x - x, at.y - y);
      if (far < distance) [best, distance] = [star, far];
    }
    this.#pick(best);
  }

  #pick(star) {
    this.#chosen = star?.star_id ?? null;
    this.#onChoose(star);
    this.#redraw();
  }

  // Where things are

  #toPixels(x, y) {
    return { x: this.#canvas.clientWidth / 2 + (x - this.#x) * this.#scale, y: this.#canvas.clientHeight / 2 - (y - this.#y) * this.#scale };
  }

  #toSky(x, y) {
    return { x: this.#x + (x - this.#canvas.clientWidth / 2) / this.#scale, y: this.#y - (y - this.#canvas.clientHeight / 2) / this.#scale };
  }

  *#stars() {
    for (const chunk of this.#chunks.values()) yield* chunk.stars ?? [];
  }

  // Chunks in view, those in the middle first.
  #inView() {
    const [low, high] = [this.#toSky(0, this.#canvas.clientHeight), this.#toSky(this.#canvas.clientWidth, 0)];
    const corner = (at) => Math.max(-EDGE, Math.floor(at / CHUNK) * CHUNK);
    const found = [];
    for (let left = corner(low.x); left < Math.min(EDGE, high.x); left += CHUNK)
      for (let bottom = corner(low.y); bottom < Math.min(EDGE, high.y); bottom += CHUNK) found.push({ left, bottom });
    const far = ({ left, bottom }) => Math.hypot(left + CHUNK / 2 - this.#x, bottom + CHUNK / 2 - this.#y);
    return found.sort((one, other) => far(one) - far(other));
  }

  // Loading

  #fetch() {
    if (this.#empire === null) return;
    let free = AT_ONCE - [...this.#chunks.values()].filter((chunk) => chunk.isLoading).length;
    for (const { left, bottom } of this.#inView()) {
      if (free <= 0) return;
      const key = `${left}:${bottom}`;
      const chunk = this.#chunks.get(key) ?? { left, bottom, stars: null, isLoading: false, isOld: true, after: 0 };
      if (chunk.isLoading || !chunk.isOld || chunk.after > Date.now()) continue;
      this.#chunks.set(key, chunk);
      this.#fill(chunk);
      free--;
    }
  }

  async #fill(chunk) {
    chunk.isLoading = true;
    chunk.isOld = false;
    try {
      chunk.stars = (await this.#load(chunk.left, chunk.bottom)).stars;
      const chosen = chunk.stars.find((star) => star.star_id === this.#chosen);
      if (chosen) this.#onChoose(chosen);
    } catch {
      chunk.isOld = true;
      chunk.after = Date.now() + AGAIN;
      setTimeout(() => this.#redraw(), AGAIN);
    }
    chunk.isLoading = false;
    this.#redraw();
  }

  // Drawing

  #redraw() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    const canvas = this.#canvas;
    const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    if (!width || !height) return;
    this.#glide();
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const sky = pen.createRadialGradient(width * 0.55, height * 0.4, 0, width * 0.55, height * 0.4, Math.max(width, height) * 0.75);
    sky.addColorStop(0, colour("sky-far"));
    sky.addColorStop(1, colour("sky"));
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    this.#drawChunks(pen, colour);
    for (const fleet of this.#fleets) if (fleet.state === "flying") this.#drawFleet(pen, fleet, colour);
    if (document.activeElement === canvas) drawCross(pen, width / 2, height / 2, colour("quiet"));
    this.#onMove(this.#x, this.#y);
    this.#fetch();
    if (this.#gliding || this.#fleets.some((fleet) => fleet.state === "flying")) this.#redraw();
  }

  #glide() {
    if (!this.#gliding) return;
    const { x, y } = this.#gliding;
    const [dx, dy] = [x - this.#x, y - this.#y];
    if (Math.hypot(dx, dy) < 0.2) this.#gliding = null;
    this.#moveTo(this.#gliding ? this.#x + dx / 6 : x, this.#gliding ? this.#y + dy / 6 : y);
  }

  #drawChunks(pen, colour) {
    const side = CHUNK * this.#scale;
    pen.lineWidth = 1;
    const shown = this.#inView().map(({ left, bottom }) => [left, bottom, this.#chunks.get(`${left}:${bottom}`)]);
    for (const [left, bottom, chunk] of shown) {
      const { x, y } = this.#toPixels(left, bottom + CHUNK);
      drawSpecks(pen, x, y, side, left * 31 + bottom * 17, colour("quiet"));
      pen.strokeStyle = colour("grid");
      pen.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(side), Math.round(side));
      if (!chunk?.stars) {
        pen.fillStyle = colour("quiet");
        pen.font = "12px system-ui, sans-serif";
        pen.textAlign = "center";
        pen.fillText("…", x + side / 2, y + side / 2);
      }
    }
    for (const [, , chunk] of shown) for (const star of chunk?.stars ?? []) this.#drawStar(pen, star, colour);
  }

  #drawStar(pen, star, colour) {
    const { x, y } = this.#toPixels(star.x, star.y);
    const tint = (this.#dark.matches ? TINTS : INKS)[star.colour] ?? colour("ink");
    const size = 2.2 + this.#scale / 5;
    const glow = pen.createRadialGradient(x, y, 0, x, y, size * 3.2);
    glow.addColorStop(0, `${tint}aa`);
    glow.addColorStop(1, `${tint}00`);
    pen.fillStyle = glow;
    drawDisc(pen, x, y, size * 3.2);
    pen.fillStyle = tint;
    drawDisc(pen, x, y, size);
    const owners = star.planets.map((planet) => planet.empire?.empire_id).filter((each) => each !== undefined);
    if (owners.length) {
      pen.strokeStyle = colour(owners.includes(this.#empire) ? "accent" : "warm");
      pen.lineWidth = 2;
      drawRing(pen, x, y, size * 2.3);
    }
    if (star.planets.some((planet) => planet.fleets.length)) drawShip(pen, x + size * 2.6, y - size * 2.6, -Math.PI / 4, colour("good"));
    if (star.star_id === this.#chosen) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 1.2;
      pen.setLineDash([4, 4]);
      drawRing(pen, x, y, size * 3.4);
      pen.setLineDash([]);
    }
    if (this.#scale >= 10) this.#drawPlanets(pen, star, x, y, size, colour);
    if (this.#scale >= 6 || owners.length) {
      pen.fillStyle = colour(owners.length ? "ink" : "quiet");
      pen.font = `${owners.length ? 600 : 400} 12px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.fillText(star.name, x, y + size * 3.2 + 12);
    }
  }

  #drawPlanets(pen, star, x, y, size, colour) {
    star.planets.forEach((planet, number) => {
      const orbit = size * (2.8 + number * 0.9);
      const angle = planet.body_id * 2.4; // each stands somewhere else
      pen.strokeStyle = colour("line");
      pen.lineWidth = 1;
      drawRing(pen, x, y, orbit);
      pen.fillStyle = colour(planet.empire ? "accent" : "quiet");
      drawDisc(pen, x + orbit * Math.cos(angle), y + orbit * Math.sin(angle), 2);
    });
  }

  #drawFleet(pen, fleet, colour) {
    const [from, to] = [this.#toPixels(fleet.x, fleet.y), this.#toPixels(fleet.to_x, fleet.to_y)];
    const part = Math.min(1, Math.max(0, (this.#now() - fleet.started_at) / (fleet.ends_at - fleet.started_at || 1)));
    pen.strokeStyle = colour("good");
    pen.lineWidth = 1.3;
    pen.setLineDash([3, 6]);
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
    pen.setLineDash([]);
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    drawShip(pen, from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part, angle, colour("good"));
  }
}

// The same for each chunk whenever it is drawn.
function drawSpecks(pen, x, y, side, seed, colour) {
  pen.fillStyle = colour;
  let chance = (seed * 2654435761) >>> 0 || 1;
  const next = () => ((chance = (chance * 1664525 + 1013904223) >>> 0) / 2 ** 32);
  for (let speck = 0; speck < SPECKS; speck++) {
    pen.globalAlpha = 0.12 + 0.38 * next();
    drawDisc(pen, x + side * next(), y + side * next(), 0.4 + 0.5 * next());
  }
  pen.globalAlpha = 1;
}

function drawDisc(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function drawRing(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.stroke();
}

function drawShip(pen, x, y, angle, colour) {
  pen.save();
  pen.translate(x, y);
  pen.rotate(angle);
  pen.fillStyle = colour;
  pen.beginPath();
  pen.moveTo(9, 0);
  pen.lineTo(-6, 5);
  pen.lineTo(-3, 0);
  pen.lineTo(-6, -5);
  pen.fill();
  pen.restore();
}

function drawCross(pen, x, y, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    pen.moveTo(x + dx * 5, y + dy * 5);
    pen.lineTo(x + dx * 11, y + dy * 11);
  }
  pen.stroke();
}
