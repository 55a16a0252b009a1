// Places for the nodes of a graph, in layers from left to right. Pure.
//
// A node's layer is the longest way to it, so every edge points to the right; what would close a ring is left out
// of that count. Within a layer, nodes stand near the middle of their neighbours: a few sweeps forth and back, as
// Sugiyama and others have it (1981), are enough for what people can still read.

export const HEIGHT = { proxy: 34, registration: 22, queue: 34, group: 34, consumer: 26 };
export const WIDTH = { proxy: 170, registration: 200, queue: 210, group: 210, consumer: 96 };
const GAP = 12;
const BETWEEN = 64; // layers
const SWEEPS = 6;
const FLOOR = { proxy: 0, registration: 1, queue: 2, group: 2, consumer: 3 };

// Gives {places: Map id → {x, y}, width, height}; x and y are of the left upper corner.
export function placesOf({ nodes, edges }) {
  const layers = layersOf(nodes, edges);
  const columns = [];
  for (const [id, layer] of layers) (columns[layer] ??= []).push(id);
  const filled = columns.filter(Boolean);
  if (!filled.length) return { places: new Map(), width: 0, height: 0 };
  order(filled, edges);
  return placed(filled, nodes, edges);
}

function layersOf(nodes, edges) {
  const next = new Map();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const layers = new Map([...nodes.values()].map(({ id, kind }) => [id, FLOOR[kind]]));
  const onTheWay = new Set();
  const seen = new Set();
  const visit = (id) => {
    onTheWay.add(id);
    seen.add(id);
    for (const to of next.get(id) ?? []) {
      const layer = Math.max(layers.get(to), layers.get(id) + 1);
      if (onTheWay.has(to) || (seen.has(to) && layer === layers.get(to))) continue;
      layers.set(to, layer);
      visit(to);
    }
    onTheWay.delete(id);
  };
  // Proxies come first by their ids ("p …" is before "q …" and "r …"): a ring always begins at the same one.
  for (const id of [...nodes.keys()].sort()) visit(id);
  align(nodes, layers);
  return layers;
}

// All queues stand in one column, and all consumers in the next, however deep the proxies before them are.
function align(nodes, layers) {
  const of = (kinds) => [...nodes.values()].filter(({ kind }) => kinds.includes(kind));
  const queues = of(["queue", "group"]);
  const beyond = of(["proxy", "registration"]).map(({ id }) => layers.get(id) + 1);
  const last = Math.max(0, ...beyond, ...queues.map(({ id }) => layers.get(id)));
  for (const { id } of queues) layers.set(id, last);
  for (const { id } of of(["consumer"])) layers.set(id, last + 1);
}

function order(columns, edges) {
  for (const column of columns) column.sort();
  const before = neighbours(edges, "to", "from");
  const after = neighbours(edges, "from", "to");
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    const rank = new Map(columns.flatMap((column) => column.map((id, place) => [id, place / column.length])));
    for (const column of isForth ? columns : columns.toReversed()) {
      sortByNeighbours(column, isForth ? before : after, rank);
      column.forEach((id, place) => rank.set(id, place / column.length));
    }
  }
}

function sortByNeighbours(column, beside, rank) {
  const middles = new Map(
    column.map((id) => {
      const ranks = (beside.get(id) ?? []).map((each) => rank.get(each)).filter((each) => each !== undefined);
      return [id, ranks.length ? ranks.reduce((sum, each) => sum + each, 0) / ranks.length : rank.get(id)];
    }),
  );
  column.sort((one, other) => middles.get(one) - middles.get(other) || (one < other ? -1 : 1));
}

function neighbours(edges, key, value) {
  const found = new Map();
  for (const edge of edges) found.set(edge[key], [...(found.get(edge[key]) ?? []), edge[value]]);
  return found;
}

// The tallest column stands evenly; each other, from there outwards, as near to its neighbours as its order lets it.
function placed(columns, nodes, edges) {
  const heightOf = (id) => HEIGHT[nodes.get(id).kind];
  const size = (column) => column.reduce((sum, id) => sum + heightOf(id) + GAP, -GAP);
  const tallest = columns.reduce((best, column, at) => (size(column) > size(columns[best]) ? at : best), 0);
  const middles = new Map(); // id → y of its middle
  stack(columns[tallest], () => 0, heightOf, middles);
  const before = neighbours(edges, "to", "from");
  const after = neighbours(edges, "from", "to");
  for (let at = tallest - 1; at >= 0; at--) stack(columns[at], near(after, middles), heightOf, middles);
  for (let at = tallest + 1; at < columns.length; at++)
    stack(columns[at], near(before, middles), heightOf, middles);
  return cornered(columns, nodes, middles, heightOf);
}

function near(beside, middles) {
  return (id) => {
    const known = (beside.get(id) ?? [])
      .map((each) => middles.get(each))
      .filter((each) => each !== undefined);
    return known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : 0;
  };
}

// One above the other without touching; where wishes collide, the whole heap is shared out around them.
function stack(column, wish, heightOf, middles) {
  const heaps = []; // {ids, top, height, wanted: sum of tops that its members wish for}
  for (const id of column) {
    const height = heightOf(id) + GAP;
    let heap = {
      ids: [id],
      height,
      wanted: wish(id) - heightOf(id) / 2,
      top: wish(id) - heightOf(id) / 2,
    };
    while (heaps.length && heaps.at(-1).top + heaps.at(-1).height > heap.top)
      heap = joined(heaps.pop(), heap);
    heaps.push(heap);
  }
  for (const { ids, top } of heaps) {
    let y = top;
    for (const id of ids) {
      middles.set(id, y + heightOf(id) / 2);
      y += heightOf(id) + GAP;
    }
  }
}

function joined(upper, lower) {
  // What the lower's members wish for is told from the upper's top.
  const wanted = upper.wanted + lower.wanted - lower.ids.length * upper.height;
  const ids = [...upper.ids, ...lower.ids];
  return { ids, height: upper.height + lower.height, wanted, top: wanted / ids.length };
}

function cornered(columns, nodes, middles, heightOf) {
  const highest = Math.min(...[...middles].map(([id, middle]) => middle - heightOf(id) / 2));
  const places = new Map();
  let x = 0;
  let height = 0;
  for (const column of columns) {
    for (const id of column) {
      const y = middles.get(id) - heightOf(id) / 2 - highest;
      places.set(id, { x, y });
      height = Math.max(height, y + heightOf(id));
    }
    x += Math.max(...column.map((id) => WIDTH[nodes.get(id).kind])) + BETWEEN;
  }
  return { places, width: Math.max(0, x - BETWEEN), height };
}
