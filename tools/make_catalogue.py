"""Brings the catalogues of languages up to date: texts.pot with all texts, and each LANGUAGE.po.

Run it after a text that people read was added or changed; new texts stand in each catalogue
without a translation, texts that are no longer said go. `tools/make_catalogue.py nl` begins a new
language.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from microgauge.app import choices
from microgauge.languages.catalogue import entries
from microgauge.languages.scripts import forms_in
from microgauge.masking import forms
from microgauge.masking.methods import method, method_names

SOURCE = Path(__file__).parents[1] / "src" / "microgauge"
CATALOGUES = SOURCE / "languages"
METHODS = SOURCE / "masking" / "methods"
TEXT = r'"((?:[^"\\]|\\.)*)"'
SAID = re.compile(rf"\b_\(\s*{TEXT}")
COUNTED = re.compile(rf"words\.many\([^\"]*?(?:\[\"\w+\"\][^\"]*?)?,\s*{TEXT},\s*{TEXT}")
PLACE = re.compile(r"\{[^{}]*\}")
CHOICES = SOURCE / "app" / "choices.py"
WORDLESS = {"{day} {month} {year}"}
"""Forms without words that languages say otherwise."""
WORD = re.compile(r"[^\W\d_]{2}|\ba\b")
ENTRY = re.compile(r"\{where\} [a-z_]+( \{name\})?|\[[a-z.{}]+\] [a-z{}]+")
"""Where an entry of a schema stands: its name is the same in every language."""
HEAD = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural={plural};\\n"
"Language: {language}\\n"
"""
PLURALS = {"fr": "(n > 1)"}
"""When the second form is said, where it is not for all numbers but one."""
Text = tuple[str, str | None]
"""A text, and its form for many where it counts something."""


def texts() -> dict[Text, str]:
    """Every text that people read, with the first file it stands in."""
    found: dict[Text, str] = {}
    for path in sorted(SOURCE.rglob("*")):
        said: Iterator[Text] = iter(())
        if path.suffix == ".html":
            said = _in_template(path.read_text(encoding="utf-8"))
        elif path.suffix == ".py":
            said = _in_code(path.read_text(encoding="utf-8"))
        elif path.suffix == ".js":
            said = _in_script(path.read_text(encoding="utf-8"))
        if path.parent == METHODS and path.stem in method_names():
            said = chain(said, _of_method(path.stem))
        if path == CHOICES:
            said = chain(said, ((text, None) for text in choices.texts()))
        for text in said:
            found.setdefault(text, path.relative_to(SOURCE).as_posix())
    return found


def _in_template(source: str) -> Iterator[Text]:
    for match in SAID.finditer(source):
        yield json.loads(f'"{match[1]}"'), None
    for match in COUNTED.finditer(source):
        yield json.loads(f'"{match[1]}"'), json.loads(f'"{match[2]}"')


def _in_script(source: str) -> Iterator[Text]:
    yield from (said for said in forms_in(source) if _has_words(said[0]))


def _in_code(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            given = [a.value for a in node.args if isinstance(a, ast.Constant)]
            texts = [text for text in given if isinstance(text, str)]
            yield from (said for said in _said(node, texts) if _has_words(said[0]))


def _of_method(name: str) -> Iterator[Text]:
    """What forms say of a method: its name, its parameters, and what its docstrings say."""
    yield from ((text, None) for text in forms.texts(method(name)) if _has_words(text))


def _has_words(form: str) -> bool:
    """Forms without words are set by rule."""
    worded = WORD.search(PLACE.sub("", form)) and not ENTRY.fullmatch(form)
    return bool(worded) or form in WORDLESS


def _said(node: ast.Call, texts: list[str]) -> Iterator[Text]:
    """What a call says, where it says something that stands there: a text, or two of a number."""
    called = _name(node.func)
    if called in ("many", "count") and len(texts) > 1:
        yield texts[0], texts[1]
    elif called == "counted" and texts:
        one, many = (*texts, f"{texts[0]}s")[:2]
        yield f"{{n:,}} {one}", f"{{n:,}} {many}"
    elif called in ("say", "words") and texts and texts[0] is _first(node):
        yield texts[0], None


def _first(node: ast.Call) -> Any:
    """What stands first in a call."""
    return node.args[0].value if isinstance(node.args[0], ast.Constant) else None


def _name(called: ast.expr) -> str:
    """What is called: of `desk.words(request)(…)`, too, `words`."""
    if isinstance(called, ast.Call):
        return _name(called.func)
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def catalogue(language: str, known: str) -> str:
    """The text of a catalogue: every text, with the translations it had."""
    there = {entry["msgid"]: entry for entry in entries(known)}
    parts = [HEAD.format(language=language, plural=PLURALS.get(language, "(n != 1)"))]
    for (one, many), place in texts().items():
        said = there.get(one, {})
        lines = [f"#: {place}", f"msgid {_quoted(one)}"]
        if many is None:
            lines.append(f"msgstr {_quoted(said.get('msgstr', ''))}")
        else:
            lines.append(f"msgid_plural {_quoted(many)}")
            lines += [f"msgstr[{n}] {_quoted(said.get(f'msgstr[{n}]', ''))}" for n in (0, 1)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main(added: list[str]) -> None:
    """All catalogues, and those of new languages."""
    (CATALOGUES / "texts.pot").write_text(catalogue("", ""), encoding="utf-8")
    there = {path.stem for path in CATALOGUES.glob("*.po")}
    for language in sorted(there | set(added)):
        path = CATALOGUES / f"{language}.po"
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(catalogue(language, known), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
