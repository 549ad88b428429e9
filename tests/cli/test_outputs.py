"""Inputs are sacred; outputs are files, and all of them are written or none is."""

import errno
import json
import os
import shutil
import signal
import socket
import stat
import sys
from pathlib import Path

import polars as pl
import pytest

from microgauge import assess, explore
from microgauge.cli import main
from microgauge.errors import InputError
from microgauge.masking import mask
from microgauge.results import writing
from microgauge.results.writing import write_together
from support.command import refused

RECIPE = '[[step]]\nmethod = "round"\nvariables = ["a"]\nunit = 2\n'
GRID = RECIPE.replace("unit = 2", "unit = { grid = [2, 3] }")
COMMANDS = {
    "assess": ["assess", "table.csv", "other.csv", "--keys", "a", "--only", "gdu,risk"],
    "rank": ["rank", "table.csv", "other.csv", "--keys", "a", "--only", "gdu,risk"],
    "explore": ["explore", "table.csv", "--recipe", "grid.toml", "--keys", "a", "--only",
                "gdu,risk", "--workers", "1"],
    "diagnose": ["diagnose", "table.csv", "--keys", "a"],
    "schema": ["schema", "table.csv", "other.csv"],
    "mask": ["mask", "table.csv", "--recipe", "recipe.toml"],
}  # fmt: skip
WRITES = {
    "assess": ["--json", "--report", "--summary", "--pairs", "--risky", "--junit"],
    "rank": ["--json", "--report", "--summary", "--junit", "--map", "--levels", "--table"],
    "explore": ["--json", "--report", "--summary", "--junit", "--map", "--table", "--output"],
    "diagnose": ["--json"],
    "schema": ["--output"],
    "mask": ["--output"],
}
EVERY = [(command, option) for command, options in WRITES.items() for option in options]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".state"))
    frame = pl.DataFrame({"a": [1, 2, 3, 4] * 10, "b": ["x", "y"] * 20})
    frame.write_csv("table.csv")
    frame.write_excel("book.xlsx", worksheet="People")
    (tmp_path / "parts").mkdir()
    for part in ("p-1.csv", "p-2.csv"):
        frame.write_csv(tmp_path / "parts" / part)
    shutil.copy("table.csv", "other.csv")
    Path("recipe.toml").write_text(RECIPE)
    Path("grid.toml").write_text(GRID)
    for ending in ("json", "html", "pdf", "csv", "xml", "svg", "toml"):
        # Whatever an option writes: its name is that of an input by a link.
        Path(f"link.{ending}").symlink_to("table.csv")
    return tmp_path


def named(option, stem):
    """A name with the ending that an option writes."""
    endings = {"--report": "html", "--summary": "pdf", "--junit": "xml", "--map": "svg",
               "--levels": "svg", "--output": "csv", "--json": "json"}  # fmt: skip
    return f"{stem}.{endings.get(option, 'csv')}"


def inputs_of(command):
    """Every input of a command, as an argument that names it."""
    given = {"table.csv"} | ({"other.csv"} if command in ("assess", "rank", "schema") else set())
    return given | {"mask": {"recipe.toml"}, "explore": {"grid.toml"}}.get(command, set())


@pytest.mark.parametrize(("command", "option"), EVERY)
def test_no_output_of_any_command_is_an_input_of_it(folder, capsys, command, option):
    # A picture's name is completed by its ending: table.csv.svg.
    named_so = (*inputs_of(command), "./parts/../table.csv")
    places = () if option in ("--map", "--levels") else named_so
    for place in places:
        said = refused(capsys, *COMMANDS[command], option, place)
        # A name may also promise another format: either is a refusal before the work.
        assert "is an input of this run" in said or "must end in" in said, place
    said = refused(capsys, *COMMANDS[command], option, named(option, "link"))
    assert "is an input of this run" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_collision_these_commands_work(folder, command):
    """Else the tests above and below might be refused for another reason."""
    output = ["-o", "new.csv"] if command in ("mask", "schema") else []
    assert main([*COMMANDS[command], *output]) in (0, 1)


@pytest.mark.parametrize("option", ["--map", "--levels"])
def test_no_picture_falls_on_an_input(folder, capsys, option):
    for name in ("read.svg", "read.png"):
        shutil.copy("table.csv", name)
        given = ["rank", "table.csv", name, "--keys", "a", "--only", "gdu,risk"]
        assert f"{name} is an input of this run" in refused(capsys, *given, option, "read")
        Path(name).unlink()
    given = ["rank", "parts", "other.csv", "--keys", "a", "--only", "gdu,risk"]
    assert "would be a part of an input" in refused(capsys, *given, option, "parts/m")


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("table.csv", "table.csv"),
        ("book.xlsx", "book.xlsx"),
        ("book.xlsx::People", "book.xlsx"),
        ("parts", "parts/p-2.csv"),
        ("parts/p-*.csv", "parts/p-1.csv"),
    ],
)
def test_no_part_of_a_folder_a_pattern_or_a_workbook_is_written_over(
    folder, capsys, source, output
):
    for tables in (["other.csv", source], [source, "other.csv"]):
        said = refused(capsys, "assess", *tables, "--only", "gdu", "--pairs", output)
        assert "is an input of this run" in said
    os.link(output, "second.csv")
    said = refused(capsys, "assess", source, "other.csv", "--only", "gdu", "--pairs", "second.csv")
    assert "is an input of this run" in said


