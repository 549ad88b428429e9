// The page: what the data is of, links to its questions, theme and print.
import { dark, redraw } from "./charts.js";
import { el } from "./dom.js";
import { renderRanking } from "./ranking.js";
import { renderReport } from "./report.js";
import { data, say } from "./words.js";

const links = () => {
  const nav = document.getElementById("nav");
  for (const part of document.querySelectorAll("#main > section")) {
    nav.append(el("a", { href: `#${part.id}` }, part.dataset.short));
  }
};

const setTheme = (value) => {
  document.documentElement.dataset.theme = value;
  document.getElementById("theme").textContent = value === "dark" ? say("Light") : say("Dark");
  redraw();
};

// On paper nothing can be opened: what is folded is opened before, and folded again after.
const whilePrinting = () => {
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const part of folded) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });
};

if (data.kind === "rank") renderRanking();
else renderReport(data, document.getElementById("main"), "");
document.title = document.querySelector("h1").textContent;
links();
whilePrinting();
document
  .getElementById("theme")
  .addEventListener("click", () => setTheme(dark() ? "light" : "dark"));
document.getElementById("print").addEventListener("click", () => window.print());
if (window.matchMedia("(prefers-color-scheme: dark)").matches) setTheme("dark");
