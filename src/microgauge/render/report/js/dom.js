// Small helpers. Everything from the data enters the page as text, never as markup.

export const data = JSON.parse(document.getElementById("data").textContent);

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

export const number = (value, digits = 3) => (none(value) ? "–" : Number(value).toFixed(digits));

export const general = (value) => {
  if (none(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);
};

export const cut = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const tip = (text) => (text.length > 60 ? text.slice(0, 400) : null);

// A name of the data: isolated from the text around it, cut by the page where it is long.
export const name = (text, tag = "span", given = {}) =>
  el(tag, { class: "name", dir: "auto", title: tip(text), ...given }, text);

// Labels reach Vega as values of the data and of scale domains, never inside an expression.
const clean = (text) => (text.toWellFormed ? text.toWellFormed() : text);

export const distinct = (labels, most = 34) => {
  const seen = new Set();
  return labels.map((label) => {
    const start = cut(clean(String(label)), most) || "(empty)";
    let text = start;
    for (let n = 2; seen.has(text); n += 1) text = `${start} (${n})`;
    seen.add(text);
    return text;
  });
};

let ids = 0;

// A button and the box it opens: what a figure means.
export const why = (key) => {
  const words = key ? data.explain[key] : null;
  if (!words) return [null, null];
  const id = `explain-${(ids += 1)}`;
  const parts = ["question", "range", "direction", "reference"];
  const told = parts.flatMap((part) => [el("dt", {}, part), el("dd", {}, words[part])]);
  const box = el("dl", { class: "explain", id, hidden: "" }, ...told);
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
      "aria-label": `What does this figure mean? ${words.question}`,
      onclick: toggle,
    },
    "?",
  );
  return [button, box];
};

export const section = (parent, id, title, key) => {
  const [button, box] = why(key);
  const node = el("section", { id, "aria-label": title }, el("h2", {}, title, button ?? ""), box);
  parent.append(node);
  return node;
};

export const stories = (rows) =>
  el(
    "dl",
    { class: "story" },
    ...rows.flatMap(([what, said]) => [el("dt", {}, what), el("dd", {}, said)]),
  );

export const legend = (before = "original") => {
  const dot = (side, text) => el("span", {}, el("i", { class: side }), text);
  return el("span", { class: "legend" }, dot("before", before), dot("after", "protected"));
};

// What is drawn of the original: its own values, or those that a recoding made of them.
export const originalOf = (drawn) => (drawn?.recoded ? "original, recoded alike" : "original");

export const leftOut = (told) => [
  el("h3", {}, "What this edition leaves out"),
  el("ul", {}, ...told.map((text) => el("li", {}, text))),
];
