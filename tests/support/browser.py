"""Pages in Chromium, watched: what they log, load or block."""

import shutil
from contextlib import contextmanager

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""Where Chromium is, or None."""

BLOCKED = (
    "window.blocked = []; document.addEventListener('securitypolicyviolation',"
    " (e) => window.blocked.push(`${e.violatedDirective} ${e.blockedURI}`));"
)


@contextmanager
def chromium(playwright):
    """A browser for as long as it is needed."""
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@contextmanager
def watched_page(browser, path, ready, **context):
    """A file opened in a window of its own, which may log, load, block and open nothing.

    `ready` waits until the page has drawn all it draws.
    """
    here = browser.new_context(**context)
    log = []
    page = here.new_page()
    page.set_default_timeout(30_000)
    page.add_init_script(BLOCKED)
    here.on("page", lambda other: log.append(("window", other.url)))
    page.on("console", lambda m: log.append((m.type, m.text[:300])))
    page.on("pageerror", lambda error: log.append(("error", str(error)[:300])))
    page.on("dialog", lambda d: (log.append(("dialog", d.message)), d.dismiss()))
    page.on("request", lambda r: log.append(("request", r.url)) if foreign(r.url, path) else None)
    try:
        page.goto(path.as_uri())
        page.wait_for_selector("nav a")
        ready(page)
        yield page
        ready(page)
        assert log == []
        assert page.evaluate("window.blocked") == []
        assert page.evaluate("window.hacked") is None
        assert page.url.startswith(path.as_uri())
    finally:
        here.close()


def foreign(address, path):
    """Whether an address is neither the file's own nor data in the page."""
    return address != path.as_uri() and not address.startswith("data:")


DRAWN = (
    "[...document.querySelectorAll('.chart')].every((c) => c.querySelector('svg') || c.textContent)"
)


def settled(page):
    """Wait until every chart is drawn; none may say that it cannot be."""
    page.wait_for_function(f"() => {DRAWN}")
    failed = page.locator(".chart", has_text="cannot be drawn")
    assert failed.count() == 0, failed.first.get_attribute("aria-label")


def visitor(browser, folder, page_of):
    """Opens reports by their kind and edition, each written into a folder once."""

    def opened(kind, edition="internal", width=1400, **context):
        path = folder / f"{kind} {edition}.html"
        if not path.exists():
            path.write_text(page_of(kind, edition), encoding="utf-8")
        window = {"width": width, "height": 900}
        return watched_page(browser, path, settled, viewport=window, **context)

    return opened
