// What a committee reads first, and alone on the first page: two answers, a map, what to know.
import { el, name, none, number, path, svg, why } from "./dom.js";
import { wideMeter } from "./tables.js";
import { BEFORE, data, say } from "./words.js";

const MOST_FINDINGS = 6;

const GRADES = {
  good: say("Good"),
  fair: say("Fair"),
  poor: say("Poor"),
  unknown: say("Not known"),
};
const SERIOUS = { stop: say("Stop"), warn: say("Look at it"), note: say("To know") };

// A shape for each grade: nobody needs to see a colour.
const SHAPES = {
  good: ["M12 1a11 11 0 1 1 0 22a11 11 0 0 1 0-22z", "M6.8 12.6l3.6 3.6l7-8"],
  fair: ["M12 1.5L23.2 22H.8z", "M12 9v6M12 18v1"],
  poor: ["M7.4 1h9.2L23 7.4v9.2L16.6 23H7.4L1 16.6V7.4z", "M8 8l8 8M16 8l-8 8"],
  unknown: ["M1.5 1.5h21v21h-21z", "M9 9.2a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2M12 17v1"],
  note: ["M12 1a11 11 0 1 1 0 22a11 11 0 0 1 0-22z", "M12 11v6M12 7v1"],
};
SHAPES.stop = SHAPES.poor;
SHAPES.warn = SHAPES.fair;

export const icon = (grade) => {
  const [shape, sign] = SHAPES[grade];
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: shape, class: "shape" }),
    svg("path", { d: sign, class: "sign" }),
  );
};

export const graded = (grade) =>
  el("span", { class: `grade ${grade}` }, icon(grade), GRADES[grade] ?? SERIOUS[grade]);

const measureSaid = ({ measure, limit }) =>
  limit
    ? say("{measure}; limit: {limit}", { measure, limit })
    : say("{measure}; no limit set", { measure });

// A number, and what it is.
const figure = (shown, said) =>
  el(
    "p",
    { class: "figure" },
    el("span", { class: "value" }, shown),
    el("span", { class: "what" }, said),
  );

// What the grade rests on, from 0 to 1, and where another grade begins.
const bar = ({ value, marks, ends, said: place }) => {
  if (none(value)) return [];
  const shown = place ? [el("p", { class: "place" }, place)] : [];
  const said = ends ? [el("p", { class: "ends" }, ...ends.map((end) => el("span", {}, end)))] : [];
  return [...shown, wideMeter(value, marks), ...said];
};

// Is it useful, is it safe: grade, number, limit, one sentence; and what explains the number.
const answerCard = (title, subject, answer) => {
  const [button, box] = why(answer.key, answer.value);
  const card = el(
    "div",
    { class: `answer ${subject}` },
    el("h2", {}, title, button ?? ""),
    el("p", { class: "said" }, graded(answer.grade)),
    none(answer.value) ? null : figure(number(answer.value), measureSaid(answer)),
    ...(answer.bar ? bar(answer.bar) : []),
    el("p", { class: "sentence" }, answer.sentence),
  );
  return [card, box];
};

const WIDE = 300;
const TALL = 250;
const BOX = { left: 34, right: 290, top: 22, bottom: 206 };
const across = (risk) => BOX.left + Math.min(Math.max(risk, 0), 1) * (BOX.right - BOX.left);
const up = (utility) => BOX.bottom - Math.min(Math.max(utility, 0), 1) * (BOX.bottom - BOX.top);

const words = (x, y, text, anchor = "start", look = "") =>
  svg("text", { x, y, "text-anchor": anchor, class: look }, text);

const axes = () => [
  svg("path", { d: `M${BOX.left} ${BOX.top}V${BOX.bottom}H${BOX.right}`, class: "axis" }),
  words(BOX.left - 6, up(1) + 5, "1", "end"),
  words(BOX.left - 6, up(0) + 5, "0", "end"),
  words(across(0), BOX.bottom + 17, "0", "middle"),
  words(across(1), BOX.bottom + 17, "1", "middle"),
  words(
    (BOX.left + BOX.right) / 2,
    BOX.bottom + 34,
    say("risk (left is safer)"),
    "middle",
    "risky",
  ),
  words(BOX.left, BOX.top - 8, say("utility (up is better)"), "start", "useful"),
];

const limitLines = (limits) =>
  limits.flatMap(([figure, at]) => {
    if (figure === "utility") {
      const d = `M${BOX.left} ${up(at)}H${BOX.right}`;
      return [
        svg("path", { d, class: "limit useful" }),
        words(BOX.right, up(at) + 15, say("limit {at}", { at }), "end", "useful"),
      ];
    }
    const d = `M${across(at)} ${BOX.top}V${BOX.bottom}`;
    const side = at > 0.6 ? ["end", -5] : ["start", 5];
    return [
      svg("path", { d, class: "limit risky" }),
      words(across(at) + side[1], BOX.bottom - 6, say("limit {at}", { at }), side[0], "risky"),
    ];
  });

const diamond = (x, y) => svg("path", { d: `M${x} ${y - 7}l7 7l-7 7l-7-7z`, class: "origin" });

