"""(p) Adult as it is, 48,842 rows, with five keys: processor time, and time to the headline."""

from __future__ import annotations

from benchmarks.measure import Outcome, Setting, assess, make

ROWS = 48_842
KEYS = ("age", "sex", "race", "marital_status", "native_country")
SECTIONS = "gdu,tables,propensity,loss,verdict,disclosure"


def measure(setting: Setting) -> list[Outcome]:
    """The sections that decide, the propensity model alone, and the quick look."""
    file = () if setting.adult is None else ("--file", setting.adult)
    folder = make("adult", setting.folder / "adult_once", "--rows", str(ROWS), *file)
    lines = [f'[variable.{key}]\nrole = "quasi_identifier"\n' for key in KEYS]
    lines.append('[variable.income]\nrole = "sensitive"\n')
    (folder / "schema.toml").write_text("\n".join(lines), encoding="utf-8")
    deciding = assess(folder, setting.repeats, "--only", SECTIONS)
    model = assess(folder, setting.repeats, "--only", "propensity")
    quick = assess(folder, setting.repeats, "--quick")
    return [
        Outcome("p  all that decides: processor s", deciding.processor, 15, False, str(deciding)),
        Outcome("p  propensity alone: processor s", model.processor, 6, False, str(model)),
        Outcome("p  the headline: seconds", quick.seconds, 3, False, str(quick)),
    ]
