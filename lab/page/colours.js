// The colour of a load, the same in all views, and the colours of the page for canvases.

const STOPS = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];

export const SHADES = Array.from({length: 64}, (_, i) => {
  const at = i / 63 * (STOPS.length - 1);
  const low = Math.min(Math.floor(at), STOPS.length - 2);
  const mix = STOPS[low].map((value, c) => Math.round(value + (at - low) * (STOPS[low + 1][c] - value)));
  return `rgb(${mix.join(",")})`;
});

/** The number of a shade for a load, on a scale from 0 to `largest`. */
export function shadeOf(load, largest) {
  return largest <= 0 ? 0 : Math.max(0, Math.min(63, Math.round(load / largest * 63)));
}

/** The colours of the page as it is shown now. */
export function pageColours() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {ink: value("--ink"), soft: value("--soft"), line: value("--line"), card: value("--card"), accent: value("--accent"),
    warn: value("--warn"), link: value("--link"), moving: value("--moving")};
}

/** A canvas made as sharp as the screen; gives its context and its size in CSS pixels. */
export function sharpened(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const {clientWidth: width, clientHeight: height} = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {context, width, height};
}

export function shortNumber(value) {
  if (value < 10000) return String(Math.round(value));
  const units = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [size, unit] = units.find(([least]) => value >= least);
  return `${(value / size).toPrecision(3).replace(/\.?0+$/, "")}${unit}`;
}
