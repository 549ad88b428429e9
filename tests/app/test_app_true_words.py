"""What pages call things is what they are: choices, candidates, files, limits."""

import re
from dataclasses import replace
from pathlib import Path

import microgauge.languages
from microgauge.app.desk import titled
from microgauge.app.results import ADDED, settings_said
from microgauge.app.saying import INSTEAD, PLAINLY, spoken
from microgauge.languages.catalogue import entries, words_of
from microgauge.languages.messages import in_language, say
from microgauge.masking.methods import method_names


def described(visitor, text):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    visitor.wait()
    return visitor.get("/describe")


def empty_options(page, name):
    """What the choices are called by which nothing is said of a variable."""
    return [
        re.search(rf'aria-label="{kind} of {name}">\s*<option value="">([^<]*)<', page.html)[1]
        for kind in ("Type", "Role")
    ]


def test_to_say_nothing_is_called_by_what_holds_then(visitor):
    page = described(visitor, '[variable.age]\nrole = "quasi_identifier"\ntype = "nominal"\n')
    assert empty_options(page, "age") == ["numbers (inferred)", "analysis (not said)"]
    page = visitor.get("/describe/0")
    assert '<option value="">numbers (inferred)</option>' in page.html
    assert '<option value="">analysis (not said)</option>' in page.html


# -- the words of a shell ----------------------------------------------------------------------


def test_pages_send_to_their_own_fields():
    """Each form is one that commands say, and what stands in its place needs no more values."""
    pot = Path(microgauge.languages.__file__).with_name("texts.pot").read_text(encoding="utf-8")
    known = {entry["msgid"] for entry in entries(pot)}
    for form, own in INSTEAD.items():
        assert form in known
        assert set(re.findall(r"{(\w+)", own)) <= set(re.findall(r"{(\w+)", form))
        for sign in ("--", "keys=", "[options]", "[require]", "role ="):
            assert sign not in own
    assert ADDED in known
    no_limit = next(iter(INSTEAD))
    assert in_language(say(no_limit), spoken("de")).endswith("neben den Schritten des Rezepts aus")
    assert "--max-risk" in in_language(say(no_limit), words_of("de")), "reports stay as they are"


def test_without_a_limit_pages_say_where_it_is_set(measured):
    page = measured.send(measured.get("/measure"), "/measure", require="", **{"limit-risk": ""})
    run = measured.wait(page.path.rsplit("/", 1)[-1])
    page = measured.get(f"/look/{run.id}")
    assert 'fill in "risk at most" on Measure' in page.text
    assert "--max-risk" not in page.text.partition("The command line")[0]


def test_values_without_an_order_are_told_at_their_field(visitor):
    page = described(visitor, '[variable.region]\ntype = "ordinal"\n')
    said = 'Give all of them under "Order of the values" (More …)'
    mended = "nothing can be measured until they are mended"
    assert said in page.text
    assert "[…]" not in page.text
    assert page.text.index(said) > page.text.index("Distribution"), "beside its variable"
    assert mended in page.text
    assert mended in visitor.get("/measure").text
    page = visitor.get("/describe/2")
    assert page.html.index('name="order"') < page.html.index("Order of the values&#34; (More")
    described(visitor, "")
    assert mended not in visitor.get("/measure").text


# -- candidates of a grid ----------------------------------------------------------------------


def test_settings_are_said_without_doubled_words_and_in_every_language():
    about = {"about": "swap", "method": "swap"}
    name = say("{about} {method}", **about)
    settings = {name: "no", name + say(" (step {place})", place=2): "yes", "swap k": 3}
    said = settings_said(settings)
    assert said == "swap no, swap (step 2) yes, swap k 3"
    assert in_language(said, words_of("de")) == "swap nein, swap (Schritt 2) ja, swap k 3"


# -- pages that are narrow or long -------------------------------------------------------------


def test_rows_say_what_their_figures_are_where_they_are_cards(measured):
    for page in (measured.get("/release"), measured.get(f"/look/{measured.run}")):
        assert '<table class="cards">' in page.html
        assert 'data-as="Utility"' in page.html
        assert 'data-as="Risk"' in page.html


def test_several_files_are_a_number_where_their_names_are_long(measured):
    run = measured.running.jobs.get(measured.run)
    assert titled(words_of("de"), run) == "strong.csv, weak.csv"
    names = [f"{n} {'long' * 9}.csv" for n in range(3)]
    long = replace(run, title=", ".join(names), about={**run.about, "candidates": names})
    assert titled(words_of("de"), long) == "3 Fassungen von original.csv"
    assert titled(words_of("en"), long) == "3 versions of original.csv"


def test_the_report_that_is_open_is_marked(measured):
    for to, open_one in (("", "For the office"), ("?report=public", "For data users")):
        page = measured.get(f"/look/{measured.run}{to}")
        assert re.findall(r'aria-current="true"[^>]*>([^<]*)<', page.html) == [open_one]
        framed = "public" if to else "report"
        assert f'src="/runs/{measured.run}/framed/{framed}"' in page.html


def test_methods_have_names_in_english_too(described):
    page = described.get("/protect/1")
    assert "top and bottom coding top_bottom" in page.text
    assert set(PLAINLY) <= set(method_names())


def test_what_a_step_removed_is_not_offered_to_later_ones(visitor):
    visitor.choose(original="original.csv")
    visitor.send(visitor.get("/protect"), "/protect")
    visitor.wait()

    def offered(place, name):
        page = visitor.get(f"/protect/1/{place}?method={name}")
        return page.form(f"/protect/1/{place}").choices["variable"]

    page = visitor.get("/protect/1/0?method=remove")
    visitor.send(page, "/protect/1/0", variable=["age"], without="on")
    assert "age" in offered(1, "round"), "it is tried without that step, too"
    page = visitor.get("/protect/1/0")
    assert "age" in page.form("/protect/1/0").choices["variable"]
    visitor.send(page, "/protect/1/0", without=None)
    assert offered(1, "round") == ["sex", "region", "income"]
    assert "age" in offered(0, "remove")
