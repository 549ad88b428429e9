// Every pair as a cell of a heat map, each opened for its table before and after.
import { boxLayers, chart } from "./charts.js";
import { distinct, el, name, number, originalOf, section } from "./dom.js";
import { cell, sortable } from "./tables.js";
import { countFor, mixed, swatches, triangle } from "./triangles.js";
import { AFTER, BEFORE, data, exact, many, say, woven, written } from "./words.js";

const axisLabels = (axis) =>
  axis.labels ??
  axis.edges.slice(0, -1).map((edge, i) => `${exact(edge)} – ${exact(axis.edges[i + 1])}`);

const cells = (table, a, b) => {
  const [rows, columns] = [distinct(a, 30), distinct(b, 30)];
  return table.flatMap((row, i) =>
    row.map((v, j) => ({ a: rows[i], b: columns[j], share: v / 10000 })),
  );
};

const cellTooltip = (row, column) => [
  { field: row, title: say("row") },
  { field: column, title: say("column") },
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
      x: { field: "x", title: say("share of each row"), ...whole },
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
      const group = side ? say("{group} ▸ protected", { group: shown[g] }) : shown[g];
      return [{ group, side: side ? AFTER : BEFORE, ...quantiles }];
    }),
  );
  const title = say("Quantiles by group, {side} above protected", { side: original });
  return { title, width: 380, height: { step: 18 }, ...boxLayers(values, "group") };
};

const moved = (before, after, a, b) => {
  const found = before.flatMap((row, i) => row.map((v, j) => [after[i][j] - v, i, j, v]));
  found.sort((p, q) => Math.abs(q[0]) - Math.abs(p[0]));
  const most = found.slice(0, 6).filter(([gap]) => gap !== 0);
  if (!most.length)
    return el("p", { class: "soft" }, say("No cell moved by a hundredth of a point."));
  const told = most.map(([gap, i, j, v]) => {
    const size = (Math.abs(gap) / 100).toFixed(2);
    const said = say("{gap} points: {first} × {second} (was {share})", {
      gap: written(`${gap > 0 ? "+" : "−"}${size}`),
      share: written(`${(v / 100).toFixed(2)} %`),
    });
    return el("li", {}, ...woven(said, { first: name(a[i] ?? ""), second: name(b[j] ?? "") }));
  });
  return el("ul", { class: "plain" }, ...told);
};

// Two categories as mosaics, a category and a number as boxes, two numbers as binned scatters.
const sideCharts = (axes, tables, a, b) => {
  const [before, after] = tables;
  const recoded = axes.find((axis) => axis.recoded);
  const side = originalOf(recoded);
  const title = recoded ? say("Original, recoded alike") : say("Original");
  if (axes[0].labels && axes[1].labels) {
    return [
      chart(say("Mosaic, {side}", { side }), () => mosaic(title, before, a, b)),
      chart(say("Mosaic, {side}", { side: AFTER }), () => mosaic(say("Protected"), after, a, b)),
    ];
  }
  if (axes[0].labels || axes[1].labels) {
    const byRow = Boolean(axes[0].labels);
    const [groups, edges] = byRow ? [a, axes[1].edges] : [b, axes[0].edges];
    return [chart(say("Box plots by group"), () => groupBoxes(groups, tables, edges, byRow, side))];
  }
  const top = Math.max(...before.flat(), ...after.flat()) / 10000;
  const scale = { scheme: "blues", domain: [0, top] };
  return [
    chart(say("Binned scatter, {side}", { side }), () => heat(title, before, a, b, scale)),
    chart(say("Binned scatter, {side}", { side: AFTER }), () =>
      heat(say("Protected"), after, a, b, scale),
    ),
  ];
};

const pairTables = (axes, tables) => {
  const [a, b] = axes.map(axisLabels);
  const [before, after] = tables;
  const gap = after.map((row, r) => row.map((v, c) => v - before[r][c]));
  const most = Math.max(1, ...gap.flat().map(Math.abs)) / 10000;
  const scale = { scheme: "blueorange", domain: [-most, most], domainMid: 0 };
  const difference = chart(say("Difference"), () => heat(say("Difference"), gap, a, b, scale));
  return [
    el("div", { class: "charts" }, ...sideCharts(axes, tables, a, b), difference),
    el("h4", {}, say("Cells that moved most")),
    moved(before, after, a, b),
  ];
};

