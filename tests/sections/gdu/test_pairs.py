"""Pairs: the three steps written out once more, in plain numpy and scipy, and compared.

The reference below shares no line with the package. It works on whole columns where the package
works on counts, so that the two can only agree by computing the same thing.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import lilliefors

from microgauge.measures.gdu.normality import (
    FAR,
    NEAR,
    distance_from_normal,
    is_normal,
    lilliefors_p,
)
from microgauge.measures.gdu.steps import significance, similarity
from microgauge.sections.gdu.words import headline, pair_story
from microgauge.values.levels import Levels, Weighing
from support.figures import assess, pair, score
from support.surveys import TYPES, make_survey, perturb, schema, types_of

DEMANDS = ["nominal", "ordinal", "not normal", "normal"]


# -- the reference -----------------------------------------------------------------------------


@dataclass
class Reference:
    """Both tables, and the original as it was recoded, with ordered categories as numbers."""

    original: pd.DataFrame
    protected: pd.DataFrame
    recoded: pd.DataFrame | None = None
    types: dict = field(default_factory=lambda: dict(TYPES))
    protected_types: dict = field(default_factory=dict)
    threshold: float = 0.05
    exclude: bool = False
    normality: bool = True
    missing_category: bool = False
    test_n: int | None = None

    seen: dict = field(default_factory=dict)

    def scale(self, frame, kind, name):
        """Place in the table of tests; found once for each column, since Lilliefors is slow."""
        if (id(frame), name) not in self.seen:
            self.seen[id(frame), name] = self.find_scale(frame, kind, name)
        return self.seen[id(frame), name]

    def find_scale(self, frame, kind, name):
        if kind != "continuous":
            return kind
        values = frame[name].dropna()
        if not self.normality or len(values) < 4 or values.nunique() < 2:
            return "not normal"
        p = lilliefors(values, dist="norm", pvalmethod="table")[1]
        return "normal" if p >= 0.05 else "not normal"

    def pair(self, a, b):
        """Outcome, utility, tests, p-values and coefficients of one pair; None: not counted."""
        kinds = self.types | self.protected_types
        before = [self.scale(self.original, self.types[n], n) for n in (a, b)]
        after = [self.scale(self.protected, kinds[n], n) for n in (a, b)]
        recoded = self.original if self.recoded is None else self.recoded
        base = {a: self.original[a], b: self.original[b]}
        if "nominal" in before + after and before != after:
            if self.exclude:
                return None
            for place, name in enumerate((a, b)):
                if after[place] == "nominal" and before[place] != "nominal":
                    base[name] = recoded[name]
            common = [min(pair, key=DEMANDS.index) for pair in zip(before, after, strict=True)]
            before = after = common
        tests = which_test(*before), which_test(*after)
        found = self.test(tests[0], base[a], base[b], before)
        other = self.test(tests[1], self.protected[a], self.protected[b], after)
        if found is None:
            return None
        p, c, _ = found
        facts = {"tests": tests, "p_original": p, "coefficient_original": c}
        significant = p < self.threshold, other is not None and other[0] < self.threshold
        if other is not None:
            facts |= {"p_protected": other[0], "coefficient_protected": other[1]}
        if significant == (False, False):
            return facts | {"outcome": "none", "utility": 1.0}
        if not all(significant):
            return facts | {"outcome": "lost" if significant[0] else "gained", "utility": 0.0}
        turned = self.test(tests[1], recoded[a], recoded[b], after)
        if turned is not None and opposite(turned[2], other[2]):
            return facts | {"outcome": "reversed", "utility": 0.0}
        largest = max(c, other[1])
        utility = 1.0 if largest == 0 else 1 - abs(c - other[1]) / largest
        return facts | {"outcome": "kept", "utility": utility}

    def test(self, test, a, b, scales):
        """p, squared coefficient, and the direction: a sign, or the MSDs per unit."""
        if test in ("kruskal-wallis", "anova") and scales[0] != "nominal":
            a, b = b, a
        if test == "chi-squared" and self.missing_category:
            a, b = (column.astype(object).where(column.notna(), "gone") for column in (a, b))
        here = (a.notna() & b.notna()).to_numpy()
        a, b = a[here].reset_index(drop=True), b[here].reset_index(drop=True)
        if len(a) < 3 or a.nunique() < 2 or b.nunique() < 2:
            return None
        if test == "chi-squared":
            return self.chi_squared(a, b)
        if test in ("kruskal-wallis", "anova"):
            return self.groups(test, a, b.astype(float))
        return self.correlation(test, a.astype(float), b.astype(float))

    def units(self, n):
        return n if self.test_n is None else min(n, self.test_n)

    def chi_squared(self, a, b):
        table = pd.crosstab(a, b)
        n, (height, width) = len(a), table.shape
        found = stats.chi2_contingency(table, correction=False)
        p = found.pvalue
        if self.test_n is not None:
            p = stats.chi2.sf(found.statistic / n * self.units(n), (height - 1) * (width - 1))
        residuals = (table - found.expected_freq) / np.sqrt(found.expected_freq) / np.sqrt(n)
        return p, found.statistic / n / (min(height, width) - 1), residuals.stack()

    def groups(self, test, a, b):
        n = len(a)
        parts = [b[a == group] for group in a.unique()]
        if test == "kruskal-wallis":
            found = stats.kruskal(*parts)
            effect = found.statistic * (n + 1) / (n**2 - 1)
            p = found.pvalue
            if self.test_n is not None:
                p = stats.chi2.sf((self.units(n) - 1) * effect, len(parts) - 1)
            scores = pd.Series(stats.rankdata(b)) / (n + 1)
        else:
            found = stats.f_oneway(*parts)
            between = sum(len(part) * (part.mean() - b.mean()) ** 2 for part in parts)
            effect = between / ((b - b.mean()) ** 2).sum()
            p = found.pvalue
            if self.test_n is not None:
                within = self.units(n) - len(parts)
                ratio = effect / (len(parts) - 1) / ((1 - effect) / within)
                p = stats.f.sf(ratio, len(parts) - 1, within)
            scores = b
        deviation = scores.groupby(a).mean() - scores.mean()
        share = scores.groupby(a).size() / n
        return p, effect, share * deviation**2 * np.sign(deviation)

    def correlation(self, test, a, b):
        found = stats.spearmanr(a, b) if test == "spearman" else stats.pearsonr(a, b)
        r, p = found.statistic, found.pvalue
        if self.test_n is not None:
            freedom = self.units(len(a)) - 2
            p = 2 * stats.t.sf(abs(r) * np.sqrt(freedom / (1 - r**2)), freedom)
        return p, r**2, np.sign(r)


def which_test(a, b):
    if a == b == "nominal":
        return "chi-squared"
    if "nominal" in (a, b):
        return "anova" if "normal" in (a, b) else "kruskal-wallis"
    return "pearson" if a == b == "normal" else "spearman"


def opposite(before, after):
    """Step 2. Cells or groups that one side lacks count as 0."""
    if np.isscalar(before):
        return before != after
    before, after = before.align(after, fill_value=0.0)
    return (before - after).abs().sum() - before.abs().sum() > 0


def assert_pairs(result, reference, names=None):
    """Every pair of the result is what the reference says."""
    names = list(reference.original) if names is None else names
    outcomes = []
    for a, b in combinations(names, 2):
        found, expected = pair(result, a, b), reference.pair(a, b)
        if expected is None:
            assert found.utility is None, (a, b)
            assert found.reason
            outcomes.append(None)
            continue
        assert (found.test, found.test_protected) == expected["tests"], (a, b)
        for fact in ("p_original", "p_protected", "coefficient_original", "coefficient_protected"):
            if fact not in expected:
                assert getattr(found, fact) is None
                continue
            value = getattr(found, fact)
            assert value == pytest.approx(expected[fact], rel=1e-9, abs=1e-300), (a, b, fact)
        assert found.outcome == expected["outcome"], (a, b)
        assert found.utility == pytest.approx(expected["utility"], rel=1e-9, abs=1e-12), (a, b)
        outcomes.append(found.outcome)
    return outcomes


# -- every test and every outcome ----------------------------------------------------------------


@pytest.mark.parametrize("strength", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_all_pairs_of_a_perturbed_survey(route, strength, missing):
    original = make_survey(300, seed=3, missing=missing)
    protected = perturb(original, strength, seed=9)
    if missing:
        protected.loc[protected.index % 7 == 0, ["income", "region", "height"]] = None
    result = assess(original, protected, schema=schema())
    outcomes = assert_pairs(result, Reference(original, protected))
    assert {"kept", "none"} <= set(outcomes)


def test_the_survey_meets_every_test(survey):
    result = assess(survey, survey, schema=schema())
    assert {p.test for p in result.gdu.pairs} == {
        "chi-squared",
        "kruskal-wallis",
        "anova",
        "spearman",
        "pearson",
    }


@pytest.mark.parametrize("seed", range(3))
def test_tables_of_other_rows(route, seed):
    # Synthetic data: other units, other numbers of rows, no alignment.
    original, protected = make_survey(260, seed), make_survey(150, seed + 50, missing=0.05)
    result = assess(original, protected, schema=schema())
    assert_pairs(result, Reference(original, protected))


def test_all_outcomes_occur(route):
    rng = np.random.default_rng(8)
    x = rng.normal(size=200)
    original = pd.DataFrame(
        {"a": x, "b": x + rng.normal(size=200), "c": rng.normal(size=200), "d": -(x**3)}
    )
    protected = pd.DataFrame(
        {"a": x, "b": rng.permutation(original["b"]), "c": x + original["c"], "d": x**3}
    )
    said = {name: {"type": "continuous"} for name in "abcd"}
    result = assess(original, protected, schema={"variable": said})
    types = dict.fromkeys("abcd", "continuous")
    outcomes = assert_pairs(result, Reference(original, protected, types=types))
    assert pair(result, "a", "b").outcome == "lost"
    assert pair(result, "a", "c").outcome == "gained"
    assert pair(result, "a", "d").outcome == "reversed"
    assert pair(result, "a", "d").signs_flipped
    assert set(outcomes) >= {"lost", "gained", "reversed"}


def test_large_tables_are_scored_from_sums(monkeypatch):
    # 3,000 × 3,000 distinct values: no table, whatever the limits are.
    original = make_survey(3000, seed=6, missing=0.02)
    protected = perturb(original, 0.4, seed=1)
    names = ["region", "education", "income", "score", "height"]
    result = assess(original[names], protected[names], schema=types_of(original[names]))
    assert_pairs(result, Reference(original[names], protected[names]))


def test_numbers_far_from_zero_lose_no_digits(route):
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    original = pd.DataFrame({"a": 1e7 + x, "b": 1e7 + x + rng.normal(size=300)})
    original["g"] = np.where(x + rng.normal(size=300) > 0, "u", "v")
    protected = original.assign(a=original["a"] + rng.normal(size=300) * 0.1)
    said = {"a": {"type": "continuous"}, "b": {"type": "continuous"}, "g": {"type": "nominal"}}
    result = assess(original, protected, schema={"variable": said})
    types = {name: entry["type"] for name, entry in said.items()}
    for name in ("a", "b"):
        original[name] -= 1e7
        protected[name] -= 1e7
    reference = Reference(original, protected, types=types)
    for a, b in combinations("abg", 2):
        found, expected = pair(result, a, b), reference.pair(a, b)
        assert found.p_original == pytest.approx(expected["p_original"], rel=1e-6)
        assert found.utility == pytest.approx(expected["utility"], rel=1e-6)


# -- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.01, 0.2])
def test_threshold(survey, threshold):
    protected = perturb(survey, 0.5)
    result = assess(survey, protected, schema=schema(threshold=threshold))
    assert_pairs(result, Reference(survey, protected, threshold=threshold))
    assert result.gdu.threshold == threshold


def test_a_p_at_the_threshold_is_above_it():
    assert significance(0.05, 0.05, 0.05).outcome == "none"
    assert significance(0.049, 0.05, 0.05).outcome == "lost"
    assert significance(0.05, 0.049, 0.05).outcome == "gained"
    assert significance(0.049, 0.049, 0.05) is None


def test_similarity_by_hand():
    assert similarity(0.5, 0.2) == pytest.approx(0.4)
    assert similarity(0.2, 0.5) == pytest.approx(0.4)
    assert similarity(0.0, 0.0) == 1.0
    assert similarity(0.3, 0.0) == 0.0


def test_no_normality(survey):
    protected = perturb(survey, 0.3)
    result = assess(survey, protected, schema=schema(normality=False))
    assert_pairs(result, Reference(survey, protected, normality=False))
    assert not {"anova", "pearson"} & {p.test for p in result.gdu.pairs}


def test_declared_normality_holds_on_both_sides(survey):
    protected = perturb(survey, 0.3)
    said = {name: {"normal": True} for name in ("age", "income", "score", "height")}
    result = assess(survey, protected, schema=schema(said))
    found = pair(result, "age", "income")
    assert (found.test, found.test_protected) == ("pearson", "pearson")
    expected = stats.pearsonr(survey["age"], survey["income"])
    assert found.p_original == pytest.approx(expected.pvalue, rel=1e-9)
    assert pair(result, "region", "income").test == "anova"
    said["income"]["normal"] = False
    assert pair(assess(survey, protected, schema=schema(said)), "age", "income").test == "spearman"


def test_missing_as_a_category(route, holey):
    protected = perturb(holey, 0.2)
    protected.loc[protected["sex"] == 1, "region"] = None  # missingness that means something
    result = assess(holey, protected, schema=schema(missing="category"))
    assert_pairs(result, Reference(holey, protected, missing_category=True))
    assert pair(result, "region", "sex").n_original == len(holey)
    both = holey["region"].notna() & holey["age"].notna()
    assert pair(result, "region", "age").n_original == both.sum()


def test_as_if_fewer_units(route):
    original = make_survey(500, seed=11, missing=0.05)
    protected = perturb(original, 0.4)
    # Normality is a test too, which test_n weakens; it is kept out of this comparison.
    result = assess(original, protected, schema=schema(test_n=120, normality=False))
    assert_pairs(result, Reference(original, protected, test_n=120, normality=False))


def test_as_if_fewer_units_with_normal_variables(survey):
    protected = perturb(survey, 0.3)
    names = ["region", "sex", "score", "height"]
    said = types_of(survey[names], test_n=80)
    for name in ("score", "height"):
        said["variable"][name]["normal"] = True
    result = assess(survey[names], protected[names], schema=said)
    reference = Reference(survey[names], protected[names], test_n=80)
    assert reference.scale(survey, "continuous", "score") == "normal"  # as declared
    assert reference.scale(protected, "continuous", "score") == "normal"
    assert_pairs(result, reference)


def test_more_cells_than_test_n_give_null():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({n: rng.choice(list("abcde"), 200) for n in ("u", "v")})
    frame["x"] = rng.normal(size=200)
    kept = assess(frame, frame, schema={"options": {"test_n": 25, "normality": False}})
    assert pair(kept, "u", "v").utility is not None
    result = assess(frame, frame, schema={"options": {"test_n": 24, "normality": False}})
    assert pair(result, "u", "v").utility is None
    assert "test_n" in pair(result, "u", "v").reason
    assert pair(result, "u", "x").utility is not None  # five groups only
    fewer = assess(frame, frame, schema={"options": {"test_n": 4, "normality": False}})
    assert pair(fewer, "u", "x").utility is None
    assert fewer.gdu.coverage.tested == 0


def test_test_n_above_the_size_changes_pairs_nothing(survey):
    protected = perturb(survey, 0.3)
    plain = assess(survey, protected, schema=schema())
    large = assess(survey, protected, schema=schema(test_n=10_000))
    for a, b in combinations(survey, 2):
        assert pair(large, a, b).p_original == pytest.approx(pair(plain, a, b).p_original, rel=1e-9)
        assert pair(large, a, b).outcome == pair(plain, a, b).outcome


# -- recoded variables and changed types ---------------------------------------------------------


BREAKS = [18, 30, 45, 60, 75]
BANDS = ["18-29", "30-44", "45-59", "60-74", "75+"]


def recoded_survey(seed=5, missing=0.0, noise=0.25):
    """Ages banded, schooling merged, incomes as unordered words, scores no longer normal."""
    original = make_survey(500, seed, missing)
    original["size"] = np.random.default_rng(seed).poisson(2 + 0.04 * original["age"].fillna(50))
    recoded = original.copy()
    recoded["age"] = pd.cut(original["age"], [*BREAKS, np.inf], right=False, labels=False)
    recoded["education"] = original["education"].map({1: 1, 2: 1, 3: 3, 4: 3, 5: 5, 6: 5})
    words = {n: "few" if n < 3 else "middling" if n < 6 else "many" for n in range(60)}
    recoded["size"] = original["size"].map(words)
    protected = recoded.copy()
    rng = np.random.default_rng(seed + 1)
    # Some bands and words are wrong, and scores get noise with heavy tails.
    for name in ("age", "education", "size", "region"):
        wrong = rng.random(len(protected)) < noise
        protected.loc[wrong, name] = rng.permutation(protected.loc[wrong, name].to_numpy(copy=True))
    protected["score"] = original["score"] + 4 * rng.standard_t(1.3, size=len(protected))
    shown = protected.copy()
    shown["age"] = protected["age"].map(dict(enumerate(BANDS)))
    said = schema(
        {
            "age": {"recode": {"breaks": BREAKS, "labels": BANDS}},
            "education": {
                "recode": {"map": {"1": 1, "2": 1, "3": 3, "4": 3, "5": 5, "6": 5}},
            },
            "size": {
                "type": "continuous",
                "recode": {"map": {str(n): word for n, word in words.items()}},
            },
        }
    )
    reference = Reference(
        original,
        protected,
        recoded,
        types=TYPES | {"size": "continuous"},
        protected_types={"age": "ordinal", "size": "nominal"},
    )
    return original, shown, said, reference


@pytest.mark.parametrize("missing", [0.0, 0.08])
@pytest.mark.parametrize("noise", [0.0, 0.25, 0.9])
def test_recoded_and_changed_types(route, missing, noise):
    original, shown, said, reference = recoded_survey(missing=missing, noise=noise)
    said["options"] = {"normality": False}
    reference.normality = False
    result = assess(original, shown, schema=said)
    types = {v.name: (v.type, v.protected_type) for v in result.variables}
    assert types["age"] == ("continuous", "ordinal")
    assert types["size"] == ("continuous", "nominal")
    outcomes = assert_pairs(result, reference)
    assert "kept" in outcomes


def test_normal_becomes_not_normal(route):
    original, shown, said, reference = recoded_survey()
    names = [name for name in original if name != "size"]
    del said["variable"]["size"]
    assert reference.scale(original, "continuous", "score") == "normal"
    assert reference.scale(shown, "continuous", "score") == "not normal"
    result = assess(original[names], shown[names], schema=said)
    assert_pairs(result, reference, names)
    # Beside a nominal variable the less demanding test holds on both sides …
    assert pair(result, "region", "score").test == "kruskal-wallis"
    # … and elsewhere each side is tested as its own users would.
    found = pair(result, "score", "height")
    assert (found.test, found.test_protected) == ("pearson", "spearman")


def test_unordered_categories_beside_a_normal_number():
    # "Kruskal–Wallis twice with the categories as groups beside another", normal or not.
    original, shown, said, _ = recoded_survey(noise=0.0)
    names = ["size", "height"]
    said["variable"] = {name: said["variable"][name] for name in names}
    result = assess(original[names], shown[names], schema=said)
    found = pair(result, "size", "height")
    assert (found.test, found.test_protected) == ("kruskal-wallis", "kruskal-wallis")


def test_unordered_categories_of_an_unknown_recoding_are_not_counted():
    original, shown, said, _ = recoded_survey(noise=0.0)
    del said["variable"]["size"]["recode"]
    said["options"] = {"aligned": False}
    result = assess(original, shown, schema=said)
    pairs = [p for p in result.gdu.pairs if "size" in (p.a, p.b)]
    assert all(p.utility is None and p.reason for p in pairs)


def test_changed_types_excluded(route):
    original, shown, said, reference = recoded_survey()
    said["options"] = {"changed_types": "exclude"}
    reference.exclude = True
    result = assess(original, shown, schema=said)
    outcomes = assert_pairs(result, reference)
    # size beside all eight others; age and score beside region and sex.
    assert outcomes.count(None) == 8 + 4
    assert result.gdu.coverage.tested == 36 - 12
    assert score(result, "size").bivariate_utility is None


def test_a_variable_without_a_possible_pair_is_left_out_of_the_mean():
    original, shown, said, _ = recoded_survey()
    said["options"] = {"changed_types": "exclude"}
    result = assess(original, shown, schema=said)
    means = [v.bivariate_utility for v in result.gdu.variables if v.name != "size"]
    assert result.gdu.bivariate == pytest.approx(np.mean(means), rel=1e-12)


def test_direction_is_that_of_the_recoded_original():
    # The original's groups go up and down within each band; after banding only the fall is left.
    rng = np.random.default_rng(0)
    group = np.repeat(["a", "b", "c", "d"], 100)
    x = np.repeat([1.0, 9.0, 8.0, 2.0], 100) + rng.normal(size=400)
    original = pd.DataFrame({"g": group, "x": x})
    protected = pd.DataFrame({"g": np.where(np.isin(group, ["a", "b"]), "ab", "cd"), "x": -x})
    mapping = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
    said = {
        "g": {"type": "nominal", "recode": {"map": mapping}},
        "x": {"type": "continuous", "normal": False},
    }
    result = assess(original, protected, schema={"variable": said})
    recoded = original.assign(g=original["g"].map(mapping))
    types = {"g": "nominal", "x": "continuous"}
    reference = Reference(original, protected, recoded, types=types, normality=False)
    assert_pairs(result, reference)


# -- what the direction rule does ----------------------------------------------------------------


def two_by_two(a, b, c, d):
    return pd.DataFrame(
        {
            "u": ["x"] * (a + b) + ["y"] * (c + d),
            "v": ["p"] * a + ["q"] * b + ["p"] * c + ["q"] * d,
        }
    )


def test_a_reversed_table():
    result = assess(two_by_two(70, 30, 30, 70), two_by_two(30, 70, 70, 30))
    found = result.gdu.pairs[0]
    assert (found.outcome, found.utility, found.signs_flipped) == ("reversed", 0.0, True)


def test_an_association_more_than_doubled_counts_as_reversed_without_flipped_signs():
    result = assess(two_by_two(60, 40, 40, 60), two_by_two(75, 25, 25, 75))
    found = result.gdu.pairs[0]
    assert (found.outcome, found.utility, found.signs_flipped) == ("reversed", 0.0, False)


APART = {"options": {"aligned": False}}


def residuals(table):
    shares = pd.crosstab(table["u"], table["v"]).to_numpy() / len(table)
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return (shares - expected) / np.sqrt(expected)


@pytest.mark.parametrize("seed", range(12))
def test_signs_are_flipped_where_most_of_the_weight_flipped(seed):
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(2):
        cells = rng.dirichlet(np.ones(12) * 0.7).reshape(3, 4) * 0.9 + 0.1 / 12
        drawn = rng.choice(12, 600, p=cells.ravel() / cells.sum())
        tables.append(
            pd.DataFrame({"u": [f"u{i}" for i in drawn // 4], "v": [f"v{i}" for i in drawn % 4]})
        )
    found = assess(*tables, schema=APART).gdu.pairs[0]
    before, after = (residuals(table) for table in tables)
    product = before * after
    flipped = -product[product < 0].sum() > 0.5 * np.abs(product).sum()
    assert found.signs_flipped == flipped
    turned = np.abs(before - after).sum() > np.abs(before).sum()
    assert (found.outcome == "reversed") == turned
    if turned:
        assert pair_story(found).startswith("reversed: V²" if flipped else "pattern changed: V²")


def test_many_small_cells_of_the_other_sign_do_not_reverse():
    # Four large cells keep the association; as many small ones flip a little.
    def table(*rows):
        return pd.DataFrame(
            [
                (f"u{i}", f"v{j}")
                for i, row in enumerate(rows)
                for j, n in enumerate(row)
                for _ in range(n)
            ],
            columns=["u", "v"],
        )

    before = table((200, 100, 31, 29), (100, 200, 29, 31))
    after = table((200, 100, 29, 31), (100, 200, 31, 29))
    product = residuals(before) * residuals(after)
    assert (product < 0).sum() == (product > 0).sum() == 4
    assert assess(before, after, schema=APART).gdu.pairs[0].signs_flipped is False


def test_an_association_less_than_doubled_is_kept():
    result = assess(two_by_two(60, 40, 40, 60), two_by_two(69, 31, 31, 69))
    found = result.gdu.pairs[0]
    # V² = 0.2² and 0.38².
    assert (found.outcome, found.signs_flipped) == ("kept", False)
    assert found.utility == pytest.approx(0.2**2 / 0.38**2)


def test_a_file_three_times_as_long_is_not_reversed(route, survey):
    result = assess(survey, pd.concat([survey] * 3), schema=schema(normality=False))
    assert "reversed" not in {p.outcome for p in result.gdu.pairs}
    kept = [p for p in result.gdu.pairs if p.outcome == "kept"]
    assert len(kept) > 10
    assert [p.utility for p in kept] == pytest.approx([1.0] * len(kept), rel=1e-9)


def test_a_third_of_the_file_is_tested_per_unit(survey):
    sample = survey.iloc[::3]
    result = assess(survey, sample, schema=schema())
    assert_pairs(result, Reference(survey, sample))


def test_groups_that_one_side_lacks_count_as_zero(route):
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"g": rng.choice(list("abcd"), 300)})
    original["x"] = original["g"].map({"a": 0.0, "b": 1.0, "c": 2.0, "d": 4.0}) + rng.normal(
        size=300
    )
    original["h"] = np.where(rng.random(300) < 0.3, "z", original["g"])
    protected = original[original["g"] != "d"]
    said = {"g": {"type": "nominal"}, "h": {"type": "nominal"}, "x": {"type": "continuous"}}
    for normal in (True, False):
        said["x"]["normal"] = normal
        result = assess(original, protected, schema={"variable": said})
        types = {name: entry["type"] for name, entry in said.items()}
        reference = Reference(original, protected, types=types)
        if normal:
            reference.scale = lambda frame, kind, name: "normal" if kind == "continuous" else kind
        else:
            reference.normality = False
        assert_pairs(result, reference)


# -- pairs that cannot be tested -----------------------------------------------------------------


def test_constant_in_the_original_is_not_counted(survey):
    original = survey.assign(sex=1)
    result = assess(original, perturb(survey, 0.1), schema=schema())
    for name in set(survey) - {"sex"}:
        found = pair(result, "sex", name)
        assert (found.outcome, found.utility) == (None, None)
        assert "constant" in found.reason
    assert score(result, "sex").bivariate_utility is None
    assert result.gdu.coverage.tested == 21
    assert sum(result.gdu.coverage.reasons.values()) == 7
    others = [v.bivariate_utility for v in result.gdu.variables if v.name != "sex"]
    assert result.gdu.bivariate == pytest.approx(np.mean(others))


def test_constant_in_the_protected_table_counts_as_not_significant(survey):
    protected = survey.assign(education=3)
    result = assess(survey, protected, schema=schema())
    assert_pairs(result, Reference(survey, protected))
    outcomes = {p.outcome for p in result.gdu.pairs if "education" in (p.a, p.b)}
    assert outcomes <= {"lost", "none"}
    assert "lost" in outcomes
    assert all(p.reason for p in result.gdu.pairs if "education" in (p.a, p.b))


@pytest.mark.parametrize("side", ["original", "protected"])
def test_fewer_than_three_complete_units(side):
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    full = pd.DataFrame({"a": x, "b": x + rng.normal(size=40) * 0.1})
    thin = full.copy()
    thin.loc[2:19, "a"] = np.nan
    thin.loc[20:, "b"] = np.nan
    tables = (thin, full) if side == "original" else (full, thin)
    said = {name: {"type": "continuous"} for name in "ab"}
    found = assess(*tables, schema={"variable": said}).gdu.pairs[0]
    if side == "original":
        assert found.utility is None
    else:
        assert (found.outcome, found.utility) == ("lost", 0.0)
    assert "three" in found.reason


def test_three_complete_units_are_enough():
    original = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 2.5, 0.0]})
    said = {name: {"type": "continuous", "normal": True} for name in "ab"}
    found = assess(original, original, schema={"variable": said}).gdu.pairs[0]
    assert found.p_original == pytest.approx(
        stats.pearsonr(original["a"], original["b"]).pvalue, rel=1e-9
    )


# -- one figure ----------------------------------------------------------------------------------


def by_hand(result, names, importance, balance=(0.5, 0.5)):
    """The outer means from the scores of variables and pairs."""
    weights = np.array([importance.get(name, 1.0) for name in names])
    univariate = np.average([score(result, n).utility for n in names], weights=weights)
    own = []
    for name in names:
        utilities = [p.utility for p in result.gdu.pairs if name in (p.a, p.b)]
        utilities = [u for u in utilities if u is not None]
        own.append(np.mean(utilities) if utilities else 0.0)
    return univariate, np.average(own, weights=weights), balance


@pytest.mark.parametrize("balance", [(0.5, 0.5), (0.8, 0.2), (0.0, 1.0)])
def test_the_figure_from_its_parts(survey, balance):
    importance = {"age": 3.0, "region": 0.5}
    said = schema({n: {"importance": w} for n, w in importance.items()}, balance=list(balance))
    protected = perturb(survey, 0.5).drop(columns="health")
    result = assess(survey, protected, schema=said)
    univariate, bivariate, _ = by_hand(result, list(survey), importance)
    assert result.gdu.univariate == pytest.approx(univariate, rel=1e-12)
    assert result.gdu.bivariate == pytest.approx(bivariate, rel=1e-12)
    expected = balance[0] * univariate + balance[1] * bivariate
    assert result.gdu.value == pytest.approx(expected, rel=1e-12)
    assert result.gdu.weights == pytest.approx(balance)


MODEL = {"kind": "linear", "formula": "income ~ age + height"}


def test_models_count_by_the_third_weight(survey):
    protected = perturb(survey, 0.3)
    plain = assess(survey, protected, schema={**schema(), "model": [MODEL]}).gdu
    assert plain.multivariate == plain.models[0].utility
    assert plain.value == pytest.approx((plain.univariate + plain.bivariate) / 2)
    said = {**schema(balance=[0.25, 0.25, 0.5]), "model": [MODEL]}
    found = assess(survey, protected, schema=said)
    parts = (plain.univariate, plain.bivariate, plain.multivariate)
    assert found.gdu.value == pytest.approx(np.dot(parts, (0.25, 0.25, 0.5)))
    assert f"{plain.multivariate:.2f} over 1 model." in headline(found.gdu).sentence
    assert "mean of 1 model" in str(found)


def test_a_weight_of_models_without_models_goes_to_the_others(survey):
    protected = perturb(survey, 0.3)
    plain = assess(survey, protected, schema=schema()).gdu
    found = assess(survey, protected, schema=schema(balance=[0.25, 0.25, 0.5])).gdu
    assert found.value == pytest.approx(plain.value)
    assert "multivariate" in found.reason


def test_importance_does_not_weight_a_variables_own_mean(survey):
    protected = perturb(survey, 0.5)
    plain = assess(survey, protected, schema=schema())
    heavy = assess(survey, protected, schema=schema({"age": {"importance": 50.0}}))
    for name in survey:
        assert score(heavy, name).bivariate_utility == score(plain, name).bivariate_utility
    # With all the weight on one variable the mean is nearly that variable's own.
    own = score(plain, "age").bivariate_utility
    assert abs(heavy.gdu.bivariate - own) < abs(plain.gdu.bivariate - own)


def test_restricted_pairs(survey):
    protected = perturb(survey, 0.5)
    wanted = [["score", "age"], ["age", "region"]]
    result = assess(survey, protected, schema=schema(pairs=wanted))
    found = {frozenset((p.a, p.b)) for p in result.gdu.pairs}
    assert found == {frozenset(p) for p in wanted}
    whole = assess(survey, protected, schema=schema())
    first, second = pair(whole, "score", "age").utility, pair(whole, "age", "region").utility
    assert score(result, "age").bivariate_utility == pytest.approx((first + second) / 2)
    assert score(result, "income").bivariate_utility is None
    expected = ((first + second) / 2 + first + second) / 3
    assert result.gdu.bivariate == pytest.approx(expected, rel=1e-12)
    assert result.gdu.univariate == whole.gdu.univariate


def test_a_removed_variable_is_missing_from_the_means_of_others(survey):
    protected = perturb(survey, 0.5)
    whole = assess(survey, protected, schema=schema())
    result = assess(survey, protected.drop(columns="age"), schema=schema())
    for name in set(survey) - {"age"}:
        others = [
            p.utility for p in whole.gdu.pairs if name in (p.a, p.b) and "age" not in (p.a, p.b)
        ]
        assert score(result, name).bivariate_utility == pytest.approx(np.mean(others))
    assert score(result, "age").bivariate_utility == 0.0


def test_coverage_counts_all_pairs(survey):
    result = assess(survey, survey.drop(columns=["age", "sex"]), schema=schema())
    coverage = result.gdu.coverage
    assert (coverage.pairs, coverage.tested) == (28, 15)
    assert sum(coverage.reasons.values()) == 13


# -- normality -----------------------------------------------------------------------------------


def levels(values):
    keys, counts = np.unique(values, return_counts=True)
    rows = np.append(counts, 0)
    return Levels(keys, Weighing(rows, rows.astype(float), rows.astype(float)))


@pytest.mark.parametrize("size", [4, 5, 9, 30, 120, 700, 5000])
def test_lilliefors_is_that_of_statsmodels(size):
    rng = np.random.default_rng(size)
    for sample in (
        rng.normal(size=size),
        rng.normal(size=size).round(1),
        rng.exponential(size=size),
        rng.uniform(size=size),
        rng.standard_t(4, size=size),
    ):
        statistic, expected = lilliefors(sample, dist="norm", pvalmethod="table")
        distance = distance_from_normal(levels(sample))
        assert distance == pytest.approx(statistic, rel=1e-9)
        assert lilliefors_p(distance, size) == pytest.approx(expected, rel=1e-9)
        assert is_normal(levels(sample)) == (expected >= 0.05)


@pytest.mark.parametrize("size", [*range(4, 60), 100, 300, 301, 899, 1000, 10**4, 10**6, 10**8])
def test_the_table_need_only_be_asked_between(size):
    assert lilliefors_p(NEAR / size**0.5, size) >= 0.05 > lilliefors_p(FAR / size**0.5, size)


def test_too_few_or_constant_is_not_normal():
    assert not is_normal(levels([1.0, 2.0, 3.0]))
    assert not is_normal(levels([2.0] * 50))
    assert is_normal(levels([1.0, 2.0, 3.0, 4.0]))
