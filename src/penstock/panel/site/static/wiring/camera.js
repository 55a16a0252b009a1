// What of a drawing is seen: dragged, zoomed with the wheel, buttons or keys; fitted at first.

import { h } from "../core/dom.js";

const STEP = 1.25;
const NEAREST = 2.5;
const MARGIN = 24;
const KEYS = {
  "+": (c) => c.zoom(STEP),
  "=": (c) => c.zoom(STEP),
  "-": (c) => c.zoom(1 / STEP),
  0: (c) => c.fit(),
  ArrowLeft: (c) => c.move(-60, 0),
  ArrowRight: (c) => c.move(60, 0),
  ArrowUp: (c) => c.move(0, -60),
  ArrowDown: (c) => c.move(0, 60),
};

export class Camera {
  #drawing;
  #size = { width: 1, height: 1 };
  #at = { x: 0, y: 0, scale: 1 };
  isTouched = false;

  constructor(drawing) {
    this.#drawing = drawing;
    drawing.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    drawing.addEventListener("pointerdown", (event) => this.#drag(event));
    drawing.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => (this.isTouched ? this.#apply() : this.fit())).observe(drawing);
  }

  buttons() {
    const one = (label, text, onclick) => h("button", { "aria-label": label, title: label, onclick }, text);
    return [
      one("Zoom in", "+", () => this.zoom(STEP)),
      one("Zoom out", "−", () => this.zoom(1 / STEP)),
      one("Fit", "Fit", () => this.fit()),
    ];
  }

  // The drawing has another size now.
  cover(width, height) {
    this.#size = { width, height };
    if (this.isTouched) this.#apply();
    else this.fit();
  }

  fit() {
    const { clientWidth, clientHeight } = this.#drawing;
    const { width, height } = this.#size;
    const scale = Math.min(1, clientWidth / (width + 2 * MARGIN), clientHeight / (height + 2 * MARGIN));
    // A drawing taller than anybody can read is shown from its top at a size that can be read.
    const readable = Math.max(scale, Math.min(0.6, clientWidth / (width + 2 * MARGIN)));
    const y = readable > scale ? -MARGIN : (height - clientHeight / readable) / 2;
    this.#at = { x: (width - clientWidth / readable) / 2, y, scale: readable || 1 };
    this.isTouched = false;
    this.#apply();
  }

  zoom(by, at = null) {
    const { clientWidth, clientHeight } = this.#drawing;
    const { x = clientWidth / 2, y = clientHeight / 2 } = at ?? {};
    const scale = Math.min(NEAREST, Math.max(0.05, this.#at.scale * by));
    this.#at = {
      x: this.#at.x + x / this.#at.scale - x / scale,
      y: this.#at.y + y / this.#at.scale - y / scale,
      scale,
    };
    this.#touched();
  }

  move(x, y) {
    this.#at.x += x / this.#at.scale;
    this.#at.y += y / this.#at.scale;
    this.#touched();
  }

  #touched() {
    this.isTouched = true;
    this.#apply();
  }

  #apply() {
    const { clientWidth, clientHeight } = this.#drawing;
    const { x, y, scale } = this.#at;
    this.#drawing.setAttribute(
      "viewBox",
      `${x} ${y} ${Math.max(1, clientWidth / scale)} ${Math.max(1, clientHeight / scale)}`,
    );
  }

  #wheel(event) {
    event.preventDefault();
    const { left, top } = this.#drawing.getBoundingClientRect();
    this.zoom(event.deltaY < 0 ? STEP : 1 / STEP, { x: event.clientX - left, y: event.clientY - top });
  }

  #drag(event) {
    if (event.target.closest(".node")) return;
    const move = (moved) => this.move(-moved.movementX, -moved.movementY);
    const end = () => {
      this.#drawing.removeEventListener("pointermove", move);
      this.#drawing.classList.remove("dragged");
    };
    this.#drawing.setPointerCapture(event.pointerId);
    this.#drawing.classList.add("dragged");
    this.#drawing.addEventListener("pointermove", move);
    this.#drawing.addEventListener("pointerup", end, { once: true });
    this.#drawing.addEventListener("pointercancel", end, { once: true });
  }

  #key(event) {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(this);
  }
}
