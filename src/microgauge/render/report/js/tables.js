// Tables that are sorted by a click on a head, and small pictures in their cells.
import { el, none, number, why } from "./dom.js";

const absent = (value) => none(value) || value === "";

// Numbers by value, texts by the alphabet, whatever has none last.
const compared = (x, y, down) => {
  if (absent(x) || absent(y)) return absent(x) - absent(y);
  const numbers = typeof x === "number" && typeof y === "number";
  const order = numbers ? x - y : String(x).localeCompare(String(y));
  return down ? -order : order;
};

const classes = (head) =>
  [head.number ? "number" : "", head.optional ? "optional" : ""].join(" ").trim() || null;

const headCell = (head, onclick) => {
  const [button, box] = why(head.explain);
  const text = el("button", { type: "button", onclick }, head.text);
  return el("th", { scope: "col", class: classes(head) }, text, button, box);
};

// heads: { text, number, optional, explain }; rows: arrays of { text | node, sort }.
export const sortable = (heads, rows, label) => {
  const body = el("tbody");
  let by = null;
  let down = false;
  const fill = () => {
    const order = [...rows];
    if (by !== null) order.sort((p, q) => compared(p[by].sort, q[by].sort, down));
    body.replaceChildren(...order.flatMap((row) => [row.node, row.below ?? []].flat()));
  };
  const sort = (i) => {
    down = by === i ? !down : Boolean(heads[i].number);
    by = i;
    for (const th of head.children) th.removeAttribute("aria-sort");
    head.children[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    fill();
  };
  const head = el("tr", {}, ...heads.map((entry, i) => headCell(entry, () => sort(i))));
  for (const row of rows) {
    const made = row.map((entry, i) =>
      el("td", { class: classes(heads[i]) }, entry.node ?? entry.text),
    );
    row.node ??= el("tr", {}, ...made);
  }
  fill();
  const table = el("table", { "aria-label": label }, el("thead", {}, head), body);
  return el("div", { class: "scroll" }, table);
};

export const cell = (value, digits = 3) => ({ text: number(value, digits), sort: value });

const share = (value) => `width:${Math.round(100 * Math.max(0, Math.min(1, value)))}%`;

export const meter = (value) =>
  none(value)
    ? null
    : el(
        "span",
        { class: "bar", "aria-hidden": "true" },
        el("span", { class: value < 0.8 ? "low" : null, style: share(value) }),
      );

export const wideMeter = (value) =>
  el("div", { class: "meter", "aria-hidden": "true" }, el("span", { style: share(value) }));

const svg = (tag, given) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(given)) node.setAttribute(key, value);
  return node;
};

// Both sides' distribution, as small as a word.
export const spark = (detail) => {
  if (!detail || !detail.before) return null;
  const [width, height] = [96, 22];
  const step = width / detail.before.length;
  const top = Math.max(...detail.before, ...detail.after, 1e-9);
  const picture = svg("svg", {
    class: "spark",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "distribution before and after",
  });
  ["before", "after"].forEach((side, k) =>
    detail[side].forEach((value, i) => {
      const tall = (value / top) * height;
      const place = { x: i * step + (k * step) / 2, y: height - tall };
      const size = { width: Math.max(step / 2 - 0.3, 0.4), height: tall };
      picture.append(svg("rect", { ...place, ...size, class: side }));
    }),
  );
  return picture;
};
