// The report of one protected file: the decision, then question after question.
import { cards, drawings } from "./blocks.js";
import { compared, decision, graded } from "./decision.js";
import { el, leftOut, question, section } from "./dom.js";
import { renderPairs } from "./pairs.js";
import { renderVariables } from "./variables.js";
import { say } from "./words.js";

export const notes = (told) => {
  const summary = el("summary", {}, say("Notes and caveats ({n})", { n: told.length }));
  return el("details", {}, summary, el("ul", {}, ...told.map((text) => el("li", {}, text))));
};

// The answer again, where its evidence begins.
const recap = (answer) =>
  answer ? [el("p", { class: "recap" }, graded(answer.grade), " ", answer.sentence)] : [];

const UNKNOWN = {
  safe: say("Nothing about safety was measured."),
  useful: say("Nothing about use was measured."),
  results: say("This is not known: the schema names no indicators and no regressions."),
  changed: say("This was not computed."),
};

const own = (report, prefix) => ({
  safe: (place) => place.append(...recap(report.decision?.safe)),
  useful: (place) => {
    place.append(...recap(report.decision?.useful));
    renderVariables(report, place, `${prefix}variables`);
    renderPairs(report, place, `${prefix}pairs`);
  },
  experts: (place) => {
    if (!report.figures.length) return;
    const held = section(place, `${prefix}figures`, say("Figures"));
    held.append(cards(report.figures));
    if (report.decision) held.append(...report.verdict.map((said) => el("p", {}, said)));
  },
  measured: (place) => {
    place.append(compared(report.compared), ...(report.left_out ? leftOut(report.left_out) : []));
    if (report.notes?.length) place.append(notes(report.notes));
  },
});

const tell = (place, told, prefix) => {
  const held = section(place, `${prefix}${told.name}`, told.title, told.explain);
  held.append(...drawings(told.blocks));
};

// `prefix` tells the parts of one candidate's report from those of the page around it.
export const renderReport = (report, parent, prefix) => {
  parent.append(decision(report, prefix));
  const beside = own(report, prefix);
  for (const [answers, title, short] of report.questions) {
    const place = question(parent, `${prefix}${answers}`, title, short);
    const told = report.sections.filter((one) => one.answers === answers);
    told.filter((one) => one.first).forEach((one) => tell(place, one, prefix));
    beside[answers]?.(place);
    told.filter((one) => !one.first).forEach((one) => tell(place, one, prefix));
    if (place.childElementCount > 1) continue;
    if (report.edition !== "public" && UNKNOWN[answers])
      place.append(el("p", {}, UNKNOWN[answers]));
    else place.remove();
  }
};
