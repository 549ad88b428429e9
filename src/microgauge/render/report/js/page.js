// The page: what the data is of, links to its sections, theme and print.
import { dark, redraw } from "./charts.js";
import { data, el } from "./dom.js";
import { renderRanking } from "./ranking.js";
import { renderReport } from "./report.js";

const links = () => {
  const nav = document.getElementById("nav");
  for (const part of document.querySelectorAll("#main > section")) {
    nav.append(el("a", { href: `#${part.id}` }, part.getAttribute("aria-label")));
  }
};

const setTheme = (value) => {
  document.documentElement.dataset.theme = value;
  document.getElementById("theme").textContent = value === "dark" ? "Light" : "Dark";
  redraw();
};

if (data.kind === "rank") renderRanking();
else renderReport(data, document.getElementById("main"), "");
links();
document
  .getElementById("theme")
  .addEventListener("click", () => setTheme(dark() ? "light" : "dark"));
document.getElementById("print").addEventListener("click", () => window.print());
if (window.matchMedia("(prefers-color-scheme: dark)").matches) setTheme("dark");
