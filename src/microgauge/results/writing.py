"""Writing files: whole or not at all, and several of them all or none."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from microgauge.errors import InputError, said_by_system
from microgauge.languages.messages import say, strung

Content = str | bytes
MASK = os.umask(0)
"""What new files are not to be used for; asked once, since asking changes it for all threads."""
os.umask(MASK)
STOPS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
KINDS = (
    (stat.S_ISDIR, say("a folder")),
    (stat.S_ISFIFO, say("a pipe")),
    (stat.S_ISSOCK, say("a socket")),
    (stat.S_ISCHR, say("a device")),
    (stat.S_ISBLK, say("a device")),
)


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written to before the work is done, not after."""
    kind = irregular(path)
    if kind is not None:
        raise InputError(say("{path} is {kind}; name a file to write.", path=path, kind=kind))
    place = real_place(path) if path.is_symlink() else path
    if not place.parent.is_dir():
        raise InputError(
            say(
                "there is no folder {parent} to write {name} into.",
                parent=place.parent,
                name=place.name,
            )
        )
    if not os.access(place.parent, os.W_OK):
        raise InputError(say("the folder {parent} cannot be written to.", parent=place.parent))
    if place.exists() and not os.access(place, os.W_OK):
        raise InputError(say("{path} is write-protected; name another file.", path=path))


def not_written(path: str | Path, error: OSError | ValueError) -> InputError:
    """The fault of a file or folder that the system did not let us write."""
    why = said_by_system(error)
    return InputError(say("{path} cannot be written: {why}.", path=path, why=why))


def irregular(path: Path) -> str | None:
    """What stands under a name if it is no file: a folder, a device; `InputError` if unusable."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  a name with a NUL raises, as it should
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise not_written(path, error) from None
    return next((name for is_kind, name in KINDS if is_kind(mode)), None)


def real_place(path: Path) -> Path:
    """The file that links lead to: it is written, and the links stay."""
    return Path(os.path.realpath(path))


def write_whole(path: str | Path, content: Content) -> None:
    """Write beside the file, then rename: a reader never sees half of it."""
    check_writable(Path(path))
    write_together({Path(path): content})


def write_together(contents: Mapping[Path, Content]) -> None:
    """Write several files, all or none: all beside their places first, then each is renamed."""
    beside: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in contents.items():
            place = real_place(path)
            beside[place] = _beside(place)
            _fill(beside[place], content, place)
        with _undisturbed():
            _rename(beside)
            beside.clear()
    except OSError as error:
        raise not_written(path, error) from None
    except KeyboardInterrupt as stop:
        # Renaming is not disturbed: either all files are in their places by now, or none is.
        stop.args = () if beside else tuple(contents)
        raise
    finally:
        for left in beside.values():
            left.unlink(missing_ok=True)


def check_ending(path: str | Path, endings: Sequence[str], what: str) -> Path:
    """The path, or a fault where its name promises another format than what is written."""
    if Path(path).suffix.lower() not in endings:
        raise InputError(
            say(
                "{path}: {what} is written as {endings}; name it so.",
                path=path,
                what=what,
                endings=strung(endings, say(" or ")),
            )
        )
    return Path(path)


def _beside(place: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:40]}.")
    os.close(handle)
    return Path(name)


def _fill(path: Path, content: Content, place: Path) -> None:
    # Names of files may hold bytes that are no text; in JSON, \udcff is how to spell one.
    text = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    path.write_bytes(text)
    with suppress(OSError):  # some network drives know no modes
        path.chmod(_mode(place))


def _mode(place: Path) -> int:
    """What a file may be used for: as before, or as any new file (mkstemp makes private ones)."""
    with suppress(OSError):
        return stat.S_IMODE(place.stat().st_mode)
    return 0o666 & ~MASK


def _rename(beside: Mapping[Path, Path]) -> None:
    """Put every file in its place; where one cannot be, put back those that were there."""
    before: dict[Path, Path | None] = {}
    try:
        if len(beside) > 1:
            for place in beside:
                before[place] = _second_name(place)
        for place, new in beside.items():
            new.replace(place)
    except OSError:
        for place, old in before.items():
            with suppress(OSError):
                _put_back(place, old, beside[place])
        raise
    finally:
        for old in before.values():
            if old is not None:
                old.unlink(missing_ok=True)


def _second_name(place: Path) -> Path | None:
    """What is there under another name too, so that it can be put back; None: there is nothing."""
    if not place.exists():
        return None
    name = _beside(place)
    name.unlink()
    try:
        os.link(place, name)
    except OSError:  # a file system without links
        shutil.copy2(place, name)
    return name


def _put_back(place: Path, old: Path | None, new: Path) -> None:
    if new.exists():
        return  # it was not reached
    if old is None:
        place.unlink()
    else:
        old.replace(place)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let requests to stop wait for a moment: they are heard afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield  # such requests are heard by the main thread
        return
    heard: list[int] = []
    before = {one: signal.getsignal(one) for one in STOPS}
    ours = [one for one, handler in before.items() if callable(handler)]
    for one in ours:
        signal.signal(one, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for one in ours:
            signal.signal(one, before[one])
        if heard:
            signal.raise_signal(heard[0])
