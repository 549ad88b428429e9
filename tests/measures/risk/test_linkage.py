"""Record linkage equals a comparison of every protected record with every original one."""

import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microgauge.errors import Undefined
from microgauge.measures.risk import linkage as module
from microgauge.measures.risk.linkage import LinkAttribute, linkage_share


def number(original, protected):
    return LinkAttribute("number", np.array(original, float), np.array(protected, float))


def category(original, protected):
    return LinkAttribute("category", np.array(original), np.array(protected))


def square(kind, x, z):
    """What one attribute adds to the squared distance, word for word."""
    gone = [np.isnan(v) if kind == "number" else v == -1 for v in (x, z)]
    if any(gone):
        return 0.0 if all(gone) else 1.0
    return (x - z) ** 2 if kind == "number" else float(x != z)


def brute(attributes):
    """The law by three loops; whole numbers and halves are exact, so a tie is a tie."""
    records = range(len(attributes[0].original))
    total = 0.0
    for i in records:
        far = [
            sum(square(a.kind, float(a.protected[i]), float(a.original[j])) for a in attributes)
            for j in records
        ]
        if far[i] == min(far):
            total += 1.0 / far.count(far[i])
    return total / len(records)


def some_numbers(rng, rows, missing, most=6):
    numbers = rng.integers(0, most, rows) / 2.0
    return np.where(rng.random(rows) < missing, np.nan, numbers)


def some_codes(rng, rows, missing, most=3):
    return np.where(rng.random(rows) < missing, -1, rng.integers(0, most, rows))


def table(rng, rows, kinds, missing, kept):
    """Attributes whose protected values are the original ones with a given probability."""
    made = []
    for kind in kinds:
        draw = some_numbers if kind == "number" else some_codes
        original, other = draw(rng, rows, missing), draw(rng, rows, missing)
        protected = np.where(rng.random(rows) < kept, original, other)
        made.append(LinkAttribute(kind, original, protected))
    return made


def rearranged(attributes, order):
    return [LinkAttribute(a.kind, a.original[order], a.protected[order]) for a in attributes]


