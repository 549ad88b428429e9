"""The families of hostile inputs."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import random
import shutil
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import xlsxwriter

from microgauge.cli import main
from microgauge.masking.methods import method, method_names
from microgauge.schema import Variable
from microgauge.schema.options import Options
from microgauge.sections.registry import sections
from support.fuzz.cases import (
    NASTY,
    NUMBERS,
    Case,
    Family,
    any_value,
    changed_rows,
    csv_bytes,
    looks,
    plain_rows,
    planted,
    word,
)

BOTH = ["o.csv", "p.csv"]
EVER = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def written(rng: random.Random) -> tuple[list[str], list[str]]:
    """Options that write, and what they write."""
    options = {"--json": "r.json", "--report": "r.html", "--summary": "r.pdf"}
    chosen = [name for name in options if rng.random() < (0.6 if name == "--json" else 0.12)]
    return [part for name in chosen for part in (name, options[name])], [
        options[name] for name in chosen
    ]


def command(rng: random.Random, tables: list[str], more: list[str] | None = None) -> Case:
    """A call of one of the commands that read tables."""
    kind = rng.choice(["assess"] * 4 + ["schema", "diagnose", "rank"])
    if kind == "schema":
        return Case(arguments=["schema", *tables])
    if kind == "diagnose":
        return Case(arguments=["diagnose", tables[0], "--keys", "age,sex", *(more or [])])
    options, outputs = written(rng)
    return Case(arguments=[kind, *tables, *looks(rng), *options, *(more or [])], outputs=outputs)


# -- delimited text ------------------------------------------------------------------------------


def spoiled(rng: random.Random, content: bytes) -> bytes:
    """Text with something wrong in it."""
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    ways = [
        lambda: b"\n".join([*lines[:place], rng.choice([b"", b"  ", b"\r", b"\t"]),
                            *lines[place:]]),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.decode().encode("utf-16"),
        lambda: content[: rng.randrange(len(content) + 1)],
        lambda: b"\n".join(lines[1:]),
        lambda: b"\n".join([*lines[:place], lines[place] + b",x,y", *lines[place + 1 :]]),
        lambda: b"\n".join([*lines[:place], lines[place].rpartition(b",")[0],
                            *lines[place + 1 :]]),
        lambda: content.replace(b"m", rng.choice([b'"', b'"m', b"'m'", b'm"m', b"\xff", b"\0",
                                                 b"\x85"]), rng.randint(1, 4)),
        lambda: content.replace(b",", rng.choice([b";", b"\t", b"|", b", ", b" "])),
        lambda: b"\n" * rng.randint(1, 5) + content,
        lambda: content + b"\n" * rng.randint(1, 5),
        lambda: content + b"1,m," + b"9" * rng.choice([10, 131_073, 300_000]) + b",A\n",
        lambda: bytes(rng.randrange(256) for _ in range(rng.randint(0, 200))),
        lambda: lines[0] + b"\n",
        lambda: content.replace(b"sex", b"age"),
        lambda: gzip.compress(content)[: rng.choice([20, 60, 10_000])],
        lambda: content,
    ]  # fmt: skip
    return rng.choice(ways)()


def csv_family(rng: random.Random) -> Case:
    """Text that is no clean CSV."""
    rows = plain_rows(rng)
    original, protected = csv_bytes(rows), csv_bytes(changed_rows(rng, rows))
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.6:
            original = spoiled(rng, original)
        else:
            protected = spoiled(rng, protected)
        if not original or not protected:
            break
        try:
            original.decode(), protected.decode()
        except UnicodeDecodeError:
            break
    more = rng.choice([[], [], ["--memory", "256MB"]])
    case = command(rng, BOTH, more)
    if case.arguments[0] == "schema":
        case.arguments += more
    case.files = {"o.csv": original, "p.csv": protected}
    return case


def number_family(rng: random.Random) -> Case:
    """Numbers at the ends of what can be held, and none at all."""
    rows = plain_rows(rng)
    columns = rng.sample(range(4), rng.randint(1, 3))
    pool = rng.sample(NUMBERS, rng.randint(1, 4)) + rng.choice([[], ["1", "2"], ["NA", ""]])
    for row in rows[1:]:
        for column in columns:
            row[column] = rng.choice(pool)
    case = command(rng, BOTH)
    case.files = {"o.csv": csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows))}
    return case


# -- formats -------------------------------------------------------------------------------------


def odd_frame(rng: random.Random) -> pl.DataFrame:
    """A table with columns of odd types."""
    rows = rng.choice([0, 1, 20])
    base = pl.DataFrame(
        {"age": [rng.randint(1, 5) for _ in range(rows)],
         "sex": [rng.choice(["m", "f", planted(rng)]) for _ in range(rows)]},
        schema={"age": pl.Int64, "sex": pl.String},
    )  # fmt: skip
    numbers = pl.Series("x", [float(rng.randint(0, 3)) for _ in range(rows)])
    odd = [
        numbers.cast(pl.Int8), numbers.cast(pl.UInt64), numbers * 1e308,
        numbers.cast(pl.Decimal(10, 2)), numbers.cast(pl.Boolean),
        numbers.cast(pl.Int32).cast(pl.Date), numbers.cast(pl.Int64).cast(pl.Datetime("us")),
        numbers.cast(pl.Int64).cast(pl.Duration("us")),
        pl.Series("x", [None] * rows, dtype=pl.Null), pl.Series("x", [None] * rows, pl.Float64),
        numbers.cast(pl.String).cast(pl.Categorical), numbers.cast(pl.String).cast(pl.Binary),
        pl.Series("x", [[1, 2]] * rows, dtype=pl.List(pl.Int64)),
        pl.Series("x", [{"a": 1}] * rows, dtype=pl.Struct({"a": pl.Int64})),
        numbers.cast(pl.Int64) * 2**40 + 2**53,
    ]  # fmt: skip
    return base.with_columns(rng.choice(odd).alias(rng.choice(["x", "income", "*"])))


def as_bytes(frame: pl.DataFrame, ending: str) -> bytes:
    """A file of a format."""
    buffer = io.BytesIO()
    if ending == "parquet":
        frame.write_parquet(buffer)
    elif ending == "arrow":
        frame.write_ipc(buffer)
    elif ending == "xlsx":
        with xlsxwriter.Workbook(buffer) as book:
            book.set_properties({"created": EVER})  # else a case is not the same tomorrow
            frame.write_excel(book)
    else:
        frame.write_csv(buffer)
    return buffer.getvalue()


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Cut, or with bytes flipped."""
    way = rng.random()
    if way < 0.35:
        return content
    if way < 0.6:
        return content[: rng.randrange(len(content) + 1)]
    found = bytearray(content)
    for _ in range(rng.choice([1, 3, 30])):
        if found:
            found[rng.randrange(len(found))] = rng.randrange(256)
    return bytes(found)


