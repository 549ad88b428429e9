"""Tables of many pairs with few counts: three axes counted together answer three pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from microgauge.passes.batch import Axis, Facts
from microgauge.passes.tables import Crosstab, Cube, Layers, SparseCrosstab

SMALL_CUBE = 1 << 12
"""Cells up to which three axes are counted together."""

AxisPair = tuple[Axis, Axis]
TablePass = Crosstab | SparseCrosstab | Cube


def covering(pairs: Sequence[AxisPair]) -> dict[AxisPair, Crosstab | Cube]:
    """A question for every pair of axes, of which small ones share counts."""
    axes = list(dict.fromkeys(axis for pair in pairs for axis in pair))
    place = {axis: i for i, axis in enumerate(axes)}
    sizes = [axis.size + 1 for axis in axes]
    edges = [_edge(place[a], place[b]) for a, b in pairs]
    left = set(edges)
    found: dict[tuple[int, int], Crosstab | Cube] = {}
    for (a, b), edge in zip(pairs, edges, strict=True):
        if edge in found:
            continue
        third = _third(edge, sizes, left)
        if third is None:
            found[edge] = Crosstab(a, b)
            left.discard(edge)
            continue
        covered = (edge, _edge(edge[0], third), _edge(edge[1], third))
        found |= dict.fromkeys(covered, Cube(a, b, axes[third]))
        left.difference_update(covered)
    return {pair: found[edge] for pair, edge in zip(pairs, edges, strict=True)}


def _edge(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _third(edge: tuple[int, int], sizes: Sequence[int], left: set[tuple[int, int]]) -> int | None:
    """An axis that is still wanted with both of a pair and makes a small table with them."""
    cells = sizes[edge[0]] * sizes[edge[1]]
    if 2 * cells > SMALL_CUBE:
        return None
    others: Iterable[int] = (
        other
        for other, size in enumerate(sizes)
        if cells * size <= SMALL_CUBE
        and other not in edge
        and _edge(edge[0], other) in left
        and _edge(edge[1], other) in left
    )
    return next(iter(others), None)


def crosstab_in(facts: Facts, question: Crosstab | Cube, a: Axis, b: Axis) -> Layers:
    """The table of two axes from the answer that covers them."""
    answer: Layers = facts[question]
    if isinstance(question, Cube):
        return question.crosstab(answer, a, b)
    return answer if (question.a, question.b) == (a, b) else answer.transpose(0, 2, 1)
