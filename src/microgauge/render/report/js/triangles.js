// Heat maps of pairs: a lower triangle of cells, with the name of each variable at the end of its row.
import { cut, el, name } from "./dom.js";
import { say, woven } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LEAST_CELL = 13;
const MOST_CELL = 44;
const MOST_LABEL = 190;
export const MOST_ROWS = 40;

const node = (tag, given = {}, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const pen = document.createElement("canvas").getContext("2d");

const widthOf = (text, size) => {
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
};

const fitted = (text, size, most) => {
  let shown = cut(text, 60);
  while (shown.length > 1 && widthOf(shown, size) > most) shown = `${shown.slice(0, -2)}…`;
  return shown;
};

// How many variables have room, the first of them, and how large their cells are.
const layout = (names, room) => {
  const label = Math.min(MOST_LABEL, Math.max(...names.map((text) => widthOf(cut(text, 60), 14))));
  const space = Math.max(room - Math.min(label, room / 2) - 12, 5 * LEAST_CELL);
  const most = Math.max(2, Math.min(names.length, MOST_ROWS, Math.floor(space / LEAST_CELL)));
  const cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor(space / most)));
  const size = Math.min(14, cell);
  return { count: most, cell, size, label: Math.min(label, room / 2) };
};

export const countFor = (names, room) => layout(names, room).count;

// Older browsers cannot mix colours: they show the cell's other marks only.
export const mixed = (colour, share) =>
  `fill: color-mix(in srgb, var(${colour}) ${Math.round(100 * share)}%, var(--kept))`;

// Lines across a cell from below to above.
const hatching = (x, y, cell) => {
  const lines = [];
  for (let at = 4; at < 2 * cell; at += 6) {
    const [start, end] = [Math.min(at, cell), Math.max(0, at - cell)];
    lines.push(`M${x + end} ${y + start}L${x + start} ${y + end}`);
  }
  const style = "stroke: var(--lost); fill: none";
  return node("path", { d: lines.join(""), style, "stroke-width": 2, "pointer-events": "none" });
};

// A cell is { kind: "value", style, text } or { kind: "removed" } or { kind: "untested" }.
const cellNodes = (found, x, y, cell) => {
  const place = { x, y, width: cell, height: cell };
  if (found.kind === "removed") {
    const under = { ...place, style: "fill: var(--kept); stroke: var(--line)" };
    return [node("rect", { ...under, "data-kind": "removed" }), hatching(x, y, cell)];
  }
  if (found.kind === "untested") {
    const dot = { cx: x + cell / 2, cy: y + cell / 2, r: Math.max(1.5, cell / 10) };
    return [
      node("rect", { ...place, style: "fill: var(--paper); stroke: var(--line)" }),
      node("circle", { ...dot, style: "fill: var(--soft)", "pointer-events": "none" }),
    ];
  }
  const rect = node("rect", { ...place, style: `${found.style}; stroke: var(--line)` });
  if (!found.text || cell < 30) return [rect];
  const at = { x: x + cell / 2, y: y + cell / 2, "font-size": 12, "pointer-events": "none" };
  const style = `fill: var(${found.strong ? "--paper" : "--ink"})`;
  const middle = { "text-anchor": "middle", "dominant-baseline": "central" };
  return [rect, node("text", { ...at, ...middle, style }, found.text)];
};

const marker = () =>
  node("rect", {
    fill: "none",
    style: "stroke: var(--ink)",
    "stroke-width": 2,
    visibility: "hidden",
  });

// Moves over the cells with the mouse or the arrow keys; tells and opens the one it is at.
const guide = (picture, { count, cell }, { at, tell, open }) => {
  const frames = [marker(), marker(), marker()];
  picture.append(...frames);
  let [row, column] = [1, 0];
  const frame = (part, x, y, width, height) => {
    for (const [key, value] of Object.entries({ x, y, width, height, visibility: "visible" })) {
      part.setAttribute(key, value);
    }
  };
  const move = (r, c) => {
    row = Math.max(1, Math.min(count - 1, r));
    column = Math.max(0, Math.min(row - 1, c));
    frame(frames[0], column * cell, row * cell, cell, cell);
    frame(frames[1], 0, row * cell, row * cell, cell);
    frame(frames[2], column * cell, (column + 1) * cell, cell, (count - column - 1) * cell);
    for (const band of frames.slice(1)) band.setAttribute("stroke-width", 0.7);
    tell(...at(row, column));
  };
  const KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  picture.addEventListener("keydown", (event) => {
    if (KEYS[event.key]) move(row + KEYS[event.key][0], column + KEYS[event.key][1]);
    else if (event.key === "Enter" || event.key === " ") open(...at(row, column));
    else return;
    event.preventDefault();
  });
  picture.addEventListener("focus", () => move(row, column));
  const pointed = (event) => event.target.closest?.("[data-row]")?.dataset;
  picture.addEventListener("pointermove", (event) => {
    const here = pointed(event);
    if (here) move(Number(here.row), Number(here.column));
  });
  picture.addEventListener("click", (event) => {
    const here = pointed(event);
    if (here) open(...at(Number(here.row), Number(here.column)));
  });
};

// `order`: variables by their place among all names; `found(i, j)` and `said(i, j)` speak of a pair.
export const triangle = ({ title, names, order, room, found, said, open }) => {
  const texts = order.map((i) => names[i]);
  const plan = layout(texts, room);
  const { count, cell, size, label } = plan;
  const [width, height] = [count * cell + label + 10, count * cell + 2];
  const picture = node("svg", {
    viewBox: `-1 -1 ${width} ${height}`,
    width,
    height,
    tabindex: 0,
    role: "application",
    "aria-label": say("{title}. The arrow keys move from pair to pair, Enter opens one.", {
      title,
    }),
  });
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < row; column += 1) {
      const made = cellNodes(found(order[row], order[column]), column * cell, row * cell, cell);
      made[0].dataset.row = row;
      made[0].dataset.column = column;
      picture.append(...made);
    }
    const place = { x: row * cell + 6, y: (row + 0.5) * cell, "font-size": size };
    const text = fitted(texts[row], size, label);
    const style = "fill: var(--ink)";
    picture.append(node("text", { ...place, style, "dominant-baseline": "central" }, text));
  }
  const status = el("p", { class: "soft pointed", "aria-live": "polite" }, " ");
  const tell = (i, j) => {
    const pair = { first: name(names[i]), second: name(names[j]), said: said(i, j) };
    status.replaceChildren(...woven(say("{first} × {second}: {said}"), pair));
  };
  guide(picture, plan, { at: (row, column) => [order[row], order[column]], tell, open });
  return el("div", { class: "triangle", role: "group", "aria-label": title }, picture, status);
};

const swatch = (found, text) => {
  const picture = node("svg", { width: 18, height: 18, "aria-hidden": "true" });
  picture.append(...cellNodes(found, 1, 1, 16));
  return el("span", {}, picture, ` ${text}`);
};

export const swatches = (rows) =>
  el("p", { class: "legend swatches" }, ...rows.map(([found, text]) => swatch(found, text)));
