"""What libraries print and do past Python where a file is damaged: nobody sees it but us."""

import base64
import os
import subprocess
import sys
import threading
import zlib

import polars as pl
import pytest

from microgauge.errors import InputError
from microgauge.tables import panics
from microgauge.tables.read import read_table
from microgauge.tables.source import Source
from microgauge.tables.streaming import Reading

PANIC = b"thread 'x' panicked at crates/x.rs:1:2:\nassertion failed\nstack backtrace:\n  0: y\n"
TOO_MUCH = zlib.decompress(base64.b85decode(
    'c-oy*O>fgc5M6H^6QLY})Lq%g2U96lB2bzb+Qg_u+I&C*X_{1(N{(r5r$tGF;?M>p{z1is3rEDM$6WXi2=4g>oO<'
    'TK0VH<TPHKrF0V{iVX5P%ax4TYSY^OkEk|N6uf(b$>^Ks>;kzfc(C>R6*dWWMaq7X%2Lz%=JQx_H=U*?sVJ6J+7B'
    '5SKiNoi`V+jB{hVtOXgsbp5o#2>qGE!T-2)e_GJS_X3=uP=p2163MCMK7q6b86q62<m6_jbzTS`5s3KIa`9<jIzn'
    'M5Q<&BYZ>CIn6IS7A*B=$j_EteoXX~p*l)$!4Xj;mI${!}(GZpf@J0fnHeAB6POD^0k+5c%JPpmMOdK$|qQ<5?8V'
    '<)q;ag2(aS@0l!Q$tVMh#u0abKFGlZ`(2DAsgs-TWr$|8srxyF!-eMVvf9=GU11m)Ahgt`SPl6|#)XPjUSpPLh6r'
    '%FhbPA$ox+HWPFfTY^(ilWb>ad+)w~aOe)Y>N#G4VYe9{HJC~#+@H*S5qiRy&njYVv)e6>pPoXz&R8$Z+u}=EI8B'
    '%s)K@ytx(;rch4}!9G(M_pfOF#!V;x8lSuRXlyBsMUEJOu7<%eM<YrO)zCU`)~X0z|Ist^6P0k4RxPQX_eoohYb3'
    'f6X@qZ+odVLy4cP{~UlL*Gi6(%EzRjBRWnwb>f>yCdJoJbyVp93E$l6L;hv4UY{gSIFg!%>Ij`zGD<UJ8$hfcRkO'
    'sik?@poWeb;SnB5Ou4S)!p5+z0u47wSZJmE*!GqrNUrUSs<@^GY+r?A'
))  # fmt: skip
"""A Parquet file with a flipped bit, by which a page has 2^61 bytes of what cells are missing."""


@pytest.fixture(autouse=True)
def usual(monkeypatch):
    monkeypatch.delenv(panics.SHOW, raising=False)


def test_a_panic_is_kept_back_and_nothing_else(capfd):
    with panics.unheard("x"):
        os.write(2, PANIC)
    assert capfd.readouterr().err == ""
    with panics.unheard("x"):
        os.write(2, b"a word of a library\n")
    os.write(2, b"and another\n")
    assert capfd.readouterr().err == "a word of a library\nand another\n"


def test_whoever_mends_it_sees_it(capfd, monkeypatch):
    monkeypatch.setenv(panics.SHOW, "1")
    with panics.unheard("x"):
        os.write(2, PANIC)
    assert capfd.readouterr().err == PANIC.decode()


def test_the_last_reader_of_several_leads_back(capfd):
    inside, leave = threading.Event(), threading.Event()

    def read():
        with panics.unheard("x"):
            inside.set()
            leave.wait(60)
            os.write(2, PANIC)

    other = threading.Thread(target=read)
    with panics.unheard("x"):
        other.start()
        inside.wait(60)
    leave.set()
    other.join()
    os.write(2, b"heard\n")
    assert capfd.readouterr().err == "heard\n"


def test_a_closed_stream_is_no_reason_to_stop(tmp_path):
    script = "import os\nos.close(2)\nfrom microgauge.tables.panics import unheard\n"
    script += "with unheard('x'):\n    print('read')"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"read\n"


def ran(script):
    """What a script says, and how it ends."""
    lines = "import ctypes, os, sys\nfrom microgauge.tables.panics import unheard\n" + script
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, check=False)
    return done.stderr.decode(), done.returncode


def test_python_itself_is_heard_meanwhile():
    said, _ = ran(
        "with unheard('x'):\n    sys.stderr.write('50 %\\n')\n"
        f"    os.write(2, {PANIC!r})\n"
        "sys.stderr.write('done\\n')"
    )
    assert said == "50 %\ndone\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_a_process_that_rust_ends_says_why():
    giving_up = (
        "    os.write(2, b'memory allocation of 99 bytes failed')\n    ctypes.CDLL(None).abort()"
    )
    assert ran(f"with unheard('a fault'):\n{giving_up}") == ("microgauge: a fault\n", 2)
    said, code = ran(
        "with unheard('a fault'):\n    os.write(2, b'else')\n    ctypes.CDLL(None).abort()"
    )
    assert (said, code) == ("else", -6)
    said, code = ran("with unheard('a fault'):\n    pass\nctypes.CDLL(None).abort()")
    assert (said, code) == ("", -6)


@pytest.mark.parametrize("more", [[], ["--memory", "256MB"]])
def test_a_file_that_asks_for_all_memory_gives_one_message(tmp_path, more):
    """Polars 2.1 ends the process here; whatever another version does, the user sees the same."""
    path = tmp_path / "t.parquet"
    path.write_bytes(TOO_MUCH)
    done = subprocess.run(
        [sys.executable, "-m", "microgauge", "assess", path, path, "--json", "r.json", *more],
        capture_output=True, cwd=tmp_path, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"microgauge: the original table {path} is not a readable Parquet"
    )
    assert done.stderr.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_panics_of_any_library_are_faults_in_our_words(tmp_path, monkeypatch):
    """Each library in Rust has a class of its own, and it is no Exception."""
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)
    kind = type("PanicException", (BaseException,), {})

    def panic(*_, **__):
        os.write(2, PANIC)
        raise kind("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(Source, "scan", panic)
    with pytest.raises(InputError, match="its parts do not fit together"):
        read_table(path, which="original", reading=Reading(memory=1))
    monkeypatch.undo()
    parquet = type(Source.find(path, "x").format)
    scan = parquet.scan_file
    held = lambda self, file: scan(self, file) if file == path else panic()  # noqa: E731
    monkeypatch.setattr(parquet, "scan_file", held)
    with pytest.raises(InputError, match="its parts do not fit together"):
        read_table(path, which="original")
