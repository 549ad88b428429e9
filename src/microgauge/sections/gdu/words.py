"""What happened to variables, pairs and models, in the words of a methodologist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from microgauge.languages.messages import say, strung
from microgauge.results import (
    GDU,
    Assessment,
    ModelScore,
    PairScore,
    RecodingResult,
    VariableResult,
    VariableScore,
)
from microgauge.results.blocks import Figure, Group, Head, Headline, Sentence, Table
from microgauge.results.names import shortened
from microgauge.results.wording import (
    abridged,
    begun,
    counted,
    effect,
    figure,
    in_words,
    per_cent,
    probability,
)

MOST_VARIABLES = 8
MOST_PAIRS = 10
BRIEFLY, NAME_BRIEFLY = 3, 18
"""Variables and pairs that are told of where there is little room, and columns of a name there."""
CHANGED = 0.05
"""The p-value below which a distribution is said to be changed."""
AS_GOOD_AS_KEPT = 0.9995
PERMUTED = say("the original with every column permuted (no association left but by chance)")
RESAMPLE = say("a resample of the original")
TELLS_LITTLE = 0.1
"""A difference between the reference points below which the figure can tell little."""
NEAR = 0.05
"""By how much a file must exceed the permuted original to pass without a word."""
UNCHANGED = say("distribution kept")
"""Said only where it is exactly so."""
NOT_FOUND = say("no change of the distribution found")
EXACTLY = 1e-12
"""What arithmetic alone may leave of a statistic that is 0."""
SYMBOLS = {
    "chi-squared": "V²",
    "kruskal-wallis": "ε²",
    "anova": "η²",
    "spearman": "ρ²",
    "pearson": "r²",
}


def headline(gdu: GDU) -> Headline:
    """The figure and its halves."""
    return Headline(
        sentence=_verdict(gdu),
        figures=(
            Figure(
                label=say("Global data utility"),
                value=gdu.value,
                digits=4,
                explain="gdu",
                main=True,
            ),
            Figure(label=say("variables"), value=gdu.univariate, explain="univariate"),
            Figure(label=say("pairs"), value=gdu.bivariate, explain="bivariate"),
        ),
        lines=_lines(gdu),
        asides=_asides(gdu),
    )


def brief(gdu: GDU) -> list[tuple[str, str]]:
    """The figure, the weakest variables and pairs, in a line or two each."""
    return [(say("in all"), _in_all(gdu)), *_weakest_brief(gdu)]


def _in_all(gdu: GDU) -> str:
    if gdu.value is None:
        return say("Global data utility not defined: {reason}", reason=gdu.reason)
    said = say("Global data utility {value} (1 nothing lost, 0 all lost)", value=figure(gdu.value))
    beside = [
        say("{named} {value}", named=named, value=figure(one.value, 2))
        for named, one in (
            (say("shuffled variables"), gdu.permuted),
            (say("a fresh sample"), gdu.resample),
        )
        if one is not None and one.value is not None
    ]
    return say("{said}; {beside}", said=said, beside=strung(beside, ", ")) if beside else said


def _weakest_brief(gdu: GDU) -> list[tuple[str, str]]:
    variables, pairs = _weakest(gdu.variables)[:BRIEFLY], weakest_pairs(gdu.pairs)[:BRIEFLY]
    names = shortened([v.name for v in gdu.variables], NAME_BRIEFLY)
    told = []
    if variables:
        said = (
            say("{names} {utility}", names=names[v.name], utility=figure(v.utility, 2))
            for v in variables
        )
        told.append((say("weakest"), say("Distributions: {said}", said=strung(said, ", "))))
    if pairs:
        said = (
            say(
                "{names} × {names2} {utility}",
                names=names[p.a],
                names2=names[p.b],
                utility=figure(p.utility, 2),
            )
            for p in pairs
        )
        told.append(("" if told else say("weakest"), say("Pairs: {said}", said=strung(said, ", "))))
    return told


def _verdict(gdu: GDU) -> str | None:
    if gdu.value is None:
        return None
    said = say(
        "The protected file keeps {value} of its utility by this measure: {halves}.",
        value=per_cent(gdu.value),
        halves=in_words(_halves(gdu)),
    )
    return strung([said, *(say("{beside}.", beside=begun(beside)) for beside in _beside(gdu))], " ")


def _models_count(gdu: GDU) -> bool:
    """Whether models are a part of the figure."""
    return gdu.multivariate is not None and any(weight > 0 for weight in gdu.weights[2:])


def _halves(gdu: GDU) -> list[str]:
    """What the figure is made of."""
    found = []
    if gdu.univariate is not None:
        over = counted(_scored_variables(gdu), "variable")
        found.append(
            say(
                "{univariate} over the distributions of {over}",
                univariate=figure(gdu.univariate, 2),
                over=over,
            )
        )
    if gdu.bivariate is not None:
        over = counted(gdu.coverage.tested, "pair")
        found.append(
            say(
                "{bivariate} over the associations of {over}",
                bivariate=figure(gdu.bivariate, 2),
                over=over,
            )
        )
    if _models_count(gdu):
        over = counted(_scored_models(gdu), "model")
        found.append(
            say("{multivariate} over {over}", multivariate=figure(gdu.multivariate, 2), over=over)
        )
    return found


def _scored_variables(gdu: GDU) -> int:
    return sum(variable.utility is not None for variable in gdu.variables)


def _scored_models(gdu: GDU) -> int:
    return sum(model.utility is not None for model in gdu.models)


def _lines(gdu: GDU) -> tuple[Figure, ...]:
    tests = say(
        "distributions of {variables}", variables=counted(_scored_variables(gdu), "variable")
    )
    pairs = say("associations of {pairs}", pairs=counted(gdu.coverage.tested, "pair"))
    lines = [
        (say("Global data utility"), gdu.value, say("(1 nothing lost, 0 all lost)")),
        ("variables", gdu.univariate, tests),
        ("pairs", gdu.bivariate, pairs),
    ]
    if _models_count(gdu):
        said = say("mean of {models}", models=counted(_scored_models(gdu), "model"))
        lines.append(("models", gdu.multivariate, said))
    if gdu.grc is not None and gdu.grc < 1:
        said = say("with the global reduction coefficient {grc}", grc=figure(gdu.grc))
        lines.append((say("× reduction"), gdu.value_with_grc, said))
    return tuple(
        Figure(label=label, value=value, digits=4, said=said, main=place == 0)
        for place, (label, value, said) in enumerate(lines)
    )


def _asides(gdu: GDU) -> tuple[str, ...]:
    found = [say("not defined: {reason}", reason=gdu.reason)] if gdu.reason else []
    if gdu.test_n is not None:
        found.append(say("every test made as if from {test_n:,} units (test_n)", test_n=gdu.test_n))
    return (*found, *_beside(gdu))


def _beside(gdu: GDU) -> list[str]:
    """What the figure is to be held against."""
    found = []
    if gdu.at_1000 is not None and gdu.at_1000.value is not None:
        found.append(
            say(
                "with every test as if from 1,000 units it is {value} ({univariate} and "
                "{bivariate})",
                value=figure(gdu.at_1000.value),
                univariate=figure(gdu.at_1000.univariate, 2),
                bivariate=figure(gdu.at_1000.bivariate, 2),
            )
        )
    scored = [
        say("{named} {value}", named=named, value=figure(beside.value, 2))
        for named, beside in ((PERMUTED, gdu.permuted), (RESAMPLE, gdu.resample))
        if beside is not None and beside.value is not None
    ]
    if scored:
        over = say(" by variables and pairs") if _models_count(gdu) else ""
        found.append(
            say("to hold it against{over}: {scored}", over=over, scored=strung(scored, ", "))
        )
    return found


def warning(gdu: GDU) -> str | None:
    """A sentence where the figure says little: a file without associations would score like it."""
    if gdu.value is None or gdu.permuted is None or gdu.permuted.value is None:
        return None
    lost = say("{permuted} would score {value:.2f}", permuted=PERMUTED, value=gdu.permuted.value)
    best = None if gdu.resample is None else gdu.resample.value
    if best is not None and best - gdu.permuted.value < TELLS_LITTLE:
        return say(
            "The global data utility tells little here: {lost}, and {resample} "
            "{best:.2f}. The file has too few rows, or too few associations, for "
            "more.",
            lost=lost,
            resample=RESAMPLE,
            best=best,
        )
    if gdu.value - gdu.permuted.value < NEAR and not _models_count(gdu):
        return say(
            "By its global data utility the file scores {value:.2f}; {lost}.",
            value=gdu.value,
            lost=lost,
        )
    return None


def words(result: Assessment, gdu: GDU) -> list[Group]:
    """The weakest variables and pairs, models, and how much was tested."""
    parts = [
        _variables(result, gdu),
        missing(result),
        _pairs(gdu),
        _models(gdu),
        _coverage(gdu),
    ]
    return [part for part in parts if part is not None]


def _alone(text: str, name: str = "") -> Group:
    return Group(title="", name=name, blocks=(Sentence(text=text, level=0, hanging=True),))


def _variables(result: Assessment, gdu: GDU) -> Group:
    weakest = _weakest(gdu.variables)
    facts = {variable.name: variable for variable in result.variables}
    if not weakest:
        return _alone(_none_weak(gdu.variables, facts))
    table = Table(
        caption=say("Weakest variables"),
        heads=(
            Head(text="", most=18),
            Head(text=say("utility"), digits=3, width=7),
            Head(text=say("pairs"), digits=2, width=5),
            Head(text="p", width=7),
            Head(text=say("what happened")),
        ),
        rows=tuple(
            (
                score.name,
                score.utility,
                score.bivariate_utility,
                probability(score.p),
                _labelled(facts[score.name], variable_story(facts[score.name], score)),
            )
            for score in weakest
        ),
    )
    return Group(title=say("Weakest variables"), blocks=(table,))


def _labelled(fact: VariableResult, story: str) -> str:
    """A story that begins with what the variable is, where that is known."""
    return (
        story
        if fact.label is None
        else say("{label}: {story}", label=abridged(fact.label), story=story)
    )


def _none_weak(scores: Sequence[VariableScore], facts: Mapping[str, VariableResult]) -> str:
    """What holds where no variable lost anything that the tests see."""
    tested = [score for score in scores if score.utility is not None]
    if not tested:
        return say("No variable could be compared.")
    if len(tested) == len(scores) and all(same_distribution(facts[s.name], s) for s in scores):
        return say("Every variable's distribution is as it was.")
    untested = (
        say(" ({n} not tested)", n=len(scores) - len(tested)) if len(tested) < len(scores) else ""
    )
    return say(
        "No variable's distribution was found to differ from the original's{untested}.",
        untested=untested,
    )


def same_distribution(fact: VariableResult, score: VariableScore) -> bool:
    """Whether values and missing cells are distributed exactly as they were."""
    same_cells = fact.missing_protected == fact.missing_original
    same_values = score.statistic is not None and score.statistic < EXACTLY
    return fact.recoding is None and same_cells and same_values


def missing(result: Assessment) -> Group | None:
    """Suppression at random leaves distributions alone; it is shown whatever the scores."""
    more = [
        say(
            "{name} {missing_original:,} → {missing_protected:,}",
            name=v.name,
            missing_original=v.missing_original,
            missing_protected=v.missing_protected,
        )
        for v in result.variables
        if v.missing_protected is not None and v.missing_protected > v.missing_original
    ]
    return (
        _alone(say("More missing values: {more}", more=strung(more, "; ")), "missing")
        if more
        else None
    )


def _weakest(scores: Iterable[VariableScore]) -> list[VariableScore]:
    lost = [s for s in scores if s.utility is not None and s.utility < AS_GOOD_AS_KEPT]
    return sorted(lost, key=lambda s: s.utility or 0.0)[:MOST_VARIABLES]


def _pairs(gdu: GDU) -> Group | None:
    weakest = weakest_pairs(gdu.pairs)[:MOST_PAIRS]
    if not weakest:
        kept = say("No tested pair's association was found to differ from the original's.")
        return _alone(kept) if gdu.coverage.tested else None
    table = Table(
        caption=say("Weakest pairs"),
        heads=(Head(text="", most=28), Head(text=say("utility"), digits=3, width=7), Head(text="")),
        rows=tuple(
            (say("{a} × {b}", a=pair.a, b=pair.b), pair.utility, pair_story(pair))
            for pair in weakest
        ),
    )
    return Group(title=say("Weakest pairs, the strongest associations first"), blocks=(table,))


def weakest_pairs(pairs: Sequence[PairScore]) -> list[PairScore]:
    """Pairs that lost something, worst first; among equals, the strongest association first."""
    lost = [p for p in pairs if p.utility is not None and p.utility < AS_GOOD_AS_KEPT]
    return sorted(lost, key=lambda p: (p.utility or 0.0, -_strongest(p)))


def _strongest(pair: PairScore) -> float:
    return max(pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0)


def _models(gdu: GDU) -> Group | None:
    told: list[Sentence] = []
    for model in gdu.models:
        said = say(
            "utility {utility}: {model_story}",
            utility=figure(model.utility),
            model_story=model_story(model),
        )
        told += [
            Sentence(
                text=say("{kind}: {formula}", kind=model.kind, formula=model.formula), hanging=True
            ),
            Sentence(text=said, level=2),
        ]
    return Group(title=say("Models"), blocks=tuple(told)) if told else None


def _coverage(gdu: GDU) -> Group:
    coverage = gdu.coverage
    return Group(
        title=_tested(coverage.tested, coverage.pairs),
        blocks=tuple(
            Sentence(
                text=say("{count} not tested: {reason}", count=count, reason=reason), hanging=True
            )
            for reason, count in coverage.reasons.items()
        ),
    )


def _tested(tested: int, pairs: int) -> str:
    if pairs == 0:
        return say("Coverage: there is no pair of variables.")
    if pairs == 1:
        if tested:
            return say("Coverage: the one pair was tested.")
        return say("Coverage: the one pair was not tested.")
    return say("Coverage: {tested:,} of {pairs:,} pairs tested.", tested=tested, pairs=pairs)


def variable_story(fact: VariableResult, score: VariableScore) -> str:
    """What happened to a variable.

    Every part is a fact of the result: removal, recoding, suppressed cells, a changed distribution.
    """
    if fact.removed:
        return say("removed")
    if score.reason is not None and score.utility is None:
        return score.reason
    parts = [_recoding_story(fact.recoding)] if fact.recoding is not None else []
    added = (fact.missing_protected or 0) - fact.missing_original
    if added > 0:
        parts.append(counted(added, "more cell missing", "more cells missing"))
    if score.p is not None and score.p < CHANGED:
        parts.append(say("distribution changed"))
    elif not parts:
        parts.append(UNCHANGED if same_distribution(fact, score) else NOT_FOUND)
    return strung(parts, ", ")


def _recoding_story(recoding: RecodingResult) -> str:
    said = recoded_as(recoding)
    return (
        said
        if recoding.utility is None
        else say("{said}, keeps {utility}", said=said, utility=figure(recoding.utility, 2))
    )


def recoded_as(recoding: RecodingResult) -> str:
    """How values are released, and whether anybody said so."""
    return (
        say("{said} (inferred)", said=recoding.said)
        if recoding.how == "inferred"
        else recoding.said
    )


def pair_story(pair: PairScore) -> str:
    """What happened to a pair."""
    if pair.outcome is None:
        return say("not tested: {reason}", reason=pair.reason)
    if pair.outcome == "none":
        return say("no association before or after")
    if pair.outcome == "lost":
        if pair.p_protected is None:
            return say("lost: {before}, no test possible after", before=_before(pair))
        return say(
            "lost: {before}, gone after (p {p_protected})",
            before=_before(pair),
            p_protected=probability(pair.p_protected),
        )
    if pair.outcome == "gained":
        return say(
            "appeared: none before (p {p_original}), {symbol} {coefficient_protected} after",
            p_original=probability(pair.p_original),
            symbol=_symbol(pair, protected=True),
            coefficient_protected=effect(pair.coefficient_protected),
        )
    if pair.outcome == "reversed":
        return say(
            "{value}: {change_said}",
            value=say("reversed") if pair.signs_flipped else say("pattern changed"),
            change_said=change_said(pair),
        )
    return say("{strength}: {change_said}", strength=_strength(pair), change_said=change_said(pair))


def _symbol(pair: PairScore, *, protected: bool = False) -> str:
    test = pair.test_protected if protected else pair.test
    return SYMBOLS.get(test or "", "")


def _before(pair: PairScore) -> str:
    return say(
        "{symbol} {coefficient_original} before",
        symbol=_symbol(pair),
        coefficient_original=effect(pair.coefficient_original),
    )


def change_said(pair: PairScore) -> str:
    """The association before and after."""
    after = _symbol(pair, protected=True)
    after = "" if after == _symbol(pair) else say("{after} ", after=after)
    return say(
        "{symbol} {coefficient_original} → {after}{coefficient_protected}",
        symbol=_symbol(pair),
        coefficient_original=effect(pair.coefficient_original),
        after=after,
        coefficient_protected=effect(pair.coefficient_protected),
    )


def _strength(pair: PairScore) -> str:
    before, after = pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0
    if (pair.utility or 0.0) > 0.995:
        return say("as strong as it was")
    return say("weaker") if after < before else say("stronger")


def model_story(model: ModelScore) -> str:
    """What happened to a model."""
    if model.reason is not None:
        return model.reason
    lost = [term.term for term in model.terms if term.utility == 0]
    change = say(
        "{statistic_original} → {statistic_protected}",
        statistic_original=figure(model.statistic_original),
        statistic_protected=figure(model.statistic_protected),
    )
    return change + (say("; lost: {lost}", lost=strung(lost, ", ")) if lost else "")