const NOT_HERE = say("The report holds the pairs that lost most, and not this one.");
const IN_JSON = say("The JSON result has every pair that was tested.");
const notHere = ({ edition }) => (edition === "public" ? NOT_HERE : `${NOT_HERE} ${IN_JSON}`);

const utilitySaid = (entry, story) =>
  say("Utility {utility}. {story}", { utility: number(entry ? entry[2] : null), story });

const pairPanel = (report, i, j) => {
  const { pairs } = report;
  const straight = pairs.matrix.some(([a, b]) => a === i && b === j);
  const [p, q] = straight ? [i, j] : [j, i];
  const key = `${p},${q}`;
  const entry = pairs.matrix.find(([a, b]) => a === p && b === q);
  const [first, second] = [pairs.names[p], pairs.names[q]];
  const untold = !entry && pairs.untold > 0;
  const story = pairs.stories[key] ?? "";
  const panel = el(
    "div",
    { class: "open", tabindex: "-1" },
    el("h4", {}, name(first), " × ", name(second)),
    el("p", {}, untold ? notHere(report) : utilitySaid(entry, story)),
  );
  if (untold) return panel;
  const tables = pairs.tables?.[key];
  if (tables) panel.append(...pairTables([pairs.axes[first], pairs.axes[second]], tables));
  else if (report.edition !== "public") {
    panel.append(el("p", { class: "soft" }, say("No table of this pair is in the report.")));
  }
  return panel;
};

const byPair = (rows) => {
  const found = new Map();
  for (const [i, j, ...rest] of rows) found.set(i < j ? `${i},${j}` : `${j},${i}`, rest);
  return (i, j) => found.get(i < j ? `${i},${j}` : `${j},${i}`);
};

// Without the nought before the point; a comma by itself would be no number.
const shortShare = (value) => {
  const figure = value.toFixed(2);
  return written(data.locale ? figure : figure.replace(/^0\./, "."));
};
const valueCell = (colour, share, text) => {
  const size = Math.min(Math.abs(share), 1);
  return { kind: "value", style: mixed(colour, size), text, strong: size > 0.6 };
};
const UNTESTED = { kind: "untested" };

const KEPT = { 1: say("1 kept"), 0: say("0 lost") };

// What each pair kept: near white where all of it, strong where nothing.
const keptMap = (pairs, room, open) => {
  const removed = new Set(pairs.removed);
  const entry = byPair(pairs.matrix);
  const gone = (i, j) => removed.has(i) || removed.has(j);
  const found = (i, j) => {
    if (gone(i, j)) return { kind: "removed" };
    const [u] = entry(i, j) ?? [null];
    return u === null ? UNTESTED : valueCell("--lost", 1 - u, u > 0.995 ? "" : shortShare(u));
  };
  const said = (i, j) => {
    if (gone(i, j)) return say("a variable was removed");
    const [u] = entry(i, j) ?? [null];
    const story = pairs.stories[`${i},${j}`] ?? pairs.stories[`${j},${i}`] ?? say("not tested");
    return u === null ? story : say("utility {utility}, {story}", { utility: number(u), story });
  };
  const title = say("Utility of every pair");
  const scale = [1, 0.75, 0.5, 0.25, 0].map((u) => [
    valueCell("--lost", 1 - u),
    KEPT[u] ?? exact(u),
  ]);
  const marks = [
    [{ kind: "removed" }, say("removed")],
    [UNTESTED, say("not tested")],
  ];
  const legend = swatches([...scale, ...marks]);
  const { names, order } = pairs;
  return [legend, triangle({ title, names, order, room, found, said, open })];
};

const strength = (value) => valueCell("--held", value, shortShare(value));
// `most` has the strongest colour: changes are often small.
const change = (value, most) => {
  const sign = value > 0 ? "+" : "−";
  const text = Math.abs(value) < 0.005 ? "" : `${sign}${shortShare(Math.abs(value))}`;
  return valueCell(value > 0 ? "--held" : "--lost", value / most, text);
};
const signed = (value) => {
  const text = `${value < 0 ? "−" : ""}${shortShare(Math.abs(value))}`;
  return valueCell(value < 0 ? "--lost" : "--held", value, text);
};

