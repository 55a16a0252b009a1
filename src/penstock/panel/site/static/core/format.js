// Numbers, spans and moments as people read them. Pure.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];
const NONE = "–";
// The words of JSON, how they nest, and how far to the right a line begins at most: anybody can nest anything.
const WORDS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const STEP = { "{": 1, "[": 1, "}": -1, "]": -1 };
const DEEPEST = 40;
const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

export function count(value) {
  return isNumber(value) ? whole.format(value) : NONE;
}

// Three digits and a letter: 1234567 → "1.23 M".
export function short(value) {
  if (!isNumber(value)) return NONE;
  for (const [step, letter] of STEPS) if (Math.abs(value) >= step) return `${digits(value / step)} ${letter}`;
  return digits(value);
}

export function rate(value) {
  return isNumber(value) ? `${short(value)}/s` : NONE;
}

export function bytes(value) {
  if (!isNumber(value)) return NONE;
  let step = 0;
  for (; value >= 1024 && step < BYTES.length - 1; step++) value /= 1024;
  return `${step ? digits(value) : whole.format(value)} ${BYTES[step]}`;
}

// A span of seconds, its two greatest parts: 3723 → "1 h 2 min".
export function span(seconds) {
  if (!isNumber(seconds)) return NONE;
  if (seconds < 1) return seconds > 0 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : "0 s";
  if (seconds < 10 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`;
  const s = Math.floor(seconds);
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return two(s, MINUTE, "min", 1, "s");
  if (s < DAY) return two(s, HOUR, "h", MINUTE, "min");
  return two(s, DAY, "d", HOUR, "h");
}

// How worrying it is that something waits for so long: a class of the style, and a word for those who see none.
export function ageKind(seconds) {
  if (!isNumber(seconds) || seconds < MINUTE) return "calm";
  return seconds < 10 * MINUTE ? "slow" : "late";
}

// A moment in seconds since the epoch; the day is left out if it is today.
export function moment(at, now = Date.now() / 1000) {
  if (!isNumber(at)) return NONE;
  const then = new Date(at * 1000);
  if (Number.isNaN(then.getTime())) return String(at);
  const isToday = day.format(then) === day.format(new Date(now * 1000));
  return isToday ? clock.format(then) : `${day.format(then)} ${clock.format(then)}`;
}

export function percent(part) {
  return isNumber(part) ? `${Math.round(part * 100)} %` : NONE;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// The rate of a verb in what RabbitMQ calls message_stats.
export function rateOf(stats, verb) {
  return stats?.[`${verb}_details`]?.rate ?? 0;
}

// A payload for reading: JSON in lines, each word of it as it was written; everything else as it came.
export function readable(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const words = text.match(WORDS);
  let depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  return words
    .map((word, at) => {
      const step = STEP[word] ?? 0;
      depth += step;
      if (step > 0) return STEP[words[at + 1]] < 0 ? word : word + line();
      if (step < 0) return STEP[words[at - 1]] > 0 ? word : line() + word;
      return word === "," ? `,${line()}` : word === ":" ? ": " : word;
    })
    .join("");
}

function digits(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return whole.format(value);
  return value.toFixed(size >= 10 ? 1 : 2);
}

function two(seconds, big, bigName, small, smallName) {
  const rest = Math.floor((seconds % big) / small);
  return `${Math.floor(seconds / big)} ${bigName}${rest ? ` ${rest} ${smallName}` : ""}`;
}
