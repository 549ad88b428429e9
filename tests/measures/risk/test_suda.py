"""Minimal sample uniques equal a search of all subsets; DIS-SUDA equals its published table."""

from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge import InputError
from microgauge.errors import Undefined
from microgauge.measures.risk.suda import data_intrusion, dis_suda, suda2


def run(rows, **options):
    """SUDA with the sizes that just hold the codes."""
    levels = np.array(rows)
    return suda2(levels, tuple(levels.max(axis=0).tolist()), **options)


def coded(text):
    """Codes of a table written as words, a line per record."""
    columns = zip(*(line.split() for line in text.strip().splitlines()), strict=True)
    return np.stack([np.unique(column, return_inverse=True)[1] for column in columns], axis=1)


def uniques_of(rows, record, most):
    """The MSUs of one record, from the definition: unique, and no proper part unique."""

    def unique(subset):
        return all(
            other == record or any(rows[other][j] != rows[record][j] for j in subset)
            for other in range(len(rows))
        )

    width = len(rows[0])
    return [
        subset
        for size in range(1, most + 1)
        for subset in combinations(range(width), size)
        if unique(subset)
        and not any(unique(part) for k in range(1, size) for part in combinations(subset, k))
    ]


def brute(rows, most):
    """Scores, numbers of MSUs, contributions of attributes and of levels, by loops over records."""
    width = len(rows[0])
    most = min(most, width - 1)
    scores, sizes, attributes, levels = [], Counter(), Counter(), Counter()
    for record, row in enumerate(rows):
        scores.append(0)
        for subset in uniques_of(rows, record, most):
            score = prod(width - i for i in range(len(subset), most + 1))
            scores[-1] += score
            sizes[len(subset)] += 1
            for j in subset:
                attributes[j] += score
                levels[j, row[j]] += score
    total = sum(scores) or 1
    return (
        scores,
        {size: sizes[size] for size in range(1, most + 1)},
        {j: pytest.approx(100 * attributes[j] / total) for j in range(width)},
        {
            j: {
                code: pytest.approx(100 * levels[j, code] / total)
                for code in sorted({row[j] for row in rows})
                if levels[j, code]
            }
            for j in range(width)
        },
    )


def outcome(found):
    return found.scores.tolist(), found.msu_sizes, found.contributions, found.level_contributions


TABLES = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.integers(0, 1 + j % 3) for j in range(width)]), min_size=1, max_size=14
    )
)


