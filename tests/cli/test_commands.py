"""What commands derive from the registry, and what they say where nothing was measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from microgauge.cli import COMMANDS, main
from microgauge.cli.options import chosen_schema
from microgauge.commands.wanted import chosen_sections
from microgauge.errors import InputError
from microgauge.masking.methods import method_names
from microgauge.schema import Schema
from microgauge.sections.registry import choosable, registered
from support.toy import Toy


def helped(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--help"])
    assert stopped.value.code == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", ["assess", "rank", "explore"])
def test_help_lists_the_sections_there_are(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"only these of {', '.join(choosable())}" in helped(capsys, command)
    with registered(Toy()):
        assert f"{choosable()[-2]}, toy" in helped(capsys, command)
    assert "toy" not in helped(capsys, command)


def test_a_section_can_be_chosen_once_it_is_registered() -> None:
    with registered(Toy()):
        assert chosen_sections(["toy"], (), Schema()) == {"toy"}
        with pytest.raises(InputError, match=r'there are .*toy\. Did you mean "toy"'):
            chosen_sections(["tooy"], (), Schema())
    with pytest.raises(InputError, match='there is no section "toy"'):
        chosen_sections(["toy"], (), Schema())


def test_set_changes_the_choices_of_any_section(tmp_path: Path) -> None:
    file = tmp_path / "schema.toml"
    file.write_text("[toy]\nsize = 2\n")
    with registered(Toy()):
        assert chosen_schema(str(file)).toy.size == 2
        assert chosen_schema(str(file), ["toy.size=5"]).toy.size == 5
        assert chosen_schema(None, ["toy.size=0"]).faults() == [
            "[toy] size must be a whole number, 1 or more."
        ]
        assert "unknown entry" in chosen_schema(None, ["toy.sice=1"]).faults()[0]
    assert "unknown section" in chosen_schema(str(file)).faults()[0]


def test_help_lists_the_methods_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"methods of a recipe: {', '.join(method_names())}" in helped(capsys, "mask")


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    listed = helped(capsys)
    for command in COMMANDS:
        assert f"{command.name} {command.help}" in listed
        assert command.described().split(":")[0] in helped(capsys, command.name)


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\nfrom microgauge.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'polars', 'microgauge.sections', 'microgauge.papers'}\n"
        "sys.exit(bool(heavy & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("rows", [50, 100_001])
def test_risky_without_keys_says_so(
    rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beyond 100,000 rows another note stands last, which once was quoted for the reason."""
    table, out = tmp_path / "t.csv", tmp_path / "risky.csv"
    pl.DataFrame({"sex": ["f", "m"] * (rows // 2) + ["f"] * (rows % 2)}).write_csv(table)
    arguments = ["assess", str(table), str(table), "--only", "gdu,risk", "--risky", str(out)]
    assert main(arguments) == 2  # who asks for risk by name is told before the work
    assert "no quasi-identifier is declared" in capsys.readouterr().err
    assert main(["assess", str(table), str(table), "--skip", "loss,rut,propensity,clusters,ecdf",
                 "--risky", str(out)]) == 2  # fmt: skip
    assert capsys.readouterr().err.startswith(
        "microgauge: --risky: no risk was measured. Risk was not measured: no quasi-identifier is "
        "declared. Name the variables by which a person could be recognised: --keys sex (guessed "
    )
    assert not out.exists()
