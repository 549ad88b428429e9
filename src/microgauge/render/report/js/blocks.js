// What sections say, block by block. Nothing here knows a section.
import { chart, smallIntervals } from "./charts.js";
import { el, legend, name, none, number, stories, why } from "./dom.js";
import { ruler } from "./rulers.js";
import { sortable, wideMeter } from "./tables.js";
import { say } from "./words.js";

// A card, and what explains it: as wide as all cards, below the row that the card stands in.
export const figureCard = (figure) => {
  const [button, box] = why(figure.key ?? figure.explain, figure.value);
  const card = el(
    "div",
    { class: figure.main ? "card main" : "card" },
    el("div", { class: "label" }, figure.label, button ?? ""),
    el("div", { class: "value" }, number(figure.value, figure.digits ?? null)),
    figure.share && !none(figure.value) ? wideMeter(figure.value) : null,
  );
  return box ? [card, box] : [card];
};

export const cards = (figures) => el("div", { class: "cards" }, ...figures.flatMap(figureCard));

const tableCell = (value, head, first) => {
  if (value !== null && typeof value === "object") {
    const node = value.block === "intervals" ? smallIntervals(value) : drawn(value);
    return { node, sort: null };
  }
  if (typeof value === "boolean")
    return { text: value ? say("yes") : say("no"), sort: Number(value) };
  if (typeof value === "string")
    return first ? { node: name(value), sort: value } : { text: value, sort: value };
  return { text: number(value, head.digits ?? null), sort: value };
};

const table = (block) => {
  const rows = (block.rows ?? []).map((row, at) => {
    const cells = row.map((value, i) => tableCell(value, block.heads[i], i === 0));
    const note = block.notes?.[at];
    if (note) cells.below = el("tr", {}, el("td", { colspan: row.length, class: "soft" }, note));
    return cells;
  });
  return sortable(block.heads, rows, block.caption);
};

const drawn = (block) => chart(block.title, () => block.spec);

const DRAWINGS = {
  sentence: (block) => el("p", { class: block.soft ? "soft" : null }, block.text),
  stories: (block) => stories(block.rows ?? []),
  figures: (block) => cards(block.rows),
  table,
  chart: drawn,
  ruler,
  legend: () => el("p", {}, legend()),
  group: (block) =>
    el(
      "div",
      {},
      block.title ? el("h4", {}, name(block.title)) : null,
      ...drawings(block.blocks ?? []),
    ),
};

// Charts that follow each other stand side by side.
export const drawings = (blocks) => {
  const found = [];
  let charts = null;
  for (const block of blocks) {
    const node = DRAWINGS[block.block](block);
    if (block.block !== "chart" && block.block !== "ruler") {
      charts = null;
      found.push(node);
    } else if (charts) {
      charts.append(node);
    } else {
      charts = el("div", { class: "charts" }, node);
      found.push(charts);
    }
  }
  return found;
};