@given(rows=TABLES, most=st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_equals_a_search_of_all_subsets(rows, most):
    assert outcome(run(rows, most=most)) == brute(rows, most)


@given(rows=TABLES, most=st.integers(1, 4), fraction=st.sampled_from([0.01, 0.1, 0.7]))
@settings(max_examples=150, deadline=None)
def test_dis_suda_calibrates_the_odds_of_sample_uniques(rows, most, fraction):
    found = run(rows, most=most, fraction=fraction)
    counts = Counter(rows)
    alone = np.array([counts[row] == 1 for row in rows])
    pairs = sum(counts[row] == 2 for row in rows)
    assert (found.uniques, found.pairs) == (alone.sum(), pairs)
    assert (found.dis[~alone] == 0).all()
    assert (found.scores[~alone] == 0).all()
    if not alone.any():
        assert found.intrusion == (0.0 if pairs else None)
        return
    risks = found.dis[alone]
    assert found.intrusion == pytest.approx(1 / (1 + pairs * (1 / fraction - 1) / alone.sum()))
    assert ((risks > 0) & (risks <= 1)).all()
    assert (1 / risks - 1).mean() == pytest.approx(1 / found.intrusion - 1)
    assert risks.mean() >= found.intrusion - 1e-12
    order = np.argsort(found.scores[alone])
    assert (np.diff(risks[order]) >= -1e-12).all()


@given(rows=TABLES, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_order_and_names_do_not_matter(rows, seed):
    rng = np.random.default_rng(seed)
    levels = np.array(rows)
    height, width = levels.shape
    plain = run(rows)
    records, attributes = rng.permutation(height), rng.permutation(width)
    names = [rng.permutation(4) for _ in range(width)]
    renamed = np.stack([name[codes] for name, codes in zip(names, levels.T, strict=True)], axis=1)
    found = suda2(renamed[records][:, attributes], (4,) * width)
    assert found.scores.tolist() == plain.scores[records].tolist()
    assert found.dis == pytest.approx(plain.dis[records])
    assert found.msu_sizes == plain.msu_sizes
    for new, old in enumerate(attributes.tolist()):
        assert found.contributions[new] == pytest.approx(plain.contributions[old])
        expected = {
            int(names[old][code]): pytest.approx(percent)
            for code, percent in plain.level_contributions[old].items()
        }
        assert found.level_contributions[new] == expected


@given(rows=TABLES)
@settings(max_examples=60, deadline=None)
def test_levels_add_up_to_their_attribute(rows):
    found = run(rows)
    for j, levels in found.level_contributions.items():
        assert sum(levels.values()) == pytest.approx(found.contributions[j])


def test_worked_example():
    # a b c    MSUs of one attribute (m - 1)(m - 2) = 2 each, of two (m - 2) = 1 each
    # 2 0 0    a=2                          2
    # 1 3 6    b=3, c=6                     2 + 2
    # 1 0 0    a=1 b=0, a=1 c=0             1 + 1      (b=0 c=0 is in the first record too)
    # Total 8. a: 2 + 1 + 1 = 4, 50 %. b: 2 + 1 = 3, 37.5 %. c: 2 + 1 = 3, 37.5 %.
    found = run([(2, 0, 0), (1, 3, 6), (1, 0, 0)], most=2)
    assert found.scores.tolist() == [2, 4, 2]
    assert found.msu_sizes == {1: 3, 2: 2}
    assert found.contributions == {0: 50.0, 1: 37.5, 2: 37.5}
    assert found.level_contributions == {
        0: {1: 25.0, 2: 25.0},
        1: {0: 12.5, 3: 25.0},
        2: {0: 12.5, 6: 25.0},
    }
    assert (found.attributes, found.size, found.fraction) == (3, 2, 0.1)


def test_example_of_sdcmicro_issue_356():
    # C 2; BX XQ; AY AQ YQ; ZR; BY BR YR; BZ ZQ 1 each: total 13, of which 8, 9 and 7 hold 1, 2, 3.
    found = run(coded("A X P\nB X Q\nA Y Q\nC Z R\nB Y R\nA X P\nB Z Q"))
    assert found.scores.tolist() == [0, 2, 3, 3, 3, 0, 2]
    assert list(found.contributions.values()) == pytest.approx([61.53846, 69.23077, 53.84615])


GUIDE = """
Urban Female Secondary- Employed
Urban Female Secondary- Employed
Urban Female Primary-   Non-LF
Urban Male   Secondary  Employed
Rural Female Secondary  Unemployed
Urban Male   Secondary  Employed
Urban Female Primary    Non-LF
Urban Male   Post       Unemployed
Urban Female Secondary- Non-LF
Urban Female Secondary- Non-LF
"""


def test_table_of_the_practice_guide():
    """Benschop, Machingauta, Welch: SDC for microdata, a practice guide, table 4.5."""
    found = run(coded(GUIDE), fraction=0.01)
    assert found.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert (found.uniques, found.pairs) == (4, 6)
    # DIS = 0.04/(0.04 + 5.94); Q = 1.2; 6^-Q = 0.1165, 10^-Q = 0.0631, 12^-Q = 0.0507, their mean
    # 0.0867. 1/DIS - 1 = 148.5, times 0.1165/0.0867 = 199.5, so 1/200.5; times 0.0631/0.0867 …
    assert found.intrusion == pytest.approx(0.04 / 5.98)
    assert found.dis[[2, 4, 6, 7]] == pytest.approx([0.00499, 0.01138, 0.00499, 0.00917], abs=5e-6)


def test_dis_suda_of_the_practice_guide():
    """Its last column, which was made with the other scores of the IHSN: 1.75, 3.25, 1.75, 2.75."""
    intrusion = data_intrusion(4, 6, 0.01)
    risks = dis_suda(np.array([1.75, 3.25, 1.75, 2.75]), 4, intrusion)
    assert np.round(risks, 4).tolist() == [0.0051, 0.0107, 0.0051, 0.0088]


def test_dis_suda_by_hand():
    # m = 8: Q = 1. Scores 1 and 3: s^-1 has mean 2/3; DIS 1/3: odds against 2, times 3/2 and 1/2.
    assert dis_suda(np.array([1.0, 3.0]), 8, 1 / 3).tolist() == pytest.approx([1 / 4, 1 / 2])
    assert dis_suda(np.array([5.0, 5.0]), 3, 0.2) == pytest.approx([0.2, 0.2])


@pytest.mark.parametrize("attributes", [28, 40])
def test_a_higher_score_is_never_less_risk(attributes):
    assert dis_suda(np.array([1.0, 9.0]), attributes, 0.3) == pytest.approx([0.3, 0.3])


def test_data_intrusion():
    assert data_intrusion(10, 30, 0.5) == 0.25
    assert data_intrusion(5, 0, 0.1) == 1.0
    assert data_intrusion(0, 4, 0.1) == 0.0
    assert data_intrusion(0, 0, 0.1) is None


def test_uniques_beyond_the_largest_size_count_with_the_least_score():
    """Eight corners of a cube are unique on three attributes only; one more record stands out."""
    cube = [(a, b, c, 0) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    found = run([*cube, (0, 0, 0, 1), (1, 1, 1, 2), (1, 1, 1, 2)], most=1)
    # The corner (1, 1, 1, 0) is alone as well: the pair differs from it in the last attribute.
    assert found.scores.tolist() == [0] * 8 + [3, 0, 0]
    assert (found.uniques, found.pairs) == (9, 2)
    expected = dis_suda(np.array([1.0] * 8 + [3.0]), 4, found.intrusion)
    assert found.dis.tolist() == [*expected.tolist(), 0.0, 0.0]
    assert found.dis[0] > 0


def test_most_is_limited_to_one_less_than_the_attributes():
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    # Each is unique on both attributes only, which would score m - 2 = 0.
    found = run(rows, most=5)
    assert (found.size, found.msu_sizes) == (1, {1: 0})
    assert found.scores.tolist() == [0] * 4
    assert found.contributions == {0: 0.0, 1: 0.0}
    assert found.level_contributions == {0: {}, 1: {}}
    assert found.dis.tolist() == [1.0] * 4  # no pairs: every unique match is taken for a right one


def test_smaller_most_changes_the_score_of_each_size():
    # m = 4: one attribute scores 3 · 2 · 1 with M = 3, 3 · 2 with M = 2, 3 with M = 1.
    rows = [(1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)]
    assert [run(rows, most=most).scores[0] for most in (3, 2, 1)] == [6, 6, 3]


def test_duplicates_have_no_unique():
    found = run([(0, 1, 2)] * 2 + [(1, 0, 1)] * 2 + [(0, 0, 0)] * 3)
    assert not found.scores.any()
    assert not found.dis.any()
    assert (found.uniques, found.pairs, found.intrusion) == (0, 4, 0.0)
    assert found.contributions == {0: 0.0, 1: 0.0, 2: 0.0}
    assert run([(0, 1)] * 3).intrusion is None


def test_one_record_is_unique_on_every_attribute():
    found = run([(0, 3, 1)])
    assert found.scores.tolist() == [6]  # three MSUs of (m - 1)(m - 2)
    assert found.msu_sizes == {1: 3, 2: 0}
    assert list(found.contributions.values()) == pytest.approx([100 / 3] * 3)
    assert found.dis.tolist() == [1.0]


def test_all_unique_on_one_attribute():
    found = run([(i, 0, 0) for i in range(5)])
    assert found.scores.tolist() == [2] * 5
    assert found.contributions == {0: 100.0, 1: 0.0, 2: 0.0}
    assert found.level_contributions[0] == dict.fromkeys(range(5), 20.0)


def test_missing_is_a_value_of_its_own():
    # Two categories each; code 2 is missing, and one record only has it in the first attribute.
    found = suda2(np.array([[2, 0], [0, 0], [0, 0], [1, 2], [1, 2]]), (2, 2))
    assert found.scores.tolist() == [1, 0, 0, 0, 0]
    assert found.level_contributions == {0: {2: 100.0}, 1: {}}


@pytest.mark.parametrize("last", [2**32 - 1, 2**62 - 1])
def test_codes_so_wide_that_their_product_overflows(last):
    """With 2^32 codes each, a · 2^64 would vanish from a key; with 2^62, even the fourth class."""
    codes = (0, 1, last)
    cube = [(a, b, c, 0) for a in codes for b in codes for c in codes]
    found = suda2(np.array(cube), (last,) * 4)
    assert found.msu_sizes == {1: 0, 2: 0, 3: 27}
    assert found.level_contributions[0] == dict.fromkeys(codes, pytest.approx(100 / 3))


def test_more_attributes_than_a_key_holds():
    """4^40 combinations: the first attributes, the only ones that differ, would vanish."""
    levels = np.zeros((9, 40), int)
    levels[[0, 1], 0] = 1
    levels[[1, 2, 3], 1] = 1
    levels[3, 1] = 2
    found = suda2(levels, (3,) * 40, most=2)
    # 1 0: alone by both; 1 1: alone by both; 0 1: alone by both; 0 2: alone by the second.
    assert found.uniques == 4
    assert found.msu_sizes[1] == 1
    assert found.scores[:5].tolist() == brute(levels.tolist(), 2)[0][:5]
    assert found.scores[4:].tolist() == [0] * 5


@pytest.mark.parametrize("levels", [40, 400])
def test_many_levels_equal_a_count_of_combinations(levels):
    """Keys too many for an array are counted by sorting; the answer is the same."""
    rng = np.random.default_rng(levels)
    table = (rng.integers(0, levels, (500, 4)) * rng.random((500, 4)) ** 2).astype(int)
    found = suda2(table, (levels,) * 4)
    sizes = Counter()
    scores = np.zeros(500)
    for i, row in enumerate(table.tolist()):
        unique = set()
        for size in (1, 2, 3):
            for subset in combinations(range(4), size):
                if any(part in unique for k in range(1, size) for part in combinations(subset, k)):
                    continue
                if (table[:, subset] == [row[j] for j in subset]).all(axis=1).sum() == 1:
                    unique.add(subset)
                    sizes[size] += 1
                    scores[i] += prod(4 - k for k in range(size, 4))
    assert found.msu_sizes == {size: sizes[size] for size in (1, 2, 3)}
    assert found.scores.tolist() == scores.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_narrow_codes_do_not_wrap(dtype):
    table = np.random.default_rng(3).integers(0, 100, (300, 4))
    assert outcome(suda2(table.astype(dtype), (100,) * 4)) == outcome(suda2(table, (100,) * 4))


def test_undefined():
    with pytest.raises(Undefined, match="fewer than two attributes"):
        suda2(np.array([[0], [1]]), (2,))
    with pytest.raises(Undefined, match="no rows"):
        suda2(np.zeros((0, 3), int), (2, 2, 2))


def test_wrong_input():
    table = np.array([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="1 or more"):
        suda2(table, (2, 2), most=0)
    for fraction in (0.0, 1.1, float("nan")):
        with pytest.raises(InputError, match="fraction"):
            suda2(table, (2, 2), fraction=fraction)
    with pytest.raises(ValueError, match="one size per attribute"):
        suda2(table, (2, 2, 2))
    for wrong in (table + 2, table - 1):
        with pytest.raises(ValueError, match="beyond the number of categories"):
            suda2(wrong, (2, 2))
