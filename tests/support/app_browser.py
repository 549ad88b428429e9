"""The app in Chromium: pages that may log, block and load nothing, and random clicks.

PYTHONPATH=src:tests python -m support.app_browser 25 --seed 1
"""

import os
import random
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from support.app import served
from support.app_actions import PROGRAM, children, told
from support.app_tables import write_tables
from support.browser import BLOCKED, chromium

LENGTH = 20
ABORTED = ("ERR_ABORTED", "interrupted by another navigation", "context was destroyed", "detached")
"""What a browser says of a page that is left while another one comes."""


@contextmanager
def page_of(browser, running, **context):
    """A window on the app, watched."""
    here = browser.new_context(**context)
    log = []
    page = here.new_page()
    page.set_default_timeout(20_000)
    page.add_init_script(BLOCKED)
    own = f"http://127.0.0.1:{running.port}"
    page.on("console", lambda m: None if "status of 4" in m.text else log.append(m.text[:300]))
    page.on("pageerror", lambda error: log.append(str(error)[:300]))
    page.on("dialog", lambda d: (log.append(d.message), d.dismiss()))
    page.on("response", lambda r: log.append(f"{r.status} {r.url}") if r.status >= 500 else None)
    page.on(
        "request",
        lambda r: None if r.url.startswith((own, "data:", "blob:")) else log.append(r.url),
    )
    try:
        page.goto(running.address)
        assert page.url == f"{own}/"
        yield page
        assert log == []
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("window.blocked") == []
    finally:
        here.close()


def play(browser, seed, prepared):
    """A random sequence: clicks, choices, reloads, back, double clicks, a run ended twice over."""
    rng = random.Random(seed)
    os.environ["MICROGAUGE_PREPARED"] = str(prepared)
    os.environ["MICROGAUGE_SEED"] = str(seed)
    did = []
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), rows=30)
        with served(folder, program=PROGRAM) as running:
            try:
                with page_of(browser, running) as page:
                    _played(rng, page, running, did)
            except BaseException as error:
                error.add_note(f"browser sequence of seed {seed} failed after: {' '.join(did)}")
                raise
            for _ in range(400):
                if all(run.over for run in running.jobs.runs()):
                    break
                time.sleep(0.05)
            assert all(run.over for run in running.jobs.runs())
            actions = [r.about["action"] for r in running.jobs.runs() if "action" in r.about]
            assert len(actions) == len(set(actions))
        assert not children()
    return did


def _played(rng, page, running, did):
    origin = f"http://127.0.0.1:{running.port}"
    acts = {
        "reload": lambda: page.reload(),
        "back": lambda: page.go_back(),
        "forward": lambda: page.go_forward(),
        "click": lambda: _click(rng, page, double=False),
        "double": lambda: _click(rng, page, double=True),
        "step": lambda: page.goto(origin + rng.choice(("/describe", "/measure", "/protect", "/"))),
        "link": lambda: _link(rng, page, origin),
        "fill": lambda: _fill(rng, page),
        "cancel": lambda: _ended(page, running, origin, kill=False),
        "kill": lambda: _ended(page, running, origin, kill=True),
    }
    must = ["reload", "back", "double", "cancel", "kill"]
    plan = must + rng.choices(list(acts), weights=[1, 1, 1, 5, 2, 3, 5, 4, 0, 0], k=LENGTH)
    rng.shuffle(plan)
    _choose(page, origin)
    for name in plan:
        did.append(name)
        _settled(acts[name])
        if not page.url.startswith(origin) or page.locator("main").count() == 0:
            page.wait_for_timeout(300)
        if not page.url.startswith(origin):  # before the first page of all
            page.goto(origin)
        page.wait_for_selector("main")
    for path in ("/", "/describe", "/measure", "/look", "/protect", "/release"):
        answer = page.goto(origin + path)
        assert answer.status == 200, path
        assert page.locator("h1").count() == 1


def _settled(act):
    """Do something; a page that is just being left may leave no time for it."""
    try:
        act()
    except Exception as error:
        if not any(word in str(error) for word in ABORTED):
            raise
        time.sleep(0.3)


def _choose(page, origin):
    page.goto(origin)
    for name, role in (("original.csv", "original"), ("weak.csv", "candidate")):
        row = page.locator("tr", has_text=name)
        row.locator("select").select_option(role)
    page.get_by_role("button", name="Use these files").click()
    page.wait_for_url("**/describe")


def _click(rng, page, *, double):
    buttons = page.locator("main button:visible")
    if buttons.count() == 0:
        return
    button = buttons.nth(rng.randrange(buttons.count()))
    (button.dblclick if double else button.click)(no_wait_after=True, timeout=5_000, force=True)
    page.wait_for_load_state()


def _link(rng, page, origin):
    links = page.locator("main a:visible:not([download]):not([target])")
    if links.count():
        to = links.nth(rng.randrange(links.count())).get_attribute("href")
        page.goto(origin + to)


def _fill(rng, page):
    fields = page.locator("main input:visible:not([type]), main textarea:visible")
    if fields.count():
        field = fields.nth(rng.randrange(fields.count()))
        field.fill(rng.choice(("", "5", "0.1, 0.2", "<b>", "x")))
    boxes = page.locator("main input[type=checkbox]:visible")
    if boxes.count():
        boxes.nth(rng.randrange(boxes.count())).click(force=True)


def _ended(page, running, origin, *, kill):
    """A measure is begun and ended on its way."""
    for _ in range(8):
        page.goto(origin + "/measure")
        button = page.locator("main form[action='/measure'] button")
        if not button.count():
            _choose(page, origin)
            continue
        for box in page.locator("input[name=candidate]").all():
            box.check()
        page.locator("#require").fill("")
        button.click()
        page.wait_for_load_state()
        run = running.jobs.busy()
        pid = None if run is None else run.pid
        if kill and pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            return
        cancel = page.get_by_role("button", name="Cancel")
        if not kill and cancel.count():
            try:
                cancel.click(timeout=1_000)
            except Exception:  # noqa: BLE001  it was over before
                continue
            return


@contextmanager
def in_chromium(prepared):
    """What plays the sequence of a seed, in one browser."""
    from playwright import sync_api

    with chromium(sync_api) as browser:
        yield lambda seed: play(browser, seed, prepared)


if __name__ == "__main__":
    sys.exit(told(in_chromium, "sequences in Chromium"))
