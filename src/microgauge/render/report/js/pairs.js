// Every pair as a cell of a heat map, each opened for its table before and after.
import { boxLayers, chart, dark, edgeLabel } from "./charts.js";
import { distinct, el, name, number, originalOf, section } from "./dom.js";
import { cell, sortable } from "./tables.js";

const axisLabels = (axis) =>
  axis.labels ??
  axis.edges.slice(0, -1).map((edge, i) => `${edgeLabel(edge)} – ${edgeLabel(axis.edges[i + 1])}`);

const cells = (table, a, b) => {
  const [rows, columns] = [distinct(a, 30), distinct(b, 30)];
  return table.flatMap((row, i) =>
    row.map((v, j) => ({ a: rows[i], b: columns[j], share: v / 10000 })),
  );
};

const TOOLTIP = [{ title: "row" }, { title: "column" }];
const cellTooltip = (row, column) => [
  { field: row, ...TOOLTIP[0] },
  { field: column, ...TOOLTIP[1] },
  { field: "share", format: ".2%" },
];

const heat = (title, table, a, b, scale) => {
  const across = { title: null, type: "nominal", sort: null };
  return {
    title,
    width: Math.min(260, 34 * b.length),
    height: Math.min(240, 26 * a.length),
    data: { values: cells(table, a, b) },
    mark: { type: "rect" },
    encoding: {
      y: { field: "a", ...across, scale: { domain: distinct(a, 30) }, axis: { labelLimit: 120 } },
      x: {
        field: "b",
        ...across,
        scale: { domain: distinct(b, 30) },
        axis: { labelAngle: -40, labelLimit: 110 },
      },
      color: {
        field: "share",
        type: "quantitative",
        title: null,
        scale,
        legend: { format: ".1%", gradientLength: 90 },
      },
      tooltip: cellTooltip("a", "b"),
    },
  };
};

const sum = (values) => values.reduce((total, value) => total + value, 0);

const tiles = (table, a, b) => {
  const total = sum(table.flat()) || 1;
  const [rows, columns] = [distinct(a, 30), distinct(b, 30)];
  let x = 0;
  return table.flatMap((row, i) => {
    const width = sum(row) / total;
    const [x1, x2] = [x, x + Math.max(width - 0.004, 0)];
    x += width;
    let y = 0;
    return row.map((v, j) => {
      const height = width > 0 ? v / total / width : 0;
      const tile = { x: x1, x2, y, y2: y + height, la: rows[i], lb: columns[j], share: v / total };
      y += height;
      return tile;
    });
  });
};

const mosaic = (title, table, a, b) => {
  const whole = { type: "quantitative", axis: { format: "%" }, scale: { domain: [0, 1] } };
  return {
    title,
    width: 260,
    height: 220,
    data: { values: tiles(table, a, b) },
    mark: { type: "rect", stroke: "white", strokeWidth: 0.5 },
    encoding: {
      x: { field: "x", title: "share of each row", ...whole },
      x2: { field: "x2" },
      y: { field: "y", title: null, ...whole },
      y2: { field: "y2" },
      color: {
        field: "lb",
        type: "nominal",
        sort: null,
        scale: { scheme: "tableau10", domain: distinct(b, 30) },
        title: null,
        legend: { labelLimit: 130 },
      },
      tooltip: cellTooltip("la", "lb"),
    },
  };
};

// The place below which a part of the whole lies, as if values were spread evenly in each bin.
const quantile = (shares, edges, part) => {
  const wanted = part * sum(shares);
  let held = 0;
  for (let i = 0; i < shares.length; i += 1) {
    if (held + shares[i] >= wanted) {
      const within = shares[i] ? (wanted - held) / shares[i] : 0;
      return edges[i] + within * (edges[i + 1] - edges[i]);
    }
    held += shares[i];
  }
  return edges[edges.length - 1];
};

