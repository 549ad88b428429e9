"""The app as its user meets it, in Chromium: the whole way, hostile names, keyboard, small screens.

Every visit ends with a look at the log: no error, nothing blocked, nothing loaded from elsewhere.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from microgauge.app.guard import leading_to
from microgauge.languages.catalogue import ENGLISH_WORDS, languages, words_of
from support.app import served
from support.app_actions import prepare
from support.app_browser import page_of, play
from support.app_tables import write_tables, write_workbook
from support.browser import CHROMIUM, chromium

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: the app is not opened"
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: the app is not opened"
)
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = "<img src=x onerror='window.hacked=1'>"
LONG = 40_000


@pytest.fixture(scope="module")
def browser():
    with chromium(playwright) as found:
        yield found


def wait_done(page, words=ENGLISH_WORDS):
    page.get_by_role("link", name=words("Look at the result")).wait_for(timeout=LONG)


def add_step(page, method, variables, words=ENGLISH_WORDS, **fields):
    page.locator(f".methods a[href$='method={method}']").click()
    for name in variables:
        page.get_by_role("checkbox", name=name).check()
    for name, value in fields.items():
        page.locator(f"#p-{name}").fill(value)
    page.get_by_role("button", name=words("Save the step")).click()
    page.locator("ol.recipe").wait_for()


def test_the_file_that_is_opened_leads_to_the_first_page(browser, tmp_path):
    """A strict cookie is not sent with what a file leads to: it takes a page of ours between."""
    write_tables(tmp_path)
    door = tmp_path / "open.html"
    with served(tmp_path) as running:
        door.write_text(leading_to(running.address))
        page = browser.new_page()
        page.goto(door.as_uri())
        page.get_by_role("heading", name="Which files?").wait_for(timeout=LONG)
        assert "token" not in page.url
        page.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_whole_way_from_a_raw_file_to_a_release(browser, tmp_path, language):
    write_tables(tmp_path)
    words = words_of(language)
    folder = tmp_path / "work"
    folder.mkdir()
    with served(folder, language=language) as running, page_of(browser, running) as page:
        bring_in_and_describe(page, words, tmp_path / "original.csv")
        for unit in ("10", "20", "40"):
            protect(page, words, f"Round {unit}", unit)
            page.get_by_role("button", name=words("Make a protected version")).click()
            page.get_by_role("link", name=words("Go on")).click(timeout=LONG)
        measure_and_compare(page, words)
        explore_and_release(page, words)
        run = page.url.rsplit("/", 1)[-1]
        lines = running.jobs.get(run).commands
    inside = folder / "release-chosen-internal"
    manifest = json.loads((inside / "release.json").read_text())
    assert manifest["table"] == "protected.csv"
    # The command lines that are exported give the same figures.
    kept = json.loads((inside / "result.json").read_text())
    assert manifest["commands"] == [shlex.join(["microgauge", *words]) for words in lines]
    for line in manifest["commands"]:
        words = shlex.split(line)[1:]
        done = subprocess.run(
            [sys.executable, "-m", "microgauge", *words], cwd=folder, capture_output=True
        )
        assert done.returncode in (0, 1), done.stderr
    assert json.loads((inside / "result.json").read_text()) == kept


def bring_in_and_describe(page, words, file):
    page.locator("#sent").set_input_files(file)
    page.get_by_role("button", name=words("Add to the folder")).click()
    page.locator("tr", has_text="original.csv").locator("select").select_option("original")
    page.get_by_role("button", name=words("Use these files")).click()
    page.get_by_role("button", name=words("Take these")).click(timeout=LONG)
    page.get_by_text(words("Proposed, by names and labels:")).wait_for(state="hidden", timeout=LONG)
    page.get_by_role("link", name=words("More on {name}", name="income")).click()
    page.locator("#label").fill("Income of the year")
    page.get_by_role("button", name=words("Save"), exact=True).click()
    page.get_by_text("Income of the year").first.wait_for(timeout=LONG)


def protect(page, words, name, unit):
    page.get_by_role("link", name=words("Protect")).first.click()
    page.locator("#name").fill(name)
    page.get_by_role("button", name=words("Make a recipe")).click()
    add_step(page, "round", ["age"], words, unit=unit)


def measure_and_compare(page, words):
    page.locator("#limit-risk").fill("0.9")
    page.get_by_role("button", name=words("Measure and compare")).click()
    wait_done(page, words)
    page.get_by_role("link", name=words("Look at the result")).click()
    page.get_by_text(words("Which one to release?")).wait_for()
    frame = page.frame_locator("iframe.report")
    frame.locator("h1").wait_for(timeout=LONG)
    page.locator(".chart-map a").first.click()
    page.get_by_text(words("Is it still useful?")).wait_for()
    page.get_by_role("link", name=words("Compare")).click()
    assert page.locator(".beside > section").count() == 2


def explore_and_release(page, words):
    """The frontier fills while a grid is explored; one of its candidates is chosen."""
    protect(page, words, "Grid", "15, 30")
    page.get_by_role(
        "button", name=words.many(2, "Measure {n} candidate", "Explore {n} candidates")
    ).click()
    page.locator(".live circle").first.wait_for(timeout=LONG)
    wait_done(page, words)
    page.get_by_role("link", name=words("Look at the result")).click()
    page.get_by_role("link", name=words("Go on to release")).click()
    page.locator("#name").fill("chosen")
    page.get_by_role("button", name=words("Release this one")).click()
    page.get_by_role("link", name=words("All releases")).wait_for(timeout=LONG)
    assert page.get_by_text(words("Stays in the office")).is_visible()


def test_the_way_in_german(browser, tmp_path):
    write_tables(tmp_path)
    with (
        served(tmp_path) as running,
        page_of(browser, running, locale="de-DE", viewport={"width": 390, "height": 800}) as page,
    ):
        page.get_by_role("heading", name="Welche Dateien?").wait_for()
        page.locator("tr", has_text="original.csv").locator("select").select_option("original")
        page.locator("tr", has_text="weak.csv").locator("select").select_option("candidate")
        page.get_by_role("button", name="Diese Dateien verwenden").click()
        page.get_by_role("button", name="Übernehmen").click(timeout=LONG)
        page.get_by_role("link", name="Weiter zum Messen").click(timeout=LONG)
        page.get_by_role("button", name="Messen").click()
        page.get_by_role("link", name="Ergebnis ansehen").click(timeout=LONG)
        page.get_by_text("Ist der Nutzen erhalten?").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#language").select_option("en")
        page.get_by_text("Is it still useful?").wait_for()


@pytest.mark.parametrize("language", list(languages()))
def test_no_page_is_wider_than_a_telephone_in_any_language(browser, tmp_path, language):
    write_tables(tmp_path, rows=40)
    with (
        served(tmp_path, language=language) as running,
        page_of(browser, running, viewport={"width": 390, "height": 800}) as page,
    ):
        origin = page.url.rstrip("/")
        page.locator("tr", has_text="original.csv").locator("select").select_option("original")
        page.locator("tr", has_text="weak.csv").locator("select").select_option("candidate")
        page.locator("form[action='/files'] button").click()
        page.locator("table.variables").wait_for(timeout=LONG)
        page.goto(f"{origin}/protect")
        page.locator("form[action='/protect'] button").click()
        page.wait_for_url("**/protect/1")
        page.goto(f"{origin}/protect/1/0?method=noise")
        page.locator("input[value=income]").check()
        page.locator("#p-share").fill("0.1, 0.2")
        page.locator("main form button.main").click()
        page.wait_for_url("**/protect/1")
        more = ("describe/analyses", "describe/analyses/indicator/0", "describe/choices/options")
        pages = ("", "describe", "describe/0", "measure", "look", "protect/1", "protect/1/0")
        for path in (*pages, *more):
            page.goto(f"{origin}/{path}")
            assert page.locator("html").get_attribute("lang") == language
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
            for button in page.locator("main button:visible").all():
                assert button.bounding_box()["height"] < 50, (path, button.inner_text())


def test_an_indicator_and_a_regression_are_seen_in_the_report(browser, tmp_path):
    write_tables(tmp_path)
    with served(tmp_path) as running, page_of(browser, running) as page:
        choose(page, ("original.csv", "original"), ("weak.csv", "candidate"))
        page.get_by_role("button", name="Take these").click(timeout=LONG)
        page.get_by_role("link", name="Analyses").click()
        page.get_by_role("link", name="Add an indicator").click()
        page.locator("#f-name").fill("Mean income of the groups")
        page.locator("#f-statistic").select_option("mean")
        page.locator("#f-variable").fill("income")
        page.locator("#f-by").fill("sex")
        page.locator("#f-resamples").fill("5")
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".faults", has_text="resamples must be a whole number").wait_for()
        page.locator("#f-resamples").fill("20")
        page.get_by_role("button", name="Save", exact=True).dblclick()
        page.get_by_role("link", name="Add a regression").click()
        page.locator("#f-formula").fill("income ~ age + sex")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("link", name="income ~ age + sex").wait_for()
        assert page.locator(".analyses > li").count() == 2
        page.get_by_role("link", name="Measure").first.click()
        page.get_by_role("button", name="Measure").click()
        wait_done(page)
        page.get_by_role("link", name="Look at the result").click()
        frame = page.frame_locator("iframe.report")
        frame.get_by_text("Mean income of the groups").first.wait_for(
            timeout=LONG, state="attached"
        )
        frame.get_by_text("income ~ age + sex").first.wait_for(timeout=LONG, state="attached")


def choose(page, *files):
    """Say what files, or sheets of them, are."""
    for name, role in files:
        page.get_by_label(f"What {name} is", exact=True).select_option(role)
    page.get_by_role("button", name="Use these files").click()


def test_two_sheets_of_a_workbook_are_measured(browser, tmp_path):
    write_tables(tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    write_workbook(
        tmp_path / "book.xlsx", People=tmp_path / "original.csv", Released=tmp_path / "weak.csv"
    )
    with served(folder) as running, page_of(browser, running) as page:
        page.locator("#sent").set_input_files(tmp_path / "book.xlsx")
        page.get_by_role("button", name="Add to the folder").click()
        choose(page, ("book.xlsx::People", "original"), ("book.xlsx::Released", "candidate"))
        page.get_by_role("button", name="Take these").click(timeout=LONG)
        page.get_by_role("link", name="Go on to measure").click(timeout=LONG)
        page.get_by_role("button", name="Measure").click()
        wait_done(page)
        page.get_by_text("The command line that does the same").click()
        line = page.locator("pre.code").inner_text()
        place = running.jobs.place(page.url.rsplit("/", 1)[-1])
    kept = json.loads((place / "result.json").read_text())
    name, *words = shlex.split(line)
    assert (name, *words[:3]) == (
        *("microgauge", "assess"),
        *("book.xlsx::People", "book.xlsx::Released"),
    )
    command = [sys.executable, "-m", "microgauge", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads((place / "result.json").read_text()) == kept


def test_hostile_names_stay_text(browser, tmp_path):
    name = "<img src=x onerror=window.hacked=1>.csv"
    rows = "".join(f"{place % 5},{place % 3}\n" for place in range(60))
    (tmp_path / name).write_text(f'"{HOSTILE}",b\n{rows}')
    with served(tmp_path) as running, page_of(browser, running) as page:
        page.locator("tr", has_text="onerror").locator("select").select_option("original")
        page.get_by_role("button", name="Use these files").click()
        page.locator("table.variables").wait_for(timeout=LONG)
        assert page.locator("main img").count() == 0
        assert HOSTILE in page.locator("table.variables").inner_text()
        page.get_by_role("link", name="More on").first.click()
        page.locator("#label").fill(HOSTILE)
        page.locator("#importance").fill(HOSTILE)
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".faults").first.wait_for()
        assert page.locator("main img").count() == 0


def test_progress_is_shown_without_a_reload_and_a_run_can_be_cancelled(browser, tmp_path):
    write_tables(tmp_path, rows=3000)
    with served(tmp_path) as running, page_of(browser, running) as page:
        page.locator("tr", has_text="original.csv").locator("select").select_option("original")
        page.locator("tr", has_text="weak.csv").locator("select").select_option("candidate")
        page.get_by_role("button", name="Use these files").click()
        page.get_by_role("button", name="Take these").click(timeout=LONG)
        page.get_by_role("link", name="Go on to measure").click(timeout=LONG)
        page.get_by_role("button", name="Measure").click()
        page.get_by_text("A first verdict, while the rest is measured").wait_for(timeout=LONG)
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("It was cancelled.").wait_for(timeout=LONG)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_pages_fit_the_screen_and_every_field_has_a_name(browser, measured, width, scheme):
    window = {"width": width, "height": 900}
    paths = (
        "/",
        "/describe",
        "/describe/0",
        "/describe/analyses",
        "/describe/analyses/indicator/0",
        "/describe/choices",
        "/describe/choices/options",
        "/measure",
        f"/look/{measured.run}",
        "/protect",
        "/release",
        f"/look/{measured.run}/compare?of=0&of=1",
    )
    with page_of(browser, measured.running, viewport=window, color_scheme=scheme) as page:
        for path in paths:
            page.goto(measured.origin + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate(UNNAMED) == [], path
            assert page.evaluate(CONTRAST) == [], path


UNNAMED = """() => [...document.querySelectorAll("input, select, textarea, button")]
  .filter((e) => e.type !== "hidden" && !(e.labels && e.labels.length)
    && !e.getAttribute("aria-label") && !e.textContent.trim())
  .map((e) => e.outerHTML.slice(0, 120))"""
CONTRAST = """() => {
  const parts = (c) => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => { const s = v / 255;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.9) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const e of document.querySelectorAll("main *, header *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest("svg") || e.offsetParent === null || e.closest("option")) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 100)}`);
  }
  return faint;
}"""


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not in node_modules: npm install")
@pytest.mark.parametrize("width", [1400, 390])
def test_axe_finds_no_barrier(browser, measured, width):
    measured.send(measured.get("/protect"), "/protect", name="Looked at")
    recipe = measured.running.project.state["recipes"][-1]["id"]
    paths = (
        *("/", "/describe", "/describe/0", "/describe/schema", "/measure", "/look", "/protect"),
        *("/describe/analyses", "/describe/analyses/indicator/0", "/describe/choices"),
        *("/describe/choices/options", "/describe/choices/tables"),
        *("/release", f"/look/{measured.run}/compare?of=0&of=1", f"/runs/{measured.run}"),
        *(f"/protect/{recipe}", f"/protect/{recipe}/0?method=noise", f"/look/{measured.run}/0"),
    )
    window = {"width": width, "height": 900}
    with page_of(browser, measured.running, viewport=window) as page:
        for path in paths:
            page.goto(measured.origin + path)
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run().then((r) => r.violations)")
            told = [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
            assert told == [], path


def test_everything_can_be_reached_by_keyboard(browser, measured):
    with page_of(browser, measured.running) as page:
        page.goto(measured.origin + "/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") in ("main", "")
        page.goto(measured.origin + "/measure")
        page.locator("#require").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == "BUTTON"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_clicked_the_app_lives(browser, seed, prepared):
    did = play(browser, seed, prepared)
    assert {"reload", "back", "double", "cancel", "kill"} <= set(did)


def test_the_head_says_no_longer_that_work_is_under_way_when_it_is_over(browser, tmp_path):
    """A page that only stands there is not loaded anew by it."""
    write_tables(tmp_path)
    with served(tmp_path) as running, page_of(browser, running) as page:
        page.locator("tr", has_text="original.csv").locator("select").select_option("original")
        page.get_by_role("button", name="Use these files").click()
        page.goto(page.url.replace("/describe", "/protect"))
        page.evaluate("window.stands = true")
        page.locator("a.busy").wait_for()
        page.locator("a.busy").wait_for(state="detached", timeout=LONG)
        assert all(run.over for run in running.jobs.runs())
        assert page.evaluate("window.stands")