def format_family(rng: random.Random) -> Case:
    """Files of other formats, odd or damaged."""
    frame = odd_frame(rng)
    ending = rng.choice(["parquet", "arrow", "xlsx", "parquet", "csv"])
    try:
        content = as_bytes(frame, ending)
    except Exception:  # noqa: BLE001  what cannot be written is no case
        ending, content = "parquet", as_bytes(frame, "parquet")
    names = [f"o.{ending}", f"p.{rng.choice([ending, ending, 'csv', 'sav', 'txt', 'dta'])}"]
    case = command(rng, names)
    case.files = {names[0]: damaged(rng, content), names[1]: damaged(rng, content)}
    return case


# -- names ---------------------------------------------------------------------------------------


def name_family(rng: random.Random) -> Case:
    """Columns, categories and files with names that mean something elsewhere."""
    rows = plain_rows(rng, 25)
    for place in rng.sample(range(4), rng.randint(1, 4)):
        rows[0][place] = rng.choice(NASTY)
    for row in rows[1:]:
        if rng.random() < 0.5:
            row[3] = rng.choice(NASTY)
    keys = [name for name in rows[0][:2] if name]
    file = rng.choice(["o.csv", "a b.csv", "[x].csv", "é.csv", "-o.csv", "o::p.csv", "%s.csv",
                       "x" * 200 + ".csv", "o\n.csv", "*.csv"])  # fmt: skip
    options, outputs = written(rng)
    said = ",".join('"' + key.replace('"', '""') + '"' for key in keys)
    sections = rng.choice(["gdu", "risk,tables", "loss", "gdu,left_in"])
    arguments = ["assess", f"./{file}", "p.csv", f"--keys={said}", "--only", sections, *options]
    if rng.random() < 0.3:
        arguments, outputs = ["schema", f"./{file}", "p.csv", "-o", "s.toml"], ["s.toml"]
    files = {file: csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows))}
    return Case(files=files, arguments=arguments, outputs=outputs, finite=False)