const groupBoxes = (groups, tables, edges, byRow, original) => {
  const shown = distinct(groups, 24);
  const values = groups.flatMap((_, g) =>
    tables.flatMap((table, side) => {
      const shares = byRow ? table[g] : table.map((row) => row[g]);
      if (!sum(shares)) return [];
      const at = (part) => quantile(shares, edges, part);
      const quantiles = {
        q05: at(0.05),
        q25: at(0.25),
        q50: at(0.5),
        q75: at(0.75),
        q95: at(0.95),
      };
      const group = `${shown[g]}${side ? " ▸ protected" : ""}`;
      return [{ group, side: side ? "protected" : "original", ...quantiles }];
    }),
  );
  const title = `Quantiles by group, ${original} above protected`;
  return { title, width: 380, height: { step: 18 }, ...boxLayers(values, "group") };
};

const moved = (before, after, a, b) => {
  const found = before.flatMap((row, i) => row.map((v, j) => [after[i][j] - v, i, j, v]));
  found.sort((p, q) => Math.abs(q[0]) - Math.abs(p[0]));
  const most = found.slice(0, 6).filter(([gap]) => gap !== 0);
  if (!most.length) return el("p", { class: "soft" }, "No cell moved by a hundredth of a point.");
  const told = most.map(([gap, i, j, v]) => {
    const points = `${gap > 0 ? "+" : "−"}${(Math.abs(gap) / 100).toFixed(2)} points: `;
    return el(
      "li",
      {},
      points,
      name(a[i] ?? ""),
      " × ",
      name(b[j] ?? ""),
      ` (was ${(v / 100).toFixed(2)} %)`,
    );
  });
  return el("ul", { class: "plain" }, ...told);
};

// Two categories as mosaics, a category and a number as boxes, two numbers as binned scatters.
const sideCharts = (axes, tables, a, b) => {
  const [before, after] = tables;
  const original = originalOf(axes.find((axis) => axis.recoded));
  const title = original.replace("o", "O");
  if (axes[0].labels && axes[1].labels) {
    return [
      chart(`Mosaic, ${original}`, () => mosaic(title, before, a, b)),
      chart("Mosaic, protected", () => mosaic("Protected", after, a, b)),
    ];
  }
  if (axes[0].labels || axes[1].labels) {
    const byRow = Boolean(axes[0].labels);
    const [groups, edges] = byRow ? [a, axes[1].edges] : [b, axes[0].edges];
    return [chart("Box plots by group", () => groupBoxes(groups, tables, edges, byRow, original))];
  }
  const top = Math.max(...before.flat(), ...after.flat()) / 10000;
  const scale = { scheme: "blues", domain: [0, top] };
  return [
    chart(`Binned scatter, ${original}`, () => heat(title, before, a, b, scale)),
    chart("Binned scatter, protected", () => heat("Protected", after, a, b, scale)),
  ];
};

const pairTables = (axes, tables) => {
  const [a, b] = axes.map(axisLabels);
  const [before, after] = tables;
  const gap = after.map((row, r) => row.map((v, c) => v - before[r][c]));
  const most = Math.max(1, ...gap.flat().map(Math.abs)) / 10000;
  const scale = { scheme: "blueorange", domain: [-most, most], domainMid: 0 };
  const difference = chart("Difference", () => heat("Difference", gap, a, b, scale));
  return [
    el("div", { class: "charts" }, ...sideCharts(axes, tables, a, b), difference),
    el("h4", {}, "Cells that moved most"),
    moved(before, after, a, b),
  ];
};

const pairPanel = (report, i, j) => {
  const { pairs } = report;
  const straight = pairs.matrix.some(([a, b]) => a === i && b === j);
  const [p, q] = straight ? [i, j] : [j, i];
  const key = `${p},${q}`;
  const entry = pairs.matrix.find(([a, b]) => a === p && b === q);
  const [first, second] = [pairs.names[p], pairs.names[q]];
  const said = `Utility ${number(entry ? entry[2] : null)}. `;
  const panel = el(
    "div",
    { class: "open", tabindex: "-1" },
    el("h4", {}, name(first), " × ", name(second)),
    el("p", {}, said, pairs.stories[key] ?? ""),
  );
  const tables = pairs.tables?.[key];
  if (tables) panel.append(...pairTables([pairs.axes[first], pairs.axes[second]], tables));
  else if (report.edition !== "public") {
    panel.append(el("p", { class: "soft" }, "No table of this pair is in the report."));
  }
  return panel;
};

