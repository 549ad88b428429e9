"""How long the app takes to its first page, and to answer while a measure runs."""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from microgauge.demo import ORIGINAL, PROTECTED

PAGES = ("/", "/describe", "/describe/2", "/measure", "/look", "/protect", "/release")
FIELD = re.compile(r'name="(csrf|action|seen|file)" value="([^"]*)"')
TIMES = 5
"""Rows of the demo in the file that is measured."""


def first_page(folder: Path) -> tuple[subprocess.Popen[str], httpx.Client, float]:
    """From the command to the first page, in seconds."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "microgauge", "app", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    client = httpx.Client(
        base_url=address.split("/?")[0], follow_redirects=True, trust_env=False, timeout=30
    )
    assert client.get(address).status_code == 200
    return process, client, time.perf_counter() - began


def send(client: httpx.Client, page: str, form: str, **fields: object) -> httpx.Response:
    """Fill in the form of a page."""
    text = client.get(page).text
    part = text[text.index(f'action="{form}"') :]
    part = part[: part.index("</form>")]
    given: dict[str, object] = dict(FIELD.findall(part))
    origin = str(client.base_url).rstrip("/")
    return client.post(form, data={**given, **fields}, headers={"origin": origin})


def under_work(client: httpx.Client) -> list[float]:
    """Seconds of each answer while something is measured."""
    spent = []
    while "Working" in client.get("/measure").text:
        for page in PAGES:
            began = time.perf_counter()
            assert client.get(page).status_code == 200
            spent.append(time.perf_counter() - began)
        time.sleep(0.05)
    return spent


def larger(source: Path, target: Path) -> None:
    """The same table several times."""
    head, *rows = source.read_text(encoding="utf-8").splitlines(keepends=True)
    target.write_text("".join([head, *(rows * TIMES)]), encoding="utf-8")


def main() -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        larger(ORIGINAL, folder / "original.csv")
        larger(PROTECTED, folder / "protected.csv")
        process, client, first = first_page(folder)
        try:
            files = {"file": ["original.csv", "protected.csv"], "role": ["original", "candidate"]}
            send(client, "/", "/files", **files)
            while "Working" in client.get("/measure").text:  # the variables are described first
                time.sleep(0.1)
            send(client, "/measure", "/measure", candidate="protected.csv")
            spent = under_work(client)
        finally:
            client.close()
            process.terminate()
            process.wait(20)
            shutil.rmtree(folder, ignore_errors=True)
    cut = statistics.quantiles(spent, n=20)
    print(f"first page after {first:.2f} s")
    print(
        f"{len(spent)} answers while a measure ran: median {1000 * cut[9]:.1f} ms, "
        f"95th percentile {1000 * cut[18]:.1f} ms, longest {1000 * max(spent):.1f} ms"
    )


if __name__ == "__main__":
    main()
