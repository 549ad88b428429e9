"""Calls of the command, and what it says."""

import unicodedata
from pathlib import Path

from microgauge.cli import main


def files_here():
    """The files of the working folder, byte by byte."""
    return {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def complaint(capsys, code):
    """The message of a command that ended with a code: it must be 2, with nothing printed."""
    assert code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("microgauge: ")
    assert "Traceback" not in printed.err
    return printed.err


def refused(capsys, *arguments):
    """The message of a command that must fail: exit 2, nothing printed, nothing written."""
    names, before = sorted(Path().iterdir()), files_here()
    said = complaint(capsys, main(list(arguments)))
    assert sorted(Path().iterdir()) == names
    assert files_here() == before
    return said


def columns_of(line):
    """How many columns of a terminal a line takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.combining(c) > 0 for c in line)