# -- schemas, recipes, formulas, options ---------------------------------------------------------


def near(rng: random.Random, usual: object) -> str:
    """A value that may well be sound, by what is usual."""
    if isinstance(usual, bool):
        return rng.choice(["true", "false"])
    if isinstance(usual, int):
        return rng.choice([str(usual), str(usual), "0", "1", "2", "7"])
    if isinstance(usual, float):
        return rng.choice([str(usual), "0", "0.5", "1", "1e-300", "1e308"])
    if isinstance(usual, str):
        return json.dumps(usual)
    return any_value(rng)


def usual_of(part: type[Any]) -> dict[str, Any]:
    """The entries of a table, with what holds where nothing is said."""
    return {f.name: None if f.default is MISSING else f.default for f in fields(part)}


@cache
def entries() -> list[tuple[str, dict[str, Any]]]:
    """The tables of a schema, and what each may hold."""
    found = [("options", usual_of(Options))]
    found += [
        ("variable.age", {**usual_of(Variable), "type": "continuous", "role": "analysis"})
    ] * 2
    for section in sections():
        part = getattr(section, "choices", None)
        if part is not None and hasattr(part, "__dataclass_fields__"):
            found.append((section.name, usual_of(part)))
    for name in ("model", "regression", "indicator"):
        keys = ["formula", "name", "kind", "where", "by", "variable", "function", "weight", "of",
                "missing", "quantile", "over", "domain", "outcome", "x", "y"]  # fmt: skip
        found.append((f"[{name}]", dict.fromkeys(keys)))
    found += [("require", {"risk": 0.5, "gdu": 0.5, "k": 3}), ("level.a", {"age": None}),
              ("rank", {"utility": "gdu"}), (word(random.Random(1)), {"x": 1})]  # fmt: skip
    return found


def schema_family(rng: random.Random) -> Case:
    """A value of whatever type in any field of a schema."""
    text = ""
    odd = rng.choice([0.0, 0.2, 1.0])
    for table, usual in rng.sample(entries(), rng.randint(1, 3)):
        if f"[{table}]" in text:
            continue
        text += f"\n[{table}]\n"
        known = [name for name in usual if odd or usual[name] is not None] or list(usual)
        for name in rng.sample(known, min(rng.randint(1, 3), len(known))):
            value = any_value(rng) if rng.random() < odd else near(rng, usual[name])
            text += f"{name} = {value}\n"
    if rng.random() < 0.1:
        text = rng.choice([text[: len(text) // 2], "a = " + "[" * 5000, text + text,
                           "a." * 3000 + "b = 1", "x = " + "9" * 5000])  # fmt: skip
    rows = plain_rows(rng, 25)
    case = command(rng, BOTH)
    if case.arguments[0] == "schema":
        case.arguments = ["assess", *BOTH, *looks(rng)]
    case.arguments += ["--schema", "s.toml"]
    case.files = {"o.csv": csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows)),
                  "s.toml": text.encode()}  # fmt: skip
    case.finite = False
    return case


SOUND = {
    "remove": ('["town"]', {}),
    "swap": ('["town", "sex"]', {"share": "0.3"}),
    "rank_swap": ('["income"]', {"window": "20"}),
    "microaggregation": ('["income", "age"]', {"g": "3", "groups": '"mdav"'}),
    "pram": ('["sex"]', {"keep": "0.8"}),
    "local_suppression": ('["age", "sex"]', {"k": "2"}),
    "noise": ('["income"]', {"share": "0.5"}),
    "round": ('["income", "age"]', {"unit": "7"}),
    "top_bottom": ('["income"]', {"top": "500"}),
    "recode": ('["age"]', {"breaks": "[0, 30, 60]"}),
    "suppress": ('["town"]', {"share": "0.2"}),
    "sample": ("", {"share": "0.9"}),
    "synthesise": ('["income", "age"]', {"model": '"normal"'}),
}
"""A step of each method that can be taken."""
EDGES = ["0", "1", "-1", "0.5", "1e308", "-1e308", "5e-324", "1e-300", "2", "3", "100", "true",
         "9007199254740993", "[1, 2]", "[0, 1e308]", '"trees"', '"each"',
         '"independent"']  # fmt: skip