const KINDS = {
  associations: {
    drawn: strength,
    scale: [
      [strength(0), say("0 no association")],
      [strength(0.5), exact(0.5)],
      [strength(1), say("1 the strongest")],
    ],
    about: say(
      "Roots of V², η², ε², ρ² or r², whichever the pair was tested by; the tests may differ on both sides.",
    ),
  },
  correlations: {
    drawn: signed,
    scale: [
      [signed(-1), "−1"],
      [signed(0), "0"],
      [signed(1), "1"],
    ],
    about: say("Pearson's correlations of the units that are complete in all of these variables."),
  },
};
const LEAST_CHANGE = 0.1;
const changes = (most) => {
  const size = written(most.toFixed(2));
  return [
    [change(-most, most), say("−{size} less after", { size })],
    [change(0, most), say("no change")],
    [change(most, most), say("+{size} more after", { size })],
  ];
};

// Before, after and the difference, side by side where the page is wide enough.
const threeMaps = (kind, { names, order, rows, left_out: more = 0 }, room, open) => {
  const { drawn, scale, about } = KINDS[kind];
  const entry = byPair(rows);
  const each = room >= 1000 ? Math.floor((room - 40) / 3) : room;
  const known = (value) => value !== null && value !== undefined;
  const both = (i, j) => entry(i, j) ?? [null, null];
  const said = (i, j) => {
    const [before, after] = both(i, j);
    if (!known(before) && !known(after)) return say("not known");
    return say("{before} before, {after} after", { before: number(before), after: number(after) });
  };
  const one = (title, of, draw) => {
    const found = (i, j) => {
      const value = of(...both(i, j));
      return known(value) ? draw(value) : UNTESTED;
    };
    const made = triangle({ title, names, order, room: each, found, said, open });
    return el("div", { class: "one" }, el("h4", {}, title), made);
  };
  const gap = (before, after) => (known(before) && known(after) ? after - before : null);
  const gaps = rows.map(([, , before, after]) => Math.abs(gap(before, after) ?? 0));
  const most = Math.max(LEAST_CHANGE, ...gaps);
  const shown = countFor(
    order.map((i) => names[i]),
    each,
  );
  return [
    el("p", { class: "soft" }, `${about} ${countSaid(shown, names.length + more)}`),
    swatches([...scale, ...changes(most), [UNTESTED, say("not known")]]),
    el(
      "div",
      { class: "three" },
      one(say("Before"), (before) => before, drawn),
      one(say("After"), (_, after) => after, drawn),
      one(say("Difference"), gap, (value) => change(value, most)),
    ),
  ];
};

const countSaid = (shown, all) =>
  shown < all
    ? say(
        "Shown are the {shown} variables of {all} that lost most; the weakest pairs of all are listed below.",
        { shown, all },
      )
    : "";

const VIEWS = {
  kept: say("What each pair kept"),
  associations: say("Associations before and after"),
  correlations: say("Correlations before and after"),
};

// The pictures there are, one at a time; drawn again where the page gets wider or narrower.
const pictures = (report, open) => {
  const { pairs, correlations } = report;
  const makers = {};
  if (pairs.order?.length > 1) {
    makers.kept = (room) => {
      const shown = countFor(
        pairs.order.map((i) => pairs.names[i]),
        room,
      );
      const first = say("Variables that lost most come first: on top and on the left.");
      const said = `${first} ${countSaid(shown, pairs.names.length)}`;
      return [el("p", { class: "soft" }, said), ...keptMap(pairs, room, open)];
    };
  }
  if (pairs.associations?.rows.length) {
    makers.associations = (room) => threeMaps("associations", pairs.associations, room, open);
  }
  if (correlations) {
    const place = new Map(pairs.names.map((text, i) => [text, i]));
    const opened = (i, j) => {
      const [a, b] = [i, j].map((k) => place.get(correlations.names[k]));
      if (a !== undefined && b !== undefined) open(a, b);
    };
    makers.correlations = (room) => threeMaps("correlations", correlations, room, opened);
  }
  return makers;
};

