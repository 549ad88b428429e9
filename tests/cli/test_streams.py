"""What is printed arrives, or it is told that it does not: code pages, full places, last words."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from runpy import run_path

import pytest

from microgauge.cli import main, outputs, stopping
from microgauge.cli.stopping import Stopped
from microgauge.errors import InputError
from microgauge.log import Line
from microgauge.results import writing
from support.command import complaint

TABLE = "age,income\n" + "".join(f"{n % 7},{n * 37 % 11}\n" for n in range(40))
ASSESS = ["assess", "o.csv", "o.csv", "--keys", "age", "--only", "gdu,risk"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text(TABLE)
    return tmp_path


def run(arguments, **settings):
    """The command as a process, its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "microgauge", *arguments],
        stdout=settings.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=120,
        check=False, env={**os.environ, **settings.pop("env", {})}, **settings,
    )  # fmt: skip


@pytest.mark.parametrize("page", ["ascii", "cp1252", "cp437", "latin-1", "utf-16"])
def test_any_code_page_shows_all_in_its_own_signs(folder, page):
    Path("o.csv").write_text(TABLE.replace("income", "Einkünfte → τ"), encoding="utf-8")
    given = [*ASSESS, "--long"]
    found = run(given, env={"PYTHONIOENCODING": page})
    assert found.returncode == 0, found.stderr
    text = found.stdout.decode(page)
    assert "->" in text or "→" in text
    assert "tau" in text or "τ" in text
    result = run([*given, "--json", "-"], env={"PYTHONIOENCODING": page})
    names = [v["name"] for v in json.loads(result.stdout.decode(page))["variables"]]
    assert names == ["age", "Einkünfte → τ"]


def test_a_closed_stdout_is_no_failure_and_files_are_written(folder):
    call = [sys.executable, "-m", "microgauge", *ASSESS, "--json", "r.json"]
    closed = ["/bin/sh", "-c", '"$@" >&-', "sh", *call]
    found = subprocess.run(closed, stderr=subprocess.PIPE, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    assert b"Traceback" not in found.stderr
    assert json.loads(Path("r.json").read_text())


def test_a_reader_that_goes_away_is_no_failure(folder):
    found = subprocess.run(
        ["/bin/sh", "-c", '"$@" | head -c 1', "sh", sys.executable, "-m", "microgauge", *ASSESS,
         "--long", "--json", "-"], capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == 0
    assert found.stderr == b""


@pytest.mark.skipif(not hasattr(os, "mknod"), reason="needs a POSIX system")
def test_a_full_stdout_is_told(folder):
    try:  # a second /dev/full: that of the system is not touched
        os.mknod("full", 0o666 | 0o020000, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("only root makes devices")
    with Path("full").open("wb") as full:
        found = run(ASSESS, stdout=full)
    assert found.returncode == 2
    assert b"No space left" in found.stderr
    assert b"Traceback" not in found.stderr
    assert found.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 2, "not enough memory"),
        (OverflowError("7"), 2, "too large to work with"),
        (RecursionError(), 2, "nested too deeply"),
        (OSError(errno.EIO, "Input/output error", "x.csv"), 2, "x.csv: Input/output error"),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no"), 2, "not in UTF-8"),
        (KeyError("a secret cell"), 3, "a fault of microgauge"),
    ],
)
def test_the_last_handler_says_what_to_do_and_quotes_nothing(
    folder, monkeypatch, capsys, error, code, words
):
    def breaking(*given):
        raise error

    monkeypatch.setattr(outputs, "_inputs", breaking)
    assert main([*ASSESS, "--json", "r.json"]) == code
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "secret" not in said.err
    assert "Traceback" not in said.err


HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (f"[rut]\nbeta = {HUGE}\n", "[rut] beta must be a number from 0 to 1"),
        (f"[risk]\nc = {HUGE}\n", "[risk] c is too large a number"),
        (f"[require]\nk = {HUGE}\n", '[require] k must be a limit such as ">=3"'),
        ("a." * 3000 + "b = 1\n", "s.toml is nested too deeply: a"),
        (f"[risk]\nc = {'[' * 200}{']' * 200}\n", "s.toml is nested too deeply: risk"),
        (f"[risk]\nc = {'[' * 9000}\n", "s.toml cannot be read: it is nested too deeply"),
    ],
)
def test_what_is_too_large_or_too_deep_is_named(folder, capsys, schema, words):
    Path("s.toml").write_text(schema)
    assert words in complaint(capsys, main([*ASSESS, "--schema", "s.toml"]))


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (f"risk.c={HUGE}", "[risk] c is too large a number"),
        (f"risk.c={'9' * 5000}", "[risk] c must be a number"),
        (f"risk.c={'[' * 9000}", "[risk] c must be a number"),
    ],
)
def test_a_setting_that_is_too_large_or_too_deep_is_named(folder, capsys, setting, words):
    assert words in complaint(capsys, main([*ASSESS, "--set", setting]))


def test_a_step_with_too_large_a_number_is_named(folder, capsys):
    step = f'[[step]]\nmethod = "round"\nvariables = ["age"]\nunit = {HUGE}\n'
    Path("r.toml").write_text(step)
    said = complaint(capsys, main(["mask", "o.csv", "--recipe", "r.toml", "-o", "m.csv"]))
    assert "step 1 (round): unit is too large a number" in said


