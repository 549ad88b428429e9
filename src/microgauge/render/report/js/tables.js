// Tables that are sorted by a click on a head, and small pictures in their cells.
import { el, none, number, svg, why } from "./dom.js";
import { say } from "./words.js";

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

// The explanation of a head stands below all heads, as wide as the table's box.
const headCell = (head, onclick) => {
  const [button, box] = why(head.explain);
  const given = { scope: "col", class: classes(head) };
  if (!head.text) return [el("td", given), null];
  const text = el("button", { type: "button", class: "sort", onclick }, head.text);
  return [el("th", given, text, button), box];
};

const explained = (boxes, wide) =>
  boxes.length ? [el("tr", { class: "told" }, el("td", { colspan: wide }, ...boxes))] : [];

const MOST = 12;

// heads: { text, number, optional, explain }; rows: arrays of { text | node, sort }. Of many rows
// the first ones are shown, in whatever order they are, until all are asked for.
export const sortable = (
  heads,
  rows,
  label,
  shown = rows.length > MOST + 3 ? MOST : rows.length,
) => {
  const body = el("tbody");
  let [by, down, folded] = [null, false, shown < rows.length];
  const ordered = () => {
    const order = [...rows];
    if (by !== null) order.sort((p, q) => compared(p[by].sort, q[by].sort, down));
    return folded ? order.slice(0, shown) : order;
  };
  const fill = () =>
    body.replaceChildren(...ordered().flatMap((row) => [row.node, row.below ?? []].flat()));
  const sort = (i) => {
    down = by === i ? !down : Boolean(heads[i].number);
    by = i;
    for (const th of head.children) th.removeAttribute("aria-sort");
    head.children[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    fill();
  };
  const made = heads.map((entry, i) => headCell(entry, () => sort(i)));
  const head = el("tr", {}, ...made.map(([th]) => th));
  const boxes = made.flatMap(([, box]) => box ?? []);
  for (const row of rows) row.node ??= rowOf(row, heads);
  fill();
  const top = el("thead", {}, head, ...explained(boxes, heads.length));
  const table = scroll(el("table", { "aria-label": label }, top, body), label);
  if (!folded) return table;
  const unfold = () => {
    folded = false;
    fill();
    more.remove();
  };
  const said = say("Show all {n}", { n: rows.length });
  const more = el("button", { type: "button", class: "more", onclick: unfold }, said);
  return el("div", { class: "folded" }, table, more);
};

const rowOf = (row, heads) => {
  const filled = row.map((entry, i) => {
    const given = { class: classes(heads[i]), scope: i ? null : "row" };
    return el(i ? "td" : "th", given, entry.node ?? entry.text);
  });
  return el("tr", {}, ...filled);
};

// Whatever may be wider than the page is moved within its own box, also by keyboard.
export const scroll = (table, label) =>
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

export const cell = (value) => ({ text: number(value), sort: value });

const share = (value) => `width:${Math.round(1000 * Math.max(0, Math.min(1, value))) / 10}%`;

export const meter = (value) =>
  none(value)
    ? null
    : el(
        "span",
        { class: "bar", "aria-hidden": "true" },
        el("span", { class: value < 0.8 ? "low" : null, style: share(value) }),
      );

// A bar from 0 to 1, and where limits lie on it.
export const wideMeter = (value, marks = []) =>
  el(
    "div",
    { class: "meter", "aria-hidden": "true" },
    el("span", { style: share(value) }),
    ...marks.map((at) => el("i", { style: `left:${Math.round(1000 * at) / 10}%` })),
  );

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
    "aria-label": say("distribution before and after"),
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
