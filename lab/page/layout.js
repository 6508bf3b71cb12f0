// Where the nodes of a network are drawn, within a box of any shape.

/** The steps along the dimensions of a cube of up to 6 dimensions, as a drawing of it in the plane. */
const STEPS = [[1, 0], [0, -1], [0.42, -0.36], [2.05, -0.1], [0.1, -2.05], [4.15, -0.2]];

/** The place of node k in a Gray code of `bits` bits: neighbours in the row differ in one bit. */
function grayPlace(k) {
  let place = 0;
  for (let rest = k; rest !== 0; rest >>>= 1) place ^= rest;
  return place;
}

function projected(codes) {
  return codes.map((code) => {
    let x = 0;
    let y = 0;
    STEPS.forEach(([dx, dy], bit) => {
      if (code >>> bit & 1) {
        x += dx;
        y += dy;
      }
    });
    return [x, y];
  });
}

function circle(nodes, first = 0) {
  const places = [];
  for (let k = first; k < nodes; ++k) {
    const angle = 2 * Math.PI * (k - first) / (nodes - first) - Math.PI / 2;
    places.push([Math.cos(angle), Math.sin(angle)]);
  }
  return places;
}

function grid(nodes, columns) {
  return Array.from({length: nodes}, (_, k) => [k % columns, Math.floor(k / columns)]);
}

/** Rows that are read in turn from left to right and from right to left, so that a line stays joined. */
function snake(nodes, columns) {
  return grid(nodes, columns).map(([x, y]) => [y % 2 ? columns - 1 - x : x, y]);
}

function grayGrid(nodes, dimensions) {
  const low = Math.ceil(dimensions / 2);
  return Array.from({length: nodes}, (_, k) => [grayPlace(k & ((1 << low) - 1)), grayPlace(k >>> low)]);
}

/**
 * The places of all nodes, as `{places, dense}`: places are [x, y] in any unit, and `dense` says that they fill a grid and
 * that links are not drawn.
 */
export function placesOf(network) {
  const {kind, nodes, dimensions, rows, columns, codes} = network;
  if (kind === "hypercube" || kind === "cube") {
    if (dimensions <= STEPS.length) return {places: projected(Array.from({length: nodes}, (_, k) => k)), dense: false};
    return {places: grayGrid(nodes, dimensions), dense: true};
  }
  if (kind === "mesh" || kind === "torus") return {places: grid(nodes, columns), dense: Math.max(rows, columns) > 20};
  if (nodes > 128) return {places: snake(nodes, Math.ceil(Math.sqrt(nodes * 1.6))), dense: true};
  if (kind === "linear") return {places: snake(nodes, nodes <= 16 ? Math.min(nodes, 8) : 16), dense: false};
  if (kind === "star") return {places: nodes === 1 ? [[0, 0]] : [[0, 0], ...circle(nodes, 1)], dense: false};
  if (codes.length && Math.max(...codes) < 1 << STEPS.length) return {places: projected(codes), dense: false};
  return {places: nodes === 1 ? [[0, 0]] : circle(nodes), dense: false};
}

/** The places scaled and moved into a box, the room that a node has there, and the length of a unit, in pixels. */
export function fitted({places}, width, height, margin, below) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of places) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const wide = Math.max(right - left, 1e-9);
  const high = Math.max(bottom - top, 1e-9);
  // Stretched to the box, but not out of shape.
  let sx = (width - 2 * margin) / wide;
  let sy = (height - margin - below) / high;
  sx = Math.min(sx, 1.7 * sy);
  sy = Math.min(sy, 1.35 * sx);
  const dx = (width - sx * (right - left)) / 2 - sx * left;
  const dy = (height + margin - below - sy * (bottom - top)) / 2 - sy * top;
  const x = Float64Array.from(places, (one) => one[0] * sx + dx);
  const y = Float64Array.from(places, (one) => one[1] * sy + dy);
  let nearest = Math.min(width, height);
  const some = Math.min(places.length, 96);
  for (let a = 0; a < some; ++a) {
    for (let b = 0; b < a; ++b) nearest = Math.min(nearest, Math.max(Math.abs(x[a] - x[b]), Math.abs(y[a] - y[b])));
  }
  return {x, y, room: nearest, wide: sx, tall: sy};
}
