"""The page: data, styles and scripts in one file, with a policy that lets nothing else in."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from microgauge.languages.catalogue import Words, words_asked
from microgauge.languages.messages import ENGLISH, all_in_language, say
from microgauge.languages.scripts import forms_in
from microgauge.render.report.data import THRESHOLD, assessment_data
from microgauge.render.report.ranking import for_users, ranking_data
from microgauge.results import Assessment, Edition, Ranking
from microgauge.results.plain import to_dict

FOLDER = Path(__file__).parent
MODULES = (
    "words",
    "dom",
    "drawing",
    "charts",
    "rulers",
    "tables",
    "blocks",
    "decision",
    "variables",
    "triangles",
    "pairs",
    "report",
    "ranking",
    "page",
)
"""The files in js/, each after those it imports."""
IMPORT = re.compile(r"^import ?(\{[^}]*\}) from \"\./(\w+)\.js\";", re.MULTILINE)
INDENT = re.compile(r"^ +", re.MULTILINE)
COMMENT = re.compile(r"^//.*\n", re.MULTILINE)
TEXT = re.compile(r'("(?:[^"\\]|\\.)*")')
BLANKS = re.compile(r" ?(=>|[=!]==|&&|\|\||\?\?|[=,;?{}]) ?")
KEPT = ("`", "/", "'", "@", "calc(")
"""What a line may hold in which blanks count."""
EXPORT = re.compile(r"^export (?=const (\w+))", re.MULTILINE)
SAID = re.compile(r'\{\{ _\("([^"]*)"\) \}\}')
"""A text of the page's body."""


def report_html(
    result: Assessment | Ranking,
    edition: Edition = "internal",
    threshold: int = THRESHOLD,
    language: str = ENGLISH,
) -> str:
    """The report of an assessment or a ranking; `public` is the edition for data users."""
    return report_in(words_asked(language), result, edition, threshold)


def report_in(
    words: Words,
    result: Assessment | Ranking,
    edition: Edition = "internal",
    threshold: int = THRESHOLD,
) -> str:
    """The report in a language whose words are at hand."""
    if edition not in ("internal", "public"):
        raise ValueError("the edition of a report is internal or public")
    if threshold < 1:
        raise ValueError("what a public report shows must rest on at least one record")
    if edition == "public":
        result = _for_users(result, threshold)
    if isinstance(result, Ranking):
        data = ranking_data(result, edition, threshold, words)
        title = say("Protected versions compared")
    else:
        data = assessment_data(result, edition, threshold)
        title = say("What protection cost")
    return _page(all_in_language(data, words), words.of(title), words)


def _for_users(result: Assessment | Ranking, threshold: int) -> Assessment | Ranking:
    """What data users may see."""
    if isinstance(result, Ranking):
        return for_users(result, threshold)
    (told,) = result.presenter.for_users([result], threshold)
    return told


def _page(data: dict[str, Any], title: str, words: Words) -> str:
    ranks = data["kind"] == "rank"
    own = own_script(ranks=ranks)
    data = data | {"words": _script_words(words, ranks), "locale": words.locale}
    policy = "; ".join(
        [
            "default-src 'none'",
            # Only these two scripts run, whatever the data holds. Vega compiles its expressions.
            f"script-src {_digest(_vega())} {_digest(own)} 'unsafe-eval'",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>{_short(_text('style.css'))}</style>\n</head>\n<body>\n"
        f"{_body(words)}\n"
        f'<script type="application/json" id="data">{_embedded(data)}</script>\n'
        f'<script type="text/plain" id="drawing">{_packed(_vega())}</script>\n'
        f"<script>{own}</script>\n</body>\n</html>\n"
    )


def _body(words: Words) -> str:
    """What is in the page before its scripts run."""
    return SAID.sub(lambda match: escape(words.form(match[1])), _text("body.html"))


def _script_words(words: Words, ranks: bool) -> dict[str, str | list[str]]:
    """The forms of the page's scripts in its language; none where they stand there."""
    if words.language == ENGLISH:
        return {}
    found: dict[str, str | list[str]] = {}
    for name in _modules(ranks):
        for one, several in forms_in(_text(f"js/{name}.js")):
            both = None if several is None else [words.plural(n, one, several) for n in (1, 2)]
            found[one] = both or words.form(one)
    return found


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in, whatever names and labels hold."""
    text = json.dumps(to_dict(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _short(text: str) -> str:
    """Without what only whoever reads the source needs: indents, blanks, and lines of comment."""
    lines = COMMENT.sub("", INDENT.sub("", text)).split("\n")
    return "\n".join(_close(line) for line in lines if line) + "\n"


def _close(line: str) -> str:
    """Without blanks around signs; a line with a template, a pattern or a selector stays as it is.

    >>> _close('const all = [one, "a, b"];')
    'const all=[one,"a, b"];'
    """
    if any(sign in line for sign in KEPT):
        return line
    parts = TEXT.split(line)  # what is between texts, and each text in turn
    return "".join(part if at % 2 else BLANKS.sub(r"\1", part) for at, part in enumerate(parts))


def _modules(ranks: bool) -> tuple[str, ...]:
    return MODULES if ranks else tuple(name for name in MODULES if name != "ranking")


@cache
def own_script(*, ranks: bool = True) -> str:
    """The modules as one script, each in a scope of its own; a page from disk can load none.

    What draws rankings is left out of a page that is none.
    """
    drawn = _modules(ranks)
    modules = [
        _module(name) if name in drawn else f"const module_{name} = {{}};\n" for name in MODULES
    ]
    return '"use strict";\n' + "".join(modules)


def _module(name: str) -> str:
    """A module as a constant that holds what it exports."""
    text = _short(_text(f"js/{name}.js"))
    exported = ", ".join(EXPORT.findall(text))
    text = EXPORT.sub("", IMPORT.sub(r"const \1 = module_\2;", text))
    return f"const module_{name} = (() => {{\n{text}return {{ {exported} }};\n}})();\n"


@cache
def _vega() -> str:
    """Vega, Vega-Lite and their embedding, from the package that draws our pictures too."""
    import vl_convert

    return str(vl_convert.javascript_bundle())  # type: ignore[call-arg]


@cache
def _packed(script: str) -> str:
    """Text that the browser unpacks; the same bytes whenever it is made."""
    return base64.b64encode(gzip.compress(script.encode("utf-8"), mtime=0)).decode("ascii")


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
