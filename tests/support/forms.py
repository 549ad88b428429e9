"""Every sentence, or part of one, that stands in the source, with {} for what is filled in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import microgauge

SOURCE = Path(microgauge.__file__).parent
OTHER_PROGRAMS = ("papers",)
"""Folders that print tables of published studies made again, and judge no file."""
WORD_LISTS = (
    "measures/left_in/dates.py",
    "measures/left_in/names.py",
    "measures/left_in/patterns.py",
    "values/intervals.py",
)
"""Modules whose texts are held against those of files, and never printed."""
WORDS = re.compile(r"[A-Za-z]{2,}")
FEWEST_WORDS = 3


def forms() -> dict[str, list[str]]:
    """By module, the forms in the order in which they stand there, each once."""
    found: dict[str, Iterator[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.split("/")[0] not in OTHER_PROGRAMS and name not in WORD_LISTS:
            found[name] = forms_in(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("js/*.js")):
        name = path.relative_to(SOURCE).as_posix()
        found[name] = forms_in_script(path.read_text(encoding="utf-8"))
    listed_once = {name: list(dict.fromkeys(told)) for name, told in found.items()}
    return {name: told for name, told in listed_once.items() if told}


def forms_in(source: str) -> Iterator[str]:
    """The forms of one module.

    >>> list(forms_in("say(f'There {one if n else 2} of {n:,} people')"))
    ['There ({}|{}) of {} people']
    """
    tree = ast.parse(source)
    return (said for node in _texts(tree) if _is_prose(said := template(node)))


SCRIPT_COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\w])//[^\n]*", re.S)
SCRIPT_TEXTS = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def forms_in_script(source: str) -> Iterator[str]:
    """The forms of one script of the report.

    >>> list(forms_in_script("say(`It holds ${n} of them`, 'x'); // not this one"))
    ['It holds {} of them']
    """
    for match in SCRIPT_TEXTS.finditer(SCRIPT_COMMENTS.sub("", source)):
        said = re.sub(r"\$\{[^{}]*\}", "{}", match[1] or match[2] or "")
        if _is_prose(said):
            yield said


def _texts(node: ast.AST) -> Iterator[ast.expr]:
    """Texts as they stand, without those that are parts of longer ones."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring, or one of a field
        if isinstance(child, ast.expr) and _is_text(child):
            yield child
            for inner in ast.walk(child):
                if isinstance(inner, ast.FormattedValue):
                    yield from _texts(inner)
        else:
            yield from _texts(child)


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def template(node: ast.expr) -> str:
    """A text with {} for what is filled in, and (a|b) for words chosen on the spot."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(template(value) for value in values)
        case ast.FormattedValue(value=value):
            return template(value) if isinstance(value, ast.IfExp) else "{}"
        case ast.IfExp(body=one, orelse=other):
            return f"({template(one)}|{template(other)})"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
        case _:
            return "{}"


def _is_prose(text: str) -> bool:
    bare = re.sub(r"\{\}", " ", text)
    return len(WORDS.findall(bare)) >= FEWEST_WORDS and " " in text.strip()


def listed(found: dict[str, list[str]]) -> str:
    """As they are kept: a module, and its forms below it."""
    parts = ("\n".join([f"# {name}", *map(repr, told)]) for name, told in found.items())
    return "\n\n".join(parts) + "\n"


def codes() -> list[str]:
    """Codes of all notes and findings in the source, as far as they stand there as a text."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found |= _codes_in(node)
    return sorted(found)


def _codes_in(call: ast.Call) -> set[str]:
    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = [word.value for word in call.keywords if word.arg == "code" and called == "Finding"]
    given += call.args[:1] if called in ("note", "Note", "_little", "StrayCells") else []
    given += call.args[1:2] if called == "_pairs" else []
    return {str(one.value) for one in given if isinstance(one, ast.Constant)}
