"""(h) Adult repeated 20 times: information loss beside the global data utility."""

from __future__ import annotations

from benchmarks.measure import GDU, Outcome, Setting, assess, make

LOSS = ("--only", "loss,indicators,regressions")


def measure(setting: Setting) -> list[Outcome]:
    """Time and memory of the loss measures over those of the global data utility."""
    file = () if setting.adult is None else ("--file", setting.adult)
    folder = make("adult", setting.folder / "adult", *file)
    gdu = assess(folder, setting.repeats, *GDU)
    loss = assess(folder, setting.repeats, *LOSS)
    return [
        Outcome("h  loss / GDU: time", loss.seconds / gdu.seconds, 3, False, f"{loss} : {gdu}"),
        Outcome("h  loss / GDU: memory", loss.megabytes / gdu.megabytes, None, False, ""),
    ]
