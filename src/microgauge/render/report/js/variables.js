// The list of variables: sorted, filtered, each opened for its distribution.
import { SIDES, boxLayers, chart } from "./charts.js";
import { cut, distinct, el, general, legend, name, number, originalOf, section } from "./dom.js";
import { cell, meter, sortable, spark } from "./tables.js";
import { AFTER, BEFORE, exact, many, say } from "./words.js";

const sideColour = { field: "side", type: "nominal", scale: SIDES, legend: null };

const histogramBars = (d) => ({
  data: {
    values: d.before.flatMap((share, i) => {
      const [low, high] = [d.edges[i], d.edges[i + 1]];
      return [
        { low, high, share, side: BEFORE },
        { low, high, share: d.after[i], side: AFTER },
      ];
    }),
  },
  mark: { type: "bar", opacity: 0.45, binSpacing: 0 },
  encoding: {
    x: { field: "low", type: "quantitative", title: null, bin: { binned: true } },
    x2: { field: "high" },
    y: {
      field: "share",
      type: "quantitative",
      title: say("share"),
      stack: null,
      axis: { format: "%" },
    },
    color: sideColour,
    tooltip: [
      { field: "side" },
      { field: "low", format: ".4g" },
      { field: "high", format: ".4g" },
      { field: "share", format: ".2%" },
    ],
  },
});

const histogram = (d) => {
  const width = d.edges[1] - d.edges[0];
  const values = d.density.flatMap(([x, before, after]) => [
    { x, y: before * width, side: BEFORE },
    { x, y: after * width, side: AFTER },
  ]);
  const density = {
    data: { values },
    mark: { type: "line", strokeWidth: 1.6 },
    encoding: {
      x: { field: "x", type: "quantitative" },
      y: { field: "y", type: "quantitative" },
      color: sideColour,
    },
  };
  return {
    title: say("Histogram and density"),
    width: 340,
    height: 170,
    layer: [histogramBars(d), density],
  };
};

const boxes = (d) => {
  const sides = [BEFORE, AFTER];
  const values = d.boxes.map(([, q25, q50, q75], i) => {
    const [low, high] = d.whiskers[i];
    return { side: sides[i], q05: low, q25, q50, q75, q95: high };
  });
  const drawn = boxLayers(values, "side", 26);
  const beyond = {
    data: { values: d.outliers.flatMap((some, i) => some.map((x) => ({ x, side: sides[i] }))) },
    mark: { type: "point", size: 28, strokeWidth: 1.2 },
    encoding: {
      y: { field: "side", type: "nominal", title: null, sort: null },
      x: { field: "x", type: "quantitative" },
      color: sideColour,
      tooltip: [{ field: "side" }, { field: "x", format: ".4g" }],
    },
  };
  return {
    title: say("Box plots with outliers"),
    width: 340,
    height: 110,
    ...drawn,
    layer: beyond.data.values.length ? [...drawn.layer, beyond] : drawn.layer,
  };
};

// What the box plots mean, and how many records they set apart.
const boxesSaid = ({ beyond: [before, after] }) =>
  say(
    "Boxes hold the middle half; lines end at the last number within one and a half box lengths of the box; points lie beyond (records of the original: {before}, of the protected file: {after}).",
    { before, after },
  );

const shares = (d) => {
  const labels = distinct(d.labels);
  const sides = [originalOf(d), AFTER];
  const values = labels.flatMap((label, i) => [
    { label, full: cut(d.labels[i], 60), share: d.before[i], side: sides[0] },
    { label, full: cut(d.labels[i], 60), share: d.after[i], side: AFTER },
  ]);
  const y = { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 190 } };
  return {
    title: say("Shares"),
    width: 320,
    height: { step: 13 },
    data: { values },
    mark: { type: "bar" },
    encoding: {
      y: { ...y, scale: { domain: labels, paddingInner: 0.25 } },
      yOffset: { field: "side", sort: sides },
      x: { field: "share", type: "quantitative", title: null, axis: { format: "%" } },
      color: { ...sideColour, scale: { ...SIDES, domain: sides } },
      tooltip: [{ field: "full" }, { field: "side" }, { field: "share", format: ".2%" }],
    },
  };
};