// The original has all of its utility; where it stands across is drawn where it was measured.
const original = (risk) => {
  if (none(risk)) {
    const d = `M${BOX.left} ${up(1)}H${BOX.right}`;
    return [svg("path", { d, class: "original" }), words(BOX.right, up(1) - 6, BEFORE, "end")];
  }
  const end = across(risk) > 200;
  return [
    diamond(across(risk), up(1)),
    words(across(risk) + (end ? -11 : 11), up(1) - 6, BEFORE, end ? "end" : "start"),
  ];
};

// Lines that a name must not stand on, each as a box: borders of zones, and limits.
const linesOf = ({ zones, limits }) => {
  const borders = ["fair", "good"].flatMap((grade) => {
    if (!zones?.[grade]) return [];
    const [x, y] = [across(zones[grade][0]), up(zones[grade][1])];
    return [
      [x, up(1), x, y],
      [across(0), y, x, y],
    ];
  });
  const set = limits.map(([figure, at]) =>
    figure === "utility"
      ? [BOX.left, up(at), BOX.right, up(at)]
      : [across(at), BOX.top, across(at), BOX.bottom],
  );
  return [...borders, ...set];
};

// Letters of 14 units stand about so high above their line and so far below it.
const [ABOVE, BELOW] = [12, 4];
const wide = (text) => 8.4 * text.length;

// The name stands beside the point, on the side where there is room; where a line would cross it,
// a little higher, lower or beyond that line.
const namePlace = ([x, y], text, lines) => {
  const end = x > 190;
  const usual = y < up(0.85) ? 19 : 5;
  const beside = x + (end ? -12 : 12);
  const beyond = lines
    .map(([at]) => at + (end ? -6 : 6))
    .filter((at) => (end ? at < beside : at > beside));
  const places = [beside, ...beyond]
    .flatMap((at) => [usual, 5, 19, -12].map((low) => [at, y + low]))
    .map(([at, base]) => ({ at, base, left: end ? at - wide(text) : at }));
  const free = places.find(({ base, left }) => {
    const right = left + wide(text);
    const inside = left >= BOX.left && right <= BOX.right && base <= BOX.bottom - 2;
    return (
      inside &&
      base - ABOVE >= up(1) &&
      lines.every(
        ([x1, y1, x2, y2]) =>
          x2 < left - 2 || x1 > right + 2 || y2 < base - ABOVE || y1 > base + BELOW,
      )
    );
  });
  return { ...(free ?? places[0]), anchor: end ? "end" : "start" };
};

const thisFile = (place) => {
  const [x, y] = [across(place.risk), up(place.utility)];
  const text = say("this file");
  const { at, base, anchor } = namePlace([x, y], text, linesOf(place));
  return [
    svg("circle", { cx: x, cy: y, r: 8, class: "file" }),
    words(at, base, text, anchor, "strong"),
  ];
};

const mapSaid = ({ risk, utility, limits }) => {
  const kept = limits.map(([figure, at]) =>
    figure === "risk" ? say("limit on risk {at}", { at }) : say("limit on utility {at}", { at }),
  );
  const place = { risk: number(risk), utility: number(utility) };
  return [say("Risk–utility map. This file: risk {risk}, utility {utility}", place), ...kept].join(
    say("; "),
  );
};

const NOT_PLACED = {
  "true true": say(
    "Neither risk nor utility was measured, so the file has no place on the risk–utility map.",
  ),
  "true false": say("No risk was measured, so the file has no place on the risk–utility map."),
  "false true": say("No utility was measured, so the file has no place on the risk–utility map."),
};

// Where grades lie: what is good inside what is fair. Lines differ as colours do.
const zoneBoxes = (zones) =>
  ["fair", "good"].flatMap((grade) => {
    if (!zones?.[grade]) return [];
    const [risk, utility] = zones[grade];
    const d = `M${across(0)} ${up(1)}H${across(risk)}V${up(utility)}H${across(0)}z`;
    return [svg("path", { d, class: `zone ${grade}` })];
  });

const zoneLegend = (zones) =>
  zones
    ? [
        el(
          "figcaption",
          {},
          ...["good", "fair"].map((grade) =>
            el(
              "span",
              {},
              svg(
                "svg",
                { viewBox: "0 0 24 16", "aria-hidden": "true" },
                svg("path", { d: "M2 2H22V14H2z", class: `zone ${grade}` }),
              ),
              zones.said[grade],
            ),
          ),
        ),
      ]
    : [];

export const smallMap = (place) => {
  const { risk, utility } = place;
  if (none(risk) || none(utility)) {
    return el("p", { class: "map soft" }, NOT_PLACED[`${none(risk)} ${none(utility)}`]);
  }
  const drawn = [
    ...zoneBoxes(place.zones),
    ...axes(),
    ...limitLines(place.limits),
    ...original(place.original_risk),
    ...thisFile(place),
  ];
  return el(
    "figure",
    { class: "map" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": mapSaid(place) },
      ...drawn,
    ),
    ...zoneLegend(place.zones),
  );
};

