"""What pages call things is what they are: choices, candidates, files, limits."""

import re
from pathlib import Path

import microgauge.languages
from microgauge.app.results import ADDED, settings_said
from microgauge.app.saying import INSTEAD, spoken
from microgauge.languages.catalogue import entries, words_of
from microgauge.languages.messages import in_language, say


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
