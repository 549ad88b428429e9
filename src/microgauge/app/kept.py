"""What is found in a folder may have been put there by somebody else: it is looked at first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from microgauge.errors import InputError
from microgauge.languages.messages import say

COMMANDS = ("schema", "assess", "rank", "explore", "mask")
OPTIONS = (
    *("--schema", "--json", "--report", "--public", "--summary", "--excel", "--map", "--language"),
    *("--require", "--full", "--quick", "--recipe", "--folder", "--output"),
    *("--external", "--holdout", "--population"),
)
"""All that the app ever asks for. Others may reach beyond the folder, such as a cluster's name."""


def is_ours(root: Path, arguments: Sequence[str]) -> bool:
    """Whether a command is of those the app makes, and names nothing outside its folder."""
    return (
        bool(arguments)
        and arguments[0] in COMMANDS
        and all(word in OPTIONS for word in arguments if word.startswith("-"))
        and all(is_inside(root, word) for word in arguments[1:])
    )


def is_inside(root: Path, word: str) -> bool:
    """Whether a word, taken as a path, stays in the folder once links are followed."""
    try:
        return (root / word).resolve().is_relative_to(root)
    except (OSError, ValueError, RuntimeError):
        return False


def refuse_links(own: Path, above: Path | None = None) -> None:
    """The app writes over what it keeps; by a link it would write over a file of another place.

    With `above`, neither that nor what lies between may be a link.
    """
    way = [own, *(path for path in own.parents if above and path.is_relative_to(above))]
    found = [path for path in way if path.is_symlink()]
    strange: list[Path] = []
    for place, folders, files in os.walk(own):
        there = [Path(place) / name for name in (*folders, *files)]
        links = [path for path in there if path.is_symlink()]
        found += links
        # Whoever reads a pipe waits for somebody who writes into it.
        strange += [path for path in there if path not in links and not _is_plain(path)]
    if found or strange:
        raise InputError(
            *(
                say(
                    "{path} is a link. What the app keeps must be files and folders of its own: "
                    "remove it.",
                    path=path,
                )
                for path in found
            ),
            *(
                say(
                    "{path} is neither a file nor a folder. What the app keeps must be files and "
                    "folders of its own: remove it.",
                    path=path,
                )
                for path in strange
            ),
        )


def _is_plain(path: Path) -> bool:
    return path.is_file() or path.is_dir()