def recipe_family(rng: random.Random) -> Case:
    """Steps that can be taken or nearly so, on numbers of any size."""
    text = f"seed = {any_value(rng)}\n" if rng.random() < 0.1 else ""
    for _ in range(rng.randint(1, 2)):
        name = rng.choice(method_names())
        columns, given = SOUND[name][0], dict(SOUND[name][1])
        if rng.random() < 0.2:
            columns = rng.choice(['["age"]', '["none"]', '["age", "age"]', "[]", '"income"'])
        others = [f.name for f in fields(method(name)) if f.name != "variables"]
        if rng.random() < 0.5:
            some = rng.choice([*others, *given])
            given[some] = rng.choice(EDGES) if rng.random() < 0.7 else any_value(rng)
        text += f'\n[[step]]\nmethod = "{name}"\n'
        text += f"variables = {columns}\n" if columns else ""
        text += "".join(f"{key} = {value}\n" for key, value in given.items())
    rows = plain_rows(rng)
    if rng.random() < 0.5:
        for row in rows[1:]:
            row[2] = rng.choice(["1e308", "-1e308", "1.5e308", "9007199254740993", "7", ""])
    output = rng.choice(["m.csv", "m.parquet", "m.csv"])
    return Case(
        files={"o.csv": csv_bytes(rows), "r.toml": text.encode()},
        arguments=["mask", "o.csv", "--recipe", "r.toml", "-o", output],
        outputs=[output],
        finite=not any(word in text for word in ("nan", "inf")),
    )


TOKENS = ["income", "~", "age", "+", "*", ":", "-", "(", ")", "sex", "C(sex)", "log(", "1", "0",
          "town", "^2", "`a b`", "==", "<", ">=", "and", "or", "not", "in", "[", "]", '"m"', "'f'",
          ",", "1e999", "9" * 50, "__import__('os')", "lambda", "\n", "is missing", "\u00e9", "|",
          "bs(age, 3)", "poly(", "@", "."]  # fmt: skip


TERMS = ["age", "sex", "C(sex)", "town", "log(age)", "age:sex", "age*town", "I(age**2)", "1", "-1",
         "sqrt(income)", "exp(income)", "abs(age)", "C(age)", "age:sex:town", "income", "age**9",
         "log1p(income)", "1/age", "0"]  # fmt: skip
TESTS = ["age > 30", "sex == 'm'", "not age < 5", "town in ['A', 'B']", "age >= 1e308",
         "age != age", "income > 0 and age < 40", "(age > 3 or sex == 'f')", "town == ''",
         "age == 'm'"]  # fmt: skip


def formula_family(rng: random.Random) -> Case:
    """Formulas and conditions: sound, nearly so, or not at all."""

    def some(sound: list[str], between: str) -> str:
        if rng.random() < 0.65:
            return between.join(rng.choice(sound) for _ in range(rng.randint(1, 4)))
        return " ".join(rng.choice(TOKENS) for _ in range(rng.choice([2, 6, 40])))

    kind = rng.choice(["linear", "linear", "logistic", "ordered"])
    left = {"linear": "income", "logistic": "sex", "ordered": "town"}[kind]
    formula = f"{left} ~ {some(TERMS, ' + ')}"
    where = some(TESTS, rng.choice([" and ", " or "]))
    statistic = rng.choice(["mean", "total", "median", "share", "gini", "s80s20", "arop"])
    text = f'[[regression]]\nkind = "{kind}"\nformula = {json.dumps(formula)}\n'
    if rng.random() < 0.5:
        text = (f'[[indicator]]\nstatistic = "{statistic}"\nvariable = "income"\n'
                f"where = {json.dumps(where)}\n")  # fmt: skip
    if rng.random() < 0.2:
        text += f"[[model]]\nformula = {json.dumps(formula)}\n"
    rows = plain_rows(rng, 60)
    return Case(
        files={"o.csv": csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows)),
               "s.toml": text.encode()},
        arguments=["assess", *BOTH, "--schema", "s.toml", "--only",
                   rng.choice(["regressions,indicators", "gdu"]), "--json", "r.json"],
        outputs=["r.json"],
        finite=False,
    )  # fmt: skip


