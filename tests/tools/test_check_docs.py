"""The check of the documentation: pages and options are those of the registry."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from microgauge.sections.registry import registered, sections
from support.toy import Toy

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import check_docs

    yield check_docs
    for name in ("check_docs", "make_picture"):
        sys.modules.pop(name, None)


def test_every_section_has_its_page_and_every_option_its_words(check):
    assert check.missing_pages(sections()) == []
    assert check.unexplained_options(sections()) == []


def test_a_section_without_a_page_is_told(check):
    with registered(Toy()):
        assert check.missing_pages(sections()) == ["docs/toy.md does not exist"]
        assert check.unexplained_options(sections()) == [
            "docs/schema.md says nothing of [toy]",
            "docs/schema.md says nothing of `playmates`",
        ]


def test_a_documented_section_is_not_told(check, tmp_path):
    (tmp_path / "toy.md").touch()
    page = (check.DOCS / "schema.md").read_text(encoding="utf-8")
    (tmp_path / "schema.md").write_text(page + "\n[toy]\n`size`, `playmates`\n", encoding="utf-8")
    with registered(Toy()):
        assert "docs/toy.md does not exist" not in check.missing_pages(sections(), tmp_path)
        assert check.unexplained_options(sections(), tmp_path) == []
