"""Risk–utility maps: every name or number beside its point, and nothing on top of anything else."""

import math
import re
from functools import cache
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import microgauge
from microgauge.render.charts import (
    assessment_map_spec,
    closer_spec,
    crowded,
    levels_spec,
    map_spec,
)
from microgauge.render.pictures import drawn
from microgauge.results import Candidate, Ranking
from microgauge.results.lettering import Box, Lettering, Spot, text_width
from microgauge.results.ranking import Recommendation, Standing
from support.browser import CHROMIUM, chromium
from support.long import more
from support.reports import HOSTILE, QUICK, demo_result, small

NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"
NAMES = [f"{way} {level} %, bands of {years} years" for way in ("noise", "swap", "PRAM")
         for level in (5, 10, 20, 30, 50) for years in (5, 10)]  # fmt: skip


@cache
def an_assessment():
    frame = small(60)
    return microgauge.assess(frame, frame, only=["gdu"])


def a_ranking(count, seed, spread=1.0, names=NAMES, **limits):
    """Candidates anywhere, or all in a small part of the map."""
    rng = np.random.default_rng([seed, 11])
    risks = rng.beta(1.2, 4.0, count) * spread
    utilities = np.clip(
        1.0 - 0.3 * (1.0 - risks) ** 2 - rng.exponential(0.08, count) * spread, 0, 1
    )
    candidates = tuple(
        Candidate(
            name=name,
            assessment=an_assessment(),
            standing=Standing(risk=float(risk), utility=float(utility)),
        )
        for name, risk, utility in zip(names, risks, utilities, strict=False)
    )
    line = [
        c.name for c in candidates
        if not any(o.risk < c.risk and o.utility > c.utility for o in candidates)
    ]  # fmt: skip
    return Ranking(
        candidates=candidates, frontier=tuple(line), stable=True, sweep=(), utility_measure="gdu",
        recommended=Recommendation(name=line[0], reason=""),
        original_risk=0.8 if seed % 2 else None, **limits,
    )  # fmt: skip


# -- looking into a picture --------------------------------------------------------------------


def marks(svg):
    """Texts and signs of an SVG: what each is, and the box it takes at most."""
    found = []

    def look(node, x, y, kind):
        place = re.match(rf"translate\({NUMBER},\s*{NUMBER}\)", node.get("transform", ""))
        x, y = (x + float(place[1]), y + float(place[2])) if place else (x, y)
        kind = node.get("class", kind)
        if "rotate" in node.get("transform", ""):
            return
        if node.tag.endswith("}text") and node.text:
            size = float(node.get("font-size").removesuffix("px"))
            wide = text_width(node.text, size)
            left = x - {"end": wide, "middle": wide / 2}.get(node.get("text-anchor"), 0.0)
            base = y - (0.3 * size if place else 0.0)
            found.append(
                ("text", node.text, Box(left, base - size / 2, left + wide, base + size / 2))
            )
        if node.tag.endswith("}path") and "mark-symbol" in kind:
            half = max(abs(float(n)) for n in re.findall(NUMBER, node.get("d")))
            found.append(("sign", node.get("aria-label", ""), Box.around(x, y, half)))
        for child in node:
            look(child, x, y, kind)

    look(ElementTree.fromstring(svg), 0.0, 0.0, "")
    return found


def covered(found):
    """Pairs that lie on each other, of which at least one is a text."""
    return [
        (one[:2], other[:2])
        for one, other in combinations(found, 2)
        if "text" in (one[0], other[0]) and one[2].meets(other[2], -0.5)
    ]


def pictures(spec):
    """A picture and those for narrower pages."""
    return [spec, *spec["usermeta"]["narrower"]]


# -- tests -------------------------------------------------------------------------------------


def written(found):
    return [said for what, said, _ in found if what == "text"]


@pytest.mark.parametrize("seed", [0, *more(1, 2, 3)])
@pytest.mark.parametrize("spread", [1.0, 0.15, 0.0])
def test_no_label_of_thirty_candidates_covers_anything(seed, spread):
    """With spread 0 all stand at the same place."""
    result = a_ranking(30, seed, spread, max_risk=0.2, min_utility=0.7)
    for make in (map_spec, closer_spec):
        for spec in pictures(make(result)):
            found = marks(drawn(spec, "svg"))
            assert covered(found) == []
            texts = written(found)
            for number, name in enumerate(NAMES, start=1):
                assert texts.count(str(number)) == 2  # on the map, and in the list
                assert any(
                    name.startswith(text.removesuffix("…"))
                    for text in texts
                    if text[:5] == name[:5]
                )


