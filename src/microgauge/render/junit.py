"""Limits as JUnit XML, which systems of continuous integration read: a test case for each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as Tree

from microgauge.results import Assessment, Ranking
from microgauge.results.gate import Check, gate_of

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Signs that no XML document may hold, escaped or not."""


def junit_xml(result: Assessment | Ranking) -> str:
    """A suite for each file, a case for each limit; of several files, one for the choice."""
    checks = gate_of(result).checks
    root = Tree.Element("testsuites", _counts("microgauge", checks))
    for name, some in groupby(checks, lambda check: check.candidate or "limits"):
        held = list(some)
        suite = Tree.SubElement(root, "testsuite", _counts(name, held))
        for check in held:
            _add_case(suite, name, check)
    Tree.indent(root)
    return Tree.tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _counts(name: str, checks: Sequence[Check]) -> dict[str, str]:
    failed = sum(not check.kept for check in checks)
    return {
        "name": _sayable(name),
        "tests": str(len(checks)),
        "failures": str(failed),
        "errors": "0",
    }


def _add_case(suite: Tree.Element, name: str, check: Check) -> None:
    said = {"classname": f"microgauge.{_sayable(name)}", "name": _sayable(check.name)}
    case = Tree.SubElement(suite, "testcase", said)
    if not check.kept:
        kind = "limit missed" if check.defined else "not defined"
        failure = {"message": _sayable(check.line), "type": kind}
        Tree.SubElement(case, "failure", failure).text = _sayable(check.line)


def _sayable(text: str) -> str:
    """Text that XML can hold."""
    return NOT_XML.sub("\ufffd", text)
