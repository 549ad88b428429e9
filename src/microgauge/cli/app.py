"""`microgauge app`: the commands as pages of a browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from microgauge.cli.command import Command
from microgauge.errors import Fault, InputError
from microgauge.languages.catalogue import languages, words_of
from microgauge.languages.messages import ENGLISH

NEEDED = ("starlette", "uvicorn", "jinja2", "python_multipart")


def add_options(command: argparse.ArgumentParser) -> None:
    """Where it works, and where it listens."""
    command.add_argument(
        "folder", metavar="FOLDER", nargs="?", default=".", help="where the files are (default: .)"
    )
    command.add_argument(
        "--port", type=int, default=0, metavar="N", help="where to listen (default: any free port)"
    )
    command.add_argument(
        "--no-browser", action="store_true", help="open no browser; print the address only"
    )
    command.add_argument(
        "--language",
        metavar="L",
        help=f"of the pages: {', '.join(languages())} (default: the browser's)",
    )
    command.add_argument(
        "--upload-limit",
        type=int,
        default=4096,
        metavar="MB",
        help="the largest file that may be dropped, in megabytes (default 4096)",
    )


def run(chosen: argparse.Namespace) -> int:
    """Listen until it is ended."""
    if any(find_spec(name) is None for name in NEEDED):
        raise InputError(
            'the app needs libraries that are not installed: pip install "microgauge[app]"'
        )
    from microgauge.app.server import Settings, serve

    if chosen.upload_limit < 1:
        raise InputError("--upload-limit must be 1 or more.")
    if chosen.language is not None and chosen.language not in languages():
        raise InputError(f'--language "{chosen.language}": there are {", ".join(languages())}.')
    limit = chosen.upload_limit << 20
    settings = Settings(chosen.folder, chosen.port, chosen.language, limit)
    try:
        return serve(settings, browser=not chosen.no_browser)
    except InputError as error:
        words = words_of(chosen.language or ENGLISH)
        raise InputError(*(Fault(f.code, words.of(f.sentence)) for f in error.records)) from None


COMMAND = Command(
    "app",
    help="work in the browser, without a shell",
    description="Open the commands as pages in the browser, on this machine only: choose files, "
    "describe variables, measure, look, protect, release. Files stay in the folder.",
    add_options=add_options,
    run=run,
)
