// The report of one protected file.
import { drawings, figureCard } from "./blocks.js";
import { el, leftOut, name, section } from "./dom.js";
import { renderPairs } from "./pairs.js";
import { renderVariables } from "./variables.js";

const compared = (rows) => {
  const made = rows.map(([what, said, path]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, what),
      el("td", {}, said),
      el("td", {}, name(path ?? "")),
    ),
  );
  return el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, ...made)));
};

export const notes = (told) => {
  const summary = el("summary", {}, `Notes and caveats (${told.length})`);
  return el("details", {}, summary, el("ul", {}, ...told.map((text) => el("li", {}, text))));
};

// What comes before all else, such as what names people, is told first and must not be missed.
const verdict = (report) => {
  const [first, ...rest] = report.verdict;
  const urgent = report.sections.some((told) => told.first);
  return el(
    "p",
    { class: report.first?.length ? "verdict beside" : "verdict" },
    urgent ? el("strong", {}, first) : first,
    " ",
    rest.join(" "),
  );
};

// `prefix` tells the parts of one candidate's report from those of the page around it.
export const renderReport = (report, parent, prefix) => {
  const top = el(
    "section",
    { id: `${prefix}top`, "aria-label": "Verdict" },
    ...drawings(report.first ?? []),
    verdict(report),
    el("div", { class: "cards" }, ...report.figures.map(figureCard)),
    el("h3", {}, "What was compared"),
    compared(report.compared),
    ...(report.left_out ? leftOut(report.left_out) : []),
    report.notes?.length ? notes(report.notes) : null,
  );
  parent.append(top);
  const tell = (told) => {
    const place = section(parent, `${prefix}${told.name}`, told.title, told.explain);
    place.append(...drawings(told.blocks));
  };
  report.sections.filter((told) => told.first).forEach(tell);
  renderVariables(report, parent, `${prefix}variables`);
  renderPairs(report, parent, `${prefix}pairs`);
  report.sections.filter((told) => !told.first).forEach(tell);
};
