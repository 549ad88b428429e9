"""Takes the picture of a report for the README: docs/images/report.png. Needs Chromium."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import microgauge
from microgauge.demo import FOLDER, ORIGINAL, PROTECTED, SCHEMA

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "report.png"


def main() -> None:
    """The decision on top of the demo's report."""
    with contextlib.chdir(FOLDER):  # the page names the files as they are given
        result = microgauge.assess(
            ORIGINAL.name, PROTECTED.name, schema=SCHEMA, skip=["clusters", "ecdf"], details=True
        )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        page_file = Path(folder) / "report.html"
        page_file.write_text(result.report(), encoding="utf-8")
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1240, "height": 1120})
        page.goto(page_file.as_uri())
        page.wait_for_timeout(2000)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