@pytest.mark.parametrize("count", [1, 3, 6, 12])
def test_few_are_named_where_they_stand(count):
    names = [f"file {i}" for i in range(count)]
    found = marks(drawn(map_spec(a_ranking(count, 3, names=names)), "svg"))
    assert covered(found) == []
    assert set(names) <= set(written(found))
    assert "1" not in written(found)


def test_of_very_many_those_that_matter_are_numbered():
    names = [f"file {i}" for i in range(300)]
    result = a_ranking(300, 3, names=names)
    found = marks(drawn(map_spec(result), "svg"))
    assert covered(found) == []
    assert set(result.frontier) <= set(written(found))
    left = 300 - len(result.frontier)
    assert f"and {left} beaten ones without a number" in written(found)
    assert sum(what == "sign" for what, *_ in found) > 300


def test_limits_kinds_and_the_original_are_named():
    result = a_ranking(8, 1, max_risk=0.2, min_utility=0.7)
    texts = written(marks(drawn(map_spec(result), "svg")))
    for said in ("risk at most 0.2", "utility at least 0.7", "limit", "recommended", "original",
                 "on the frontier", "no release"):  # fmt: skip
        assert said in texts
    # What nobody measured is not drawn as a point.
    texts = written(marks(drawn(map_spec(a_ranking(8, 2)), "svg")))
    assert "original: utility 1, risk not known" in texts
    assert "original" not in texts


def test_kinds_differ_by_more_than_colour():
    from microgauge.render.maps import MARKS

    looks = [(m["shape"], m["fill"] == "$paper", m["size"] > 150) for m in MARKS.values()]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("names", [HOSTILE, [f"حالة {i} للإصدار" for i in range(20)],
                                   [f"第{i}個候選檔案的名稱" for i in range(20)]])  # fmt: skip
def test_names_of_all_kinds(names):
    for spec in pictures(map_spec(a_ranking(len(names), 5, names=names))):
        assert covered(marks(drawn(spec, "svg"))) == []


def test_labels_lead_to_their_own_points():
    rng = np.random.default_rng(8)
    for _ in range(20):
        spots = [
            Spot(*place, 6.0, f"{i}") for i, place in enumerate(rng.uniform(150, 350, (25, 2)))
        ]
        lettering = Lettering(Box(0, 0, 500, 500), 14, [spot.box for spot in spots])
        for spot in spots:
            label = lettering.put_anywhere(spot)
            near = label.box.nearest(spot.x, spot.y) if label.leader is None else label.leader[0]
            assert math.dist(near, (spot.x, spot.y)) <= 6.0 + 14.0
        for one, other in combinations(lettering.labels, 2):
            assert not one.box.meets(other.box)
        for label in lettering.labels:
            assert not any(label.box.meets(spot.box) for spot in spots)


def test_the_same_ranking_is_the_same_picture():
    assert drawn(map_spec(a_ranking(30, 2)), "svg") == drawn(map_spec(a_ranking(30, 2)), "svg")


def test_levels_of_many_candidates_keep_their_names():
    for spec in pictures(levels_spec(a_ranking(30, 1))):
        found = marks(drawn(spec, "svg"))
        assert [pair for pair in covered(found) if pair[0][0] == pair[1][0] == "text"] == []


# -- the map of one file -----------------------------------------------------------------------


def limited(**requirements):
    frame = small(300)
    said = {
        "variable": {n: {"role": "quasi_identifier"} for n in ("region", "sex", "age")},
        "require": requirements,
    }
    noisy = frame.assign(age=frame["age"] + 1)
    return microgauge.assess(frame, noisy, schema=said, skip=[*QUICK, "loss"])


def test_the_map_of_one_file_says_what_is_known_and_no_more():
    result = limited(risk="<=0.3", tables=">=0.25")
    spec = assessment_map_spec(result)
    for one in pictures(spec):
        found = marks(drawn(one, "svg"))
        assert covered(found) == []
        texts = written(found)
        assert {"this file", "risk at most 0.3", "tables at least 0.25", "the original 1.00",
                f"all columns shuffled {result.tables.permuted:.2f}",
                f"a fresh sample {result.tables.resample:.2f}"} <= set(texts)  # fmt: skip
        assert sum(what == "sign" for what, *_ in found) == 1
    (point,) = [
        layer["data"]["values"][0] for layer in spec["layer"] if "tooltip" in layer["encoding"]
    ]
    assert (point["risk"], point["utility"]) == (result.verdict.risk, result.verdict.utility)
    lines = {layer["data"]["values"][0]["utility"] for layer in spec["layer"]
             if layer["mark"]["type"] == "rule"}  # fmt: skip
    assert {round(v, 9) for v in (1.0, 0.25, result.tables.permuted, result.tables.resample)} <= {
        round(v, 9) for v in lines
    }