def survey(rows, seed, noise=0.2):
    """Numbers, categories and a few missing cells, with noise."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(2):
        x = rng.normal(size=rows)
        y = np.where(rng.random(rows) < 0.05, np.nan, x + noise * rng.normal(size=rows))
        made.append(number(np.where(rng.random(rows) < 0.05, np.nan, x), y))
    for size in (2, 5, 300):
        x = rng.integers(-1, size, rows)
        y = np.where(rng.random(rows) < noise / 4, rng.integers(-1, size, rows), x)
        made.append(category(x, y))
    return made


@given(
    seed=st.integers(0, 100_000),
    rows=st.integers(1, 30),
    kinds=st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=5),
    missing=st.sampled_from([0.0, 0.2, 0.6]),
    kept=st.sampled_from([0.0, 0.6, 0.95]),
    block=st.sampled_from([1, 2, 5, 512]),
)
@settings(max_examples=250, deadline=None)
def test_equal_to_all_pairs(seed, rows, kinds, missing, kept, block):
    attributes = table(np.random.default_rng(seed), rows, kinds, missing, kept)
    found = linkage_share(attributes, block=block)
    assert found.share == pytest.approx(brute(attributes), abs=1e-12)
    assert (found.records, found.chance, found.sampled) == (rows, 1 / rows, None)


@pytest.mark.parametrize("noise", [0.02, 0.2, 1.0])
def test_equal_to_a_matrix_of_distances(noise):
    attributes = survey(1500, 3, noise)
    squares = np.zeros((1500, 1500))
    for a in attributes:
        x, z = a.protected[:, None], a.original[None, :]
        if a.kind == "category":
            squares += x != z
            continue
        squares += np.where(np.isnan(x) | np.isnan(z), np.isnan(x) != np.isnan(z), (x - z) ** 2)
    nearest = np.isclose(squares, squares.min(axis=1, keepdims=True), rtol=1e-12, atol=1e-15)
    expected = (np.diag(nearest) / nearest.sum(axis=1)).mean()
    assert 0 < expected < 1
    assert linkage_share(attributes).share == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("block", [1, 7, 64])
def test_size_of_blocks_does_not_matter(block):
    attributes = survey(400, 4)
    assert linkage_share(attributes, block=block) == linkage_share(attributes, block=10_000)


def test_by_hand():
    attributes = [number([0.0, 2.0, 4.0], [1.0, 2.5, 3.0]), category([0, 0, 1], [0, 0, 0])]
    # Squared distances: 1, 1, 10, so ½; 6.25, 0.25, 3.25, so 1; 9, 1, 2, so 0.
    assert linkage_share(attributes).share == pytest.approx(1.5 / 3)


def test_one_side_missing_is_as_far_as_another_category():
    # Far from the original's number, a missing one is nearer: 1 against 4.
    assert linkage_share([number([0.0, np.nan], [2.0, np.nan])]).share == 0.5
    assert linkage_share([number([0.0, np.nan], [0.5, np.nan])]).share == 1.0
    assert linkage_share([category([0, -1], [1, -1])]).share == pytest.approx((0.5 + 1) / 2)


def test_identical_files_of_different_rows_are_linked_wholly():
    x = np.random.default_rng(5).normal(size=800)
    assert linkage_share([number(x, x), category(np.arange(800) % 3, np.arange(800) % 3)]) == (
        module.Linkage(1.0, 800, 1 / 800)
    )


def test_identical_files_give_the_share_of_classes():
    rng = np.random.default_rng(6)
    x, c = some_numbers(rng, 600, 0.1), some_codes(rng, 600, 0.1)
    classes = len({(str(a), b) for a, b in zip(x, c, strict=True)})
    assert 10 < classes < 100
    assert linkage_share([number(x, x), category(c, c)], block=9).share == pytest.approx(
        classes / 600
    )


def test_chance_is_the_mean_over_all_orders():
    x = np.array([0.0, 0.5, 0.5, 2.0, np.nan])
    c = np.array([0, 1, 0, -1, 1])
    shares = [
        linkage_share([number(x, x[list(order)]), category(c, c[list(order)])]).share
        for order in permutations(range(5))
    ]
    assert np.mean(shares) == pytest.approx(1 / 5)
    assert max(shares) == 1.0


def test_a_shuffled_file_is_hardly_linked():
    attributes = survey(2000, 7, noise=0.05)
    assert linkage_share(attributes).share > 0.5
    order = np.random.default_rng(8).permutation(2000)
    shuffled = [LinkAttribute(a.kind, a.original, a.protected[order]) for a in attributes]
    assert linkage_share(shuffled).share < 10 / 2000


def test_row_order_does_not_matter():
    attributes = survey(500, 9)
    order = np.random.default_rng(10).permutation(500)
    moved = rearranged(attributes, order)
    assert linkage_share(moved, block=16).share == pytest.approx(
        linkage_share(attributes, block=16).share
    )


@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]))
@settings(max_examples=30, deadline=None)
def test_unit_and_zero_of_a_number_do_not_matter(seed, missing):
    # Whole numbers tie before; as tenths far from 0 they tie no longer to the last bit.
    rng = np.random.default_rng(seed)
    original = np.append(some_numbers(rng, 28, missing), [0.0, 2.0])
    protected = np.append(some_numbers(rng, 28, missing), [0.0, 2.0])
    codes = category(some_codes(rng, 30, missing), some_codes(rng, 30, missing))
    plain = LinkAttribute.standardised(original, protected)
    moved = LinkAttribute.standardised(original * 0.1 + 2000.3, protected * 0.1 + 2000.3)
    assert plain is not None
    assert moved is not None
    expected = linkage_share([plain, codes], block=4).share
    assert linkage_share([moved, codes], block=4).share == pytest.approx(expected, abs=1e-12)


def test_a_far_zero_of_scaled_numbers_does_not_matter():
    attributes = survey(300, 11)
    moved = [
        number(a.original + 1e4, a.protected + 1e4) if a.kind == "number" else a for a in attributes
    ]
    assert linkage_share(moved, block=32).share == pytest.approx(linkage_share(attributes).share)


def test_scaled_by_the_deviation_of_the_original():
    scaled = LinkAttribute.standardised(
        np.array([10.0, np.nan, 14.0, 12.0]), np.array([12.0, 16.0, np.nan, np.nan])
    )
    assert scaled is not None
    np.testing.assert_allclose(scaled.original, [-1.0, np.nan, 1.0, 0.0])
    np.testing.assert_allclose(scaled.protected, [0.0, 2.0, np.nan, np.nan])


@pytest.mark.parametrize("original", [[0.1] * 7, [np.nan] * 7, [np.nan] * 6 + [3.0]])
def test_a_constant_original_has_no_unit(original):
    assert LinkAttribute.standardised(np.array(original), np.arange(7.0)) is None


def test_almost_as_near_is_no_tie():
    def first(gap):
        # The first record is 1 from its own and 1 - gap from the second; the second is far.
        return linkage_share([number([1.0, gap - 1.0], [0.0, 9.0])]).share * 2

    assert first(-1e-6) == 1.0
    assert first(1e-6) == 0.0
    assert first(0.0) == first(1e-12) == first(-1e-12) == 0.5


@pytest.mark.parametrize("step", [1e-4, 1e-6])
def test_crowded_records_are_told_apart(step):
    # Squared distances far below the rounding of a product: 1e-10 beside numbers up to 30.
    x = np.append(np.arange(1000) * step, [30.0, -30.0])
    assert linkage_share([number(x, x + 0.3 * step)]).share == 1.0
    assert linkage_share([number(x, x + 0.7 * step)]).share == pytest.approx(3 / 1002)


@pytest.mark.parametrize("far", [1e6, 1e9])
def test_records_far_out_have_a_nearest_one(far):
    x = np.arange(50.0)
    protected = x.copy()
    protected[[48, 49]] = far
    assert linkage_share([number(x, protected)], block=8).share == pytest.approx(49 / 50)


@pytest.mark.parametrize("far", [1e200, np.inf, -np.inf])
def test_numbers_beyond_measure_are_equally_far_from_all(far):
    x = np.arange(50.0)
    protected = x.copy()
    protected[49] = far
    assert linkage_share([number(x, protected)], block=8).share == pytest.approx((49 + 1 / 50) / 50)


@pytest.mark.parametrize(("zero", "last"), [(0.0, 0.0), (0.0, np.inf), (1e6, 0.0)])
def test_few_pairs_are_hard_to_tell_from_ties(monkeypatch, zero, last):
    settled = 0
    plain = module._Search._settle

    def counting(self, rows, found):
        nonlocal settled
        settled += len(rows)
        plain(self, rows, found)

    monkeypatch.setattr(module._Search, "_settle", counting)
    rng = np.random.default_rng(19)
    attributes = []
    for _ in range(3):
        x = zero + np.append(rng.normal(size=999), last)
        attributes.append(number(x, x + rng.normal(0.0, 0.2, 1000)))
    found = linkage_share(attributes, block=16)
    assert 0.2 < found.share < 0.9
    # The own pair of each linked record, and all that share a block with what is beyond measure.
    assert settled < 3000


@pytest.mark.parametrize("top", [126, 127, 128, 255, 32_767, 40_000])
def test_codes_of_any_size(top):
    codes = np.array([-1, 0, top - 1, top])
    assert linkage_share([category(codes, codes)], block=2).share == 1.0
    assert linkage_share([category(codes, codes[::-1])], block=2).share == 0.0


def test_hundreds_of_categories_are_all_counted():
    # The first record differs from its own in 257 of 300, from the second in one more or less.
    def share(other):
        original = np.zeros((300, 2), dtype=int)
        original[:257, 0] = 1
        original[:other, 1] = 1
        protected = np.zeros((300, 2), dtype=int)
        protected[:, 1] = 7
        return linkage_share([category(*row) for row in zip(original, protected, strict=True)])

    # The second record is 300 from both and counts ½.
    assert share(258).share == pytest.approx(0.75)
    assert share(257).share == pytest.approx(0.5)
    assert share(256).share == pytest.approx(0.25)


@pytest.mark.parametrize("shuffled", [False, True])
def test_most_pairs_are_passed_by(monkeypatch, shuffled):
    compared = 0
    plain = module._Search._compare

    def counting(self, part, rows):
        nonlocal compared
        compared += len(part) * len(rows)
        plain(self, part, rows)

    monkeypatch.setattr(module._Search, "_compare", counting)
    small = np.random.default_rng(18).normal(0.0, 1e-3, 2000)  # no use to part the records by
    attributes = [number(small, small), *survey(2000, 12, noise=0.05)]
    if shuffled:  # the own record is far: another one is soon found to be nearer
        order = np.random.default_rng(8).permutation(2000)
        attributes = [LinkAttribute(a.kind, a.original, a.protected[order]) for a in attributes]
    linkage_share(attributes, block=64)
    assert 2000 < compared < 2000 * 2000 / 5


def test_distances_of_all_pairs_are_never_held():
    attributes = survey(12_000, 13)
    tracemalloc.start()
    try:
        linkage_share(attributes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6  # of 1,152e6 bytes


def test_a_sample_is_near_the_whole_and_says_so():
    attributes = survey(3000, 14)
    exact = linkage_share(attributes)
    found = linkage_share(attributes, most_products=600 * 3000, seed=1)
    assert (found.sampled, found.records) == (600, 3000)
    assert found.standard_error == pytest.approx(
        np.sqrt(exact.share * (1 - exact.share) / 600 * 0.8), rel=0.05
    )
    assert found.share != exact.share
    assert abs(found.share - exact.share) < 4 * found.standard_error
    assert exact.standard_error is None


def test_a_sample_depends_on_the_seed_and_not_on_row_order():
    attributes = survey(1000, 15)
    moved = rearranged(attributes, np.random.default_rng(16).permutation(1000))
    shares = [linkage_share(attributes, most_products=100_000, seed=s).share for s in range(6)]
    again = [linkage_share(moved, most_products=100_000, seed=s).share for s in range(6)]
    assert again == pytest.approx(shares)
    assert len(set(shares)) > 2


def test_samples_are_right_on_average():
    # Half of the records lie before and half after in value; the draw must favour neither.
    x = np.arange(200.0)
    protected = np.where(x < 60, x, x + 0.7)
    exact = linkage_share([number(x, protected)]).share
    assert exact == pytest.approx(61 / 200)
    drawn = [
        linkage_share([number(x, protected)], most_products=50 * 200, seed=s).share
        for s in range(60)
    ]
    assert np.mean(drawn) == pytest.approx(exact, abs=0.03)


def test_a_sample_has_at_least_two_records():
    found = linkage_share(survey(50, 17), most_products=1)
    assert found.sampled == 2
    assert found.standard_error is not None


def test_nothing_to_link():
    with pytest.raises(Undefined, match="no attribute"):
        linkage_share([])
    with pytest.raises(Undefined, match="no record"):
        linkage_share([number([], [])])
