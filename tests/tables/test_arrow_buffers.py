"""Arrow files whose buffers claim more than there is: polars would end the process."""

import random
import struct
import subprocess
import sys

import polars as pl
import pytest

from microgauge.errors import InputError
from microgauge.tables import read_held
from microgauge.tables.formats.arrow_buffers import buffers_fit

FRAME = pl.DataFrame(
    {
        "x": range(300),
        "text": [f"words that are long enough to lie apart {i}" for i in range(300)],
        "kind": pl.Series(["a", "b", None] * 100, dtype=pl.Categorical),
    }
)
COMPRESSIONS = ("uncompressed", "lz4", "zstd")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_sound_files_fit(tmp_path, compression):
    path = tmp_path / "t.arrow"
    FRAME.write_ipc(path, compression=compression)
    assert buffers_fit(path)
    FRAME.head(0).write_ipc(path, compression=compression)
    assert buffers_fit(path)
    pl.concat([FRAME] * 50, rechunk=False).write_ipc(path, compression=compression)
    assert buffers_fit(path)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_buffer_that_ends_beyond_the_file_is_refused(tmp_path, compression):
    path = tmp_path / "t.arrow"
    FRAME.write_ipc(path, compression=compression)
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<q", 300))  # rows, and in the same message all lengths
    lengths = [
        at
        for at in range(place % 8, 700, 8)
        if 0 < struct.unpack_from("<q", content, at)[0] < len(content)
    ]
    refused = []
    for at in lengths:
        spoilt = bytearray(content)
        struct.pack_into("<q", spoilt, at, 1 << 47)
        path.write_bytes(spoilt)
        if not buffers_fit(path):
            refused.append(bytes(spoilt))
    assert refused
    path.write_bytes(refused[0])
    with pytest.raises(InputError, match="a buffer ends beyond the file"):
        read_held(path, "original")


READ = """
import sys
import polars as pl
from pathlib import Path
from microgauge.errors import InputError
from microgauge.tables import read_held
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        read_held(path, "original").frame()
    except InputError:
        pass
"""


def test_no_spoilt_file_ends_the_process(tmp_path):
    chance = random.Random(4)
    for number in range(150):
        path = tmp_path / f"{number}.arrow"
        FRAME.write_ipc(path, compression=COMPRESSIONS[number % 3])
        content = bytearray(path.read_bytes())
        for _ in range(chance.randrange(1, 4)):
            content[chance.randrange(min(len(content), 1_200))] = chance.randrange(256)
        path.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", READ, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
