"""What pages call things is what they are: choices, candidates, files, limits."""

import re


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
