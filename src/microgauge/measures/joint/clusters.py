"""Do clusters of the pooled rows hold original and protected rows in equal shares? U_c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.joint.joint import Joint
from microgauge.records import dataclass
from microgauge.values.hashing import small_seed

Weights = Literal["size", "equal", "error"]

SQUARED = 1e150
"""Numbers that can be squared and added up."""
MOST_LINKED = 15_000
"""Rows beyond which average linkage, which holds all distances, is not tried."""
MOST_LINKED_UNASKED = 5_000
"""Rows up to which average linkage is the default: it takes seconds there."""
MOST_LLOYD = 20_000
"""Rows up to which k-means runs on all rows at once; beyond, on batches of them."""


def cluster_distance(groups: Index, protected: Floats, weights: Weights | Sequence[float]) -> float:
    """U_c = (1/G) Σ w_j (n_jO/n_j - c)², c the share of original rows. 0: equal shares everywhere.

    >>> cluster_distance(np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 0.0, 1.0]), "size")
    0.0
    """
    return _mean_square(clusters_of(groups, protected), protected, weights)


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many rows each cluster has, and the share of them that is original."""

    rows: Floats
    shares: Floats


def clusters_of(groups: Index, protected: Floats) -> Sizes:
    """The clusters with rows, the largest first; of equal ones, that of the first row first."""
    _, first, places = np.unique(groups, return_index=True, return_inverse=True)
    rows = np.bincount(places).astype(np.float64)
    order = np.lexsort((first, -rows))
    shares = np.bincount(places, 1.0 - protected) / rows
    return Sizes(rows[order], shares[order])


def cluster_weights(rows: Floats, c: float, weights: Weights | Sequence[float]) -> Floats:
    """w_j of each cluster: by a rule, or as given one by one, the largest cluster first."""
    if not isinstance(weights, str):
        return np.asarray(weights, dtype=np.float64)[: len(rows)]
    if weights == "size":
        return rows
    return np.ones(len(rows)) if weights == "equal" else np.sqrt(c * (1.0 - c) / rows)


def _mean_square(found: Sizes, protected: Floats, weights: Weights | Sequence[float]) -> float:
    c = float(1.0 - protected.mean())
    each = cluster_weights(found.rows, c, weights)
    return float((each * (found.shares - c) ** 2).sum() / len(found.rows))


def distance_at_random(
    groups: Index, protected: Floats, weights: Weights | Sequence[float]
) -> float:
    """The mean of U_c if the clusters stay and the rows' labels are dealt out at random.

    The original rows of a cluster are then hypergeometric: the variance of their share is
    c(1 - c)/n_j · (N - n_j)/(N - 1).

    >>> distance_at_random(np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 0.0, 1.0]), "equal")
    0.08333333333333333
    """
    found, c, total = clusters_of(groups, protected), float(1.0 - protected.mean()), len(groups)
    spread = c * (1.0 - c) / found.rows * (total - found.rows) / (total - 1.0)
    each = cluster_weights(found.rows, c, weights)
    return float((each * spread).sum() / len(found.rows))


def default_groups(protected_rows: int, rows: int) -> list[int]:
    """1 %, 2.5 % and 5 % of the protected rows, within 2 … N/2, each number once."""
    wanted = [round(share * protected_rows) for share in (0.01, 0.025, 0.05)]
    return sorted({min(max(number, 2), max(rows // 2, 1)) for number in wanted})


def features(joint: Joint, *, standardise: bool) -> Floats:
    """Rows as points: numbers standardised on the original, an indicator for each category."""
    joint.check_indicators()
    columns = []
    original = ~joint.protected
    for place, variable in enumerate(joint.variables):
        missing = joint.missing(place)
        if variable.kind == "nominal":
            columns += list(joint.indicators(place).T)
            continue
        numbers = joint.values[place]
        if standardise:
            most = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))
            if most > SQUARED:  # in units of its own: the deviation of such numbers is beyond all
                numbers = numbers / most
            spread = float(numbers[original].std())
            numbers = (numbers - numbers[original].mean()) / (spread if spread > 0 else 1.0)
        columns.append(numbers)
        if missing.any():
            columns.append(missing.astype(np.float64))
    return np.column_stack(columns)


def linked(points: Floats, groups: list[int]) -> list[Index]:
    """Average linkage, cut into each of the numbers of groups."""
    from scipy.cluster import hierarchy

    if len(points) > MOST_LINKED:
        raise Undefined(
            say(
                "average linkage is for up to {most_linked:,} rows in both files together",
                most_linked=MOST_LINKED,
            )
        )
    tree = hierarchy.linkage(_near_enough(points), method="average")
    return [_cut(tree, number) for number in groups]


def _near_enough(points: Floats) -> Floats:
    """Points whose distances are numbers."""
    if not (np.abs(points) <= SQUARED).all():
        raise Undefined(say("numbers are too large for distances between rows"))
    return points


def _cut(tree: Floats, groups: int) -> Index:
    """Exactly so many groups: the merges before the last ones, as parts of a graph."""
    from scipy import sparse
    from scipy.sparse import csgraph

    rows = len(tree) + 1
    merges = rows - groups
    parents = np.repeat(np.arange(rows, rows + merges), 2)
    children = tree[:merges, :2].ravel().astype(np.intp)
    size = rows + merges
    graph = sparse.coo_matrix((np.ones(len(parents)), (parents, children)), shape=(size, size))
    _, labels = csgraph.connected_components(graph, directed=False)
    return np.unique(labels[:rows], return_inverse=True)[1]


def k_means(points: Floats, groups: int, seed: int) -> Index:
    """k-means, on batches of rows where there are many."""
    points = _near_enough(points)
    from sklearn.cluster import KMeans, MiniBatchKMeans

    if len(points) <= MOST_LLOYD:
        model = KMeans(
            groups, init="k-means++", n_init=1, max_iter=100, random_state=small_seed(seed)
        )
    else:
        model = MiniBatchKMeans(
            groups,
            init="random",
            n_init=1,
            batch_size=4096,
            max_iter=20,
            random_state=small_seed(seed),
            reassignment_ratio=0.0,
        )
    return np.asarray(model.fit_predict(points), dtype=np.intp)
