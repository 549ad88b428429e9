// Several candidates: the choice, what they have in common, and the report of each.
import { chart, intervals } from "./charts.js";
import { bothFiles, graded, icon, paper } from "./decision.js";
import {
  WITHIN,
  cut,
  distinct,
  el,
  leftOut,
  name,
  none,
  number,
  question,
  section,
} from "./dom.js";
import { notes, renderReport } from "./report.js";
import { sortable } from "./tables.js";
import { AFTER, BEFORE, data, exact, say, woven } from "./words.js";

const title = () => {
  if (data.choice?.title) return name(data.choice.title);
  return data.choice ? say("Which version to release") : say("Protected versions compared");
};

// Which, why, what speaks against it, and the limits.
const chosen = () => {
  const { name: said, undecided, settings, reason, against } = data.choice;
  const nobody = undecided ? say("No version is recommended yet") : say("Release none");
  const first =
    said === null ? nobody : el("span", {}, ...woven(say("Release {name}"), { name: name(said) }));
  const grade = undecided ? "unknown" : said === null ? "poor" : "good";
  const found = [
    el("p", { class: "chosen" }, icon(grade), first),
    settings ? el("p", { class: "soft", dir: "auto" }, settings) : null,
    el("h2", {}, say("Why")),
    el("p", {}, reason),
  ];
  if (against)
    found.push(el("h2", {}, say("The strongest argument against it")), el("p", {}, against));
  found.push(el("h2", {}, say("Limits")));
  if (data.limits.length) found.push(el("ul", {}, ...data.limits.map((one) => el("li", {}, one))));
  else found.push(el("p", {}, say("No limit was set.")));
  const rest = data.verdict.slice(against ? 2 : 1);
  return el("div", { class: "answer choice" }, ...found, ...rest.map((one) => el("p", {}, one)));
};

const decision = () => {
  const facts = bothFiles(data.compared).map(([what, said]) =>
    el("span", { class: "fact" }, el("b", {}, what), ` ${said}`),
  );
  const place = el(
    "section",
    {
      id: "decision",
      class: "decision",
      "aria-label": say("Decision"),
      "data-short": say("Decision"),
    },
    el(
      "div",
      { class: "heading" },
      el("h1", {}, title()),
      el("p", { class: "facts" }, ...facts, el("span", { class: "fact" }, data.date)),
    ),
  );
  if (data.choice) {
    const map = chart(say("Risk–utility map"), () => data.map);
    // Where candidates lie on each other there, they are shown from closer, too.
    const closer = data.closer
      ? el(
          "div",
          { class: "closer" },
          chart(say("The candidates, closer"), () => data.closer),
        )
      : null;
    const maps = el("div", { class: "maps" }, map, closer);
    place.append(el("div", { class: "answers choosing" }, chosen(), maps));
  } else
    place.append(...data.verdict.map((said) => el("p", {}, said)), ...leftOut(data.left_out, "h2"));
  place.append(paper(data.compared));
  return place;
};

const levels = (place) => {
  if (!data.levels) return;
  const title = data.settings
    ? say("The candidates, closer")
    : say("Safety, utility and balance over the candidates");
  place.append(
    el(
      "div",
      { class: "charts" },
      chart(title, () => data.levels),
    ),
  );
};

// What each step along the frontier costs.
const steps = () => {
  const heads = [
    { text: say("from") },
    { text: say("to") },
    { text: say("risk"), number: true },
    { text: say("utility"), number: true },
    { text: say("risk for 1 of utility"), number: true },
  ];
  const rows = data.steps.map(([start, end, ...figures]) => [
    { node: name(start), sort: start },
    { node: name(end), sort: end },
    ...figures.map((value) => ({ text: number(value), sort: value })),
  ]);
  return el(
    "details",
    { class: "steps" },
    el("summary", {}, say("What each step along the frontier costs, the safest first")),
    sortable(heads, rows, say("Steps along the frontier")),
  );
};

const AMOUNTS = new Set(["k", "propensity"]);

const figureCell = (value, key) => {
  if (typeof value === "string") return { node: graded(value), sort: ORDER.indexOf(value) };
  return { text: number(value, AMOUNTS.has(key) ? null : 3), sort: value };
};

const ORDER = ["poor", "unknown", "fair", "good"];

const candidateRow = (keys, [candidate, ...values], at) => {
  const said = data.equals?.includes(candidate) ? say("as useful") : "";
  const word = candidate === data.recommended ? say("recommended") : said;
  const mark = word ? el("span", { class: "mark" }, ` ${word}`) : "";
  const settings = data.settings
    ? [{ node: name(data.settings[at]), sort: data.settings[at] }]
    : [];
  return [
    { node: el("span", {}, name(candidate), mark), sort: candidate },
    ...values.map((value, i) => figureCell(value, keys[i])),
    ...settings,
  ];
};

const sideBySide = ({ heads, keys, rows }, label) => {
  const all = [
    { text: say("candidate") },
    ...heads.map((text, i) => ({ text, number: keys[i] !== "verdict", explain: keys[i] })),
    ...(data.settings ? [{ text: say("settings") }] : []),
  ];
  return sortable(
    all,
    rows.map((row, at) => candidateRow(keys, row, at)),
    label,
  );
};