// The outer bins are open, so that no extreme is told.
const openBins = (d) => {
  const edges = d.inner.map(exact);
  const between = edges.slice(1).map((edge, i) => `${edges[i]} – ${edge}`);
  const labels = [`< ${edges[0]}`, ...between, `≥ ${edges[edges.length - 1]}`];
  return shares({ labels, before: d.before, after: d.after });
};

const charts = (d) => {
  if (d?.density)
    return [
      chart(say("Histogram and density"), () => histogram(d)),
      chart(say("Box plot"), () => boxes(d)),
    ];
  if (d?.inner) return [chart(say("Shares in bins"), () => openBins(d))];
  if (d?.labels) return [chart(say("Shares of categories"), () => shares(d))];
  return [];
};

const facts = (report, v) => {
  const list = el("dl", { class: "story" });
  const add = (what, value) => {
    if (value) list.append(el("dt", {}, what), el("dd", {}, value));
  };
  add(say("what happened"), v.story);
  if (v.test) add(say("test"), say("{test}, p {p}", { test: v.test, p: v.p }));
  const both = () => {
    const [before, after] = v.missing.map(general);
    return say("{before} before, {after} after", { before, after });
  };
  add(
    say("missing values"),
    report.edition === "public" ? say("{n} in the protected file", { n: v.missing[0] }) : both(),
  );
  add(say("note"), v.reason);
  return list;
};

const recoding = ({ form, how, utility, map }) => {
  const rows = map.map(([to, from]) =>
    el("tr", {}, el("td", {}, name(from)), el("td", {}, name(to))),
  );
  const said = { form, how, utility: number(utility) };
  const head = el("tr", {}, el("th", {}, BEFORE), el("th", {}, say("released as")));
  return [
    el("h4", {}, say("Recoding: {form} ({how}), keeps {utility}", said)),
    el(
      "div",
      { class: "scroll" },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)),
    ),
  ];
};

const variablePanel = (report, v) => {
  const panel = el("div", { class: "open" }, el("p", {}, legend(originalOf(v.detail))));
  const drawn = charts(v.detail);
  if (drawn.length) panel.append(el("div", { class: "charts" }, ...drawn));
  else
    panel.append(
      el("p", { class: "soft" }, v.detail?.reason || say("No distribution can be shown.")),
    );
  if (v.detail?.beyond) panel.append(el("p", { class: "soft" }, boxesSaid(v.detail)));
  if (v.detail?.outside) panel.append(el("p", { class: "soft" }, v.detail.outside));
  panel.append(facts(report, v), ...(v.recoding ? recoding(v.recoding) : []));
  return panel;
};

const HEADS = [
  { text: say("variable") },
  { text: say("type"), optional: true },
  { text: say("utility"), number: true },
  { text: say("pairs"), number: true, optional: true },
  { text: "p", number: true, optional: true, explain: "p" },
  { text: say("distribution") },
  { text: say("what happened"), optional: true },
];

const labelled = (label) => (label ? name(label, "span", { class: "name label soft" }) : null);

const variableRow = (report, v) => {
  const open = name(v.name, "button", { type: "button", "aria-expanded": "false" });
  const cells = [
    { node: el("span", {}, open, labelled(v.label)), sort: v.name },
    { node: el("span", { class: "word" }, v.type), sort: v.type },
    { node: el("span", {}, number(v.utility), meter(v.utility)), sort: v.utility },
    cell(v.pairs),
    { text: v.p ?? "–", sort: v.p_value },
    { node: spark(v.detail) ?? "", sort: null },
    { node: name(v.story || ""), sort: v.story },
  ];
  let panel = null;
  cells.close = () => {
    panel?.remove();
    panel = null;
    open.setAttribute("aria-expanded", "false");
  };
  open.addEventListener("click", () => {
    if (panel) {
      cells.close();
      return;
    }
    const held = el("td", { colspan: String(HEADS.length) }, variablePanel(report, v));
    panel = el("tr", { class: "detail" }, held);
    cells.node.after(panel);
    open.setAttribute("aria-expanded", "true");
  });
  return cells;
};