@pytest.mark.parametrize("option", ["--scratch", "--external", "--population", "--holdout"])
def test_a_name_that_is_too_long_is_told_of_its_option(folder, capsys, option):
    given = [*ASSESS, option, "x" * 5000, "--json", "r.json"]
    said = complaint(capsys, main(given))
    assert "File name too long" in said
    assert {"--scratch": "scratch files"}.get(option, option[2:]) in said


def test_a_result_with_a_number_beyond_all_figures_differs(folder, capsys):
    assert main([*ASSESS, "--json", "r.json"]) in (0, 1)
    content = json.loads(Path("r.json").read_text())
    content["gdu"]["value"] = 10**400
    Path("r.json").write_text(json.dumps(content))
    capsys.readouterr()
    assert main(["verify", "r.json"]) == 1
    assert "gdu" in capsys.readouterr().out


def test_the_section_is_named_that_ran_out_of_means(folder, monkeypatch, capsys):
    from microgauge.sections.registry import sections

    (risk,) = [section for section in sections() if section.name == "risk"]

    def breaking(study, log):
        raise MemoryError
        yield

    monkeypatch.setattr(type(risk), "run", lambda self, study, log: breaking(study, log))
    assert "not enough memory (while working on " in complaint(capsys, main(ASSESS))


def test_a_quote_that_is_not_closed_is_told(folder, capsys):
    for said in ('age,"income', '"age"x'):
        given = ["assess", "o.csv", "o.csv", "--keys", said]
        assert "double quote" in complaint(capsys, main(given))


@pytest.mark.parametrize("seed", [2**32, 2**63, 2**64 - 1])
def test_seeds_of_64_bits(folder, seed):
    given = ["--set", f"options.seed={seed}", "--only", "propensity,clusters,ecdf,loss,gdu"]
    more = ["--set", "propensity.model=cart", "--json", "r.json"]
    assert main(["assess", "o.csv", "o.csv", *given, *more]) == 0
    assert json.loads(Path("r.json").read_text())["inputs"]["seed"] == seed


def test_a_seed_beyond_64_bits_is_refused(folder, capsys):
    given = ["assess", "o.csv", "o.csv", "--set", f"options.seed={2**64}"]
    assert "from 0 to 2^64 - 1" in complaint(capsys, main(given))


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 20_000,
        "a = " + "9" * 5_000,
        "[options]\nseed = " + "9" * 400,
        "[variable.age]\nmissing = [[]]",
        "[[model]]\nformula = 1",
        "[variable]\nage = 3",
        "options = 7",
        "[variable.age]\norder = [{}]",
    ],
)
def test_schemas_of_the_wrong_types_give_one_message(folder, capsys, text):
    Path("s.toml").write_text(text)
    for given in (["assess", "o.csv", "o.csv"], ["rank", "o.csv", "o.csv", "--keys", "age"],
                  ["diagnose", "o.csv", "--keys", "age"]):  # fmt: skip
        said = complaint(capsys, main([*given, "--schema", "s.toml"]))
        assert "fault of microgauge" not in said


@pytest.mark.parametrize("posix", [True, False])
@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGTERM, Stopped), (signal.SIGINT, KeyboardInterrupt)]
)
def test_a_stop_that_a_callback_swallows_is_heard_again(monkeypatch, capsys, posix, number, kind):
    """An exception of a signal that comes during a finaliser goes no further by itself."""
    monkeypatch.setattr(stopping, "POSIX", posix)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not posix:  # where it would end us as SIGKILL does
        monkeypatch.setattr(os, "kill", None)

    class Swallowing:
        def __del__(self):
            signal.raise_signal(number)
            time.sleep(0.01)

    def swallowed():
        with stopping.stoppable([]):
            Swallowing()
            for _ in range(500):
                time.sleep(0.01)

    try:
        with pytest.raises(kind) as stopped:
            swallowed()
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopping.code_of(stopped.value) == 128 + number
    assert capsys.readouterr().err == ""


def test_stops_are_those_that_a_system_knows(monkeypatch):
    """Windows has no SIGHUP."""
    monkeypatch.delattr(signal, "SIGHUP")
    assert run_path(writing.__file__)["STOPS"] == [signal.SIGINT, signal.SIGTERM]


def test_a_missed_limit_counts_though_nobody_reads_on(tmp_path):
    """The exit code of a gate must not depend on who looks at the text."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(200)))
    command = [sys.executable, "-m", "microgauge", "assess", path, path, "--keys", "age,sex",
               "--require", "risk<=0", "--only", "tables,disclosure"]  # fmt: skip
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert done.returncode == 1, done.stderr


def test_progress_that_nobody_hears_stops_nothing(monkeypatch):
    class Deaf:
        def isatty(self):
            return True

        def write(self, _text):
            raise BrokenPipeError

        def flush(self):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Deaf())
    line = Line()
    line("reading", 0.5)
    line.warn("this may take long")
    line.clear()


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("made", [ImportError("lost"), InputError("a file cannot be read.")])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_of_which_another_error_was_made_is_a_stop(monkeypatch, capsys, made, number):
    """As libraries do that are just being loaded."""

    def load(*given, **choices):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        except KeyboardInterrupt:
            raise made from None

    monkeypatch.setattr("microgauge.cli.guard", load)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["demo"]) == 128 + number
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "microgauge: stopped.\n"
