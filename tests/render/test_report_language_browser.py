"""A report in another language, in Chromium: no word of it is left in English, numbers neither.

In the made-up language every form stands in brackets. What stands outside of them can be said in no
other language: it was glued together, or never given to a catalogue.
"""

import re
from functools import cache, partial

import pytest

from microgauge.languages.catalogue import Words, words_of
from microgauge.languages.scripts import forms_in
from microgauge.render.report.page import FOLDER, MODULES, report_in
from support.browser import CHROMIUM, chromium, settled, watched_page
from support.sentences import CASES, assessed, bands, noisy, people, ranked, schema, shuffled
from support.unsaid import Brackets, unsaid

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: reports are not opened"
)
opened = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: reports are not opened"
)

SAID = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const within = walker.currentNode.parentElement;
    const shown = walker.currentNode.data.trim() && !within.closest('script, style');
    if (shown) found.push(walker.currentNode);
  }
  // A form with names in it stands in several nodes, and its brackets too.
  const whole = new Set(found.map((text) => text.parentElement.closest(
    'p, li, h1, h2, h3, h4, dt, dd, td, th, button, option, summary, a, div, text, noscript')));
  const texts = [...whole].map((node) => [node.tagName, node.textContent]);
  for (const node of document.querySelectorAll('[aria-label], [title], [placeholder]'))
    for (const name of ['aria-label', 'title', 'placeholder'])
      // Parts of a picture that has a name of its own are not read out.
      if (node.hasAttribute(name) && !node.parentElement.closest('[role=img]'))
        texts.push([name, node.getAttribute(name)]);
  return [['title of the page', document.title], ...texts];
}"""
"""Every text of the page, whether it can be seen or is only read out."""
NAMES = re.compile(
    r"<DataFrame>|docs/[\w/]+\.md|\be-?\d+|\b(?:GDU|IL|RUT|SHA|TOML|JSON|CSV)\b|U_p|clusters|ecdf|#\w+"
)
"""What is the same in every language, beside names of the data."""


def whole():
    """All that a report has a drawing for."""
    said = schema(
        indicator=[
            {"name": "q_mean", "variable": "q_income", "statistic": "mean", "by": "q_region"}
        ],
        regression=[{"formula": "q_income ~ q_age"}],
        require={"utility": ">=0.5", "risk": "<=0.4"},
    )
    frame = shuffled(noisy(bands(people())), "q_health")
    return assessed(frame, said, details=True, yardsticks=True, skip=())


def compared(**require):
    said = schema(
        indicator=[{"name": "q_mean", "variable": "q_income", "statistic": "mean"}],
        regression=[{"formula": "q_income ~ q_age"}],
        require=require,
    )
    tables = {"q_ten": bands(people()), "q_wide": bands(shuffled(people(), "q_sex"), 40)}
    return ranked(tables, said, details=True, only=None)


RESULTS = {
    "whole": whole,
    "limits": CASES["analyses and limits"],
    "removed": CASES["one column removed"],
    "ranked": partial(compared, risk="<=0.9"),
    "none": CASES["ranked, none"],
}


@cache
def result_of(case):
    return RESULTS[case]()


@pytest.fixture(scope="module")
def browser():
    with chromium(playwright) as found:
        yield found


@pytest.fixture
def visit(browser, tmp_path):
    def visited(words, case, edition="internal", width=1400):
        path = tmp_path / "report.html"
        path.write_text(report_in(words, result_of(case), edition), encoding="utf-8")
        window = {"width": width, "height": 900}
        return watched_page(browser, path, settled, viewport=window)

    return visited


def open_all(page):
    """Everything that can be opened: details, rows, pictures, explanations, a pair."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for kind in (".folded .more", "tbody button.name", "button.why", ".open-pair"):
        page.evaluate("(all) => document.querySelectorAll(all).forEach((b) => b.click())", kind)
    settled(page)


def said_in(page):
    """All texts, with every picture of the pairs and every candidate opened in turn."""
    open_all(page)
    found = page.evaluate(SAID)
    for kind in (".views button", ".tabs button"):
        for button in page.locator(kind).all():
            button.click()
            open_all(page)
            found += page.evaluate(SAID)
    for cell in page.locator(".triangle svg").all():
        cell.focus()
        found += page.evaluate(SAID)
    return {(place, NAMES.sub("", said)) for place, said in found}


SHOWN = [
    ("whole", "internal"),
    ("whole", "public"),
    ("limits", "internal"),
    ("removed", "internal"),
    ("ranked", "internal"),
    ("ranked", "public"),
    ("none", "internal"),
]


