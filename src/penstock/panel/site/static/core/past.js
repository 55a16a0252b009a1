// What the broker remembers: the samples of RabbitMQ's API as rows for a chart, [seconds since the epoch, …values],
// the oldest first. Pure.

// What is asked once, when a page is opened.
export const PAST = { lengths_age: 300, lengths_incr: 5, msg_rates_age: 300, msg_rates_incr: 5 };
export const PAST_BYTES = { data_rates_age: 300, data_rates_incr: 5 };

// Levels, such as how many messages were in a queue. Where one is not known it is null.
export function levels(told, names) {
  const columns = names.map((name) => byMoment(told?.[`${name}_details`]?.samples));
  const moments = new Set(columns.flatMap((column) => [...column.keys()]));
  const row = (at) => [at, ...columns.map((column) => column.get(at) ?? null)];
  return [...moments].sort((a, b) => a - b).map(row);
}

// How much was added a second to what is counted, such as messages that were published.
export function growth(told, names) {
  const rows = levels(told, names);
  return rows.slice(1).map((row, place) => grown(rows[place], row));
}

function grown([before, ...olds], [at, ...news]) {
  const rates = news.map((value, place) =>
    value == null || olds[place] == null ? null : Math.max(0, value - olds[place]) / (at - before),
  );
  return [at, ...rates];
}

function byMoment(samples) {
  return new Map((samples ?? []).map(({ timestamp, sample }) => [timestamp / 1000, sample]));
}
