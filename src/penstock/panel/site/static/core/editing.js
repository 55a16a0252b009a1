// What a person has changed, and nothing else: a text or a header that nobody touched is sent as it came. Pure.

// JSON in which numbers stay as they are written: to a script, 9007199254740993 is …992, and 1.0 is 1. Browsers that
// cannot tell how a number was written (before 2025) read it as they can.
export function exact(text) {
  return JSON.parse(text, (_, value, context) => {
    const isChanged = typeof value === "number" && context?.source && String(value) !== context.source;
    return isChanged && JSON.rawJSON ? JSON.rawJSON(context.source) : value;
  });
}

// Headers before and after, both as JSON → those that differ; null is for one that was taken out.
export function changedHeaders(before, after) {
  const [was, is] = [before, after].map((text) => new Map(Object.entries(table(text))));
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const changed = names.filter((name) => JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)));
  return Object.fromEntries(changed.map((name) => [name, is.get(name) ?? null]));
}

// A text after an edit in a <textarea>, which knows one line end only: those that nobody touched stay as they were.
export function mended(whole, edited) {
  const shown = whole.replaceAll(/\r\n?/g, "\n");
  if (shown === edited) return whole;
  const least = Math.min(shown.length, edited.length);
  let head = 0;
  while (head < least && shown[head] === edited[head]) head++;
  let tail = 0;
  while (tail < least - head && shown.at(-1 - tail) === edited.at(-1 - tail)) tail++;
  const written = edited.slice(head, edited.length - tail);
  const ended = whole.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written;
  return whole.slice(0, place(whole, head)) + ended + whole.slice(place(whole, shown.length - tail));
}

function table(text) {
  const found = exact(text.trim() || "{}");
  if (found === null || typeof found !== "object" || Array.isArray(found))
    throw new Error('Headers are a JSON object, such as {"region": "eu"}.');
  return found;
}

// Where in a text the character stands that is shown at this place.
function place(whole, shownAt) {
  let at = 0;
  for (let passed = 0; passed < shownAt; passed++) at += whole.startsWith("\r\n", at) ? 2 : 1;
  return at;
}
