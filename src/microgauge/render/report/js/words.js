// What the page says, in its language: forms stand in English in the source, and in the data what
// they are in the page's language. `say` and `many` are given their forms as they stand here, so
// that the catalogues find them.

export const data = JSON.parse(document.getElementById("data").textContent);

const SIGNS = { ",": data.locale?.thousands, ".": data.locale?.decimal };

// A number that was written as English writes it, with the signs of the page's language.
export const written = (english) => {
  const found = data.locale ? english.replace(/[,.]/g, (sign) => SIGNS[sign]) : english;
  return found.replace(" %", data.locale?.percent ?? "\u00a0%");
};

// A number with all of its digits.
export const exact = (value) =>
  written(new Intl.NumberFormat("en", { maximumSignificantDigits: 12 }).format(value));

const known = (form) => (Object.hasOwn(data.words, form) ? data.words[form] : null);

const PLACE = /\{(\w+)\}/g;

const filled = (form, values) =>
  form.replace(PLACE, (place, name) => {
    if (!Object.hasOwn(values, name)) return place;
    return typeof values[name] === "number" ? exact(values[name]) : values[name];
  });

// A form with what stands at its places; a place of which nothing is said stays.
export const say = (form, values = {}) => filled(known(form) ?? form, values);

const isOne = (n) => (document.documentElement.lang === "fr" ? n <= 1 : n === 1);

// A form for one and another for any other number, which stands at {n}.
export const many = (n, one, several, values = {}) => {
  const forms = known(one) ?? [one, several];
  return filled(forms[isOne(n) ? 0 : 1], { n, ...values });
};

// A text as parts of a page, with nodes at the places that are left in it.
export const woven = (text, nodes) =>
  text.split(PLACE).map((part, i) => (i % 2 ? nodes[part] : part));

// What both files are called in charts, legends and tables.
export const BEFORE = say("original");
export const AFTER = say("protected");
