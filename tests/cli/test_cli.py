"""The command as its user meets it: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from microgauge.cli import main
from support.command import refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an original and a protected table, and nothing else."""
    rng = np.random.default_rng(1)
    n = 300
    people = pl.DataFrame(
        {
            "unit": [f"u{i}" for i in range(n)],
            "age": rng.integers(16, 90, n),
            "sex": rng.choice(["male", "female"], n),
            "income": rng.lognormal(10, 1, n).round(),
            "w": rng.uniform(1, 5, n),
        }
    )
    people.write_csv(tmp_path / "original.csv")
    people.write_csv(tmp_path / "protected.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def people() -> pl.DataFrame:
    return pl.read_csv("original.csv")


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a run that must fail: exit 2, one message, nothing printed or written."""
    files = ["--json", "result.json", "--pairs", "pairs.csv"]
    return refused(capsys, "assess", *arguments, *files)


def write(name: str, text: str | bytes) -> str:
    if isinstance(text, str):
        text = text.encode()
    Path(name).write_bytes(text)
    return name


@pytest.mark.usefixtures("folder")
class TestRefusals:
    def test_missing_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = refusal(capsys, "orignal.csv", "protected.csv")
        assert "orignal.csv" in said
        assert "original.csv, protected.csv" in said  # what there is

    def test_folder_in_place_of_a_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("tables").mkdir()
        assert "folder" in refusal(capsys, "tables", "protected.csv")

    @pytest.mark.parametrize("text", ["", "   \n\n"])
    def test_empty(self, capsys: pytest.CaptureFixture[str], text: str) -> None:
        assert "is empty" in refusal(capsys, "original.csv", write("empty.csv", text))

    def test_header_only(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "no rows" in refusal(capsys, "original.csv", write("head.csv", "age,sex\n"))

    @pytest.mark.parametrize("name", ["rubbish.csv", "rubbish.sav", "rubbish.parquet", "rubbish"])
    def test_binary_rubbish(self, capsys: pytest.CaptureFixture[str], name: str) -> None:
        rubbish = np.random.default_rng(0).integers(0, 256, 4000, dtype=np.uint8).tobytes()
        assert "rubbish" in refusal(capsys, "original.csv", write(name, rubbish))

    def test_cut_off_parquet(self, capsys: pytest.CaptureFixture[str]) -> None:
        people().write_parquet("whole.parquet")
        cut = Path("whole.parquet").read_bytes()[:-300]
        said = refusal(capsys, write("cut.parquet", cut), "protected.csv")
        assert "cut off" in said

    def test_cut_off_gzip(self, capsys: pytest.CaptureFixture[str]) -> None:
        cut = gzip.compress(Path("original.csv").read_bytes())[:-20]
        assert "gzip" in refusal(capsys, write("cut.csv.gz", cut), "protected.csv")

    def test_too_many_fields_in_a_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = refusal(capsys, write("long.csv", "age,sex\n1,2\n3,4,5\n"), "protected.csv")
        assert "line 3" in said

    def test_no_column_in_common(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = refusal(capsys, "original.csv", write("other.csv", "x,y\n1,2\n"))
        assert "no column in common" in said
        assert "x, y" in said

    def test_duplicate_column_names(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = refusal(capsys, write("twice.csv", "age,sex,age\n1,2,3\n"), "protected.csv")
        assert "more than one column of the same name: columns 1, 3" in said

    def test_unknown_column_in_the_schema(self, capsys: pytest.CaptureFixture[str]) -> None:
        schema = write("s.toml", '[variable.incme]\ntype = "continuous"\n')
        said = refusal(capsys, "original.csv", "protected.csv", "--schema", schema)
        assert 'Did you mean "income"?' in said

    def test_all_faults_of_a_schema_at_once(self, capsys: pytest.CaptureFixture[str]) -> None:
        schema = write(
            "s.toml",
            '[options]\nthreshold = 2\n[variable.age]\ntype = "continous"\nrole = "quasi"\n'
            '[variable.sex]\ntype = "continuous"\n[variable.incme]\n'
            "[variable.income]\nrecode = { breaks = [1e9] }\ncolour = 3\n",
        )
        said = refusal(capsys, "original.csv", "protected.csv", "--schema", schema)
        for fault in (
            "threshold", '"continous"', '"quasi"', '"sex" is declared continuous', '"incme"',
            "breaks do not cover", '"colour"',
        ):  # fmt: skip
            assert fault in said
        assert said.count("\n  - ") == 7

    def test_recoding_that_does_not_cover(self, capsys: pytest.CaptureFixture[str]) -> None:
        schema = write("s.toml", '[variable.sex]\nrecode = { map = { "male" = "m" } }\n')
        said = refusal(capsys, "original.csv", "protected.csv", "--schema", schema)
        assert "does not cover 1 of the 2 distinct values" in said
        assert "female" not in said

    def test_numbers_that_are_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = people().with_columns(
            pl.when(pl.col("age") > 80)
            .then(pl.format("secret {}", pl.col("age") % 2))  # one text alone would mark missing
            .otherwise("age")
            .alias("age")
        )
        count = (people()["age"] > 80).sum()
        words.write_csv("words.csv")
        schema = write("s.toml", '[variable.age]\ntype = "continuous"\n')
        said = refusal(capsys, "words.csv", "protected.csv", "--schema", schema)
        assert f"{count} cells" in said
        assert "secret" not in said

    @pytest.mark.parametrize("side", ["original", "protected"])
    def test_repeated_key(self, capsys: pytest.CaptureFixture[str], side: str) -> None:
        pl.concat([people(), people()[:4]]).write_csv(f"{side}.csv")
        said = refusal(capsys, "original.csv", "protected.csv", "--key", "unit")
        assert f'"unit" is repeated in 4 rows of the {side} table' in said

    def test_missing_key(self, capsys: pytest.CaptureFixture[str]) -> None:
        people().with_columns(
            pl.when(pl.int_range(pl.len()) > 2).then("unit").alias("unit")
        ).write_csv("protected.csv")
        said = refusal(capsys, "original.csv", "protected.csv", "--key", "unit")
        assert '"unit" is missing in 3 rows' in said

    def test_key_that_is_no_column(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = refusal(capsys, "original.csv", "protected.csv", "--key", "unitt")
        assert 'Did you mean "unit"?' in said

    @pytest.mark.parametrize(
        ("cell", "found"), [(-1.0, "negative in 7"), (None, "missing in 7"), (np.inf, "infinite")]
    )
    def test_bad_weights(
        self, capsys: pytest.CaptureFixture[str], cell: float | None, found: str
    ) -> None:
        few = pl.int_range(pl.len()) < 7
        people().with_columns(
            pl.when(few).then(pl.lit(cell, dtype=pl.Float64)).otherwise("w").alias("w")
        ).write_csv("protected.csv")
        schema = write("s.toml", '[options]\nweight = "w"\n')
        assert found in refusal(capsys, "original.csv", "protected.csv", "--schema", schema)

    def test_weights_of_zero(self, capsys: pytest.CaptureFixture[str]) -> None:
        people().with_columns(w=pl.lit(0)).write_csv("original.csv")
        schema = write("s.toml", '[options]\nweight = "w"\n')
        assert "0 in every row" in refusal(
            capsys, "original.csv", "protected.csv", "--schema", schema
        )

    def test_infinities(self, capsys: pytest.CaptureFixture[str]) -> None:
        few = pl.int_range(pl.len()) < 5
        people().with_columns(
            pl.when(few).then(float("inf")).otherwise("income").alias("income")
        ).write_csv("protected.csv")
        said = refusal(capsys, "original.csv", "protected.csv")
        assert '"income" is infinite in 5 cells of the protected table' in said

    def test_ordinal_text_without_an_order(self, capsys: pytest.CaptureFixture[str]) -> None:
        schema = write("s.toml", '[variable.sex]\ntype = "ordinal"\n')
        said = refusal(capsys, "original.csv", "protected.csv", "--schema", schema)
        assert "order = […]" in said

    def test_broken_toml(self, capsys: pytest.CaptureFixture[str]) -> None:
        schema = write("s.toml", "[options\n")
        assert "line 1" in refusal(capsys, "original.csv", "protected.csv", "--schema", schema)

    def test_code_in_a_formula(self, capsys: pytest.CaptureFixture[str]) -> None:
        formula = "income ~ __import__('os').system('touch hacked')"
        schema = write("s.toml", f'[[model]]\nkind = "linear"\nformula = "{formula}"\n')
        refusal(capsys, "original.csv", "protected.csv", "--schema", schema)
        assert not Path("hacked").exists()

    def test_place_that_cannot_be_written(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["assess", "original.csv", "protected.csv", "--json", "no/where.json"]) == 2
        assert "no folder" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
class TestAssess:
    def test_writes_what_is_asked_for(self, capsys: pytest.CaptureFixture[str]) -> None:
        code = main(
            ["assess", "original.csv", "protected.csv", "--json", "r.json", "--pairs", "p.csv"]
        )
        assert code == 0
        result = json.loads(Path("r.json").read_text())
        assert result["gdu"]["value"] == pytest.approx(1, abs=1e-6)
        pairs = pl.read_csv("p.csv")
        assert pairs.height == result["gdu"]["coverage"]["pairs"] == 6
        assert "Global data utility" in capsys.readouterr().out

    def test_json_on_stdout_is_nothing_but_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["assess", "original.csv", "protected.csv", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["schema_version"] == 1

    def test_summary_fits_80_columns_with_long_names(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        name = "a very long variable name, with a comma and more than forty characters"
        frame = people().rename({"income": name})
        frame.write_csv("original.csv")
        frame.with_columns(pl.col(name).shuffle(3), pl.col("age") * 2).write_csv("protected.csv")
        assert main(["assess", "original.csv", "protected.csv"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80

    def test_no_progress_when_stderr_is_no_terminal(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["assess", "original.csv", "protected.csv"])
        assert capsys.readouterr().err == ""

    def test_what_is_no_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Other rows, fewer columns, an empty column, other dtypes, other order, extra columns."""
        protected = people()[:200].select(
            "income",
            pl.col("age").cast(pl.Float64),
            pl.lit(None, dtype=pl.String).alias("sex"),
            pl.lit("x").alias("batch"),
        )
        protected.write_parquet("protected.parquet")
        assert main(["assess", "original.csv", "protected.parquet", "--json", "r.json"]) == 0
        result = json.loads(Path("r.json").read_text())
        removed = {v["name"]: v["removed"] for v in result["variables"]}
        assert removed == {"unit": True, "age": False, "sex": True, "income": False, "w": True}
        assert any("batch" in note for note in result["notes"])


@pytest.mark.usefixtures("folder")
class TestSchema:
    def test_the_draft_is_a_schema_that_fits(self, capsys: pytest.CaptureFixture[str]) -> None:
        bands = (pl.col("age") // 10 * 10).cast(pl.String)
        people().with_columns(
            pl.concat_str(bands, pl.lit("-"), (pl.col("age") // 10 * 10 + 9)).alias("age")
        ).write_csv("protected.csv")
        assert main(["schema", "original.csv", "protected.csv", "-o", "s.toml"]) == 0
        drafted = Path("s.toml").read_text()
        assert 'protected_type = "ordinal"' in drafted
        assert "read from the protected labels" in drafted
        main(["assess", "original.csv", "protected.csv", "--json", "bare.json"])
        arguments = ["--schema", "s.toml", "--json", "drafted.json"]
        assert main(["assess", "original.csv", "protected.csv", *arguments]) == 0
        bare, with_draft = (json.loads(Path(f).read_text()) for f in ("bare.json", "drafted.json"))
        assert bare["gdu"] == with_draft["gdu"]

    def test_one_table_is_enough(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["schema", "original.csv"]) == 0
        drafted = capsys.readouterr().out
        assert '[variable.sex]\n# 2 distinct values, 0 missing\ntype = "nominal"' in drafted
        assert 'role = "id"' in drafted


@pytest.mark.slow
def test_demo_shows_every_protection(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["demo", "--long", "--report", str(tmp_path / "demo.html")]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for shown in ("removed", "banded into 8 groups", "SCHL 0 → 205", "MAR ×", "Coverage: 78 of 91"):
        assert shown in out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    for command in ("assess", "schema", "demo"):
        assert command in out


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom microgauge.cli import main\n"
        f"try:\n    main({arguments})\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'polars', 'scipy', 'pandas', 'statsmodels'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