const compare = (parent) => {
  const place = question(
    parent,
    "candidates",
    say("How do the candidates compare?"),
    say("Candidates"),
  );
  if (data.table) place.append(sideBySide(data.table, say("Candidates")));
  if (data.risk) place.append(el("p", { class: "soft" }, data.risk));
  for (const [candidate, missed] of data.outside ?? []) {
    const said = woven(say("{name} misses {missed}"), { name: name(candidate), missed });
    place.append(el("p", { class: "soft" }, ...said));
  }
  if (data.steps?.length) place.append(steps());
  if (!data.table) place.append(sideBySide(data.experts, say("Candidates")));
  return place;
};

const experts = (parent) => {
  if (!data.table) return;
  const place = question(parent, "experts", say("For experts"), say("Experts"));
  place.append(sideBySide(data.experts, say("Other figures")));
  place.append(...(data.balances ?? []).map((said) => el("p", { class: "soft" }, said)));
  if (data.sweep?.some(([, leader]) => leader !== null)) {
    const steps = data.sweep.map(([alpha, leader]) => `${exact(alpha)} ${leader}`).join(", ");
    const said = say("Best balance on the map by the weight of utility: {steps}.", { steps });
    place.append(el("p", { class: "soft" }, said));
  }
  if (data.clusters) place.append(el("p", { class: "soft" }, data.clusters));
  levels(place);
  if (data.notes?.length) place.append(notes(data.notes));
};

// Behind each name stands the number of re-identifications to expect.
const termChart = (term) => {
  const labels = distinct(
    term.rows.map(([label]) => label),
    28,
  );
  const rows = term.rows.map(([, value, low, high, expected], i) => {
    const side = i ? AFTER : BEFORE;
    const label = none(expected) ? labels[i] : `${labels[i]} · ${number(expected, null)}`;
    return { label, value, low, high, side };
  });
  const make = () => ({ title: cut(term.name, 60), ...intervals(rows, 22), width: 260 });
  return chart(say("Intervals of {name}", { name: cut(term.name) }), make);
};

const overCandidates = (parent, id, title, several) => {
  if (!several.length) return;
  const place = section(parent, id, title, "overlap");
  const known = several.some(({ terms }) => terms.some(({ rows }) => rows.some((row) => row[4])));
  const order = known
    ? say(
        "The original on top, then candidates in order of the expected number of re-identifications, which stands behind each name.",
      )
    : say("The original on top, then the candidates.");
  place.append(el("p", { class: "soft" }, order));
  for (const { title: said, terms } of several) {
    place.append(el("h4", {}, name(said)), el("div", { class: "charts" }, ...terms.map(termChart)));
  }
};

const coefficients = (parent) => {
  const { regressions, indicators } = data;
  overCandidates(parent, "coefficients", say("Coefficients over the candidates"), regressions);
  overCandidates(parent, "indicators", say("Indicators over the candidates"), indicators);
};

const sharesSpec = (rows, room) => {
  const labels = [...new Set(rows.map(([, label]) => label))];
  const shown = distinct(labels);
  const names = [...new Set(rows.map(([candidate]) => candidate))];
  const known = distinct(names);
  const values = rows.map(([candidate, label, share]) => ({
    candidate: known[names.indexOf(candidate)],
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
      y: {
        field: "candidate",
        type: "nominal",
        sort: known,
        title: null,
        axis: { labelLimit: 260 },
      },
      x: { ...part, title: null, axis: { format: "%" } },
      color: {
        field: "label",
        type: "nominal",
        sort: null,
        scale: { scheme: "tableau20", domain: shown },
        title: null,
        legend: {
          labelLimit: 160,
          orient: room < 600 ? "bottom" : "right",
          columns: room < 600 ? 2 : 1,
        },
      },
      tooltip: [{ field: "candidate" }, { field: "label" }, { field: "share", format: ".1%" }],
    },
  };
};

const mosaics = (parent) => {
  if (!data.mosaics.length) return;
  const place = section(parent, "mosaics", say("One variable over the candidates"));
  const held = el("div");
  const show = () => {
    const { rows } = data.mosaics[Number(pick.value)];
    held.replaceChildren(chart(say("Shares over candidates"), (room) => sharesSpec(rows, room)));
  };
  const options = data.mosaics.map((entry, i) => el("option", { value: i }, cut(entry.name, 60)));
  const pick = el("select", { "aria-label": say("Variable"), onchange: show }, ...options);
  place.append(el("div", { class: "filters" }, pick), held);
  show();
};

const eachCandidate = (parent) => {
  const place = question(parent, "each", say("Each candidate"), say("Each"));
  if (data.reports.some((report) => !report)) {
    const beaten = say("Those that no other candidate beats in both risk and utility.");
    place.append(el("p", { class: "soft" }, beaten));
  }
  const settings = el("p", { class: "soft", dir: "auto" });
  const holder = el("div");
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": say("Candidates") });
  const show = (i) => {
    for (const tab of tabs.children)
      tab.setAttribute("aria-pressed", String(tab.dataset.at === String(i)));
    settings.textContent = data.settings ? data.settings[i] : "";
    holder.replaceChildren();
    renderReport(data.reports[i], holder, WITHIN);
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
  const main = document.getElementById("main");
  main.append(decision());
  mosaics(compare(main));
  if (data.regressions.length || data.indicators.length) {
    coefficients(question(main, "results", say("Do published results hold?"), say("Results")));
  }
  experts(main);
  eachCandidate(main);
};