@pytest.mark.parametrize(
    ("source", "output"), [("parts", "parts/new.csv"), ("parts/p-*.csv", "parts/p-9.csv")]
)
def test_no_new_part_of_an_input_is_made(folder, capsys, source, output):
    said = refused(capsys, "assess", source, "other.csv", "--only", "gdu", "--pairs", output)
    assert "would be a part of an input" in said
    assert main(["assess", source, "other.csv", "--only", "gdu", "--pairs", "parts/.new.csv"]) == 0


@pytest.mark.parametrize("which", ["external", "population", "holdout"])
def test_a_table_that_the_schema_names_is_an_input(folder, capsys, which):
    Path("schema.toml").write_text(f'[risk]\n{which} = "book.csv"\n')
    shutil.copy("table.csv", "book.csv")
    given = ["assess", "table.csv", "other.csv", "--keys", "a"]
    for beside in (["--schema", "schema.toml"], [f"--{which}", "book.csv"],
                   ["--set", f"risk.{which}=book.csv"]):  # fmt: skip
        said = refused(capsys, *given, *beside, "--pairs", "book.csv")
        assert "book.csv is an input of this run" in said
    said = refused(capsys, *given, "--schema", "schema.toml", "--json", "schema.toml")
    assert "must end in .json" in said


@pytest.mark.parametrize("command", ["assess", "rank", "explore"])
def test_no_two_outputs_share_a_place(folder, capsys, command):
    options = WRITES[command]
    for place, one in enumerate(options):
        for other in options[place + 1 :]:
            # A picture has an ending of its own, which no other output may have but a recipe.
            name = "same.svg" if {"--map", "--levels"} & {one, other} else "same"
            said = refused(capsys, *COMMANDS[command], one, name, other, f"./parts/../{name}")
            assert "would write the same file" in said, (one, other)
    if command != "assess":
        said = refused(capsys, *COMMANDS[command], "--map", "mm", "--table", "mm.png")
        assert "must end in .csv" in said


def test_a_map_without_an_ending_is_two_files(folder, capsys):
    said = refused(capsys, *COMMANDS["rank"], "--map", "mm", "--levels", "mm.png")
    assert "--map (mm.png) and --levels would write the same file" in said


def test_kept_candidates_are_no_place_to_write(folder, capsys):
    kept = f"grid-explored/{'0a' * 12}.json"
    assert "is a kept candidate" in refused(capsys, *COMMANDS["explore"], "--json", kept)
    said = refused(capsys, "explore", "parts", "--recipe", "grid.toml", "--folder", "parts")
    assert "is an input of this run" in said


@pytest.mark.parametrize("source", ["parts", "parts/*", "parts/[!p]*", "parts/*.json"])
def test_no_candidate_is_kept_among_the_parts_of_an_input(folder, capsys, source):
    Path("parts.toml").write_text(GRID)
    Path("parts/a.json").write_text("a\n1\n")
    Path("parts").rename("parts-explored")  # where candidates are kept unless said otherwise
    source = source.replace("parts", "parts-explored")
    rest = ["--recipe", "parts.toml", "--keys", "a", "--only", "gdu,risk", "--workers", "1"]
    before = sorted(Path("parts-explored").iterdir())
    for more in ([], ["--folder", "parts-explored"], ["--folder", "./parts-explored/"]):
        said = refused(capsys, "explore", source, *rest, *more)
        assert "would be parts of an input" in said or "is an input of this run" in said
    with pytest.raises(InputError, match="would be parts of an input"):
        explore(source, "parts.toml", keys=["a"], only=["gdu", "risk"], folder="parts-explored")
    with pytest.raises(InputError, match="would be parts of an input"):
        explore("table.csv", "parts.toml", keys=["a"], folder="parts-explored",
                external=[source])  # fmt: skip
    assert sorted(Path("parts-explored").iterdir()) == before


