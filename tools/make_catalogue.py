"""Brings the catalogues of languages up to date: texts.pot with all texts, and each LANGUAGE.po.

Run it after a text of the app was added or changed; new texts stand in each catalogue without a
translation, texts that are no longer said go. `tools/make_catalogue.py nl` begins a new language.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from microgauge.languages.catalogue import entries

SOURCE = Path(__file__).parents[1] / "src" / "microgauge"
CATALOGUES = SOURCE / "languages"
APP = SOURCE / "app"
TEXT = r'"((?:[^"\\]|\\.)*)"'
SAID = re.compile(rf"\b_\(\s*{TEXT}")
COUNTED = re.compile(rf"words\.many\([^\"]*?(?:\[\"\w+\"\][^\"]*?)?,\s*{TEXT},\s*{TEXT}")
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
    """Every text that the app says, with the first file it stands in."""
    found: dict[Text, str] = {}
    for path in sorted(APP.rglob("*")):
        said: Iterator[Text] = iter(())
        if path.suffix == ".html":
            said = _in_template(path.read_text(encoding="utf-8"))
        elif path.suffix == ".py":
            said = _in_code(path.read_text(encoding="utf-8"))
        for text in said:
            found.setdefault(text, path.relative_to(SOURCE).as_posix())
    return found


def _in_template(source: str) -> Iterator[Text]:
    for match in SAID.finditer(source):
        yield json.loads(f'"{match[1]}"'), None
    for match in COUNTED.finditer(source):
        yield json.loads(f'"{match[1]}"'), json.loads(f'"{match[2]}"')


def _in_code(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        given = [a.value for a in node.args if isinstance(a, ast.Constant)]
        words = [value for value in given if isinstance(value, str)]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "many":
            yield words[0], words[1]
        elif _is_words(node.func) and words and len(node.args) == 1:
            yield words[0], None


def _is_words(called: ast.expr) -> bool:
    """Whether what is called says a text: `words(…)`, or `desk.words(request)(…)`."""
    if isinstance(called, ast.Name):
        return called.id == "words"
    return (
        isinstance(called, ast.Call)
        and isinstance(called.func, ast.Attribute)
        and called.func.attr == "words"
    )


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
