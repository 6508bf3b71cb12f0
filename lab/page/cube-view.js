// Draws a network with its loads, and a phase of a plan on its way.

import {placesOf, fitted} from "./layout.js";
import {SHADES, shadeOf, pageColours, sharpened, shortNumber} from "./colours.js";

const KEPT_TIMES = 600;

export class CubeView {
  #canvas;
  #network = null;
  #layout = null;
  #fitted = null;
  #links = null;
  #key = "";
  #shown = new Float64Array(0);
  /** How long the last frames took, in milliseconds. */
  times = [];

  constructor(canvas) {
    this.#canvas = canvas;
  }

  setNetwork(network) {
    this.#network = network;
    this.#layout = placesOf(network);
    this.#key = "";
    this.#shown = new Float64Array(network.nodes);
  }

  /** The node at a point of the canvas, or -1. */
  nodeAt(px, py) {
    if (!this.#fitted) return -1;
    const {x, y, room} = this.#fitted;
    let found = -1;
    let least = (Math.max(room, 8) * 0.6) ** 2;
    for (let k = 0; k < x.length; ++k) {
      const away = (x[k] - px) ** 2 + (y[k] - py) ** 2;
      if (away < least) {
        least = away;
        found = k;
      }
    }
    return found;
  }

  /** `progress` in [0, 1] is how far the replay's next phase is. `forced` waits until all is painted. */
  draw(replay, progress, largest, forced = false) {
    if (!this.#network) return;
    const before = performance.now();
    const {context, width, height} = sharpened(this.#canvas);
    if (width === 0 || height === 0) return;
    const colours = pageColours();
    this.#fit(width, height, colours);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.#links, 0, 0, width, height);
    const moving = progress > 0 && progress < 1 ? replay.next : [];
    this.#shown.set(replay.loads);
    for (let i = 0; i < moving.length; i += 3) this.#shown[moving[i]] -= moving[i + 2];
    if (this.#layout.dense) this.#drawCells(context, largest, colours);
    else this.#drawTubes(context, largest, colours);
    this.#drawMoving(context, moving, progress, colours);
    if (forced) context.getImageData(0, 0, 1, 1);
    this.times.push(performance.now() - before);
    if (this.times.length > KEPT_TIMES) this.times.shift();
  }

  #fit(width, height, colours) {
    const key = [width, height, colours.link, colours.card, this.#canvas.width].join();
    if (key === this.#key) return;
    this.#key = key;
    const {dense} = this.#layout;
    this.#fitted = fitted(this.#layout, width, height, dense ? 14 : 38, dense ? 14 : 52);
    const back = document.createElement("canvas");
    back.width = this.#canvas.width;
    back.height = this.#canvas.height;
    this.#links = back;
    if (!dense) this.#drawLinks(back.getContext("2d"), this.#canvas.width / width, colours);
  }

  #drawLinks(context, ratio, colours) {
    const {x, y} = this.#fitted;
    const {links, kind} = this.#network;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.strokeStyle = colours.link;
    context.lineWidth = links.length > 400 ? 0.7 : 1.3;
    context.globalAlpha = links.length > 1200 ? 0.35 : 1;
    context.beginPath();
    for (let i = 0; i < links.length; i += 2) {
      const [a, b] = [links[i], links[i + 1]];
      context.moveTo(x[a], y[a]);
      const bend = this.#bend(a, b, kind);
      if (bend === 0) context.lineTo(x[b], y[b]);
      else context.quadraticCurveTo(...this.#middle(a, b, bend), x[b], y[b]);
    }
    context.stroke();
  }

  /** How far a link is bent to the side: those that would cover others are. */
  #bend(a, b, kind) {
    if (kind === "torus") {
      const {columns} = this.#network;
      const across = Math.abs(a % columns - b % columns);
      const down = Math.abs(Math.floor(a / columns) - Math.floor(b / columns));
      return across > 1 || down > 1 ? 0.16 : 0;
    }
    if (kind === "hypercube" || kind === "cube") return (a ^ b) > 4 ? 0.1 : 0;
    return 0;
  }

  #middle(a, b, bend) {
    const {x, y} = this.#fitted;
    const [low, high] = a < b ? [a, b] : [b, a];
    return [(x[a] + x[b]) / 2 + (y[high] - y[low]) * bend, (y[a] + y[b]) / 2 - (x[high] - x[low]) * bend];
  }

  #drawCells(context, largest, colours) {
    const {x, y, wide, tall} = this.#fitted;
    const across = Math.max(2, wide * 0.86);
    const size = Math.max(2, tall * 0.84);
    context.fillStyle = colours.link;
    context.globalAlpha = 0.28;
    for (let k = 0; k < x.length; ++k) context.fillRect(x[k] - across / 2, y[k] - size / 2, across, size);
    context.globalAlpha = 1;
    const shades = new Uint8Array(x.length);
    const used = new Uint8Array(SHADES.length);
    for (let k = 0; k < x.length; ++k) {
      shades[k] = shadeOf(this.#shown[k], largest);
      used[shades[k]] = 1;
    }
    for (let shade = 0; shade < SHADES.length; ++shade) {
      if (!used[shade]) continue;
      context.fillStyle = SHADES[shade];
      const high = size * (0.3 + 0.7 * shade / (SHADES.length - 1));
      for (let k = 0; k < x.length; ++k) {
        if (shades[k] === shade) context.fillRect(x[k] - across / 2, y[k] + size / 2 - high, across, high);
      }
    }
  }

  #drawTubes(context, largest, colours) {
    const {x, y, room} = this.#fitted;
    const wide = Math.max(9, Math.min(40, room * 0.5));
    const high = Math.max(14, Math.min(60, room * 0.72));
    const texts = wide >= 16;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let k = 0; k < x.length; ++k) {
      const left = x[k] - wide / 2;
      const top = y[k] - high / 2;
      const load = this.#shown[k];
      const part = largest > 0 ? Math.min(1, load / largest) : 0;
      const shade = shadeOf(load, largest);
      context.beginPath();
      context.roundRect(left, top, wide, high, 5);
      context.fillStyle = colours.card;
      context.fill();
      context.save();
      context.clip();
      context.fillStyle = SHADES[shade];
      const level = Math.max(load > 0 ? 3 : 0, part * high);
      context.fillRect(left, top + high - level, wide, level);
      context.restore();
      context.lineWidth = 1.4;
      context.strokeStyle = colours.soft;
      context.stroke();
      if (!texts) continue;
      // A load stands in the middle: on its colour where that reaches so far, else on the page's.
      context.font = `600 ${Math.min(15, wide * 0.48)}px system-ui, sans-serif`;
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeStyle = colours.card;
      context.strokeText(shortNumber(load), x[k], y[k]);
      context.fillStyle = colours.ink;
      context.fillText(shortNumber(load), x[k], y[k]);
      context.font = `${Math.min(11, wide * 0.36)}px system-ui, sans-serif`;
      context.fillStyle = colours.soft;
      context.fillText(String(k), x[k], top + high + 8);
    }
  }

  #drawMoving(context, moving, progress, colours) {
    if (moving.length === 0) return;
    const {x, y, room} = this.#fitted;
    const {dense} = this.#layout;
    const way = progress * progress * (3 - 2 * progress);
    if (dense) {
      const size = Math.max(2, Math.min(room, 40) * 0.3);
      context.fillStyle = colours.moving;
      for (let i = 0; i < moving.length; i += 3) {
        const [a, b] = [moving[i], moving[i + 1]];
        context.fillRect(x[a] + way * (x[b] - x[a]) - size / 2, y[a] + way * (y[b] - y[a]) - size / 2, size, size);
      }
      return;
    }
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = 0; i < moving.length; i += 3) {
      const [a, b, quanta] = [moving[i], moving[i + 1], moving[i + 2]];
      const [px, py] = this.#onWay(a, b, way);
      const radius = Math.max(4, Math.min(15, 4.5 + 1.8 * Math.log2(1 + quanta), room * 0.28));
      context.beginPath();
      context.arc(px, py, radius, 0, 2 * Math.PI);
      context.fillStyle = colours.moving;
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = colours.card;
      context.stroke();
      if (radius < 7) continue;
      context.font = `600 ${Math.round(radius * 1.05)}px system-ui, sans-serif`;
      context.fillStyle = "#fff";
      context.fillText(shortNumber(quanta), px, py);
    }
  }

  #onWay(a, b, way) {
    const {x, y} = this.#fitted;
    const bend = this.#bend(a, b, this.#network.kind);
    if (bend === 0) return [x[a] + way * (x[b] - x[a]), y[a] + way * (y[b] - y[a])];
    const [mx, my] = this.#middle(a, b, bend);
    const rest = 1 - way;
    return [rest * rest * x[a] + 2 * rest * way * mx + way * way * x[b], rest * rest * y[a] + 2 * rest * way * my + way * way * y[b]];
  }
}
