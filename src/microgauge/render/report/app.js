"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const nav = document.getElementById("nav");
  const drawn = new Map();

  // -- small helpers: everything from the data enters as text, never as markup ----------------

  const el = (tag, given = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(given)) {
      if (value === null || value === undefined) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    node.append(...children.filter((c) => c !== null && c !== undefined));
    return node;
  };
  const number = (value, digits = 3) =>
    value === null || value === undefined ? "–" : Number(value).toFixed(digits);
  const general = (value) => {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
    return new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);
  };
  const name = (text, tag = "span", given = {}) =>
    el(tag, { class: "name", dir: "auto", title: text.length > 60 ? text.slice(0, 400) : null, ...given }, text);
  const cut = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const dark = () => document.documentElement.dataset.theme === "dark";
  const colours = () =>
    dark() ? { before: "#a7b2bd", after: "#56b4e9", bad: "#f0a04b" }
           : { before: "#8a949e", after: "#0072b2", bad: "#d55e00" };

  let ids = 0;
  const why = (key) => {
    const words = data.explain[key];
    if (!words) return null;
    const id = `explain-${(ids += 1)}`;
    const box = el("dl", { class: "explain", id, hidden: "" },
      ...["question", "range", "direction", "reference"].flatMap((part) => [
        el("dt", {}, part), el("dd", {}, words[part])]));
    const button = el("button", { class: "why", type: "button", "aria-expanded": "false",
      "aria-controls": id, "aria-label": `What does this figure mean? ${words.question}`,
      onclick: () => {
        box.hidden = !box.hidden;
        button.setAttribute("aria-expanded", String(!box.hidden));
      } }, "?");
    return [button, box];
  };

  const section = (parent, id, title, key) => {
    const told = key ? why(key) : null;
    const node = el("section", { id, "aria-label": title },
      el("h2", {}, title, ...(told ? [told[0]] : [])), told ? told[1] : null);
    parent.append(node);
    return node;
  };

  // -- charts: Vega-Lite, drawn when they are opened ------------------------------------------

  const config = () => {
    const ink = dark() ? "#e8edf2" : "#16202c";
    const soft = dark() ? "#a7b2bd" : "#55606b";
    const line = dark() ? "#36414c" : "#e1e6eb";
    return {
      background: "transparent", font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: soft, tickColor: soft, labelLimit: 160 },
      legend: { labelColor: soft, titleColor: soft },
      title: { color: ink, anchor: "start", fontSize: 13 },
      header: { labelColor: soft, titleColor: soft },
      text: { color: ink },
    };
  };
  const draw = (place) => {
    const { make, title } = drawn.get(place);
    const spec = make();
    const themed = { ...spec, description: title, background: "transparent", config: { ...config() } };
    return vegaEmbed(place, themed, { actions: false, renderer: "svg", defaultStyle: false, tooltip: true })
      .then((result) => { const held = drawn.get(place); if (held && held.after) held.after(result.view); })
      .catch((error) => { place.textContent = "This chart cannot be drawn."; console.error(error); });
  };
  const chart = (title, make, wide = false) => {
    const place = el("div", { class: wide ? "chart wide" : "chart", role: "img", "aria-label": title });
    drawn.set(place, { make, title });
    queueMicrotask(() => { if (place.isConnected) draw(place); else drawn.get(place).waiting = true; });
    return place;
  };
  const redraw = () => {
    for (const place of [...drawn.keys()]) {
      if (place.isConnected) draw(place); else drawn.delete(place);
    }
  };

  const sides = () => ({ domain: ["original", "protected"], range: [colours().before, colours().after] });
  const legend = () => {
    const dot = (side, text) => el("span", {}, el("i", { class: side }), text);
    return el("span", { class: "legend" }, dot("before", "original"), dot("after", "protected"));
  };
  const edgeLabel = (v) => new Intl.NumberFormat("en", { maximumSignificantDigits: 12 }).format(v);

  const histogram = (d) => {
    const values = [];
    for (let i = 0; i < d.before.length; i += 1) {
      const low = d.edges[i], high = d.edges[i + 1];
      values.push({ low, high, share: d.before[i], side: "original" }, { low, high, share: d.after[i], side: "protected" });
    }
    const lines = d.density.flatMap(([x, a, b]) => {
      const width = d.edges[1] - d.edges[0];
      return [{ x, y: a * width, side: "original" }, { x, y: b * width, side: "protected" }];
    });
    return {
      title: "Histogram and density", width: 340, height: 170,
      layer: [
        { data: { values }, mark: { type: "bar", opacity: 0.45, binSpacing: 0 },
          encoding: { x: { field: "low", type: "quantitative", title: null, bin: { binned: true } }, x2: { field: "high" },
            y: { field: "share", type: "quantitative", title: "share", stack: null, axis: { format: "%" } },
            color: { field: "side", type: "nominal", scale: sides(), legend: null },
            tooltip: [{ field: "side" }, { field: "low", format: ".4g" }, { field: "high", format: ".4g" }, { field: "share", format: ".2%" }] } },
        { data: { values: lines }, mark: { type: "line", strokeWidth: 1.6 },
          encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" },
            color: { field: "side", type: "nominal", scale: sides(), legend: null } } },
      ],
    };
  };
  const openBins = (d) => {
    const text = [`< ${edgeLabel(d.inner[0])}`,
      ...d.inner.slice(1).map((v, i) => `${edgeLabel(d.inner[i])} – ${edgeLabel(v)}`),
      `≥ ${edgeLabel(d.inner[d.inner.length - 1])}`];
    return bars({ labels: text, before: d.before, after: d.after });
  };
  const bars = (d) => {
    const labels = distinct(d.labels);
    const values = labels.flatMap((label, i) => [
      { label, full: cut(d.labels[i], 60), share: d.before[i], side: "original" },
      { label, full: cut(d.labels[i], 60), share: d.after[i], side: "protected" }]);
    return {
      title: "Shares", width: 320, height: { step: 11 }, data: { values },
      mark: { type: "bar" },
      encoding: {
        y: { field: "label", type: "nominal", sort: null, title: null, scale: { domain: labels, paddingInner: 0.25 }, axis: { labelLimit: 190 } },
        yOffset: { field: "side", sort: ["original", "protected"] },
        x: { field: "share", type: "quantitative", title: null, axis: { format: "%" } },
        color: { field: "side", type: "nominal", scale: sides(), legend: null },
        tooltip: [{ field: "full" }, { field: "side" }, { field: "share", format: ".2%" }],
      },
    };
  };
  // Labels reach Vega as values of the data and of scale domains, never inside an expression.
  const clean = (text) => (text.toWellFormed ? text.toWellFormed() : text);
  const distinct = (labels, most = 34) => {
    const seen = new Set();
    return labels.map((label) => {
      const start = cut(clean(String(label)), most) || "(empty)";
      let text = start;
      for (let n = 2; seen.has(text); n += 1) text = `${start} (${n})`;
      seen.add(text);
      return text;
    });
  };

  const boxLayers = (values, group) => {
    const y = { field: group, type: "nominal", title: null, sort: null };
    const q = (f) => ({ field: f, type: "quantitative", title: null, scale: { zero: false } });
    const color = { field: "side", type: "nominal", scale: sides(), legend: null };
    return { layer: [
      { mark: { type: "rule" }, encoding: { y, x: q("q05"), x2: { field: "q95" }, color } },
      { mark: { type: "bar", height: 10, opacity: 0.75 }, encoding: { y, x: q("q25"), x2: { field: "q75" }, color } },
      { mark: { type: "tick", thickness: 2, height: 14, color: dark() ? "#fff" : "#16202c" }, encoding: { y, x: q("q50") } },
    ], data: { values } };
  };
  const boxes = (d) => ({
    title: "Quantiles at 5, 25, 50, 75 and 95 %", width: 340, height: 70,
    ...boxLayers(d.boxes.map((b, i) => ({ side: i ? "protected" : "original",
      q05: b[0], q25: b[1], q50: b[2], q75: b[3], q95: b[4] })), "side"),
  });

  // -- pairs ----------------------------------------------------------------------------------

  const axisLabels = (axis) => axis.labels
    ? axis.labels
    : axis.edges.slice(0, -1).map((v, i) => `${edgeLabel(v)} – ${edgeLabel(axis.edges[i + 1])}`);

  const cells = (table, a, b) => {
    const [la, lb] = [distinct(a, 30), distinct(b, 30)];
    return table.flatMap((row, i) => row.map((v, j) => ({ a: la[i], b: lb[j], share: v / 10000 })));
  };
  const heat = (title, values, a, b, scheme, domain) => ({
    title, width: Math.min(260, 34 * b.length), height: Math.min(240, 26 * a.length), data: { values },
    mark: { type: "rect" },
    encoding: {
      y: { field: "a", type: "nominal", title: null, sort: null, scale: { domain: distinct(a, 30) }, axis: { labelLimit: 120 } },
      x: { field: "b", type: "nominal", title: null, sort: null, scale: { domain: distinct(b, 30) }, axis: { labelAngle: -40, labelLimit: 110 } },
      color: { field: "share", type: "quantitative", title: null, scale: { scheme, ...domain }, legend: { format: ".1%", gradientLength: 90 } },
      tooltip: [{ field: "a", title: "row" }, { field: "b", title: "column" }, { field: "share", format: ".2%" }],
    },
  });
  const mosaic = (title, table, a, b) => {
    const total = table.flat().reduce((s, v) => s + v, 0) || 1;
    const values = [];
    const [la, lb] = [distinct(a, 30), distinct(b, 30)];
    let x = 0;
    table.forEach((row, i) => {
      const width = row.reduce((s, v) => s + v, 0) / total;
      let y = 0;
      row.forEach((v, j) => {
        const height = width > 0 ? v / total / width : 0;
        values.push({ x, x2: x + Math.max(width - 0.004, 0), y, y2: y + height,
          la: la[i], lb: lb[j], share: v / total });
        y += height;
      });
      x += width;
    });
    return {
      title, width: 260, height: 220, data: { values }, mark: { type: "rect", stroke: "white", strokeWidth: 0.5 },
      encoding: {
        x: { field: "x", type: "quantitative", title: "share of each row", axis: { format: "%" }, scale: { domain: [0, 1] } }, x2: { field: "x2" },
        y: { field: "y", type: "quantitative", title: null, axis: { format: "%" }, scale: { domain: [0, 1] } }, y2: { field: "y2" },
        color: { field: "lb", type: "nominal", sort: null, scale: { scheme: "tableau10", domain: lb }, title: null, legend: { labelLimit: 130 } },
        tooltip: [{ field: "la", title: "row" }, { field: "lb", title: "column" }, { field: "share", format: ".2%" }],
      },
    };
  };
  const groupBoxes = (title, groups, tables, edges, byRow) => {
    const values = [];
    const shown = distinct(groups, 24);
    tables.forEach((table, side) => groups.forEach((label, g) => {
      const shares = byRow ? table[g] : table.map((row) => row[g]);
      const total = shares.reduce((s, v) => s + v, 0);
      if (!total) return;
      const at = (p) => {
        let held = 0;
        for (let i = 0; i < shares.length; i += 1) {
          if (held + shares[i] >= p * total) {
            const part = shares[i] ? (p * total - held) / shares[i] : 0;
            return edges[i] + part * (edges[i + 1] - edges[i]);
          }
          held += shares[i];
        }
        return edges[edges.length - 1];
      };
      values.push({ group: `${shown[g]}${side ? " ▸ protected" : ""}`, side: side ? "protected" : "original",
        order: g * 2 + side, q05: at(0.05), q25: at(0.25), q50: at(0.5), q75: at(0.75), q95: at(0.95) });
    }));
    values.sort((p, q) => p.order - q.order);
    return { title, width: 380, height: { step: 18 }, ...boxLayers(values, "group") };
  };
  const moved = (before, after, a, b) => {
    const found = [];
    before.forEach((row, i) => row.forEach((v, j) => found.push([after[i][j] - v, i, j, v])));
    found.sort((p, q) => Math.abs(q[0]) - Math.abs(p[0]));
    const list = el("ul", { class: "plain" });
    for (const [gap, i, j, v] of found.slice(0, 6).filter(([g]) => g !== 0)) {
      list.append(el("li", {}, `${gap > 0 ? "+" : "−"}${(Math.abs(gap) / 100).toFixed(2)} points: `,
        name(a[i] ?? ""), " × ", name(b[j] ?? ""), ` (was ${(v / 100).toFixed(2)} %)`));
    }
    return list.children.length ? list : el("p", { class: "soft" }, "No cell moved by a hundredth of a point.");
  };

  const pairPanel = (report, i, j) => {
    const pairs = report.pairs;
    const straight = pairs.matrix.some(([a, b]) => a === i && b === j);
    const key = straight ? [i, j] : [j, i];
    const id = `${key[0]},${key[1]}`;
    const entry = pairs.matrix.find(([a, b]) => a === key[0] && b === key[1]);
    const [first, second] = key.map((k) => pairs.names[k]);
    const weak = pairs.weakest.find(([a, b]) => a === key[0] && b === key[1]);
    const panel = el("div", { class: "open", tabindex: "-1" },
      el("h3", {}, name(first), " × ", name(second)),
      el("p", {}, `Utility ${number(entry ? entry[2] : null)}. `, pairs.stories[id] ?? (weak ? weak[3] : "")));
    const tables = (pairs.tables ?? {})[id];
    if (!tables) {
      if (report.edition !== "public") panel.append(el("p", { class: "soft" }, "No table of this pair is in the report."));
      return panel;
    }
    const axes = [pairs.axes[first], pairs.axes[second]];
    const [a, b] = axes.map(axisLabels);
    const [before, after] = tables;
    const charts = el("div", { class: "charts" });
    if (axes[0].labels && axes[1].labels) {
      charts.append(chart("Mosaic, original", () => mosaic("Original", before, a, b)),
        chart("Mosaic, protected", () => mosaic("Protected", after, a, b)));
    } else if (axes[0].labels || axes[1].labels) {
      const byRow = Boolean(axes[0].labels);
      charts.append(chart("Box plots by group", () => groupBoxes(
        "Quantiles by group, original above protected", byRow ? a : b, tables, byRow ? axes[1].edges : axes[0].edges, byRow)));
    } else {
      const top = Math.max(...before.flat(), ...after.flat()) / 10000;
      charts.append(chart("Binned scatter, original", () => heat("Original", cells(before, a, b), a, b, "blues", { domain: [0, top] })),
        chart("Binned scatter, protected", () => heat("Protected", cells(after, a, b), a, b, "blues", { domain: [0, top] })));
    }
    const gap = after.map((row, r) => row.map((v, c) => v - before[r][c]));
    const most = Math.max(1, ...gap.flat().map(Math.abs)) / 10000;
    charts.append(chart("Difference", () => heat("Difference", cells(gap, a, b), a, b, "blueorange", { domain: [-most, most], domainMid: 0 })));
    panel.append(charts, el("h3", {}, "Cells that moved most"), moved(before, after, a, b));
    return panel;
  };

  // -- tables ---------------------------------------------------------------------------------

  const sortable = (heads, rows, label) => {
    // rows: arrays of { text | node, sort }
    const body = el("tbody");
    let by = null, down = false;
    const fill = () => {
      const order = [...rows];
      if (by !== null) {
        order.sort((p, q) => {
          const [x, y] = [p[by].sort, q[by].sort];
          const none = (v) => v === null || v === undefined || v === "";
          if (none(x) || none(y)) return none(x) - none(y);
          const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
          return down ? -order : order;
        });
      }
      body.replaceChildren(...order.map((row) => row.node));
    };
    const head = el("tr");
    heads.forEach((h, i) => {
      const button = el("button", { type: "button", onclick: () => {
        down = by === i ? !down : Boolean(h.number);
        by = i;
        for (const th of head.children) th.removeAttribute("aria-sort");
        head.children[i].setAttribute("aria-sort", down ? "descending" : "ascending");
        fill();
      } }, h.text);
      const told = h.key ? why(h.key) : null;
      head.append(el("th", { scope: "col", class: [h.number ? "number" : "", h.optional ? "optional" : ""].join(" ").trim() || null },
        button, ...(told ? [told[0], told[1]] : [])));
    });
    rows.forEach((row) => {
      row.node = row.node ?? el("tr", {}, ...row.map((cell, i) =>
        el("td", { class: [heads[i].number ? "number" : "", heads[i].optional ? "optional" : ""].join(" ").trim() || null }, cell.node ?? cell.text)));
    });
    fill();
    return { table: el("div", { class: "scroll" }, el("table", { "aria-label": label }, el("thead", {}, head), body)), fill };
  };
  const cell = (value, digits = 3) => ({ text: number(value, digits), sort: value });

  const meter = (value) => value === null || value === undefined ? null
    : el("span", { class: "bar", "aria-hidden": "true" },
        el("span", { class: value < 0.8 ? "low" : null, style: `width:${Math.round(100 * Math.max(0, Math.min(1, value)))}%` }));
  const spark = (d) => {
    if (!d || !d.before) return null;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const n = d.before.length, w = 96, h = 22, top = Math.max(...d.before, ...d.after, 1e-9);
    for (const [key, value] of Object.entries({ class: "spark", width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "distribution before and after" })) svg.setAttribute(key, value);
    [["before", 0], ["after", 1]].forEach(([side, k]) => d[side].forEach((v, i) => {
      const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const step = w / n, height = (v / top) * h;
      for (const [key, value] of Object.entries({ x: i * step + (k * step) / 2, y: h - height, width: Math.max(step / 2 - 0.3, 0.4), height, class: side })) bar.setAttribute(key, value);
      svg.append(bar);
    }));
    return svg;
  };

  // -- one report -----------------------------------------------------------------------------

  const variableRow = (report, v) => {
    const open = el("button", { class: "name", type: "button", dir: "auto", "aria-expanded": "false",
      title: v.name.length > 60 ? v.name.slice(0, 400) : null }, v.name);
    const cells = [
      { node: open, sort: v.name }, { text: v.type, sort: v.type },
      { node: el("span", {}, number(v.utility), meter(v.utility)), sort: v.utility },
      cell(v.pairs), { text: v.p ?? "–", sort: v.p_value },
      { node: spark(v.detail) ?? "", sort: null }, { node: name(v.story || "") , sort: v.story },
    ];
    const classes = ["", "optional", "number", "number optional", "number optional", "", "optional"];
    const row = el("tr", {}, ...cells.map((c, i) => el("td", { class: classes[i] || null }, c.node ?? c.text)));
    cells.node = row;
    let panel = null;
    open.addEventListener("click", () => {
      if (panel) { panel.remove(); panel = null; open.setAttribute("aria-expanded", "false"); return; }
      panel = el("tr", { class: "detail" }, el("td", { colspan: "7" }, variablePanel(report, v)));
      row.after(panel);
      open.setAttribute("aria-expanded", "true");
    });
    cells.close = () => { if (panel) { panel.remove(); panel = null; open.setAttribute("aria-expanded", "false"); } };
    return cells;
  };
  const variablePanel = (report, v) => {
    const panel = el("div", { class: "open" }, el("p", {}, legend()));
    const d = v.detail;
    const charts = el("div", { class: "charts" });
    if (d && d.density) charts.append(chart("Histogram and density", () => histogram(d)), chart("Box plot", () => boxes(d)));
    else if (d && d.inner) charts.append(chart("Shares in bins", () => openBins(d)));
    else if (d && d.labels) charts.append(chart("Shares of categories", () => bars(d)));
    if (charts.children.length) panel.append(charts);
    else panel.append(el("p", { class: "soft" }, (d && d.reason) || "No distribution can be shown."));
    const facts = el("dl", { class: "story" });
    const add = (what, value) => { if (value) facts.append(el("dt", {}, what), el("dd", {}, value)); };
    if (v.story) add("what happened", v.story);
    if (v.test) add("test", `${v.test}, p ${v.p}`);
    add("missing values", report.edition === "public" ? `${v.missing[0]} in the protected file`
      : `${general(v.missing[0])} before, ${general(v.missing[1])} after`);
    if (v.reason) add("note", v.reason);
    panel.append(facts);
    if (v.recoding) {
      const list = el("tbody", {}, ...v.recoding.map.map(([to, from]) => el("tr", {}, el("td", {}, name(from)), el("td", {}, name(to)))));
      panel.append(el("h3", {}, `Recoding: ${v.recoding.form} (${v.recoding.how}), keeps ${number(v.recoding.utility, 2)}`),
        el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "original"), el("th", {}, "released as"))), list)));
    }
    return panel;
  };

  const intervals = (rows, height = 18) => ({
    width: 420, height: { step: height }, data: { values: rows },
    encoding: { y: { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 220 } } },
    layer: [
      { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: { field: "low", type: "quantitative", title: null, scale: { zero: false } }, x2: { field: "high" }, color: { field: "side", type: "nominal", scale: sides(), legend: null } } },
      { mark: { type: "point", filled: true, size: 45 }, encoding: { x: { field: "value", type: "quantitative" }, color: { field: "side", type: "nominal", scale: sides(), legend: null },
        tooltip: [{ field: "label" }, { field: "value", format: ".5g" }, { field: "low", format: ".5g" }, { field: "high", format: ".5g" }] } },
    ],
  });
  const bothSides = (entry, label) => ["original", "protected"].flatMap((side) =>
    entry[side] === null || entry[side] === undefined ? [] : [{ label: `${cut(label, 30)}${side === "protected" ? " ▸" : ""}`, side,
      value: entry[side], low: (entry[`${side}_ci`] ?? [entry[side]])[0], high: (entry[`${side}_ci`] ?? [0, entry[side]])[1] }])
    .map((row, i) => ({ ...row, key: `${i}` }));
  const keyed = (rows) => {
    const labels = distinct(rows.map((r) => r.label));
    return rows.map((row, i) => ({ ...row, label: labels[i] }));
  };

  const stories = (list) => el("dl", { class: "story" }, ...list.flatMap(([what, said]) => [el("dt", {}, what), el("dd", {}, said)]));

  const renderReport = (report, parent, prefix) => {
    const id = (part) => `${prefix}${part}`;
    const top = el("section", { id: id("top"), "aria-label": "Verdict" });
    parent.append(top);
    top.append(el("p", { class: "verdict" }, report.verdict.join(" ")));
    const cards = el("div", { class: "cards" });
    for (const f of report.figures) {
      const told = why(f.key);
      cards.append(el("div", { class: f.main ? "card main" : "card" },
        el("div", { class: "value" }, f.key === "propensity" ? general(f.value) : number(f.value, f.main ? 4 : 3)),
        el("div", { class: "label" }, f.label, ...(told ? [told[0]] : [])),
        f.key === "propensity" || f.value === null ? null : el("div", { class: "meter", "aria-hidden": "true" }, el("span", { style: `width:${Math.round(100 * Math.max(0, Math.min(1, f.value)))}%` })),
        told ? told[1] : null));
    }
    top.append(cards);
    top.append(el("h3", {}, "What was compared"), el("div", { class: "scroll" }, el("table", {}, el("tbody", {},
      ...report.compared.map((row) => el("tr", {}, el("th", { scope: "row" }, row[0]), el("td", {}, row[1]), el("td", {}, name(row[2] ?? ""))))))));
    if (report.left_out) top.append(el("h3", {}, "What this edition leaves out"), el("ul", {}, ...report.left_out.map((t) => el("li", {}, t))));
    if (report.notes && report.notes.length) {
      top.append(el("details", {}, el("summary", {}, `Notes and caveats (${report.notes.length})`), el("ul", {}, ...report.notes.map((t) => el("li", {}, t)))));
    }

    if (report.variables.length) {
      const s = section(parent, id("variables"), "Variables", "utility");
      // Worst first; what was not measured comes last.
      const ranked = [...report.variables].sort((x, y) => (x.utility ?? 2) - (y.utility ?? 2));
      const rows = ranked.map((v) => variableRow(report, v));
      const heads = [{ text: "variable" }, { text: "type", optional: true }, { text: "utility", number: true }, { text: "pairs", number: true, optional: true }, { text: "p", number: true, optional: true, key: "p" }, { text: "distribution" }, { text: "what happened", optional: true }];
      const made = sortable(heads, rows, "Variables");
      const filter = el("input", { type: "search", placeholder: "Filter variables", "aria-label": "Filter variables", oninput: () => {
        const wanted = filter.value.toLocaleLowerCase();
        rows.forEach((row, i) => {
          const v = ranked[i];
          const shown = `${v.name} ${v.type} ${v.story}`.toLocaleLowerCase().includes(wanted);
          if (!shown) row.close();
          row.node.hidden = !shown;
        });
      } });
      for (const button of made.table.querySelectorAll("th button:not(.why)")) button.addEventListener("click", () => rows.forEach((r) => r.close()), true);
      s.append(el("div", { class: "filters" }, filter, legend()), made.table);
    }

    if (report.pairs.names.length > 1) {
      const s = section(parent, id("pairs"), "Pairs", "pair");
      const pairs = report.pairs;
      s.append(el("p", { class: "soft" }, `${pairs.coverage[0]} of ${pairs.coverage[1]} pairs tested. 1: the association is as it was; 0: lost, appeared or reversed.`));
      const opened = el("div", { "aria-live": "polite" });
      const open = (i, j) => { opened.replaceChildren(pairPanel(report, i, j)); opened.firstChild.focus({ preventScroll: true }); opened.scrollIntoView({ block: "nearest" }); };
      const step = pairs.names.length > 60 ? 9 : pairs.names.length > 30 ? 13 : 26;
      const shown = distinct(pairs.names, 30);
      const values = pairs.matrix.flatMap(([i, j, u]) => u === null ? [] : [{ i, j, u, a: shown[i], b: shown[j] }, { i: j, j: i, u, a: shown[j], b: shown[i] }]);
      const axis = { labelLimit: 110, labelFontSize: step > 12 ? 10 : 7, labelOverlap: step > 12 ? false : "greedy" };
      const place = chart("Utility of every pair", () => ({
        width: { step }, height: { step }, data: { values },
        params: [{ name: "chosen", select: { type: "point", fields: ["i", "j"] } }],
        mark: { type: "rect", cursor: "pointer" },
        encoding: {
          x: { field: "b", type: "nominal", sort: null, title: null, scale: { domain: shown }, axis: { ...axis, labelAngle: -60, orient: "top" } },
          y: { field: "a", type: "nominal", sort: null, title: null, scale: { domain: shown }, axis },
          color: { field: "u", type: "quantitative", title: "utility", scale: { scheme: dark() ? "cividis" : "viridis", domain: [0, 1] } },
          tooltip: [{ field: "a" }, { field: "b" }, { field: "u", format: ".3f" }],
        },
      }), true);
      drawn.get(place).after = (view) => view.addEventListener("click", (event, item) => {
        if (item && item.datum && item.datum.i !== undefined) open(item.datum.i, item.datum.j);
      });
      const options = () => distinct(pairs.names, 60).map((n, i) => el("option", { value: i }, n));
      const first = el("select", { "aria-label": "First variable" }, ...options());
      const second = el("select", { "aria-label": "Second variable" }, ...options());
      second.value = "1";
      s.append(place, el("div", { class: "filters" }, "Look at", first, "×", second,
        el("button", { type: "button", class: "open-pair", onclick: () => { if (first.value !== second.value) open(Number(first.value), Number(second.value)); } }, "Open pair")),
        opened);
      if (pairs.weakest.length) {
        const rows = pairs.weakest.map(([i, j, u, story]) => [
          { node: el("button", { class: "name", type: "button", onclick: () => open(i, j) }, `${pairs.names[i]} × ${pairs.names[j]}`), sort: pairs.names[i] },
          cell(u), { text: story, sort: story }]);
        const few = 12;
        const heads = [{ text: "pair" }, { text: "utility", number: true }, { text: "what happened" }];
        const held = el("div", {}, sortable(heads, rows.slice(0, few), "Weakest pairs").table);
        s.append(el("h3", {}, "Weakest pairs"), held);
        if (rows.length > few) {
          const more = el("button", { type: "button", onclick: () => {
            rows.forEach((row) => { row.node = undefined; });
            held.replaceChildren(sortable(heads, rows, "Weakest pairs").table);
            more.remove();
          } }, `Show all ${rows.length}`);
          s.append(more);
        }
      }
      if (pairs.tables_left_out) s.append(el("p", { class: "soft" }, `${pairs.tables_left_out} pairs have no table in this file: those that lost least.`));
    }

    const whole = report.whole;
    if (whole.propensity || whole.clusters.length || whole.ecdf) {
      const s = section(parent, id("whole"), "Whole file", "propensity");
      if (whole.propensity) {
        const p = whole.propensity;
        s.append(el("p", {}, p.story), el("p", { class: "soft" }, `U_p ${general(p.value)}, AUC ${number(p.auc, 2)}`));
        const charts = el("div", { class: "charts" });
        if (p.percentiles[0]) {
          const values = p.percentiles.flatMap((side, k) => Object.entries(side).map(([at, score]) => ({ at: parseFloat(at), score, side: k ? "protected" : "original" })));
          charts.append(chart("Propensity scores", () => ({ title: "Propensity scores: percentiles in both files", width: 340, height: 180, data: { values },
            mark: { type: "line", point: true }, encoding: { x: { field: "at", type: "quantitative", title: "percentile" }, y: { field: "score", type: "quantitative", title: "score", scale: { zero: false } }, color: { field: "side", type: "nominal", scale: sides(), title: null } } })));
        }
        const drops = [...p.drops].sort((x, y) => y[1] - x[1]).slice(0, 15).filter(([, d]) => d > 0);
        if (drops.length) {
          charts.append(chart("Which variables give it away", () => ({ title: "Which variables give it away (drop of U_p without them)", width: 300, height: { step: 16 },
            data: { values: distinct(drops.map(([n]) => n)).map((label, i) => ({ label, d: drops[i][1] })) }, mark: { type: "bar", color: colours().after },
            encoding: { y: { field: "label", type: "nominal", sort: null, title: null }, x: { field: "d", type: "quantitative", title: null }, tooltip: [{ field: "label" }, { field: "d", format: ".3g" }] } })));
        }
        s.append(charts);
      }
      const told = stories([...whole.clusters.map(([m, g, v, r], i) => [i ? "" : "clusters", `U_c ${v} in ${g} groups (${m})${r ? `: ${r}` : ""}`]),
        ...(whole.ecdf ? [["distribution functions", `U_m ${whole.ecdf[0]}, U_s ${whole.ecdf[1]}${whole.ecdf[2] ? `: ${whole.ecdf[2]}` : ""}`]] : [])]);
      if (told.children.length) s.append(told);
    }

    if (report.loss) {
      const s = section(parent, id("loss"), "What changed", "il1s");
      s.append(stories(report.loss.stories));
      s.append(sortable([{ text: "variable" }, { text: "changed", number: true }, { text: "IL1s", number: true }, { text: "NCP", number: true }, { text: "more missing", number: true }],
        report.loss.variables.map(([n, c, i, k, m]) => [{ node: name(n), sort: n }, cell(c), cell(i), cell(k), cell(m)]), "What changed in each variable").table);
    }
    if (report.indicators.length) {
      const s = section(parent, id("indicators"), "Indicators", "overlap");
      s.append(el("p", {}, legend()));
      s.append(sortable([{ text: "indicator" }, { text: "original", number: true }, { text: "protected", number: true }, { text: "overlap", number: true }, { text: "intervals" }],
        report.indicators.map((i) => [{ node: name(i.name), sort: i.name }, { text: general(i.original), sort: i.original }, { text: general(i.protected), sort: i.protected }, cell(i.overlap, 2),
          { node: i.original_ci || i.protected_ci ? chart(`Intervals of ${cut(i.name)}`, () => ({ ...intervals(bothSides(i, ""), 14), width: 220, encoding: { y: { field: "key", type: "nominal", axis: null, sort: null } } })) : (i.reason ?? ""), sort: null }]), "Indicators").table);
    }
    if (report.regressions.length) {
      const s = section(parent, id("regressions"), "Regressions", "overlap");
      s.append(el("p", {}, legend()));
      for (const r of report.regressions) {
        s.append(el("h3", {}, name(r.title)), el("p", {}, r.overlap === null ? `Not comparable: ${r.reason ?? "the fits differ"}` : `Mean overlap ${number(r.overlap, 2)} of ${r.terms.length} coefficients.`));
        s.append(sortable([{ text: "term" }, { text: "original", number: true }, { text: "protected", number: true }, { text: "overlap", number: true }, { text: "intervals" }],
          r.terms.map((t) => [{ node: name(t.name), sort: t.name }, { text: general(t.original), sort: t.original }, { text: general(t.protected), sort: t.protected }, cell(t.overlap, 2),
            { node: t.original_ci && t.protected_ci ? chart(`Intervals of ${cut(t.name)}`, () => ({ ...intervals(bothSides(t, ""), 14), width: 220, encoding: { y: { field: "key", type: "nominal", axis: null, sort: null } } })) : "", sort: null }]), `Coefficients of ${cut(r.title)}`).table);
      }
    }
    if (report.yardsticks) {
      const s = section(parent, id("yardsticks"), "Yardsticks", "yardsticks");
      s.append(sortable([{ text: "file" }, { text: "GDU", number: true }, { text: "variables", number: true }, { text: "pairs", number: true }, { text: "U_p ratio", number: true }],
        report.yardsticks.rows.map(([n, ...v]) => [{ text: n, sort: n }, ...v.slice(0, 3).map((x) => cell(x)), { text: general(v[3]), sort: v[3] }]), "Yardsticks").table,
        ...report.yardsticks.story.map((t) => el("p", {}, t)));
    }
    if (report.risk) {
      const s = section(parent, id("risk"), "Risk", "risk");
      s.append(stories(report.risk.stories));
      const charts = el("div", { class: "charts" });
      charts.append(chart("Records in small classes", () => ({ title: "Records in classes of at most …", width: 220, height: { step: 20 }, data: { values: report.risk.classes.map(([m, n, share]) => ({ m: `${m}`, n, share })) },
        mark: { type: "bar", color: colours().bad }, encoding: { y: { field: "m", type: "nominal", sort: null, title: null }, x: { field: "share", type: "quantitative", title: null, axis: { format: "%" } }, tooltip: [{ field: "m" }, { field: "n" }, { field: "share", format: ".2%" }] } })));
      if (report.risk.suda.length) {
        charts.append(chart("Contributions to special uniques", () => ({ title: "Special uniques: share of the score with each variable", width: 260, height: { step: 18 },
          data: { values: distinct(report.risk.suda.map(([n]) => n)).map((label, i) => ({ label, v: report.risk.suda[i][1] / 100 })) }, mark: { type: "bar", color: colours().bad },
          encoding: { y: { field: "label", type: "nominal", sort: null, title: null }, x: { field: "v", type: "quantitative", title: null, axis: { format: "%" } }, tooltip: [{ field: "label" }, { field: "v", format: ".1%" }] } })));
      }
      s.append(charts);
    }
    if (report.rut) {
      const s = section(parent, id("rut"), "Balance of risk and utility", "rut");
      const r = report.rut;
      s.append(el("p", {}, `Utility ${number(r.utility)} (similarity ${number(r.similarity)}, loss ${number(r.loss)}); RUT ${number(r.value)} with ${r.alpha} of utility and ${r.beta} of safety.`, r.reason ? ` ${r.reason}` : ""));
      s.append(sortable([{ text: "variable" }, { text: "released as" }, { text: "loss measure", optional: true }, { text: "loss", number: true }, { text: "similarity measure", optional: true }, { text: "similarity", number: true }],
        r.attributes.map(([n, k, lm, l, sm, sv]) => [{ node: name(n), sort: n }, { text: k, sort: k }, { text: lm, sort: lm }, cell(l), { text: sm, sort: sm }, cell(sv)]), "Loss and similarity").table);
    }
  };

  // -- several candidates ---------------------------------------------------------------------

  const renderRanking = () => {
    const top = el("section", { id: "choice", "aria-label": "Choice" }, el("p", { class: "verdict" }, data.verdict.join(" ")));
    main.append(top);
    if (data.left_out) top.append(el("h3", {}, "What this edition leaves out"), el("ul", {}, ...data.left_out.map((t) => el("li", {}, t))));
    if (data.map) {
      const fixed = (spec) => ({ ...spec, background: "transparent" });
      top.append(el("div", { class: "charts" }, chart("Risk–utility map", () => recoloured(fixed(data.map))), chart(data.settings ? "The candidates, closer" : "Safety, utility and balance over the candidates", () => recoloured(fixed(data.levels)))));
    }
    const t = data.table;
    const c = section(main, "candidates", "Candidates");
    c.append(sortable([{ text: "candidate" }, ...t.heads.map((h, i) => ({ text: h, number: true, key: t.keys[i] })), ...(data.settings ? [{ text: "settings" }] : [])],
      t.rows.map(([n, ...v], at) => [{ node: el("span", {}, name(n), n === data.recommended ? el("span", { class: "mark" }, " recommended") : ""), sort: n },
        ...v.map((x, i) => ({ text: t.heads[i] === "k" ? general(x) : t.heads[i] === "U_p ratio" ? general(x) : number(x), sort: x })),
        ...(data.settings ? [{ node: name(data.settings[at]), sort: data.settings[at] }] : [])]), "Candidates").table);
    if (data.sweep) c.append(el("p", { class: "soft" }, `Best balance by the weight of utility: ${data.sweep.map(([a, n]) => `${a} ${n}`).join(", ")}.`));
    if (data.regressions.length) {
      const s = section(main, "coefficients", "Coefficients over the candidates", "overlap");
      s.append(el("p", { class: "soft" }, "The original on top, then candidates in order of the expected number of re-identifications."));
      for (const r of data.regressions) {
        s.append(el("h3", {}, name(r.title)), el("div", { class: "charts" }, ...r.terms.map((term) => chart(`Intervals of ${cut(term.name)}`, () => ({ title: cut(term.name, 60),
          ...intervals(keyed(term.rows.map(([n, value, low, high], i) => ({ label: n, value, low, high, side: i ? "protected" : "original" })))), width: 260 })))));
      }
    }
    if (data.mosaics.length) {
      const s = section(main, "mosaics", "One variable over the candidates");
      const place = el("div");
      const pick = el("select", { "aria-label": "Variable", onchange: () => show() }, ...data.mosaics.map((m, i) => el("option", { value: i }, cut(m.name, 60))));
      const show = () => {
        const m = data.mosaics[Number(pick.value)];
        const labels = [...new Set(m.rows.map((r) => r[1]))];
        const shown = distinct(labels), known = distinct(data.candidates);
        place.replaceChildren(chart("Shares over candidates", () => ({ width: 420, height: { step: 26 },
          data: { values: m.rows.map(([candidate, label, share]) => ({ candidate: known[data.candidates.indexOf(candidate)], label: shown[labels.indexOf(label)], share })) },
          mark: { type: "bar", stroke: "white", strokeWidth: 0.5 },
          encoding: { y: { field: "candidate", type: "nominal", sort: null, title: null }, x: { field: "share", type: "quantitative", stack: "normalize", title: null, axis: { format: "%" } },
            color: { field: "label", type: "nominal", sort: null, scale: { scheme: "tableau20", domain: shown }, title: null, legend: { labelLimit: 160 } }, tooltip: [{ field: "candidate" }, { field: "label" }, { field: "share", format: ".1%" }] } })));
      };
      s.append(el("div", { class: "filters" }, pick), place);
      show();
    }
    const s = section(main, "each", "Each candidate");
    const holder = el("div");
    const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Candidates" });
    if (data.reports.some((r) => !r)) s.append(el("p", { class: "soft" }, "Those that no other candidate beats in both risk and utility."));
    distinct(data.candidates, 40).forEach((n, i) => data.reports[i] && tabs.append(el("button", { type: "button", dir: "auto", "data-at": i, "aria-pressed": "false", onclick: () => show(i) }, n)));
    const told = el("p", { class: "soft", dir: "auto" });
    const show = (i) => {
      [...tabs.children].forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.at === String(i))));
      if (data.settings) holder.before(told);
      told.textContent = data.settings ? data.settings[i] : "";
      holder.replaceChildren();
      renderReport(data.reports[i], holder, "c-");
    };
    s.append(tabs, holder);
    const first = data.candidates.indexOf(data.recommended);
    show(first >= 0 ? first : data.reports.findIndex((r) => r));
  };
  const recoloured = (spec) => {
    if (!dark()) return spec;
    return JSON.parse(JSON.stringify(spec).replaceAll('"#16202c"', '"#e8edf2"').replaceAll('"#0072b2"', '"#56b4e9"').replaceAll('"#e6eaee"', '"#36414c"'));
  };

  // -- page -----------------------------------------------------------------------------------

  if (data.kind === "rank") renderRanking(); else renderReport(data, main, "");
  for (const s of main.querySelectorAll(":scope > section")) {
    nav.append(el("a", { href: `#${s.id}` }, s.getAttribute("aria-label")));
  }
  const theme = document.getElementById("theme");
  const setTheme = (value) => {
    document.documentElement.dataset.theme = value;
    theme.textContent = value === "dark" ? "Light" : "Dark";
    redraw();
  };
  theme.addEventListener("click", () => setTheme(dark() ? "light" : "dark"));
  document.getElementById("print").addEventListener("click", () => window.print());
  if (window.matchMedia("(prefers-color-scheme: dark)").matches) setTheme("dark");
})();
