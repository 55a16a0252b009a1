// Elements from values. What comes from a broker (names, payloads, headers) becomes a text node or an attribute,
// never markup: nothing in these pages reads HTML from a string, and tests see to it.

const SVG = "http://www.w3.org/2000/svg";
const WEB = /^https?:\/\//i;

// h("a", { href, class: "name", onclick: go }, "text", node, null)
export function h(tag, properties = {}, ...children) {
  return made(document.createElement(tag), properties, children);
}

// The same for what is drawn.
export function svg(tag, properties = {}, ...children) {
  return made(document.createElementNS(SVG, tag), properties, children);
}

// A link that somebody else has named: only the web's, or it is shown as the text that it is.
export function outsideLink(url, text) {
  if (!WEB.test(String(url))) return h("span", {}, text);
  return h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, text);
}

export function fill(node, ...children) {
  node.replaceChildren(...wanted(children));
  return node;
}

// Sets a text only if it is another: screen readers and selections are left alone otherwise.
export function say(node, text) {
  const said = String(text);
  if (node.textContent !== said) node.textContent = said;
}

export const $ = (selector, root = document) => root.querySelector(selector);

// The parts of a path, each as a name that may hold anything: "/queues/%2F/a%2Fb" → ["queues", "/", "a/b"].
export function pathParts() {
  return location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
}

// A path of names: path("queues", "/", "a/b") → "/queues/%2F/a%2Fb".
export function path(...names) {
  return names.map((name) => `/${encodeURIComponent(name)}`).join("");
}

function made(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...wanted(children));
  return node;
}

function wanted(children) {
  return children.flat(Infinity).filter((child) => child != null && child !== false);
}