@opened
@pytest.mark.parametrize(("case", "edition"), SHOWN)
def test_no_word_stands_outside_of_a_form(visit, case, edition):
    with visit(Brackets.words(), case, edition) as page:
        texts = said_in(page)
        assert [text for text in texts if any(unsaid(text[1]))] == []
        drawn = page.locator(".chart")
        assert drawn.count() == page.locator(".chart:has(svg)").count() > 0


@opened
@pytest.mark.parametrize("case", ["whole", "ranked"])
def test_longer_texts_have_room_on_a_telephone(visit, case):
    with visit(Brackets.words(), case, width=390) as page:
        open_all(page)
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


@opened
@pytest.mark.parametrize(
    ("language", "written"),
    [("de", {"0,", "−0,"}), ("fr", {"0,"}), ("es", {"0,"})],
)
def test_numbers_are_written_as_the_language_does(visit, language, written):
    with visit(words_of(language), "whole") as page:
        figure = page.locator("#decision .figure .value").first.inner_text()
        assert re.fullmatch(r"[01],\d+", figure)
        cells = page.locator("#variables td.number, #pairs text").all_text_contents()
        assert any(re.search(r"\d,\d", text) or text.startswith(",") for text in cells)
        assert not [text for text in cells if re.search(r"\d\.\d(?!\d\d\b)", text)]
        ticks = page.locator(".chart svg text").all_text_contents()
        assert not [text for text in ticks if re.fullmatch(r"[−-]?\d+\.\d{1,2}", text)]
        assert page.evaluate("document.documentElement.lang") == language


NUMBERS = (0, 0.94, 999, 1234, 12345, 1234567, 0.5, -1234.5, 1e-5, 3e9)


@opened
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_script_writes_a_number_as_python_does(browser, language):
    words = words_of(language)
    module = (FOLDER / "js" / "words.js").read_text(encoding="utf-8").replace("export ", "")
    page = browser.new_page()
    try:
        page.set_content(
            f'<html lang="{language}"><script type="application/json" id="data"></script>'
        )
        data = {"words": {}, "locale": words.locale}
        fill = "(data) => { document.getElementById('data').textContent = JSON.stringify(data); }"
        page.evaluate(fill, data)
        page.add_script_tag(content=f"{module}; window.exact = exact; window.written = written;")
        for value in NUMBERS[:8]:
            assert page.evaluate("(n) => exact(n)", value) == words.written(f"{value:,}")
        for english in ("1,234.5", "94 %", "1.23e-5"):
            said = page.evaluate("(text) => written(text)", english)
            assert said == words.written(english).replace(" %", "\u00a0%")
        forms = "(n) => many(n, '{n} file', '{n} files')"
        for count in (0, 1, 2):
            one = Words(language, plurals={"x": ("one", "many")}).plural(count, "x", "x") == "one"
            assert page.evaluate(forms, count).endswith("file") == one
    finally:
        page.close()


# -- without a browser -------------------------------------------------------------------------

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
GIVEN = re.compile(r'\b(?:say\(|many\([^"()]*,(?:\s*"[^"]*",)?)\s*$')
NO_TEXT = re.compile(
    r"\bclass\b|\bd[:=]|querySelector|matchMedia|\bfont|fill:|style|viewBox|\btrue\b"
)
"""What stands on lines with styles, classes, paths, queries and keys."""


@pytest.mark.parametrize("name", MODULES)
def test_no_text_of_a_script_stands_outside_of_a_form(name):
    source = (FOLDER / "js" / f"{name}.js").read_text(encoding="utf-8")
    source = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)
    found = []
    for match in STRING.finditer(source):
        text = re.sub(r"\$\{[^}]*\}", "", match[1] or match[2] or "")
        line = source[source.rfind("\n", 0, match.start()) : source.find("\n", match.end())]
        several = re.search(r"[A-Za-z]{2,} +(?:\S+ )*[A-Za-z]{2,}", text)
        if several and not GIVEN.search(source[: match.start()]) and not NO_TEXT.search(line):
            found.append(text)
    assert found == []


@pytest.mark.parametrize("name", MODULES)
def test_every_form_of_a_script_stands_where_the_catalogue_looks(name):
    source = (FOLDER / "js" / f"{name}.js").read_text(encoding="utf-8")
    assert len(list(forms_in(source))) == len(re.findall(r"\b(?:say|many)\(", source))
