// Charts: Vega-Lite, drawn when they are opened, and again when the theme changes.
import { cut, el, none } from "./dom.js";
import { drawing } from "./drawing.js";
import { AFTER, BEFORE, data, say } from "./words.js";

export const dark = () => document.documentElement.dataset.theme === "dark";

const THEMES = {
  light: {
    $before: "#8a949e",
    $after: "#0072b2",
    $bad: "#d55e00",
    $good: "#009e73",
    $ink: "#16202c",
    $soft: "#55606b",
    $paper: "#ffffff",
    line: "#e1e6eb",
  },
  dark: {
    $before: "#a7b2bd",
    $after: "#56b4e9",
    $bad: "#f0a04b",
    $good: "#4cc9a0",
    $ink: "#e8edf2",
    $soft: "#a7b2bd",
    $paper: "#10161d",
    line: "#36414c",
  },
};
const theme = () => THEMES[dark() ? "dark" : "light"];

export const SIDES = { domain: [BEFORE, AFTER], range: ["$before", "$after"] };

const LETTERS = 14;

const config = () => {
  const { $ink: ink, $soft: soft, line } = theme();
  const text = { labelColor: soft, titleColor: soft };
  const letters = { labelFontSize: LETTERS, titleFontSize: LETTERS, titleFontWeight: "normal" };
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: {
      ...text,
      ...letters,
      gridColor: line,
      domainColor: soft,
      tickColor: soft,
      labelLimit: 180,
    },
    axisQuantitative: { labelOverlap: "greedy", labelSeparation: 4 },
    legend: { ...text, ...letters },
    title: { color: ink, anchor: "start", fontSize: 15, fontWeight: 600 },
    header: { ...text, ...letters },
    text: { color: ink, fontSize: LETTERS },
  };
};

const COLOURED = new Set(["color", "fill", "stroke", "range"]);

// What stands beside the values of these fields where the mouse is.
const FIELDS = {
  candidate: say("candidate"),
  full: say("label"),
  high: say("high"),
  label: say("label"),
  low: say("low"),
  name: say("name"),
  share: say("share"),
  side: say("side"),
  value: say("value"),
};
const titled = (told) => ({ title: FIELDS[told.field] ?? told.field, ...told });

// Colours that are named take those of the theme. Values of the data are left as they are.
const themed = (node, key) => {
  if (typeof node === "string") return (COLOURED.has(key) && theme()[node]) || node;
  if (key === "tooltip" && Array.isArray(node)) return node.map(titled);
  if (Array.isArray(node)) return key === "values" ? node : node.map((entry) => themed(entry, key));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, entry]) => [name, themed(entry, name)]),
  );
};

// As everywhere else, a per cent stands apart from its number.
const NUMBERS = data.locale ?? {
  decimal: ".",
  thousands: ",",
  grouping: [3],
  currency: ["$", ""],
  percent: "\u00a0%",
};

const drawn = new Map();
const DEFAULT_ROOM = 600;

const roomFor = (place) => place.clientWidth || DEFAULT_ROOM;

// The height of so many rows: Vega-Lite does not count them where it fits a width.
const heightOf = ({ height, data: held, encoding, layer }) => {
  if (!height?.step) return height;
  const { y, yOffset } = encoding?.y ? encoding : layer[0].encoding;
  const count = (field) => new Set(held.values.map((row) => row[field])).size;
  return height.step * count(y.field) * (yOffset ? count(yOffset.field) : 1);
};

// A picture may bring others of its kind for narrower pages; else it is made as wide as its place.
const fitting = (spec, room) => {
  const { narrower, room: wanted } = spec.usermeta ?? {};
  if (wanted) {
    const all = [spec, ...(narrower ?? [])];
    return all.find((one) => one.usermeta.room <= room) ?? all.at(-1);
  }
  if (typeof spec.width !== "number" || !spec.height) return spec;
  const autosize = { type: "fit-x", contains: "padding" };
  return { ...spec, width: room, height: heightOf(spec), autosize };
};

