"""Pictures of a ranking: the risk–utility map, and the candidates as levels of protection."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from microgauge.results import Candidate, Ranking

INK, GREY, BLUE, RED, GREEN = "#16202c", "#8a949e", "#1f6fb2", "#b3362b", "#2f8f5b"
FORMATS = ("svg", "png")


def risk_utility_map(result: Ranking, kind: str) -> bytes:
    """Risk across, utility up: candidates, frontier, limits, the original and no release."""
    known = [c for c in result.candidates if c.risk is not None and c.utility is not None]
    figure, axes = _figure()
    _limits(axes, result)
    points = sorted((c.risk, c.utility) for c in known if c.name in result.frontier)
    axes.plot(*zip(*points, strict=True), color=BLUE, linewidth=1.5, zorder=2) if points else None
    for candidate in known:
        chosen = candidate.name == result.recommended.name
        axes.scatter(
            candidate.risk, candidate.utility, s=90 if chosen else 45, zorder=3,
            color=GREEN if chosen else BLUE if candidate.name in result.frontier else GREY,
        )  # fmt: skip
        axes.annotate(
            _plain(candidate.name), (candidate.risk, candidate.utility), xytext=(8, -12),
            textcoords="offset points", color=INK, fontsize=9,
            weight="bold" if chosen else "normal",
        )  # fmt: skip
    _references(axes)
    axes.set(
        xlabel="risk R (left is safer)", ylabel="utility U (up is better)", xlim=(-0.03, 1.06),
        ylim=(-0.03, 1.08), title="Risk–utility map",
    )  # fmt: skip
    return _written(figure, kind)


def levels_picture(result: Ranking, kind: str) -> bytes:
    """Safety and utility over the candidates in their order, and RUT with its band."""
    known = [c for c in result.candidates if c.risk is not None and c.utility is not None]
    figure, axes = _figure(rows=2)
    places = range(len(known))
    names = [_plain(c.name) for c in known]
    axes[0].plot(places, [1 - (c.risk or 0) for c in known], "o-", color=GREEN, label="safety")
    axes[0].plot(places, [c.utility for c in known], "o-", color=BLUE, label="utility")
    axes[0].set(title="Safety and utility over the levels", ylim=(-0.03, 1.05))
    bands = [_band(c) for c in known]
    axes[1].fill_between(
        places, [low for low, _ in bands], [high for _, high in bands], color=BLUE, alpha=0.15,
        label="RUT for α from 0.2 to 0.8",
    )  # fmt: skip
    axes[1].plot(places, [c.balance for c in known], "o-", color=INK, label="RUT")
    axes[1].set(title="Balance over the levels")
    for part in axes:
        part.set_xticks(list(places), names, rotation=20 if len(names) > 4 else 0)
        part.legend(frameon=False, fontsize=9)
    return _written(figure, kind)


def _band(candidate: Candidate) -> tuple[float, float]:
    rut = candidate.assessment.rut
    values = [step.value for step in (rut.sweep if rut else ()) if step.value is not None]
    return (min(values), max(values)) if values else (float("nan"), float("nan"))


def _figure(rows: int = 1) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5.5 if rows == 1 else 7.5), layout="constrained")
    axes = figure.subplots(rows)
    for part in [axes] if rows == 1 else axes:
        part.spines[["top", "right"]].set_visible(False)
        part.grid(color="#e6eaee", linewidth=0.8)
        part.set_axisbelow(True)
    return figure, axes


def _limits(axes: Any, result: Ranking) -> None:
    if result.max_risk is not None:
        axes.axvline(result.max_risk, color=RED, linestyle="--", linewidth=1)
        axes.annotate(
            f"risk limit {result.max_risk:g}", (result.max_risk, 0.0), xytext=(4, 4),
            textcoords="offset points", color=RED, fontsize=9,
        )  # fmt: skip
    if result.min_utility is not None:
        axes.axhline(result.min_utility, color=RED, linestyle="--", linewidth=1)
        axes.annotate(
            f"utility limit {result.min_utility:g}", (1.0, result.min_utility), xytext=(0, 4),
            textcoords="offset points", color=RED, fontsize=9, ha="right",
        )  # fmt: skip


def _references(axes: Any) -> None:
    for x, y, name in ((1.0, 1.0, "original"), (0.0, 0.0, "no release")):
        axes.scatter(x, y, marker="D", s=40, facecolors="none", edgecolors=INK, zorder=3)
        axes.annotate(
            name, (x, y), xytext=(-7, 7) if x else (7, 4), textcoords="offset points",
            color=INK, fontsize=9, ha="right" if x else "left",
        )  # fmt: skip


def _plain(name: str) -> str:
    """A name that matplotlib takes as it is: dollar signs would start a formula."""
    return name.replace("$", r"\$")


def _written(figure: Any, kind: str) -> bytes:
    from matplotlib import rc_context

    held = BytesIO()
    # The same picture is the same file: no date, and names of parts by a fixed salt.
    with rc_context({"svg.hashsalt": "microgauge", "svg.fonttype": "none"}):
        metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(held, format=kind, dpi=150, metadata=metadata)
    return held.getvalue()


def pictures_of(names: Sequence[str]) -> list[tuple[str, str]]:
    """Which files to write for a name: its own format, or both where it has none.

    >>> pictures_of(["map.svg"]), pictures_of(["map"])
    ([('map.svg', 'svg')], [('map.svg', 'svg'), ('map.png', 'png')])
    """
    found = []
    for name in names:
        suffix = name.rsplit(".", 1)[-1].lower()
        if suffix in FORMATS and "." in name:
            found.append((name, suffix))
        else:
            found += [(f"{name}.{kind}", kind) for kind in FORMATS]
    return found