const heatMap = (report, open) => {
  const makers = pictures(report, open);
  const kinds = Object.keys(makers);
  if (!kinds.length) return [];
  const held = el("div", { class: "pictures" });
  const tabs = el("div", { class: "views", role: "group", "aria-label": say("Pictures of pairs") });
  let [kind, room] = [kinds[0], 0];
  const show = () => {
    room = held.clientWidth || 600;
    held.replaceChildren(...makers[kind](room));
    for (const tab of tabs.children)
      tab.setAttribute("aria-pressed", String(tab.dataset.kind === kind));
  };
  for (const each of kinds) {
    const onclick = () => {
      kind = each;
      show();
    };
    tabs.append(el("button", { type: "button", "data-kind": each, onclick }, VIEWS[each]));
  }
  queueMicrotask(() => {
    if (held.isConnected) show();
  });
  window.addEventListener("resize", () => {
    if (held.isConnected && held.clientWidth !== room) show();
  });
  return [kinds.length > 1 ? tabs : null, held].filter((part) => part !== null);
};

const chooser = (pairs, open) => {
  const options = () =>
    distinct(pairs.names, 60).map((text, i) => el("option", { value: i }, text));
  const first = el("select", { "aria-label": say("First variable") }, ...options());
  const second = el("select", { "aria-label": say("Second variable") }, ...options());
  second.value = "1";
  const onclick = () => {
    if (first.value !== second.value) open(Number(first.value), Number(second.value));
  };
  const button = el("button", { type: "button", class: "open-pair", onclick }, say("Open pair"));
  return el("div", { class: "filters" }, say("Look at"), first, "×", second, button);
};

const weakest = (pairs, open) => {
  if (!pairs.weakest.length) return [];
  const heads = [
    { text: say("pair") },
    { text: say("utility"), number: true },
    { text: say("what happened") },
  ];
  const rows = pairs.weakest.map(([i, j, u, story]) => {
    const given = { class: "name", type: "button", onclick: () => open(i, j) };
    const node = el("button", given, `${pairs.names[i]} × ${pairs.names[j]}`);
    return [{ node, sort: pairs.names[i] }, cell(u), { text: story, sort: story }];
  });
  return [el("h4", {}, say("Weakest pairs")), sortable(heads, rows, say("Weakest pairs"))];
};

const testedSaid = ([tested, all]) => {
  if (all === 1)
    return tested ? say("The one pair there is was tested.") : say("The one pair is not tested.");
  if (!tested) return say("None of {all} pairs tested.", { all });
  return many(tested, "{n} of {all} pairs tested.", "{n} of {all} pairs tested.", { all });
};

// Of a public report: some pairs that were tested are withheld.
const toldSaid = ([told, all]) => {
  if (all === 1)
    return told ? say("The one pair there is is told.") : say("The one pair is not told.");
  if (!told) return say("None of {all} pairs is told.", { all });
  return many(told, "{n} of {all} pairs is told.", "{n} of {all} pairs are told.", { all });
};

export const renderPairs = (report, parent, id) => {
  const { pairs } = report;
  if (pairs.names.length < 2 && !report.correlations) return;
  const place = section(parent, id, say("Pairs"), "pair");
  const opened = el("div", { "aria-live": "polite" });
  const open = (i, j) => {
    opened.replaceChildren(pairPanel(report, i, j));
    opened.firstChild.focus({ preventScroll: true });
    opened.scrollIntoView({ block: "nearest" });
  };
  if (pairs.coverage) {
    const scale = say(
      "1: the association is as it was; 0: lost, appeared, reversed or its pattern changed.",
    );
    const said = report.edition === "public" ? toldSaid : testedSaid;
    place.append(el("p", { class: "soft" }, `${said(pairs.coverage)} ${scale}`));
  }
  place.append(...heatMap(report, open));
  if (pairs.names.length > 1) place.append(chooser(pairs, open));
  place.append(opened, ...weakest(pairs, open));
  if (pairs.tables_left_out) {
    const said = say("Pairs without a table in this file: {n}, those that lost least.", {
      n: pairs.tables_left_out,
    });
    place.append(el("p", { class: "soft" }, said));
  }
};