def option_family(rng: random.Random) -> Case:
    """Options with values of any kind."""
    values = ["", "x", "0", "-1", "1e999", "nan", "age", "age,", '"age', "age,age", "gdu>=", "a=b",
              "risk<=0.05, k>=3", "gdu>=nan", "k>=1e400", "variable.age.type=1", "=", "a.b.c.d=1",
              "options.seed=18446744073709551615", "options.seed=1e400", "all", "gdu,gdu", "4GB",
              "1e3GB", "256MB", "nan%", "r.json", "o.csv", "/", ".", "\udcff", "x" * 5000,
              "1:2", "9" * 400]  # fmt: skip
    options = ["--keys", "--sensitive", "--weight", "--key", "--only", "--skip", "--set",
               "--memory", "--require", "--min-count", "--external", "--holdout", "--population",
               "--scratch",
               "--json", "--report", "--summary", "--junit", "--pairs", "--risky", "--schema",
               "--max-risk", "--utility", "--preset", "--map"]  # fmt: skip
    kind = rng.choice(["assess", "assess", "rank", "diagnose", "schema"])
    arguments = [kind, *BOTH] if kind != "diagnose" else [kind, "o.csv"]
    some = rng.sample(options, rng.randint(1, 3))
    arguments += [f"{option}={rng.choice(values)}" for option in some]
    if kind in ("assess", "rank") and not any("--only" in a for a in arguments):
        arguments += ["--only", "gdu"]
    rows = plain_rows(rng, 25)
    files = {"o.csv": csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows))}
    return Case(files=files, arguments=arguments, finite=False)


# -- results that were kept ----------------------------------------------------------------------

GRID = '[[step]]\nmethod = "round"\nvariables = ["income"]\nunit = { grid = [100, 300] }\n'
EXPLORE = ["explore", "o.csv", "--recipe", "g.toml", "--folder", "kept", "--workers", "1",
           "--keys", "age,sex", "--only", "gdu,risk", "--json", "r.json"]  # fmt: skip


def leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value of a plain content."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()  # fmt: skip
    return [found for key, v in inner for found in leaves(v, (*path, key))] or [path]


def tampered(rng: random.Random, text: str) -> str:
    """Content that someone changed."""
    way = rng.random()
    if way < 0.1:
        return text[: rng.randrange(len(text))]
    if way < 0.2:
        return rng.choice(["", "null", "[]", "{}", "[" * 100_000, '{"seal": 1}', "NaN", "9" * 5000])
    content = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(leaves(content))
        inner = content
        for key in path[:-1]:
            inner = inner[key]
        if path:
            inner[path[-1]] = rng.choice([0, 1, 0.5, -7, None, "", "x", [], {}, True, 1e308,
                                          10**400])  # fmt: skip
    return json.dumps(content)


def kept_family(rng: random.Random) -> Case:
    """Candidates that `explore` kept, changed by someone: the figures must stay what they are."""
    rows = plain_rows(random.Random(rng.randint(1, 3)), 25)
    case = Case(files={"o.csv": csv_bytes(rows), "g.toml": GRID.encode()}, arguments=EXPLORE,
                outputs=["r.json"], finite=False)  # fmt: skip
    wanted: list[bytes] = []

    def before() -> None:
        assert main(EXPLORE) in (0, 1), "the case itself is no case"
        wanted.append(Path("r.json").read_bytes())
        Path("r.json").unlink()
        for path in sorted(Path("kept").iterdir()):
            if rng.random() < 0.7:
                path.write_text(tampered(rng, path.read_text(encoding="utf-8")), encoding="utf-8")

    def after() -> list[str]:
        if not Path("r.json").is_file():
            return ["no result beside tampered candidates"]
        same = Path("r.json").read_bytes() == wanted[0]
        shutil.rmtree("kept")
        return [] if same else ["a tampered candidate changed the result"]

    case.before, case.after = before, after
    return case


def result_family(rng: random.Random) -> Case:
    """Results that someone changed, held against their inputs."""
    rows = plain_rows(rng, 25)
    files = {"o.csv": csv_bytes(rows), "p.csv": csv_bytes(changed_rows(rng, rows))}
    case = Case(files=files, arguments=["verify", "r.json"], finite=False)
    if rng.random() < 0.7:
        case.arguments.append("--hashes")

    def before() -> None:
        main(["assess", *BOTH, "--only", "gdu", "--json", "r.json"])
        path = Path("r.json")
        path.write_text(tampered(rng, path.read_text(encoding="utf-8")), encoding="utf-8")

    case.before = before
    return case


FAMILIES: dict[str, Family] = {
    "csv": csv_family,
    "numbers": number_family,
    "formats": format_family,
    "names": name_family,
    "schema": schema_family,
    "recipes": recipe_family,
    "formulas": formula_family,
    "options": option_family,
    "kept": kept_family,
    "results": result_family,
}
WEIGHTS = {"kept": 0.4, "results": 0.6}
"""How often a family is tried, 1 unless said: these call the command twice."""
