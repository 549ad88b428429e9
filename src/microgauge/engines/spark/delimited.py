"""CSV in partitions: every file is parsed by the reader that tables on this machine have."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
from polars.selectors import by_name

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.tables.dialect import comma_facts, decimal_commas, read_delimited
from microgauge.tables.formats.format import GZIP_MAGIC, Lines


def looked_at(batches: Iterable[Any], which: str) -> Iterator[Any]:
    """For each file its header, its delimiter and which columns may have decimal commas."""
    import pyarrow as pa

    for batch in batches:
        paths = batch.column(0).to_pylist()
        looks = [json.dumps(_look(path, batch.column(1)[i].as_py(), which))
                 for i, path in enumerate(paths)]  # fmt: skip
        yield pa.RecordBatch.from_arrays([pa.array(paths), pa.array(looks)], ["path", "look"])


def _look(path: str, content: bytes, which: str) -> dict[str, Any]:
    try:
        frame, delimiter, lines = _read(path, content, which)
    except InputError as error:
        return {"fault": str(error)}
    some, every = comma_facts(frame.lazy())
    return {
        "header": frame.columns,
        "delimiter": delimiter,
        "any": some,
        "all": every,
        "lines": [lines.blank, lines.short],
    }


def parsed(
    batches: Iterable[Any], header: Sequence[str], commas: Sequence[str], which: str
) -> Iterator[Any]:
    """The rows of each file, columns in the order of the first one's header."""
    for batch in batches:
        for i, path in enumerate(batch.column(0).to_pylist()):
            frame, *_ = _read(path, batch.column(1)[i].as_py(), which)
            frame = frame.select(by_name(*header))
            if commas:
                frame = decimal_commas(frame.lazy(), commas).collect()
            frame.columns = [f"c{place}" for place in range(len(header))]
            texts = frame.select(pl.all().cast(pl.String))
            yield from texts.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(1 << 16)


def _read(path: str, content: bytes, which: str) -> tuple[pl.DataFrame, str, Lines]:
    where = say("the part {path} of the {which} table", path=path, which=which)
    if content.startswith(GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise InputError(
                say("{where} is not a whole gzip file; copy it again.", where=where)
            ) from None
    return read_delimited(content, where)
