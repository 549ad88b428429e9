"""Texts among numbers: one stray does not turn a number into a category, in either table."""

import numpy as np
import pandas as pd
import pytest

from microgauge import InputError
from microgauge.sections.verdict.findings_of_use import STRAYS
from support.figures import assess, score, variable

RNG = np.random.default_rng(4)
ROWS = 400
AGES = RNG.integers(16, 95, ROWS)
INCOMES = RNG.lognormal(10, 1, ROWS).round(2)
SECRET = "zz-secret"


def table(**columns):
    base = {"age": AGES, "income": INCOMES, "sex": np.where(AGES % 2, "f", "m")}
    return pd.DataFrame(base | columns)


def with_texts(values, texts):
    """Numbers as text, the first ones replaced."""
    found = pd.Series(values).astype(str)
    found[: len(texts)] = texts
    return found


def gdu(original, protected, said=None, **more):
    return assess(original, protected, schema={"variable": said or {}}, only=["gdu"], **more)


def notes(result, name):
    return [note for note in result.notes if f'"{name}"' in note]


def as_if_missing(values, count):
    found = pd.Series(values).astype(float)
    found[:count] = np.nan
    return found


@pytest.mark.parametrize("said", [None, {"income": {"type": "continuous"}}])
@pytest.mark.parametrize("both", [False, True])
def test_one_repeated_text_is_a_missing_code(said, both):
    marked = table(income=with_texts(INCOMES, [SECRET] * 60))
    original = marked if both else table()
    result = gdu(original, marked, said)
    found = variable(result, "income")
    assert (found.type, found.protected_type) == ("continuous", "continuous")
    assert (found.missing_original, found.missing_protected) == (60 if both else 0, 60)
    blank = table(income=as_if_missing(INCOMES, 60))
    expected = gdu(blank if both else original, blank, said)
    assert score(result, "income") == score(expected, "income")
    assert any("60 cells of the protected table" in note for note in notes(result, "income"))
    assert SECRET not in str(result.to_dict())


def test_few_strays_of_an_undeclared_number_are_missing():
    strays = [SECRET, "refused", "n/k"]
    marked = table(income=with_texts(INCOMES, strays))
    for original in (table(), marked):
        result = gdu(original, marked)
        found = variable(result, "income")
        assert (found.type, found.protected_type) == ("continuous", "continuous")
        assert found.missing_protected == 3
        assert any("read as missing: 3." in note for note in notes(result, "income"))
        assert SECRET not in str(result.to_dict())


def test_many_texts_make_no_number():
    words = [f"{SECRET}{i % 7}" for i in range(40)]  # a tenth
    found = variable(gdu(table(income=with_texts(INCOMES, words)), table()), "income")
    assert found.type == "nominal"


def test_a_text_that_is_there_once_in_a_declared_number_is_a_fault():
    with pytest.raises(InputError, match=r"1 cells? of the protected table") as fault:
        gdu(
            table(),
            table(income=with_texts(INCOMES, [SECRET])),
            {"income": {"type": "continuous"}},
        )
    assert SECRET not in str(fault.value)
    with pytest.raises(InputError, match="2 cells of the original table"):
        gdu(
            table(income=with_texts(INCOMES, [SECRET, "x"])),
            table(),
            {"income": {"type": "continuous"}},
        )


@pytest.mark.parametrize("aligned", [False, True])
def test_a_top_code_beside_numbers(aligned):
    coded = np.minimum(AGES, 80)
    shown = pd.Series(coded).astype(str).where(coded < 80, "80+")
    said = {"options": {"aligned": aligned}}
    named = assess(table(), table(age=shown), schema=said, only=["gdu"])
    numbers = assess(
        table(),
        table(age=coded),
        schema=said | {"variable": {"age": {"recode": {"top": 80}}}},
        only=["gdu"],
    )
    found = variable(named, "age")
    assert (found.protected_type, found.recoding.how) == ("continuous", "labels")
    assert found.recoding.form == "top-coded"
    assert score(named, "age") == score(numbers, "age")


def test_the_same_top_code_in_both_tables_is_no_recoding():
    shown = pd.Series(AGES).astype(str).where(AGES < 80, "80 and over")
    result = gdu(table(age=shown), table(age=shown))
    assert variable(result, "age").type == "continuous"
    assert variable(result, "age").recoding is None


def test_bands_beside_a_missing_code_are_still_bands():
    bands = pd.Series(AGES // 10 * 10).map(lambda low: f"{low}-{low + 9}")
    bands[:25] = SECRET
    found = variable(gdu(table(), table(age=bands)), "age")
    assert (found.protected_type, found.missing_protected) == ("ordinal", 25)
    assert found.recoding.how == "labels"


def test_all_different_amounts_with_a_stray_are_no_identifier():
    amounts = pd.Series(np.arange(ROWS) * 1.37 + 0.11).round(2)
    assert amounts.is_unique
    found = variable(gdu(table(x=with_texts(amounts, [SECRET])), table(x=amounts)), "x")
    assert (found.role, found.type) == ("analysis", "continuous")


def test_codes_with_letters_stay_categories():
    codes = pd.Series(RNG.integers(1, 9, ROWS)).astype(str)
    codes[::7] = "K"
    found = variable(gdu(table(x=codes), table(x=codes)), "x")
    assert (found.type, found.missing_original) == ("nominal", 0)


def test_several_variables_with_texts_have_one_note_of_each_kind():
    strays = [SECRET, "refused", "n/k"]
    texts = {
        name: with_texts(RNG.lognormal(10, 1, ROWS).round(2), strays) for name in ("rent", "tax")
    }
    marked = {
        name: with_texts(RNG.lognormal(10, 1, ROWS).round(2), [SECRET] * 40)
        for name in ("gifts", "debts")
    }
    both = table(**texts, **marked)
    result = gdu(both, both)
    told = {note.code: note for note in result.remarks if note.code in STRAYS}
    assert {code: note.about for code, note in told.items()} == {
        "missing-code-found": ("gifts", "debts"),
        "strays-missing": ("rent", "tax"),
    }
    assert len([note for note in result.remarks if note.code in STRAYS]) == 2
    assert told["strays-missing"].sentence == (
        "2 variables are taken for numbers, and their cells that are none were read as missing: "
        '"rent" (3 cells of the original table, 3 cells of the protected table), "tax" (3 cells '
        "of the original table, 3 cells of the protected table). If they are categories, declare "
        "their types."
    )
    assert '"gifts" (40 cells' in told["missing-code-found"].sentence
    assert SECRET not in str(result.to_dict())
