"""The app as a browser without scripts sees it: pages, forms filled in and sent."""

import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from html.parser import HTMLParser

import httpx

from microgauge.app.server import Settings, opened, server_of


class Form:
    """A form of a page, with what its fields hold now."""

    def __init__(self, action, method, kind):
        self.action, self.method, self.kind = action, method, kind
        self.fields = []
        self.choices = {}
        self.files = []

    def filled(self, changes=None):
        changes = dict(changes or {})
        found = []
        for name, value in self.fields:
            if name in changes:
                continue
            found.append((name, value))
        for name, value in changes.items():
            values = value if isinstance(value, list) else [value]
            found += [(name, one) for one in values if one is not None]
        return found


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.forms, self.links, self.text, self.scripts = [], [], [], []
        self._form = self._chooser = self._area = None
        self._skip = 0

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        if tag in ("script", "style"):
            self._skip += 1
            self.scripts.append(at)
        if tag == "a" and at.get("href"):
            self.links.append(at["href"])
        if tag == "form":
            self._form = Form(at.get("action"), at.get("method", "get"), at.get("enctype"))
            self.forms.append(self._form)
        if self._form is not None:
            getattr(self, f"start_{tag}", lambda at: None)(at)

    def start_input(self, at):
        kind = at.get("type", "text")
        if kind == "file":
            self._form.files.append(at["name"])
        elif kind in ("checkbox", "radio"):
            self._form.choices.setdefault(at["name"], []).append(at.get("value", "on"))
            if "checked" in at:
                self._form.fields.append((at["name"], at.get("value", "on")))
        elif at.get("name"):
            self._form.fields.append((at["name"], at.get("value") or ""))

    def start_select(self, at):
        self._chooser = (at["name"], [], [])

    def start_option(self, at):
        if self._chooser:
            self._chooser[1].append(at.get("value", ""))
            if "selected" in at:
                self._chooser[2].append(at.get("value", ""))

    def start_textarea(self, at):
        self._area = [at["name"], ""]

    def start_button(self, at):
        if at.get("name"):
            self._form.choices.setdefault("button", []).append(at["name"])

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._skip -= 1
        if tag == "form":
            self._form = None
        if tag == "select" and self._form is not None and self._chooser:
            name, values, chosen = self._chooser
            self._form.fields.append((name, (chosen or values or [""])[-1 if chosen else 0]))
            self._form.choices.setdefault(name, values)
            self._chooser = None
        if tag == "textarea" and self._form is not None and self._area:
            self._form.fields.append((self._area[0], self._area[1].removeprefix("\n")))
            self._area = None

    def handle_data(self, data):
        if self._area is not None:
            self._area[1] += data
        elif not self._skip:
            self.text.append(data)


class Page:
    def __init__(self, answer):
        self.answer, self.status, self.html = answer, answer.status_code, answer.text
        self.path = answer.url.path
        self._read = Reader()
        if "html" in answer.headers.get("content-type", ""):
            self._read.feed(self.html)
        self.forms, self.links = self._read.forms, self._read.links
        self.text = " ".join(" ".join(self._read.text).split())

    def form(self, action):
        """The first form for an address, which may be a pattern."""
        found = [f for f in self.forms if re.fullmatch(action, f.action or self.path)]
        assert found, (action, [f.action for f in self.forms], self.text[:500])
        return found[0]


class Visitor:
    """A browser with a cookie and no scripts."""

    def __init__(self, running):
        self.running = running
        self.origin = f"http://127.0.0.1:{running.port}"
        self.client = httpx.Client(
            base_url=self.origin, follow_redirects=True, timeout=60, trust_env=False
        )
        self.client.get(running.address.removeprefix(self.origin))

    def get(self, path):
        return Page(self.client.get(path))

    def send(self, page, to, /, **changes):
        """Fill in a form of a page and send it."""
        form = page.form(to)
        return self.post(form.action or page.path, form.filled(changes))

    def post(self, path, fields, **headers):
        from urllib.parse import urlencode

        answer = self.client.post(
            path,
            content=urlencode(fields),
            headers={
                "origin": self.origin,
                "content-type": "application/x-www-form-urlencoded",
                **headers,
            },
        )
        return Page(answer)

    def choose(self, **wanted):
        """Say what files are: role=name or a list of names."""
        roles = {
            name: role
            for role, names in wanted.items()
            for name in (names if isinstance(names, list) else [names])
        }
        page = self.get("/")
        form = page.form("/files")
        names = [value for name, value in form.fields if name == "file"]
        return self.send(page, "/files", file=names, role=[roles.get(n, "") for n in names])

    def release(self, page, **fields):
        """Release what is chosen, whatever speaks against it."""
        found = self.send(page, "/release", **fields)
        return self.send(found, "/release") if "all the same?" in found.text else found

    def upload(self, page, name, content, **fields):
        form = next(
            f
            for f in page.forms
            if f.action == "/upload" and dict(f.fields).get("purpose") == fields.get("purpose")
        )
        answer = self.client.post(
            "/upload",
            data=dict(form.fields) | fields,
            files={"sent": (name, content)},
            headers={"origin": self.origin},
        )
        return Page(answer)

    def wait(self, run=None, seconds=120):
        """Until nothing is under way, or a run is over."""
        jobs = self.running.jobs
        for _ in range(seconds * 20):
            there = [jobs.get(run)] if run else jobs.runs()
            if all(one is None or one.over for one in there):
                return jobs.get(run) if run else None
            time.sleep(0.05)
        raise AssertionError([(one.id, one.kind, one.state, one.doing) for one in there])

    def close(self):
        self.client.close()


@contextmanager
def served(folder, **settings):
    """An app that listens, in a thread of this process."""
    with opened(Settings(str(folder), **settings)) as (running, listening):
        server = server_of(running)
        server.install_signal_handlers = lambda: None
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield running
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def visited(folder, **settings):
    with served(folder, **settings) as running:
        visitor = Visitor(running)
        try:
            yield visitor
        finally:
            visitor.close()


def wait_for(there, seconds=20):
    """Until something is so."""
    for _ in range(seconds * 50):
        if there():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to be")


@contextmanager
def started(folder, *options, shown=True, **environment):
    """The command itself, as a process; its address, unless it opens a browser."""
    command = [sys.executable, "-m", "microgauge", "app", str(folder), *options]
    command += ["--no-browser"] if shown else []
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield process, process.stdout.readline().strip() if shown else None
    finally:
        process.terminate()
        process.wait(15)
        process.stdout.close()
        process.stderr.close()