// One picture with a name of its own: what Vega says of it and its parts is English.
const asPicture = (place) => {
  place.setAttribute("role", "img");
  place.removeAttribute("aria-roledescription");
  place.querySelector("svg").setAttribute("aria-hidden", "true");
};

const draw = (place) => {
  const entry = drawn.get(place);
  const { make, title, fixed, made: asMade } = entry;
  entry.room = roomFor(place);
  const made = make(entry.room);
  const spec = {
    ...themed(fixed || asMade ? made : fitting(made, entry.room)),
    description: title,
    background: "transparent",
    config: config(),
  };
  const options = {
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip: true,
    formatLocale: NUMBERS,
  };
  return drawing
    .then((embed) => embed(place, spec, options))
    .then(() => asPicture(place))
    .catch((error) => {
      place.textContent = say("This chart cannot be drawn.");
      console.error(error);
    });
};

// `make` gives the specification for a room of so many pixels. A fixed picture keeps its own width;
// one that is made for the room is drawn as it is.
export const chart = (title, make, { fixed = false, made = false } = {}) => {
  const place = el("div", {
    class: fixed ? "chart" : "chart fill",
    role: "img",
    "aria-label": title,
  });
  drawn.set(place, { make, title, fixed, made });
  queueMicrotask(() => {
    if (place.isConnected) draw(place);
  });
  return place;
};

const redrawIf = (wanted) => {
  for (const [place, entry] of [...drawn]) {
    if (!place.isConnected) drawn.delete(place);
    else if (wanted(place, entry)) draw(place);
  }
};

export const redraw = () => redrawIf(() => true);

let waiting = null;
window.addEventListener("resize", () => {
  window.clearTimeout(waiting);
  const changed = (place, entry) => !entry.fixed && entry.room !== roomFor(place);
  waiting = window.setTimeout(() => redrawIf(changed), 150);
});

const quantity = (field) => ({ field, type: "quantitative", title: null, scale: { zero: false } });
const sideColour = { field: "side", type: "nominal", scale: SIDES, legend: null };

// Quantiles as boxes, a row for each value of `group`.
export const boxLayers = (values, group, height = 12) => {
  const y = { field: group, type: "nominal", title: null, sort: null };
  const middle = { type: "tick", thickness: 2, height: height + 4, color: "$ink" };
  return {
    layer: [
      {
        mark: { type: "rule" },
        encoding: { y, x: quantity("q05"), x2: { field: "q95" }, color: sideColour },
      },
      {
        mark: { type: "bar", height, opacity: 0.75 },
        encoding: { y, x: quantity("q25"), x2: { field: "q75" }, color: sideColour },
      },
      { mark: middle, encoding: { y, x: quantity("q50") } },
    ],
    data: { values },
  };
};

// Estimates with their intervals: rows of { label, side, value, low, high }.
export const intervals = (rows, height = 18) => ({
  width: 420,
  height: { step: height },
  data: { values: rows },
  encoding: {
    y: { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 220 } },
  },
  layer: [
    {
      mark: { type: "rule", strokeWidth: 2 },
      encoding: { x: quantity("low"), x2: { field: "high" }, color: sideColour },
    },
    {
      mark: { type: "point", filled: true, size: 45 },
      encoding: {
        x: { field: "value", type: "quantitative" },
        color: sideColour,
        tooltip: [
          { field: "label" },
          ...["value", "low", "high"].map((field) => ({ field, format: ".5g" })),
        ],
      },
    },
  ],
});

// The two intervals in a cell of a table.
export const smallIntervals = (entry) => {
  const rows = ["original", "protected"].flatMap((side, i) => {
    const value = entry[side];
    if (none(value)) return [];
    const [low, high] = entry[`${side}_ci`] ?? [value, value];
    return [{ key: `${i}`, label: SIDES.domain[i], side: SIDES.domain[i], value, low, high }];
  });
  const y = { field: "key", type: "nominal", axis: null, sort: null };
  const make = () => ({ ...intervals(rows, 14), width: 220, encoding: { y } });
  return chart(cut(entry.title, 80), make, { fixed: true });
};
