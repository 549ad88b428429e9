// Charts: Vega-Lite, drawn when they are opened, and again when the theme changes.
import { cut, el, none } from "./dom.js";

export const dark = () => document.documentElement.dataset.theme === "dark";

const THEMES = {
  light: {
    $before: "#8a949e",
    $after: "#0072b2",
    $bad: "#d55e00",
    $ink: "#16202c",
    soft: "#55606b",
    line: "#e1e6eb",
  },
  dark: {
    $before: "#a7b2bd",
    $after: "#56b4e9",
    $bad: "#f0a04b",
    $ink: "#e8edf2",
    soft: "#a7b2bd",
    line: "#36414c",
  },
};
const theme = () => THEMES[dark() ? "dark" : "light"];

export const SIDES = { domain: ["original", "protected"], range: ["$before", "$after"] };

const config = () => {
  const { $ink: ink, soft, line } = theme();
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: {
      labelColor: soft,
      titleColor: soft,
      gridColor: line,
      domainColor: soft,
      tickColor: soft,
      labelLimit: 160,
    },
    legend: { labelColor: soft, titleColor: soft },
    title: { color: ink, anchor: "start", fontSize: 13 },
    header: { labelColor: soft, titleColor: soft },
    text: { color: ink },
  };
};

const COLOURED = new Set(["color", "fill", "stroke", "range"]);

// Colours that are named take those of the theme. Values of the data are left as they are.
const themed = (node, key) => {
  if (typeof node === "string") return (COLOURED.has(key) && theme()[node]) || node;
  if (Array.isArray(node)) return key === "values" ? node : node.map((entry) => themed(entry, key));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, entry]) => [name, themed(entry, name)]),
  );
};

// As everywhere else, a per cent stands apart from its number.
const NUMBERS = {
  decimal: ".",
  thousands: ",",
  grouping: [3],
  currency: ["$", ""],
  percent: "\u00a0%",
};

const drawn = new Map();

const draw = (place) => {
  const { make, title, after } = drawn.get(place);
  const spec = {
    ...themed(make()),
    description: title,
    background: "transparent",
    config: config(),
  };
  return vegaEmbed(place, spec, {
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip: true,
    formatLocale: NUMBERS,
  })
    .then((result) => after?.(result.view))
    .catch((error) => {
      place.textContent = "This chart cannot be drawn.";
      console.error(error);
    });
};

// `make` gives the specification; `after` is handed the view, whenever it is drawn.
export const chart = (title, make, { wide = false, after = null } = {}) => {
  const place = el("div", {
    class: wide ? "chart wide" : "chart",
    role: "img",
    "aria-label": title,
  });
  drawn.set(place, { make, title, after });
  queueMicrotask(() => {
    if (place.isConnected) draw(place);
  });
  return place;
};

export const redraw = () => {
  for (const place of [...drawn.keys()]) {
    if (place.isConnected) draw(place);
    else drawn.delete(place);
  }
};

export const edgeLabel = (value) =>
  new Intl.NumberFormat("en", { maximumSignificantDigits: 12 }).format(value);

const quantity = (field) => ({ field, type: "quantitative", title: null, scale: { zero: false } });
const sideColour = { field: "side", type: "nominal", scale: SIDES, legend: null };

// Quantiles as boxes, a row for each value of `group`.
export const boxLayers = (values, group) => {
  const y = { field: group, type: "nominal", title: null, sort: null };
  const middle = { type: "tick", thickness: 2, height: 14, color: dark() ? "#fff" : "#16202c" };
  return {
    layer: [
      {
        mark: { type: "rule" },
        encoding: { y, x: quantity("q05"), x2: { field: "q95" }, color: sideColour },
      },
      {
        mark: { type: "bar", height: 10, opacity: 0.75 },
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
    return [{ key: `${i}`, label: side, side, value, low, high }];
  });
  const y = { field: "key", type: "nominal", axis: null, sort: null };
  return chart(cut(entry.title, 80), () => ({
    ...intervals(rows, 14),
    width: 220,
    encoding: { y },
  }));
};
