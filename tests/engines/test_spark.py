"""Spark alone: sources, partitions, failures, damaged parts; what it must never show or leave."""

import gc
import json
import subprocess
import sys
import traceback
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.engines import over
from microgauge.engines.opening import open_table
from microgauge.engines.spark import rows as spark_rows
from microgauge.tables import Reading
from microgauge.tables.streaming import KeyFacts
from support.figures import differences, with_details
from support.surveys import KEY, make_survey, perturb, types_of
from support.tables import SECRET, written

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(autouse=True)
def _stays_in_spark(monkeypatch):
    """Rows stay in Spark, however few: what runs there is what is tested here."""
    monkeypatch.setattr(spark_rows, "FEW_CELLS", 0)


# -- tables --------------------------------------------------------------------------------------

NAMES = ["region", "sex", "health", "age", "income"]


def units(rows=600, seed=1):
    """A survey with a key and weights."""
    rng = np.random.default_rng(seed)
    survey = pl.from_pandas(make_survey(rows, seed, missing=0.03)[NAMES], nan_to_null=True)
    numbers = pl.Series(7 * np.arange(rows) + 3)
    return survey.with_columns(number=numbers, w=pl.Series(rng.choice([0.5, 1.0, 2.25], rows)))


def noisy(frame, rows=None):
    found = pl.from_pandas(perturb(frame.select(NAMES).to_pandas(), 0.2), nan_to_null=True)
    return found.with_columns(frame["number"], frame["w"]).head(rows or frame.height)


def schema(**options):
    return types_of(NAMES, dict.fromkeys(("region", "sex", "age"), KEY), **options)


def in_spark(spark, frame):
    return spark.createDataFrame(frame.to_arrow())


@pytest.fixture(scope="module")
def pair():
    """A table and a protected version that has lost some units."""
    original = units()
    return original, noisy(original, 560)


KEYED = {"schema": schema(key="number", weight="w"), "only": ["gdu", "loss", "risk"]}
APART = {"schema": schema(aligned=False), "only": ["gdu", "risk"]}


# -- few rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("choices", "most"), [(APART, 6), (KEYED, 20)])
def test_few_rows_are_fetched_once(spark, pair, monkeypatch, choices, most):
    expected = with_details(microgauge.assess(*pair, **choices))
    frames = [in_spark(spark, frame) for frame in pair]

    found = []

    def work():
        found.append(with_details(microgauge.assess(*frames, engine=spark, **choices)))

    many = jobs_of(spark, f"left there {most}", work)
    monkeypatch.setattr(spark_rows, "FEW_CELLS", 1 << 22)
    few = jobs_of(spark, f"fetched {most}", work)
    assert [differences(expected, result) for result in found] == [[], []]
    assert few <= most < many


def test_more_rows_than_few_are_left_in_spark(spark, pair, monkeypatch):
    monkeypatch.setattr(spark_rows, "FEW_CELLS", 600 * 7 - 1)
    few, many = (open_table(in_spark(spark, f), which="original").frame for f in reversed(pair))
    assert few.fetched.num_rows == 560
    assert many.fetched is None


# -- Spark Connect -------------------------------------------------------------------------------


def test_the_same_over_spark_connect(connect, pair, tmp_path):
    choices = KEYED | {"only": ["gdu", "loss", "risk", "rut"]}
    frame = connect.read.parquet(str(written(pair[0], tmp_path / "original")))
    path = written(pair[1], tmp_path / "protected")
    found = microgauge.assess(frame, path, engine=connect, **choices)
    assert found.inputs.original.path == "<DataFrame>"
    assert differences(with_details(microgauge.assess(*pair, **choices)), with_details(found)) == []


# -- partitions ----------------------------------------------------------------------------------


def skewed(frame):
    """Nine rows of ten in one of eight partitions; most of the others are empty."""
    place = "if(pmod(hash(number), 10) < 9, 0, pmod(number, 3))"
    found = frame.selectExpr("*", f"{place} as place").repartition(8, "place").drop("place")
    sizes = found.selectExpr("spark_partition_id() as part").groupBy("part").count().toArrow()
    sizes = sizes.column(1).to_pylist()
    assert max(sizes) > 0.85 * sum(sizes)
    assert len(sizes) <= 5
    return found