const finding = (found) =>
  el(
    "li",
    { class: `finding ${found.grade}` },
    graded(found.grade),
    el(
      "div",
      {},
      el("p", {}, found.sentence),
      el(
        "p",
        { class: "remedy" },
        el("b", {}, say("What to do:")),
        " ",
        found.remedy,
        " ",
        el("span", { class: "see" }, `(${found.see})`),
      ),
    ),
  );

const findings = (found) => {
  const told = [el("h2", {}, say("What to know before release"))];
  if (!found.length) {
    return [...told, el("p", {}, say("Nothing stood out in what was measured."))];
  }
  const list = (some) => el("ol", { class: "findings" }, ...some.map(finding));
  told.push(list(found.slice(0, MOST_FINDINGS)));
  if (found.length > MOST_FINDINGS) {
    const more = found.slice(MOST_FINDINGS);
    const said = say("{n} more", { n: more.length });
    told.push(el("details", {}, el("summary", {}, said), list(more)));
  }
  return told;
};

const limitRow = ([said, held, met, reason]) =>
  el(
    "li",
    {},
    el(
      "span",
      { class: `grade ${met ? "good" : "poor"}` },
      icon(met ? "good" : "poor"),
      met ? say("Kept") : say("Missed"),
    ),
    " ",
    none(held)
      ? say("{limit}; there is no figure: {reason}", { limit: said, reason })
      : say("{limit}; it is {value}", { limit: said, value: held }),
  );

const limits = (rows) =>
  rows?.length
    ? [el("h2", {}, say("Limits")), el("ul", { class: "limits" }, ...rows.map(limitRow))]
    : [];

// What was compared, as rows of what it is, what is said of it, and a path.
export const compared = (rows, shown = (text) => text) =>
  el(
    "dl",
    { class: "compared" },
    ...rows.map(([what, said, place]) => {
      const more = place ? [el("br"), path(shown(place))] : [];
      return el("div", {}, el("dt", {}, what), el("dd", {}, said, ...more));
    }),
  );

const file = (place) => place.split(/[\\/]/).pop() || place;

// What only the printed page needs: what was compared, and a line to sign.
export const paper = (rows) => {
  const line = (said) => el("div", {}, el("span", {}, said));
  return el(
    "div",
    { class: "paper" },
    el("h2", {}, say("What was compared")),
    compared(rows, file),
    el(
      "div",
      { class: "sign" },
      line(say("Released, or not")),
      line(say("Date")),
      line(say("Name and signature")),
    ),
  );
};

// Both files stand first of what was compared.
export const bothFiles = (rows) => rows.slice(0, 2);

const heading = (report, title) => {
  const facts = bothFiles(report.compared).map(([what, said, place]) =>
    el(
      "span",
      { class: "fact" },
      el("b", {}, what),
      " ",
      ...(place ? [name(file(place)), " "] : []),
      said,
    ),
  );
  return el(
    "div",
    { class: "heading" },
    title,
    el("p", { class: "facts" }, ...facts, el("span", { class: "fact" }, report.date)),
  );
};

const UNGRADED = say("The verdict was not asked for, so that nothing is said of it here.");

// Without a verdict (not computed, or not for data users): what the measures say, and no grade.
const ungraded = (report) => {
  const main = report.figures.find((one) => one.main);
  const [button, box] = why(main?.key, main?.value);
  const shown = main ? [figure(number(main.value, main.digits ?? null), main.label)] : [];
  if (main?.share) shown.push(...bar({ value: main.value, marks: [] }));
  const card = el(
    "div",
    { class: "answer useful" },
    el("h2", {}, say("Useful?"), button ?? ""),
    ...shown,
    ...report.verdict.map((said) => el("p", { class: "sentence" }, said)),
  );
  if (report.edition === "public") return [el("div", { class: "answers alone" }, card, box)];
  const unknown = { grade: "unknown", value: null, sentence: UNGRADED };
  return [
    el("div", { class: "answers two" }, card, answerCard(say("Safe?"), "safe", unknown)[0], box),
  ];
};

const answered = (report) => {
  const { useful, safe, map, findings: found } = report.decision;
  const [first, firstBox] = answerCard(say("Useful?"), "useful", useful);
  const [second, secondBox] = answerCard(say("Safe?"), "safe", safe);
  return [
    el("div", { class: "answers" }, first, second, smallMap(map), firstBox, secondBox),
    ...findings(found),
  ];
};

const CALLED = { internal: say("Release check"), public: say("What this file is good for") };

// `prefix` tells one candidate's from that of the page around it, which has the page's title.
export const decision = (report, prefix) => {
  const said = report.decision?.title;
  const title = said ? name(said) : CALLED[data.edition];
  const made = el(prefix ? "h2" : "h1", {}, title);
  return el(
    "section",
    {
      id: `${prefix}decision`,
      class: "decision",
      "aria-label": prefix ? null : say("Decision"),
      "data-short": say("Decision"),
    },
    heading(report, made),
    ...(report.decision ? answered(report) : ungraded(report)),
    ...limits(report.limits),
    paper(report.compared),
  );
};