const mapSpec = (pairs) => {
  const step = pairs.names.length > 60 ? 9 : pairs.names.length > 30 ? 13 : 26;
  const shown = distinct(pairs.names, 30);
  const values = pairs.matrix.flatMap(([i, j, u]) =>
    u === null
      ? []
      : [
          { i, j, u, a: shown[i], b: shown[j] },
          { i: j, j: i, u, a: shown[j], b: shown[i] },
        ],
  );
  const axis = {
    labelLimit: 110,
    labelFontSize: step > 12 ? 10 : 7,
    labelOverlap: step > 12 ? false : "greedy",
  };
  const names = { type: "nominal", sort: null, title: null, scale: { domain: shown } };
  const scale = { scheme: dark() ? "cividis" : "viridis", domain: [0, 1] };
  return {
    width: { step },
    height: { step },
    data: { values },
    params: [{ name: "chosen", select: { type: "point", fields: ["i", "j"] } }],
    mark: { type: "rect", cursor: "pointer" },
    encoding: {
      x: { field: "b", ...names, axis: { ...axis, labelAngle: -60, orient: "top" } },
      y: { field: "a", ...names, axis },
      color: { field: "u", type: "quantitative", title: "utility", scale },
      tooltip: [{ field: "a" }, { field: "b" }, { field: "u", format: ".3f" }],
    },
  };
};

const heatMap = (pairs, open) => {
  const after = (view) =>
    view.addEventListener("click", (event, item) => {
      if (item?.datum && item.datum.i !== undefined) open(item.datum.i, item.datum.j);
    });
  return chart("Utility of every pair", () => mapSpec(pairs), { wide: true, after });
};

const chooser = (pairs, open) => {
  const options = () =>
    distinct(pairs.names, 60).map((text, i) => el("option", { value: i }, text));
  const first = el("select", { "aria-label": "First variable" }, ...options());
  const second = el("select", { "aria-label": "Second variable" }, ...options());
  second.value = "1";
  const onclick = () => {
    if (first.value !== second.value) open(Number(first.value), Number(second.value));
  };
  const button = el("button", { type: "button", class: "open-pair", onclick }, "Open pair");
  return el("div", { class: "filters" }, "Look at", first, "×", second, button);
};

const weakest = (pairs, open) => {
  if (!pairs.weakest.length) return [];
  const heads = [{ text: "pair" }, { text: "utility", number: true }, { text: "what happened" }];
  const rows = pairs.weakest.map(([i, j, u, story]) => {
    const given = { class: "name", type: "button", onclick: () => open(i, j) };
    const node = el("button", given, `${pairs.names[i]} × ${pairs.names[j]}`);
    return [{ node, sort: pairs.names[i] }, cell(u), { text: story, sort: story }];
  });
  return [el("h4", {}, "Weakest pairs"), sortable(heads, rows, "Weakest pairs")];
};

export const renderPairs = (report, parent, id) => {
  const { pairs } = report;
  if (pairs.names.length < 2) return;
  const place = section(parent, id, "Pairs", "pair");
  const opened = el("div", { "aria-live": "polite" });
  const open = (i, j) => {
    opened.replaceChildren(pairPanel(report, i, j));
    opened.firstChild.focus({ preventScroll: true });
    opened.scrollIntoView({ block: "nearest" });
  };
  const tested = `${pairs.coverage[0]} of ${pairs.coverage[1]} pairs tested. `;
  place.append(
    el(
      "p",
      { class: "soft" },
      `${tested}1: the association is as it was; 0: lost, appeared, reversed or its pattern changed.`,
    ),
    heatMap(pairs, open),
    chooser(pairs, open),
    opened,
    ...weakest(pairs, open),
  );
  if (pairs.tables_left_out) {
    const said = `${pairs.tables_left_out} pairs have no table in this file: those that lost least.`;
    place.append(el("p", { class: "soft" }, said));
  }
};
