// Several candidates: the choice, what they have in common, and the report of each.
import { chart, intervals } from "./charts.js";
import { cut, data, distinct, el, general, leftOut, name, number, section } from "./dom.js";
import { notes, renderReport } from "./report.js";
import { sortable } from "./tables.js";

const choice = () => {
  const verdict = el("p", { class: "verdict" }, data.verdict.join(" "));
  const told = data.left_out ? leftOut(data.left_out) : [];
  const place = el("section", { id: "choice", "aria-label": "Choice" }, verdict, ...told);
  if (data.map) {
    const beside = data.settings
      ? "The candidates, closer"
      : "Safety, utility and balance over the candidates";
    const map = chart("Risk–utility map", () => data.map);
    place.append(
      map,
      ...(data.closer ? [chart("The candidates, closer", () => data.closer)] : []),
      chart(beside, () => data.levels),
    );
  }
  if (data.steps?.length) place.append(steps());
  if (data.notes?.length) place.append(notes(data.notes));
  return place;
};

// What each step along the frontier costs.
const steps = () => {
  const heads = [
    { text: "from" },
    { text: "to" },
    { text: "risk", number: true },
    { text: "utility", number: true },
    { text: "risk for 1 of utility", number: true },
  ];
  const rows = data.steps.map(([start, end, ...figures]) => [
    { node: name(start), sort: start },
    { node: name(end), sort: end },
    ...figures.map((value) => ({ text: number(value), sort: value })),
  ]);
  return el(
    "details",
    { class: "steps" },
    el("summary", {}, "What each step along the frontier costs, the safest first"),
    sortable(heads, rows, "Steps along the frontier"),
  );
};

const GENERAL = new Set(["k", "U_p ratio"]);

const candidateRow = ([candidate, ...values], at) => {
  const said = data.equals?.includes(candidate) ? " as useful" : "";
  const word = candidate === data.recommended ? " recommended" : said;
  const mark = word ? el("span", { class: "mark" }, word) : "";
  const figures = values.map((value, i) => {
    const text = GENERAL.has(data.table.heads[i]) ? general(value) : number(value);
    return { text, sort: value };
  });
  const settings = data.settings
    ? [{ node: name(data.settings[at]), sort: data.settings[at] }]
    : [];
  return [
    { node: el("span", {}, name(candidate), mark), sort: candidate },
    ...figures,
    ...settings,
  ];
};

const candidates = () => {
  const { heads, keys, rows } = data.table;
  const all = [
    { text: "candidate" },
    ...heads.map((text, i) => ({ text, number: true, explain: keys[i] })),
    ...(data.settings ? [{ text: "settings" }] : []),
  ];
  const place = section(document.getElementById("main"), "candidates", "Candidates");
  place.append(sortable(all, rows.map(candidateRow), "Candidates"));
  if (data.risk) place.append(el("p", { class: "soft" }, data.risk));
  if (data.limits) place.append(el("p", { class: "soft" }, data.limits));
  for (const [candidate, missed] of data.outside ?? []) {
    place.append(el("p", { class: "soft" }, name(candidate), ` misses ${missed}`));
  }
  if (data.sweep?.some(([, leader]) => leader !== null)) {
    const steps = data.sweep.map(([alpha, leader]) => `${alpha} ${leader}`).join(", ");
    place.append(el("p", { class: "soft" }, `Best balance by the weight of utility: ${steps}.`));
  }
  if (data.clusters) place.append(el("p", { class: "soft" }, data.clusters));
};

const termChart = (term) => {
  const labels = distinct(term.rows.map(([label]) => label));
  const rows = term.rows.map(([, value, low, high], i) => {
    const side = i ? "protected" : "original";
    return { label: labels[i], value, low, high, side };
  });
  const make = () => ({ title: cut(term.name, 60), ...intervals(rows), width: 260 });
  return chart(`Intervals of ${cut(term.name)}`, make);
};

const coefficients = () => {
  if (!data.regressions.length) return;
  const place = section(
    document.getElementById("main"),
    "coefficients",
    "Coefficients over the candidates",
    "overlap",
  );
  const order =
    "The original on top, then candidates in order of the expected number of re-identifications.";
  place.append(el("p", { class: "soft" }, order));
  for (const { title, terms } of data.regressions) {
    place.append(
      el("h3", {}, name(title)),
      el("div", { class: "charts" }, ...terms.map(termChart)),
    );
  }
};

const sharesSpec = (rows) => {
  const labels = [...new Set(rows.map(([, label]) => label))];
  const shown = distinct(labels);
  const known = distinct(data.candidates);
  const values = rows.map(([candidate, label, share]) => ({
    candidate: known[data.candidates.indexOf(candidate)],
    label: shown[labels.indexOf(label)],
    share,
  }));
  const part = { field: "share", type: "quantitative", stack: "normalize" };
  return {
    width: 420,
    height: { step: 26 },
    data: { values },
    mark: { type: "bar", stroke: "white", strokeWidth: 0.5 },
    encoding: {
      y: { field: "candidate", type: "nominal", sort: null, title: null },
      x: { ...part, title: null, axis: { format: "%" } },
      color: {
        field: "label",
        type: "nominal",
        sort: null,
        scale: { scheme: "tableau20", domain: shown },
        title: null,
        legend: { labelLimit: 160 },
      },
      tooltip: [{ field: "candidate" }, { field: "label" }, { field: "share", format: ".1%" }],
    },
  };
};

const mosaics = () => {
  if (!data.mosaics.length) return;
  const place = section(
    document.getElementById("main"),
    "mosaics",
    "One variable over the candidates",
  );
  const held = el("div");
  const show = () => {
    const { rows } = data.mosaics[Number(pick.value)];
    held.replaceChildren(chart("Shares over candidates", () => sharesSpec(rows)));
  };
  const options = data.mosaics.map((entry, i) => el("option", { value: i }, cut(entry.name, 60)));
  const pick = el("select", { "aria-label": "Variable", onchange: show }, ...options);
  place.append(el("div", { class: "filters" }, pick), held);
  show();
};

const eachCandidate = () => {
  const place = section(document.getElementById("main"), "each", "Each candidate");
  if (data.reports.some((report) => !report)) {
    const beaten = "Those that no other candidate beats in both risk and utility.";
    place.append(el("p", { class: "soft" }, beaten));
  }
  const settings = el("p", { class: "soft", dir: "auto" });
  const holder = el("div");
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Candidates" });
  const show = (i) => {
    for (const tab of tabs.children)
      tab.setAttribute("aria-pressed", String(tab.dataset.at === String(i)));
    settings.textContent = data.settings ? data.settings[i] : "";
    holder.replaceChildren();
    renderReport(data.reports[i], holder, "c-");
  };
  distinct(data.candidates, 40).forEach((text, i) => {
    const given = { type: "button", dir: "auto", "data-at": i, "aria-pressed": "false" };
    if (data.reports[i]) tabs.append(el("button", { ...given, onclick: () => show(i) }, text));
  });
  place.append(tabs, ...(data.settings ? [settings] : []), holder);
  const first = data.candidates.indexOf(data.recommended);
  show(first >= 0 ? first : data.reports.findIndex((report) => report));
};

export const renderRanking = () => {
  document.getElementById("main").append(choice());
  candidates();
  coefficients();
  mosaics();
  eachCandidate();
};
