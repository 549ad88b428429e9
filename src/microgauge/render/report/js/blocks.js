// What sections say, block by block. Nothing here knows a section.
import { chart, smallIntervals } from "./charts.js";
import { el, general, legend, name, none, number, stories, why } from "./dom.js";
import { sortable, wideMeter } from "./tables.js";

export const figureCard = (figure) => {
  const [button, box] = why(figure.key);
  const shown = none(figure.digits) ? general(figure.value) : number(figure.value, figure.digits);
  return el(
    "div",
    { class: figure.main ? "card main" : "card" },
    el("div", { class: "value" }, shown),
    el("div", { class: "label" }, figure.label, button ?? ""),
    figure.share && !none(figure.value) ? wideMeter(figure.value) : null,
    box,
  );
};

const numeral = (value, head) => (none(head.digits) ? general(value) : number(value, head.digits));

const tableCell = (value, head, first) => {
  if (value !== null && typeof value === "object") {
    const node = value.block === "intervals" ? smallIntervals(value) : drawn(value);
    return { node, sort: null };
  }
  if (typeof value === "boolean") return { text: value ? "yes" : "no", sort: Number(value) };
  if (typeof value === "string")
    return first ? { node: name(value), sort: value } : { text: value, sort: value };
  return { text: numeral(value, head), sort: value };
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
  figures: (block) => el("div", { class: "cards" }, ...block.rows.map(figureCard)),
  table,
  chart: drawn,
  legend: () => el("p", {}, legend()),
  group: (block) =>
    el(
      "div",
      {},
      block.title ? el("h3", {}, name(block.title)) : null,
      ...drawings(block.blocks ?? []),
    ),
};

// Charts that follow each other stand side by side.
export const drawings = (blocks) => {
  const found = [];
  let charts = null;
  for (const block of blocks) {
    const node = DRAWINGS[block.block](block);
    if (block.block !== "chart") {
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
