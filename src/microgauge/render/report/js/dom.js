// Small helpers. Everything from the data enters the page as text, never as markup.
import { AFTER, BEFORE, data, say, written } from "./words.js";

// No line is broken between a number and its per cent.
const bound = (child) =>
  typeof child === "string" ? child.replace(/(\d) %/g, "$1\u00a0%") : child;

export const el = (tag, given = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map(bound));
  return node;
};

export const none = (value) => value === null || value === undefined;

const grouped = (value, most) =>
  new Intl.NumberFormat("en", { maximumFractionDigits: most, minimumFractionDigits: most }).format(
    value,
  );

const amount = (value) => {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return grouped(value, 0);
  if (size < 1e-3 || size >= 1e7) return value.toExponential(2);
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);
};

// Three digits after the point, fewer where it is large; 0 only where it is exact.
const measure = (value) => {
  const size = Math.abs(value);
  if (size > 0 && size < 0.0005) return value > 0 ? "<0.001" : ">-0.001";
  const digits = [10, 100, 1000].findIndex((end) => size < end);
  return grouped(value, digits < 0 ? 0 : 3 - digits);
};

// The one way in which numbers are written: figures, and with `digits` null whatever has a unit of
// its own (counts, means), which has four digits that count.
export const number = (value, digits = 3) =>
  none(value) ? "–" : written(digits === null ? amount(value) : measure(value)).replace("-", "−");

// Whatever has a unit of its own.
export const general = (value) => number(value, null);

export const cut = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const tip = (text) => (text.length > 60 ? text.slice(0, 400) : null);

// A name of the data: isolated from the text around it, cut by the page where it is long.
export const name = (text, tag = "span", given = {}) =>
  el(tag, { class: "name", dir: "auto", title: tip(text), ...given }, text);

// A path, which breaks between its parts.
export const path = (text) => {
  const made = name(text);
  const parts = text.split(/(?<=[/\\._-])/);
  made.replaceChildren(...parts.flatMap((part, i) => (i ? [el("wbr"), part] : [part])));
  return made;
};

// Labels reach Vega as values of the data and of scale domains, never inside an expression.
const clean = (text) => (text.toWellFormed ? text.toWellFormed() : text);

export const distinct = (labels, most = 34) => {
  const seen = new Set();
  return labels.map((label) => {
    const start = cut(clean(String(label)), most) || say("(empty)");
    let text = start;
    for (let n = 2; seen.has(text); n += 1) text = `${start} (${n})`;
    seen.add(text);
    return text;
  });
};

export const svg = (tag, given = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(given)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

let ids = 0;

// What is to be thought of values: of this one where there is one, else of all there may be.
const readings = (steps, value) => {
  if (!steps) return [];
  if (!none(value)) {
    const [, said] = steps.find(([most]) => none(most) || value <= most) ?? [];
    return said
      ? [[say("this value"), say("{value}: {said}", { value: number(value), said })]]
      : [];
  }
  const told = steps.map(([most, said], i) => {
    if (!none(most)) return say("up to {value}: {said}", { value: general(most), said });
    return i ? say("above: {said}", { said }) : say("always: {said}", { said });
  });
  return [[say("values"), told.join(say("; "))]];
};

// A button and the box it opens: what a figure means, and what to think of its value.
export const why = (key, value = null) => {
  const meant = key && Object.hasOwn(data.explain, key) ? data.explain[key] : null;
  if (!meant) return [null, null];
  const id = `explain-${(ids += 1)}`;
  const told = [
    [say("question"), meant.question],
    [say("range"), meant.range],
    [say("direction"), meant.direction],
    ...readings(meant.reading, value),
    [say("reference"), meant.reference],
  ];
  const box = el(
    "div",
    { class: "explain", id, hidden: "" },
    el(
      "dl",
      {},
      ...told.map(([what, said]) => el("div", {}, el("dt", {}, what), el("dd", {}, said))),
    ),
  );
  const toggle = () => {
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
  };
  const button = el(
    "button",
    {
      class: "why",
      type: "button",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": say("What does this figure mean? {question}", { question: meant.question }),
      onclick: toggle,
    },
    "?",
  );
  return [button, box];
};

// Places to go to by their names; those of one candidate's report within the page are none, as the
// page itself has the same.
const landmark = (id, heading) => (id.startsWith(WITHIN) ? {} : { "aria-labelledby": heading.id });
export const WITHIN = "c-";

// A part of an answer, with a heading of its own.
export const section = (parent, id, title, key) => {
  const [button, box] = why(key);
  const heading = el("h3", { id: `${id}-heading` }, title, button ?? "");
  const node = el("section", { id, ...landmark(id, heading) }, heading, box);
  parent.append(node);
  return node;
};

// A question that the page answers.
export const question = (parent, id, title, short = title) => {
  const heading = el("h2", { id: `${id}-heading` }, title);
  const given = { id, class: "question", ...landmark(id, heading), "data-short": short };
  const node = el("section", given, heading);
  parent.append(node);
  return node;
};

export const stories = (rows) =>
  el(
    "dl",
    { class: "story" },
    ...rows.flatMap(([what, said]) => [el("dt", {}, what), el("dd", {}, said)]),
  );

export const legend = (before = BEFORE) => {
  const dot = (side, text) => el("span", {}, el("i", { class: side }), text);
  return el("span", { class: "legend" }, dot("before", before), dot("after", AFTER));
};

// What is drawn of the original: its own values, or those that a recoding made of them.
export const originalOf = (drawn) => (drawn?.recoded ? say("original, recoded alike") : BEFORE);

export const leftOut = (told, heading = "h3") => [
  el(heading, {}, say("What this edition leaves out")),
  el("ul", {}, ...told.map((text) => el("li", {}, text))),
];