@pytest.mark.parametrize(
    ("option", "name"),
    [("--report", "x.png"), ("--report", "x.csv"), ("--json", "x.html"), ("--pairs", "x.xlsx"),
     ("--junit", "x.json"), ("--report", "x.pdf")],
)  # fmt: skip
def test_a_name_that_promises_another_format_is_refused(folder, capsys, option, name):
    assert f"{option} writes" in refused(capsys, *COMMANDS["assess"], option, name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a POSIX system")
@pytest.mark.parametrize(("command", "option"), EVERY)
def test_what_is_no_file_is_never_replaced(folder, capsys, command, option):
    pipe, listening, loop = (named(option, stem) for stem in ("pipe", "socket", "loop"))
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(listening)
        Path(named(option, "inside")).mkdir()
        Path(loop).symlink_to(loop)
        for place, words in ((pipe, "is a pipe"), (listening, "is a socket"),
                             (named(option, "inside"), "is a folder"),
                             (loop, "links lead in a circle")):  # fmt: skip
            modes = Path(place).lstat().st_mode
            code = main([*COMMANDS[command], option, place])
            assert code == 2
            assert words in capsys.readouterr().err, place
            assert Path(place).lstat().st_mode == modes


@pytest.mark.skipif(not hasattr(os, "mknod"), reason="needs a POSIX system")
def test_a_device_is_never_replaced(folder, capsys):
    try:  # a second /dev/null: what is tried here must never touch that of the system
        os.mknod("null.json", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert main([*COMMANDS["diagnose"], "--json", "null.json"]) == 2
    assert "null.json is a device" in capsys.readouterr().err
    assert stat.S_ISCHR(Path("null.json").stat().st_mode)


def test_links_stay_and_what_they_lead_to_is_written(folder):
    Path("place").mkdir()
    Path("out.json").symlink_to("place/out.json")
    for _ in range(2):
        assert main([*COMMANDS["diagnose"], "--json", "out.json"]) == 0
        assert Path("out.json").is_symlink()
        assert json.loads(Path("place/out.json").read_text())
        Path("place/out.json").write_text("old")


def test_a_private_file_stays_private(folder):
    Path("out.json").write_text("old")
    Path("out.json").chmod(0o600)
    assert main([*COMMANDS["diagnose"], "--json", "out.json"]) == 0
    assert stat.S_IMODE(Path("out.json").stat().st_mode) == 0o600


# -- all or none --------------------------------------------------------------------------------


OUTPUTS = {"--json": "r.json", "--report": "r.html", "--summary": "r.pdf", "--pairs": "p.csv",
           "--junit": "r.xml"}  # fmt: skip


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("fails_at", range(5))
@pytest.mark.parametrize("when", ["writing", "renaming"])
def test_a_full_disk_at_any_output_leaves_all_as_it_was(
    folder, capsys, monkeypatch, there, fails_at, when
):
    for name in OUTPUTS.values():
        if there:
            Path(name).write_text("old")
    calls = []
    method = {"writing": "write_bytes", "renaming": "replace"}[when]
    done = getattr(Path, method)

    def failing(path, *given):
        calls.append(path)
        if len(calls) == fails_at + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return done(path, *given)

    monkeypatch.setattr(writing.Path, method, failing)
    given = [part for pair in OUTPUTS.items() for part in pair]
    said = refused(capsys, *COMMANDS["assess"], "--require", "gdu>=0.1", *given)
    assert "No space left" in said
    assert len(calls) > fails_at


@pytest.fixture
def interruptible():
    """A process that was started in the background may be told to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_request_to_stop_waits_until_all_is_in_place(tmp_path, monkeypatch):
    places = {tmp_path / name: name for name in "abc"}
    done = writing.Path.replace

    def stopping(path, place):
        os.kill(os.getpid(), 2)
        return done(path, place)

    monkeypatch.setattr(writing.Path, "replace", stopping)
    with pytest.raises(KeyboardInterrupt) as stop:
        write_together(places)
    assert set(stop.value.args) == set(places)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict(
        zip("abc", "abc", strict=True)
    )


# -- in Python ----------------------------------------------------------------------------------


def test_tables_and_charts_are_written_in_the_same_way(folder, monkeypatch):
    result = assess("table.csv", "other.csv", keys=["a"], only=["verdict"])
    for save, name in ((result.to_excel, "x.xlsx"), (result.plot.map().save, "x.svg")):
        save(name)
        assert Path(name).stat().st_size
        for place, words in (("x.csv", "name it so"), (f"nowhere/{name}", "there is no folder")):
            with pytest.raises(InputError, match=words):
                save(place)
        Path(name).write_text("old")

        def full(path, content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(writing.Path, "write_bytes", full)
            with pytest.raises(InputError, match="No space left"):
                save(name)
        assert Path(name).read_text() == "old"


def test_mask_writes_over_neither_its_table_nor_its_recipe(folder):
    Path("steps.csv").write_text(RECIPE)
    for output in ("table.csv", "steps.csv", "link.csv"):
        with pytest.raises(InputError, match="is an input of this run"):
            mask("table.csv", "steps.csv", output)
    with pytest.raises(InputError, match="is an input of this run"):
        mask([Path("parts/p-1.csv"), Path("parts/p-2.csv")], RECIPE, "parts/p-2.csv")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_names_of_files_need_not_be_text(folder, capsys):
    odd = os.fsdecode(b"caf\xe9.csv")
    shutil.copy("table.csv", odd)
    written = {"--json": "r.json", "--report": "r.html", "--summary": "r.pdf", "--map": "m.svg",
               "--junit": "r.xml", "--table": "t.csv", "--levels": "l.svg"}  # fmt: skip
    outputs = [part for pair in written.items() for part in pair]
    given = ["rank", "table.csv", "other.csv", odd, "--keys", "a", "--only", "gdu,risk"]
    assert main([*given, "--require", "gdu>=0.1", *outputs]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err
    assert pl.read_csv("t.csv")["name"].to_list()[1] == "caf\ufffd"
    assert all(Path(name).read_bytes() for name in written.values())
