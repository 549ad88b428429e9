// Files whose loss is known and this one, on one line, each where its figure is; made anew for
// every width of the page.
import { chart } from "./charts.js";
import { number } from "./dom.js";
import { say } from "./words.js";

const SIZE = 14;
const LEVEL = 24;
const OWN = say("this file");

const pen = document.createElement("canvas").getContext("2d");

const widthOf = (text, bold = false, size = SIZE) => {
  pen.font = `${bold ? "bold " : ""}${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
};

const meets = (a, b) => a.level === b.level && a.left < b.right + 12 && b.left < a.right + 12;

// Whether one stands in the way of the line that leads to the other.
const bars = (a, b) => {
  const [low, high] = a.level < b.level ? [a, b] : [b, a];
  return low.level < high.level && low.left - 4 < high.x && high.x < low.right + 4;
};

// Labels in as few rows as they need, none on another; on a line that leads to one only where it
// cannot be helped. From the right, so that what begins farther to the left may stand above it.
const placed = (points, width, [low, high]) => {
  const found = [];
  for (const [name, value] of [...points].reverse()) {
    const text = `${name} ${number(value)}`;
    const x = ((value - low) / (high - low)) * width;
    const wide = widthOf(text, name === OWN) + 2;
    const left = Math.max(Math.min(x - 6, width - wide), 0);
    const start = { name, value, text, x, left, right: left + wide };
    const places = points.map((_, level) => ({ ...start, level }));
    const free = places.filter((place) => !found.some((other) => meets(place, other)));
    const clear = free.filter((place) => !found.some((other) => bars(place, other)));
    found.push(clear[0] ?? free[0]);
  }
  return found.reverse();
};

const lines = (text, width) => {
  const found = [""];
  for (const word of text.split(" ")) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (widthOf(longer, true, SIZE + 2) <= width) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
};

const scales = (width, domain, top) => {
  const exact = { nice: false, zero: false };
  const ticks = { grid: false, tickCount: Math.max(2, Math.floor(width / 110)), format: ".2~f" };
  const x = (field) => ({
    field,
    type: "quantitative",
    title: null,
    scale: { domain, ...exact },
    axis: ticks,
  });
  const y = (field) => ({
    field,
    type: "quantitative",
    axis: null,
    scale: { domain: [0, top], ...exact },
  });
  return { x, y };
};

const layersOf = (rows, own, { x, y }) => {
  const data = { values: rows.filter((row) => (row.name === OWN) === own) };
  const color = own ? "$after" : "$soft";
  const point = { shape: own ? "circle" : "diamond", size: own ? 160 : 60 };
  const fontWeight = own ? "bold" : "normal";
  return [
    {
      data,
      mark: { type: "rule", color, strokeWidth: own ? 3 : 1 },
      encoding: { x: x("value"), y: y("foot"), y2: { field: "top" } },
    },
    {
      data,
      mark: { type: "point", filled: true, opacity: 1, color, ...point },
      encoding: {
        x: x("value"),
        y: y("foot"),
        tooltip: [{ field: "name" }, { field: "value", format: ".4f" }],
      },
    },
    {
      data,
      mark: {
        type: "text",
        align: "left",
        baseline: "middle",
        fontSize: SIZE,
        fontWeight,
        color: "$ink",
      },
      encoding: { x: x("start"), y: y("row"), text: { field: "text", type: "nominal" } },
    },
  ];
};

const spec = (heading, points, room) => {
  const width = Math.max(room - 40, 200);
  const values = points.map(([, value]) => value);
  const low = Math.min(Math.floor(Math.min(...values) * 10) / 10, 0.9);
  const high = Math.max(Math.ceil(Math.max(...values) * 10) / 10, 1);
  const labels = placed(points, width, [low, high]);
  const top = Math.max(...labels.map((label) => label.level)) + 1.8;
  const at = (pixels) => low + (pixels / width) * (high - low);
  const rows = labels.map(({ name, value, text, left, right, level }) => ({
    name,
    value,
    text,
    foot: 0,
    top: level + 0.75,
    start: at(left),
    end: at(right),
    row: level + 1.2,
    above: level + 1.6,
    below: level + 0.8,
  }));
  const sides = scales(width, [low, high], top);
  const { x, y } = sides;
  const hidden = {
    data: { values: rows },
    mark: { type: "rect", color: "$paper", opacity: 1 },
    encoding: { x: x("start"), x2: { field: "end" }, y: y("below"), y2: { field: "above" } },
  };
  const [others, own] = [false, true].map((which) => layersOf(rows, which, sides));
  return {
    title: lines(heading, width),
    width,
    height: LEVEL * top,
    layer: [others[0], own[0], hidden, others[1], own[1], others[2], own[2]],
  };
};

// `points` are names and figures in the order of the figures.
export const ruler = ({ title, heading, points }) =>
  chart(title, (room) => spec(heading, points, room), { made: true });
