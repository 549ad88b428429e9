"""The tutorial's files are written, its commands run, and what it shows of them compared."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
LEFT_OUT = "…"


def blocks():
    """Files to write and commands to run, in their order."""
    return FENCE.findall(PAGE.read_text(encoding="utf-8"))


def commands(block):
    """Each command with the lines that are shown of its output."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def assert_shown(lines, output):
    """Lines follow each other in the output as shown; … stands for any number of them."""
    place, free = 0, False
    for line in lines:
        if line == LEFT_OUT:
            free = True
            continue
        places = [i for i in range(place, len(output)) if output[i] == line]
        assert places, f"not in the output: {line}"
        assert free or places[0] == place, f"not where it is shown: {line}"
        place, free = places[0] + 1, False


def run(command, folder):
    words = shlex.split(command)
    assert words[0] == "microgauge"
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_tutorial(tmp_path):
    ran = 0
    for kind, content in blocks():
        if kind == "toml":
            name = content.splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(content, encoding="utf-8")
            continue
        assert kind == "console"
        for command, shown in commands(content):
            output = run(command, tmp_path)
            assert_shown(shown, output)
            ran += 1
    assert ran >= 8
    assert (tmp_path / "release.csv").is_file()


def test_what_is_shown_is_compared():
    with pytest.raises(AssertionError, match="not in the output"):
        assert_shown(["a", "c"], ["a", "b"])
    with pytest.raises(AssertionError, match="not where"):
        assert_shown(["a", "c"], ["a", "b", "c"])
    assert_shown(["a", LEFT_OUT, "c"], ["a", "b", "c"])
