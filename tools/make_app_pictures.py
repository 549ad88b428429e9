"""Takes the pictures of the app for docs/app.md: docs/images/app-*.png. Needs Chromium."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from microgauge.app.server import Running, Settings, opened, server_of

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LONG = 240_000


@contextmanager
def served(folder: Path) -> Iterator[Running]:
    """The app, listening."""
    with opened(Settings(str(folder))) as (running, listening):
        server: Any = server_of(running)
        sockets = {"sockets": [listening]}
        thread = threading.Thread(target=server.run, kwargs=sockets, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield running
        server.should_exit = True
        thread.join(10)


def shot(page: Page, name: str) -> None:
    """What is seen now."""
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / f"app-{name}.png")


def finished(page: Page) -> None:
    """Until a run is over, and to its result."""
    page.get_by_role("link", name="Look at the result").click(timeout=LONG)


def add_step(page: Page, method: str, variables: list[str], **fields: str) -> None:
    """A step of a recipe."""
    page.locator(f'.methods a[href$="method={method}"]').click()
    for name in variables:
        page.get_by_role("checkbox", name=name).check()
    for name, value in fields.items():
        page.locator(f"#p-{name}").fill(value)
    page.get_by_role("button", name="Save the step").click()


def walk(page: Page) -> None:
    """From files to candidates on the map."""
    page.get_by_role("button", name="Copy the demo here").click()
    page.locator("table.variables").wait_for(timeout=LONG)
    page.get_by_role("link", name="Files").click()
    shot(page, "files")
    page.get_by_role("link", name="Describe").click()
    shot(page, "describe")
    page.get_by_role("link", name="Measure").first.click()
    page.get_by_role("button", name="Measure").click()
    finished(page)
    shot(page, "result")
    page.get_by_role("link", name="Protect").first.click()
    page.locator("#name").fill("Bands and noise")
    page.get_by_role("button", name="Make a recipe").click()
    add_step(page, "round", ["AGEP"], unit="5, 10, 20")
    add_step(page, "pram", ["RAC1P", "MAR"], keep="0.7 to 0.9 by 0.1")
    page.get_by_role("button", name="Try up to here").last.click()
    page.locator(".outcome").wait_for(timeout=LONG)
    shot(page, "recipe")
    page.locator("#require").fill("risk<=0.2")
    page.get_by_role("button", name="Explore 9 candidates").click()
    finished(page)
    shot(page, "explored")


def main() -> None:
    """All pictures."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as play:
        folder = Path(place) / "survey"
        folder.mkdir()
        with served(folder) as running:
            browser = play.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1200, "height": 860})
            page.goto(running.address)
            walk(page)
            browser.close()


if __name__ == "__main__":
    main()
