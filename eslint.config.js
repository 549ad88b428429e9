import js from "@eslint/js";

const browser = [
  "document",
  "window",
  "console",
  "Intl",
  "queueMicrotask",
  "setTimeout",
  "clearTimeout",
  "Blob",
  "DecompressionStream",
  "Response",
  "fetch",
  "DOMParser",
  "FormData",
  "XMLHttpRequest",
];

export default [
  js.configs.recommended,
  {
    files: ["src/microgauge/render/report/js/*.js", "src/microgauge/app/static/*.js"],
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
    rules: {
      complexity: ["error", 10],
      eqeqeq: "error",
      "max-lines-per-function": ["error", 60],
      "max-params": ["error", 5],
      "no-var": "error",
      "prefer-const": "error",
      // The data may hold anything: it never becomes markup or code.
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": ["error", { property: "innerHTML" }, { property: "outerHTML" }],
    },
  },
];