def crowded_keys(spark, parts, rows):
    """Numbers of which nine in ten go to the first of some partitions when they are shuffled."""
    numbers = pl.Series(range(20 * rows))
    words = KeyFacts().words(numbers).view(np.int64)
    place = f"pmod(hash(k0, k1), {parts}) as place"
    frame = pl.DataFrame({"k0": words[0], "k1": words[1]})
    places = in_spark(spark, frame).selectExpr(place).toArrow().column(0).to_numpy()
    first, others = numbers.filter(places == 0), numbers.filter(places != 0)
    return pl.concat([first.head(rows - rows // 10), others.head(rows // 10)])


def same_in_spark(tables, frames, choices):
    """Whether frames in Spark give what their tables give in memory."""
    whole = with_details(microgauge.assess(*tables, **choices))
    assert differences(whole, with_details(microgauge.assess(*frames, **choices))) == []


@pytest.mark.parametrize("parts", [2, 4, 8])
def test_the_number_of_partitions_changes_no_figure(spark, pair, parts, monkeypatch):
    frames = [in_spark(spark, table).repartition(parts) for table in pair]
    assert frames[0].rdd.getNumPartitions() == parts
    if parts == 8:
        monkeypatch.setattr(spark_rows, "FEW_PARTS", 1)  # workers add up what partitions answer
    same_in_spark(pair, frames, APART)


def test_crosstabs_are_shuffled_where_they_are_sparse(spark, pair, monkeypatch):
    pairs = [["region", "age"], ["health", "income"]]
    choices = {"schema": schema(aligned=False, weight="w", pairs=pairs), "only": ["gdu"]}
    whole = with_details(microgauge.assess(*pair, **choices))
    monkeypatch.setattr("microgauge.sections.gdu.pairs.SMALL_TABLE", 1 << 40)
    monkeypatch.setattr("microgauge.sections.gdu.pairs.DENSE_TABLE", 1)
    frames = [in_spark(spark, table) for table in pair]
    assert differences(whole, with_details(microgauge.assess(*frames, **choices))) == []


def test_uneven_partitions_change_no_figure(spark, pair):
    same_in_spark(pair, [skewed(in_spark(spark, table)) for table in pair], APART)


def jobs_of(spark, group, work):
    """How many jobs Spark ran for some work."""
    spark.sparkContext.setJobGroup(group, group)
    try:
        work()
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


def test_jobs_do_not_grow_with_the_number_of_variables(spark):
    rng = np.random.default_rng(5)

    def table(width):
        columns = {"number": np.arange(150)}
        columns |= {f"n{i}": np.round(rng.normal(size=150), 1) for i in range(width)}
        columns |= {f"c{i}": rng.integers(0, 4, 150) for i in range(width)}
        return pl.DataFrame(columns)

    counts = []
    for width in (5, 15):
        original = table(width)
        noise = [(pl.col(f"n{i}") + 0.1).alias(f"n{i}") for i in range(width)]
        frames = [in_spark(spark, f) for f in (original, original.with_columns(noise))]
        said = {
            "options": {"key": "number"},
            "variable": {"c0": KEY, "c1": KEY, **{f"n{i}": {"type": "continuous"} for i in (2, 3)}},
        }
        only = ["gdu", "loss", "risk", "rut"]
        counts.append(
            jobs_of(
                spark,
                f"wide {width}",
                lambda: microgauge.assess(*frames, schema=said, only=only),  # noqa: B023
            )
        )
    assert 0 < counts[0] == counts[1]


def kept(spark):
    """Frames that Spark keeps, after all that nobody refers to were let go."""
    gc.collect()
    return spark.sparkContext._jsc.getPersistentRDDs().size()


def test_keys_that_go_to_one_partition_change_no_figure(spark, pair):
    keys = crowded_keys(spark, 4, pair[0].height)
    known = dict(zip(pair[0]["number"], keys, strict=True))
    tables = [t.with_columns(pl.col("number").replace_strict(known)) for t in pair]
    frames = [in_spark(spark, table) for table in tables]
    choices = KEYED | {"only": ["loss"]}
    seen = [kept(spark)]
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        found = microgauge.assess(
            *frames, **choices, progress=lambda what, share: seen.append(kept(spark))
        )
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
        spark.conf.unset("spark.sql.adaptive.enabled")
    assert (
        differences(with_details(microgauge.assess(*tables, **choices)), with_details(found)) == []
    )
    assert (seen[0], max(seen)) == (0, 3)  # both tables, and both joined
    del found
    assert kept(spark) == 0


# -- failures ------------------------------------------------------------------------------------


def failing(frame, folder, how):
    """The frame with tasks of one partition that fail in some way; tries leave files behind."""
    marks = str(folder)

    def work(batches):
        import os
        from pathlib import Path

        from pyspark import TaskContext

        task = TaskContext.get()
        mark = f"{task.stageId()}-{task.partitionId()}-{task.attemptNumber()}"
        Path(marks, mark).touch()
        again = len({path.name.split("-")[0] for path in Path(marks).iterdir()}) > 1
        if task.partitionId() == 1:
            first = task.attemptNumber() == 0
            if how == "always" or (how == "once" and first) or (how == "again" and again):
                raise ValueError("SECRET-417")
            if how == "dies always" or (how == "dies" and first):
                os._exit(7)
        for batch in batches:
            if again and task.partitionId() == 1 and how == "fewer":
                yield batch.slice(1)
            elif again and task.partitionId() == 1 and how == "other":
                import pyarrow as pa

                other = pa.array(["SECRET-417"] * batch.num_rows, batch.schema.field(0).type)
                yield batch.set_column(0, batch.schema.field(0), other)
            else:
                yield batch

    folder.mkdir()
    return frame.mapInArrow(work, frame.schema)


def test_what_fails_once_changes_no_figure(spark, pair, tmp_path):
    frames = [in_spark(spark, table).repartition(3) for table in pair]
    ways = ("once", "dies")
    same_in_spark(
        pair,
        [failing(frame, tmp_path / how, how) for frame, how in zip(frames, ways, strict=True)],
        APART,
    )
    for how in ways:
        tries = [mark.name for mark in (tmp_path / how).iterdir()]
        assert sum(name.endswith("-1-0") for name in tries) == 2  # both readings
        assert sum(name.endswith("-1-1") for name in tries) == 2
        assert not any(name.endswith("-1-2") for name in tries)


def refused(*tables, **choices):
    """The one fault of a run that must end in one, without a value of the data anywhere."""
    with pytest.raises(InputError) as caught:
        microgauge.assess(*tables, **choices)
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert "PythonException" not in shown
    return caught.value.faults


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("always", "Spark could not finish its work on the original table"),
        ("dies always", "workers died on the original table"),
        ("again", "Spark could not finish its work"),
        ("other", "changed while it was read"),
        ("fewer", "changed while it was read"),
    ],
)
def test_what_fails_for_good_is_one_fault(spark, pair, tmp_path, how, words):
    frames = [in_spark(spark, table).repartition(2) for table in pair]
    (fault,) = refused(
        failing(frames[0], tmp_path / "marks", how), frames[1], schema=schema(), only=["gdu"]
    )
    assert words in fault
    assert kept(spark) == 0


# -- damaged and different parts -----------------------------------------------------------------


def folder_of(folder, form="parquet", rows=250):
    """Five parts of some rows; one value is secret."""
    folder.mkdir()
    frame = units(rows).with_columns(pl.col("region").replace("north", SECRET))
    for number, part in enumerate(frame.iter_slices(rows // 5)):
        write = part.write_parquet if form == "parquet" else part.write_csv
        write(folder / f"part-{number}.{form}")
    return folder


def halved(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damaged_pages(path):
    """Noise in place of the first pages; the foot of the file is whole."""
    whole = bytearray(path.read_bytes())
    whole[4:600] = np.random.default_rng(1).bytes(596)
    path.write_bytes(whole)


DAMAGE = {
    "garbage": lambda path: path.write_bytes(b"garbage" * 50),
    "cut off": halved,
    "pages": damaged_pages,
    "empty": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize(
    ("form", "damage"),
    [
        ("parquet", "garbage"),
        ("parquet", "cut off"),
        ("parquet", "pages"),
        ("parquet", "empty"),
        ("csv", "garbage"),
        ("csv", "cut off"),
        ("csv", "empty"),
    ],
)
def test_a_damaged_part_is_named(spark, tmp_path, form, damage):
    folder = folder_of(tmp_path / "with blanks", form)
    DAMAGE[damage](folder / f"part-3.{form}")
    faults = refused(folder, folder, engine=spark, only=["gdu"])
    assert all(f"part-3.{form}" in fault for fault in faults)
    assert all("original table" in fault for fault in faults)


def test_all_damaged_parts_are_named_at_once(spark, tmp_path):
    folder = folder_of(tmp_path / "t")
    DAMAGE["garbage"](folder / "part-1.parquet")
    DAMAGE["cut off"](folder / "part-4.parquet")
    faults = refused(folder, folder, engine=spark)
    assert ["part-1.parquet" in fault for fault in faults] == [True, False]
    assert ["part-4.parquet" in fault for fault in faults] == [False, True]


def test_damage_over_spark_connect(connect, tmp_path):
    folder = folder_of(tmp_path / "t")
    damaged_pages(folder / "part-3.parquet")
    (fault,) = refused(folder, folder, engine=connect, only=["gdu"])
    assert "part-3.parquet" in fault


def test_parts_that_differ_are_named_at_once(spark, tmp_path):
    folder = folder_of(tmp_path / "t")
    changes = {
        1: lambda frame: frame.drop("age"),
        2: lambda frame: frame.with_columns(more=pl.lit(1)),
        3: lambda frame: frame.with_columns(pl.col("income").cast(pl.String)),
        4: lambda frame: frame.select(reversed(frame.columns)),  # by name: no fault
    }
    for number, change in changes.items():
        path = folder / f"part-{number}.parquet"
        change(pl.read_parquet(path)).write_parquet(path)
    faults = refused(folder, folder, engine=spark)
    assert len(faults) == 3
    for number, name, fault in zip((1, 2, 3), ("age", "more", "income"), faults, strict=True):
        assert f"part-{number}.parquet" in fault
        assert name in fault


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("region,sex,health,age,income,number", "part-2.csv"),
        ("region,sex,health,age,income,number,w,more", "part-2.csv"),
        (f"{SECRET},1,2,40,1000.5,3,1.0", "part-2.csv"),  # no header at all
    ],
)
def test_delimited_parts_that_differ_are_named(spark, tmp_path, header, words):
    folder = folder_of(tmp_path / "t", "csv")
    path = folder / "part-2.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *lines[1:]]) + "\n")
    faults = refused(folder, folder, engine=spark)
    assert all("part-2.csv" in fault for fault in faults)
    assert any(words in fault for fault in faults)


def test_the_command_fails_with_code_2(spark, tmp_path, capsys):
    folder = folder_of(tmp_path / "t")
    damaged_pages(folder / "part-3.parquet")
    arguments = ["assess", str(folder), str(folder), "--engine", "spark"]
    assert main(arguments) == 2
    told_of = capsys.readouterr().err
    assert "part-3.parquet" in told_of
    assert SECRET not in told_of
    assert spark.sparkContext.appName  # the command used this session and left it open


def test_parts_of_several_writers_are_one_table(spark, tmp_path):
    folder = folder_of(tmp_path / "t")
    frame = pl.read_parquet(folder / "part-0.parquet")
    frame.with_columns(pl.col("region").cast(pl.Categorical)).write_parquet(
        folder / "part-1.parquet"
    )
    in_spark(spark, frame).coalesce(1).write.parquet(str(tmp_path / "written"))
    (part,) = (tmp_path / "written").glob("part-*.parquet")
    part.replace(folder / "part-2.parquet")
    assert opened(folder, spark).rows == 250


# -- sources -------------------------------------------------------------------------------------


def opened(source, session=None):
    """A table as an engine reads it."""
    reading = None if session is None else Reading(memory=0, session=session)
    return open_table(source, which="original", reading=reading)


def cells(table):
    """How often each value of every column occurs, None for missing cells."""
    rows = over(table).sample(table.rows, 1)
    found = {}
    for name, column in table.columns.items():
        values = [*list(column.values), None]
        counts = np.bincount(rows._codes[name][:], minlength=len(values)).tolist()
        found[name] = dict(zip(values, counts, strict=True))
    return found


def few(rows=60, seed=1):
    return units(rows, seed).select("region", "age", "income")


@pytest.fixture
def parts_of_few(tmp_path):
    folder = tmp_path / "few"
    return written(few(), folder)


@pytest.mark.parametrize("how", ["folder", "pattern", "list", "uri", "as written by Spark"])
def test_every_way_to_name_files(spark, parts_of_few, tmp_path, how):
    if how == "as written by Spark":
        in_spark(spark, few()).repartition(2).write.parquet(str(tmp_path / "own"))
    source = {
        "folder": parts_of_few,
        "pattern": str(parts_of_few / "part-*.parquet"),
        "list": sorted(parts_of_few.iterdir()),
        "uri": f"file://{parts_of_few}",
        "as written by Spark": tmp_path / "own",
    }[how]
    assert cells(opened(source, spark)) == cells(opened(few()))


@pytest.mark.parametrize("how", ["view", "table", "polars", "lazy", "pandas", "Arrow"])
def test_tables_and_data_frames(spark, how):
    frame = few()
    if how == "view":
        in_spark(spark, frame).createOrReplaceTempView("a_view")
    if how == "table":
        in_spark(spark, frame).write.saveAsTable("a_table")
    source = {
        "view": "a_view",
        "table": "default.a_table",
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": frame.to_pandas(),
        "Arrow": frame.to_arrow(),
    }[how]
    try:
        assert cells(opened(source, spark)) == cells(opened(frame))
    finally:
        spark.sql("drop table if exists a_table")


def test_what_names_no_table(spark, tmp_path):
    (tmp_path / "nothing").mkdir()
    for source, words in [
        (tmp_path / "none.parquet", "Spark finds no file"),
        (str(tmp_path / "none-*.parquet"), "Spark finds no file"),
        (tmp_path / "nothing", "has no files"),
        ("no_such_table", "TABLE_OR_VIEW_NOT_FOUND"),
        ({"a": [1]}, "is a dict"),
        ([], "is a list"),
    ]:
        (fault,) = refused(source, source, engine=spark)
        assert words in fault


def test_a_table_without_rows(spark, tmp_path):
    few().clear().write_parquet(tmp_path / "t.parquet")
    for source in (tmp_path / "t.parquet", in_spark(spark, few()).limit(0)):
        (fault,) = refused(source, source, engine=spark)
        assert "has no rows" in fault


def test_every_type_of_column(spark, tmp_path):
    rng = np.random.default_rng(1)
    rows = 120
    day = date(2020, 1, 1)
    awkward = "a.b `c` \"d\" 'e', ä"
    table = pl.DataFrame(
        {
            awkward: rng.choice(["x", "y"], rows),
            "flag": pl.Series([None, True, False] * 40),
            "day": [day + timedelta(int(i)) for i in rng.integers(0, 40, rows)],
            "time": [datetime(2020, 1, 1, 3, i % 60) for i in range(rows)],
            "instant": pl.Series([datetime(2020, 3, 29, i % 7) for i in range(rows)]),
            "money": pl.Series([Decimal(i % 30) / 8 for i in range(rows)]).cast(pl.Decimal(9, 3)),
            "small": pl.Series(rng.integers(-9, 9, rows), dtype=pl.Int8),
            "large": pl.Series(rng.integers(2**55, 2**55 + 9, rows)),
            "single": pl.Series(rng.normal(size=rows), dtype=pl.Float32),
            "gone": pl.Series([None] * rows, dtype=pl.String),
            "none": pl.Series([None] * rows, dtype=pl.Int64),
            "blank": pl.Series([" a", "a ", "", "  "] * 30),
            "tags": pl.Series([["u", "v"]] * rows),
        }
    ).with_columns(pl.col("instant").dt.replace_time_zone("UTC"))
    table.write_parquet(tmp_path / "t.parquet")
    from_memory = cells(opened(table))
    table = table.drop("time").with_columns(nan=pl.Series([float("nan"), 1.0] * 60))
    whole = opened(table)
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        found = opened(in_spark(spark, table), spark)
        from_file = opened(tmp_path / "t.parquet", spark)
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
    assert cells(found) == cells(whole)
    assert {n: c.kind for n, c in found.columns.items()} == {
        n: c.kind for n, c in whole.columns.items()
    }
    assert found.unsupported.keys() == whole.unsupported.keys() == {"tags"}
    assert cells(from_file) == from_memory


def test_nested_columns_are_left_out_with_a_note(spark):
    frame = spark.sql(
        "select id % 7 as a, array(id) as list, map(1, id) as map, struct(id) as record, "
        "encode(string(id), 'utf-8') as bytes, null as nothing from range(50)"
    )
    result = microgauge.assess(frame, frame, only=["gdu"])
    assert [variable.name for variable in result.variables] == ["a", "nothing"]
    for name in ("list", "map", "record", "bytes"):
        assert sum(f'"{name}"' in note and "left out" in note for note in result.notes) == 2


def test_columns_of_the_same_name_are_refused(spark):
    frame = spark.sql("select id as a, id as a from range(9)")
    (fault,) = refused(frame, frame)
    assert "more than one column of one name" in fault


def test_spark_beside_pandas(spark, pair):
    same_in_spark(pair, [in_spark(spark, pair[0]), pair[1].to_pandas()], APART)


def test_an_external_table_in_spark_beside_local_ones(spark, pair):
    choices = {"schema": schema(key="number"), "only": ["risk"]}
    found = [
        with_details(microgauge.assess(*pair, external=other, **choices))["risk"]
        for other in (pair[1], in_spark(spark, pair[1]))
    ]
    assert found[0]["external_methods"]["correlation"] is not None
    assert differences(*found) == []


def test_times_without_a_zone_stay_what_they_are(spark):
    frame = pl.DataFrame({"time": [datetime(2020, 3, 8, 2, i % 60) for i in range(90)]})
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        for given in (frame, frame.to_pandas()):
            assert cells(opened(given, spark)) == cells(opened(frame))
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


# -- delimited text ------------------------------------------------------------------------------


def lines(head, line, count=60):
    """Delimited text: a header, and a line for each number."""
    return head + "\n" + "".join(line(i) + "\n" for i in range(count))


PLAIN = few(80).write_csv()
TWO = lines("a,b", lambda i: f"{i % 3},{i % 7}")

DELIMITED = {
    "quotes": lines("a,b,c", lambda i: f'{i % 3},"two\nlines, ""{i % 4}""",{i % 9}'),
    "missing": lines("a,b,c", lambda i: f"{i % 3},{'' if i % 2 else 'NA'},{i}.5"),
    "quoted blanks": lines("a,b", lambda i: f'{i % 3},"{["", "  ", " v "][i % 3]}"'),
    "padded codes": lines("a,b", lambda i: f"00{i % 3},{i % 7}.0"),
    "backslashes": lines("a,b", lambda i: f'{i % 3},"x\\"'),
    "tabs": PLAIN.replace(",", "\t"),
    "BOM": "\ufeff" + PLAIN,
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "decimal commas": lines("a;b", lambda i: f"{i % 3};{i % 7},5"),
    "Windows letters": lines("a,b", lambda i: f"{'ÄÖ'[i % 2]},{i % 7}").encode("cp1252"),
    "single quotes": lines("a,b", lambda i: f"'{i % 3}','{i % 7}'"),
    "blank lines": TWO + "\n1,2\n",
    "blanks in names": TWO.replace("a,b", " a , b"),
    "names by case": TWO.replace("a,b", "a,A"),
    "row names": lines(",a", lambda i: f"{i},{i % 7}"),
}


@pytest.mark.parametrize("name", DELIMITED)
def test_delimited_text_is_read_as_elsewhere(spark, tmp_path, name):
    text = DELIMITED[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert cells(opened(path, spark)) == cells(opened(path))


@pytest.mark.parametrize(
    "end",
    [
        "1,2,3,4\n",
        "1\n",
        '1,"two\n2,3\n',
    ],
)
def test_delimited_text_that_ends_badly_is_refused(spark, tmp_path, end):
    path = tmp_path / "t.csv"
    path.write_text(TWO + end)
    (fault,) = refused(path, path, engine=spark)
    assert "t.csv" in fault


# -- names of files ------------------------------------------------------------------------------


def test_columns_in_the_names_of_folders_are_not_lost(spark, tmp_path):
    in_spark(spark, few().drop_nulls()).write.partitionBy("region").parquet(str(tmp_path / "t"))
    assert cells(opened(tmp_path / "t", spark)) == cells(opened(few().drop_nulls()))


@pytest.mark.parametrize(
    "name",
    [
        "with blanks",
        "Łódź",
        "part-[1]",
        "part-?",
        "{1}",
        "50%25",
        "a#b",
    ],
)
def test_names_of_parts_mean_themselves(spark, tmp_path, name):
    folder = tmp_path / "t"
    folder.mkdir()
    few(10, seed=2).write_parquet(folder / "part-1.parquet")
    few(50, seed=3).write_parquet(folder / f"{name}.parquet")
    both = pl.concat([pl.read_parquet(path, glob=False) for path in folder.iterdir()])
    assert cells(opened(folder, spark)) == cells(opened(both))


# -- what an engine is ---------------------------------------------------------------------------


def test_an_engine_that_is_none():
    with pytest.raises(InputError, match=r'no engine "sparkk".*Did you mean "spark"\?'):
        microgauge.assess(few(), few(), engine="sparkk")


def test_an_object_that_is_no_engine():
    pytest.importorskip("pyspark")
    with pytest.raises(InputError, match='engine is a object; give "local", "spark" or a Spark'):
        microgauge.assess(few(), few(), engine=object())


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_spark_is_not_loaded_before_it_is_asked_for():
    run_python(
        "import sys, microgauge, microgauge.cli, pandas\n"
        "frame = pandas.DataFrame({'a': [1, 2, 3] * 20, 'b': ['x', 'y'] * 30})\n"
        "microgauge.assess(frame, frame, engine='local')\n"
        "assert not {'pyspark', 'py4j'} & set(sys.modules)\n"
    )


def test_without_pyspark_the_message_says_how_to_get_it():
    shown = run_python(
        "import sys\n"
        "sys.modules['pyspark'] = None\n"
        "from microgauge.cli import main\n"
        "sys.stderr = sys.stdout\n"
        "assert main(['assess', 'a', 'b', '--engine', 'spark']) == 2\n"
    )
    assert 'pip install "microgauge[spark]"' in shown
    assert "Java" in shown


def test_rows_have_no_order(spark):
    frame = in_spark(spark, few())
    (fault,) = refused(frame, frame, schema={"options": {"aligned": True}})
    assert "rows have no order in Spark. Name a key column." in fault


def test_the_command_uses_spark(spark, parts_of_few, tmp_path):
    arguments = ["assess", str(parts_of_few), str(parts_of_few), "--only", "gdu"]
    found = []
    for engine in ("local", "spark"):
        path = tmp_path / f"{engine}.json"
        more = ["--json", str(path), "--engine", engine, "--set", "options.aligned=false"]
        assert main([*arguments, *more]) == 0
        found.append(json.loads(path.read_text()))
    # What was read where is told, and differs; so does what these sentences are made from.
    assert [one.pop("manifest")["options"]["engine"] for one in found] == ["local", "spark"]
    assert all(one.pop("forms") for one in found)
    assert differences(*found) == []


# -- identifiers, risky records, many classes ----------------------------------------------------


def test_row_numbers_are_identifiers_however_parts_are_read(spark, tmp_path):
    frame = few(300).with_columns(row=pl.Series(range(300)))
    folder = written(frame, tmp_path / "t")
    (role,) = (
        v.role
        for v in microgauge.assess(folder, folder, engine=spark, only=["gdu"]).variables
        if v.name == "row"
    )
    assert role == "id"


def test_risky_records_have_no_row_numbers(spark, pair):
    frames = [in_spark(spark, table) for table in pair]
    (fault,) = refused(*frames, schema=schema(aligned=False), only=["risk"], risky=True)
    assert "rows have no numbers in Spark" in fault


def test_too_many_classes_give_null_with_the_reason(spark, pair, monkeypatch):
    monkeypatch.setattr(spark_rows, "MOST_CLASSES", 10)
    frames = [in_spark(spark, table) for table in pair]
    result = microgauge.assess(*frames, schema=schema(), only=["risk"])
    assert result.risk is None
    assert any("more than 10 classes" in note for note in result.notes)


# -- propensity on all rows ----------------------------------------------------------------------


def test_propensity_by_spark_is_that_of_all_rows(spark):
    original = units(1500)
    tables = [table.select(NAMES) for table in (original, noisy(original, 1400))]
    said = types_of(NAMES, aligned=False)
    said["propensity"] = {
        "model": "logit", "degree": 2, "interactions": "pairs", "resamples": 0,
    }  # fmt: skip
    exact = microgauge.assess(*tables, schema=said, only=["propensity"]).propensity
    said["propensity"]["sample"] = 900
    frames = [in_spark(spark, table).repartition(3) for table in tables]
    result = microgauge.assess(*frames, schema=said, only=["propensity"])
    found = result.propensity
    assert found.rows == 2900
    assert exact.rows == 2900
    assert found.value == pytest.approx(exact.value, rel=1e-6)
    assert found.expected == pytest.approx(exact.expected, rel=1e-9)
    assert found.ratio == pytest.approx(exact.ratio, rel=1e-6)
    assert found.auc == pytest.approx(exact.auc, abs=1e-4)
    assert found.specks == pytest.approx(exact.specks, abs=1e-4)
    for name, value in exact.percentiles_original.items():
        assert found.percentiles_original[name] == pytest.approx(value, abs=1e-4)
    assert any("fitted on all 2,900 rows" in note for note in result.notes)
    del result
    assert kept(spark) == 0


def test_joined_categories_by_spark_are_those_of_the_original(spark):
    rng = np.random.default_rng(1)
    core = rng.normal(size=260)
    original = pl.DataFrame(
        {
            f"n{i}": np.array(list("uvwxyz"))[np.digitize(core + rng.normal(size=260), CUTS)]
            for i in range(10)
        }
    )
    tables = [original, original.select(pl.all().shuffle(seed=1))]
    said = {"options": {"aligned": False}, "propensity": {"resamples": 0}}
    exact, found = (
        microgauge.assess(*frames, schema=said, only=["propensity"]).propensity
        for frames in (tables, [in_spark(spark, table).repartition(3) for table in tables])
    )
    assert exact.design.categories is not None
    assert exact.sees.pairs > 0
    assert found.design == exact.design
    assert found.sees == exact.sees
    assert found.value == pytest.approx(exact.value, rel=1e-6)
    assert found.expected == pytest.approx(exact.expected, rel=1e-9)


CUTS = (-1.2, -0.5, 0.0, 0.5, 1.2)
"""Between six categories."""


# -- what is left behind -------------------------------------------------------------------------


def test_frames_may_outlive_their_session(monkeypatch):
    protocol = pytest.importorskip("py4j.protocol")

    class Ended:
        def persist(self, level):
            return self

        def unpersist(self):
            raise protocol.Py4JError("the session has ended")

    class Owner:
        pass

    shown = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)
    owner = Owner()
    spark_rows._kept(owner, Ended())
    del owner
    gc.collect()
    assert shown == []