const MOST = 25;

const filterOf = (rows, variables, unfold) => {
  const filter = () => {
    const wanted = field.value.toLocaleLowerCase();
    if (wanted) unfold();
    rows.forEach((row, i) => {
      const { name: said, label, type, story } = variables[i];
      const shown = `${said} ${label ?? ""} ${type} ${story}`.toLocaleLowerCase().includes(wanted);
      if (!shown) row.close();
      row.node.hidden = !shown;
    });
  };
  const called = say("Filter variables");
  const field = el("input", {
    type: "search",
    placeholder: called,
    "aria-label": called,
    oninput: filter,
  });
  return field;
};

// What more values are missing of, though nothing else was done to it; data users are not told.
const onlyMissing = (v) => !v.lost && Boolean(v.more_missing);

// Those that lost something, the worst first; then the others. What was not measured comes last.
const worstFirst = (variables) => {
  const order = (v) => [v.lost ? 0 : onlyMissing(v) ? 1 : 2, v.utility ?? 2];
  return [...variables].sort((x, y) => {
    const [[a, u], [b, w]] = [order(x), order(y)];
    return a - b || u - w;
  });
};

const lostSaid = (variables) => {
  const lost = variables.filter((v) => v.lost).length;
  const unknown = variables.filter((v) => !v.lost && v.utility === null).length;
  const all = variables.length;
  const told = [];
  if (all === 1 && lost)
    told.push(say("The one variable there is was removed, recoded or found changed."));
  else if (lost)
    told.push(
      many(
        lost,
        "{n} of {all} variables was removed, recoded or found changed.",
        "{n} of {all} variables were removed, recoded or found changed.",
        { all },
      ),
    );
  else if (unknown < all)
    told.push(say("No variable that was measured was recoded or found changed, taken by itself."));
  const missing = variables.filter(onlyMissing).length;
  if (missing)
    told.push(
      lost
        ? many(
            missing,
            "Of one more, more values are missing than before.",
            "Of {n} more, more values are missing than before.",
          )
        : many(
            missing,
            "Of one, more values are missing than before.",
            "Of {n}, more values are missing than before.",
          ),
    );
  if (unknown === all && !missing) return say("Whether any variable lost something is not known.");
  if (unknown) told.push(many(unknown, "Of one it is not known.", "Of {n} it is not known."));
  return told.join(" ");
};

export const renderVariables = (report, parent, id) => {
  if (!report.variables.length) return;
  const place = section(parent, id, say("Variables"), "utility");
  const ranked = worstFirst(report.variables);
  const rows = ranked.map((v) => variableRow(report, v));
  const lost = ranked.filter((v) => v.lost || onlyMissing(v)).length;
  const shown = Math.min(Math.max(lost, 5), MOST);
  const first = shown + 2 < rows.length ? shown : rows.length;
  const made = sortable(HEADS, rows, say("Variables"), first);
  for (const button of made.querySelectorAll("th .sort")) {
    button.addEventListener("click", () => rows.forEach((row) => row.close()), true);
  }
  const unfold = () => made.querySelector(".more")?.click();
  const recoded = ranked.some((v) => v.detail?.recoded);
  const said = recoded ? say("original (recoded alike where values were merged)") : BEFORE;
  if (report.variables.some((v) => v.utility !== null)) place.append(el("p", {}, lostSaid(ranked)));
  place.append(el("div", { class: "filters" }, filterOf(rows, ranked, unfold), legend(said)), made);
};