def test_no_map_where_risk_or_utility_is_not_known():
    frame = small(60)
    assert assessment_map_spec(microgauge.assess(frame, frame, only=["gdu"])) is None
    assert assessment_map_spec(demo_result()) is not None


# -- in a browser ------------------------------------------------------------------------------

BOXES = """() => [...document.querySelectorAll('svg text, svg .mark-symbol path')]
  .filter((e) => e.tagName !== 'text' || e.textContent)
  .map((e) => { const b = e.getBoundingClientRect();
                return [e.tagName, e.textContent, b.left, b.top, b.right, b.bottom]; })"""


@pytest.fixture(scope="module")
def page():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with chromium(playwright) as browser:
        yield browser.new_page(viewport={"width": 1400, "height": 1000})


def test_no_label_covers_anything_in_a_browser(page):
    """As wide as letters are there, also in fonts that are wider than most."""
    for seed, spread in ((0, 1.0), (1, 0.15)):
        for spec in pictures(map_spec(a_ranking(30, seed, spread, max_risk=0.2))):
            page.set_content(drawn(spec, "svg").decode())
            for font in ("DejaVu Sans", "sans-serif", "serif"):
                page.add_style_tag(content=f'svg text {{ font-family: "{font}" !important; }}')
                boxes = page.evaluate(BOXES)
                found = [
                    ("text" if tag == "text" else "sign", said,
                     # A line's box is higher than its letters are.
                     Box(left, top + 3, right, bottom - 3) if tag == "text"
                     else Box(left, top, right, bottom))
                    for tag, said, left, top, right, bottom in boxes
                ]  # fmt: skip
                assert len(found) > 60
                assert covered(found) == []


def test_widths_are_no_narrower_than_in_a_browser(page):
    texts = [*NAMES, "WWW@mm%", "iiilll", "Straße – Łódź", "0123456789", "a_b-c/d(e)[f]"]
    widths = page.evaluate(
        """(texts) => { const c = document.createElement('canvas').getContext('2d');
        return ['DejaVu Sans', 'Liberation Sans', 'system-ui'].map((font) => {
          c.font = `14px "${font}"`; return texts.map((t) => c.measureText(t).width); }); }""",
        texts,
    )
    for row in widths:
        for text, width in zip(texts, row, strict=True):
            assert width <= text_width(text, 14) * 1.001
            assert width >= text_width(text, 14) * 0.6


# -- from closer --------------------------------------------------------------------------------


def placed_ranking(*places, **more_of_it):
    """Candidates at these places, the original far from them."""
    candidates = tuple(
        Candidate(
            name=f"file {number}",
            assessment=an_assessment(),
            standing=Standing(risk=risk, utility=utility),
        )
        for number, (risk, utility) in enumerate(places)
    )
    return Ranking(
        candidates=candidates, frontier=(), stable=True, sweep=(), utility_measure="gdu",
        recommended=Recommendation(name=None, reason=""), original_risk=0.8, **more_of_it,
    )  # fmt: skip


GRID = ((0.042, 0.980), (0.039, 0.978), (0.036, 0.976), (0.031, 0.970), (0.047, 0.982))


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        (GRID, True),
        (GRID[:2], True),
        (GRID[:1], False),
        (((0.1, 0.9), (0.4, 0.7), (0.7, 0.8)), False),
        (((0.1, 0.9), (0.1, 0.9)), False),  # from closer they lie on each other, too
        ((), False),
    ],
)
def test_candidates_that_lie_on_each_other_are_shown_from_closer(places, wanted):
    assert crowded(placed_ranking(*places)) is wanted


def test_no_axis_has_a_number_beyond_one():
    places = [(0.94 + 0.02 * i, 0.99 + 0.002 * i) for i in range(4)]
    for make in (map_spec, closer_spec):
        for spec in pictures(make(placed_ranking(*places))):
            texts = written(marks(drawn(spec, "svg")))
            on_axes = [float(text) for text in texts if re.fullmatch(r"-?\d+\.\d+", text)]
            assert len(on_axes) >= 4
            assert all(0 <= number <= 1 for number in on_axes)
