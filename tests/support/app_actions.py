"""Random sequences of what people do in the app, at the level of HTTP.

    PYTHONPATH=src:tests python -m support.app_actions 500 --seed 1

Each sequence has its own folder and its own seed, which is printed where it fails. Every sequence
reloads pages, goes back to forms that were sent before, sends some twice, cancels a run and kills a
worker; some start the app anew in the middle. At the end the app must live, every page must answer,
what is kept must be what is in memory, nothing may have been done twice, nothing half-written.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from microgauge.app.jobs import OVER
from microgauge.app.project import empty
from support.app import Visitor, served
from support.app_tables import write_tables, write_workbook

WORKER = Path(__file__).with_name("app_worker.py")
PROGRAM = (sys.executable, "-I", "-S", str(WORKER))
PAGES = (
    *("/", "/describe", "/describe/schema", "/describe/analyses", "/describe/choices"),
    *("/measure", "/look", "/protect", "/release"),
)
ALLOWED = (200, 404, 409, 413, 422, 507)
LENGTH = 25
METHODS = (
    *("recode", "round", "noise", "suppress", "pram", "swap", "sample", "top_bottom"),
    "remove",
)
VALUES = ("", "5", "0.1", "0.1, 0.2", "1 to 3 by 1", "x", "-1", "1e999", "<b>", "9" * 40)


def prepare(folder):
    """What the real command makes of the tables, once."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(folder)
    (folder / "grid.toml").write_text(
        '[[step]]\nmethod = "round"\nvariables = ["age"]\nunit = { grid = [10, 20] }\n'
    )
    for words in (
        ["schema", "original.csv", "weak.csv", "--json", "variables.json"],
        ["assess", "original.csv", "weak.csv", "--keys", "age,sex", "--json", "assess.json"],
        ["rank", "original.csv", "weak.csv", "strong.csv", "--keys", "age", "--json", "rank.json"],
        [
            "explore",
            "original.csv",
            "--recipe",
            "grid.toml",
            "--keys",
            "age",
            "--folder",
            "explored",
            "--workers",
            "1",
            "--json",
            "explore.json",
        ],
    ):
        command = [sys.executable, "-m", "microgauge", *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


class Sequence:
    """One of them."""

    def __init__(self, seed, folder, prepared):
        self.rng = random.Random(seed)
        self.folder = folder
        os.environ["MICROGAUGE_PREPARED"] = str(prepared)
        os.environ["MICROGAUGE_SEED"] = str(seed)
        self.did = []
        self.sent = []
        self.page = None

    def run(self):
        write_tables(self.folder, rows=30)
        self.workbook("People", "<b>Released")
        must = [self.reload, self.back, self.twice, self.cancelled, self.killed, self.chosen]
        plan = must + self.rng.choices(self.others(), k=LENGTH - len(must))
        self.rng.shuffle(plan)
        plan.insert(0, self.chosen)
        cut = self.rng.choice((len(plan), self.rng.randrange(5, len(plan))))
        for part in (plan[:cut], plan[cut:]):
            if part:
                with served(self.folder, program=PROGRAM) as running:
                    self.visitor = Visitor(running)
                    try:
                        for act in part:
                            self.did.append(act.__name__)
                            act()
                        self.check()
                    finally:
                        self.visitor.close()
        self.check_disk()

    def others(self):
        few = [self.explored, self.released, self.raced, self.forgotten, self.file_lost]
        return [
            *few,
            *few[:2],
            self.walk,
            self.walk,
            self.walk,
            self.reload,
            self.back,
            self.twice,
            self.chosen,
            self.proposed,
            self.roles,
            self.variable,
            self.variable,
            self.analysis,
            self.analysis,
            self.unwanted,
            self.choice,
            self.another,
            self.looked_over,
            self.sheet_lost,
            self.schema,
            self.upload,
            self.recipe,
            self.step,
            self.step,
            self.step,
            self.undone,
            self.removed,
            self.previewed,
            self.candidate,
            self.measured,
            self.again,
            self.stale,
            self.demo,
        ]

    # -- pages and forms ---------------------------------------------------------------------

    def seen(self, page):
        assert page.status in ALLOWED, (page.status, page.path, page.text[:300])
        self.page = page
        return page

    def get(self, path):
        return self.seen(self.visitor.get(path))

    def send(self, page, action, **changes):
        forms = [f for f in page.forms if (f.action or page.path) == action]
        if not forms:
            return page
        fields = forms[0].filled(changes)
        self.sent.append((action, fields))
        return self.seen(self.visitor.post(action, fields))

    def walk(self):
        path = self.rng.choice(PAGES)
        page = self.get(path)
        links = [link for link in page.links if link.startswith("/")]
        if links:
            self.seen(self.visitor.get(self.rng.choice(links)))

    def reload(self):
        self.get(self.page.path if self.page else "/")

    def back(self):
        """A form that was sent before is sent again: nothing may come of it."""
        if not self.sent:
            self.recipe()
        action, fields = self.rng.choice(self.sent)
        fresh = [(k, self.visitor.running.secrets.form if k == "csrf" else v) for k, v in fields]
        self.visitor.wait()  # a release that ends has its file described
        before = self.counts()
        # One that was refused may be done now, as other files were chosen: that is its first time.
        done = dict(fields)["action"] in self.visitor.running.project.state["done"]
        page = self.visitor.post(action, fresh)
        assert page.status in (*ALLOWED, 403), page.status
        if done:
            assert self.counts() == before, action

    def twice(self):
        page = self.get("/protect")
        form = page.form("/protect").filled({"name": self.word()})
        before = len(self.visitor.running.project.state["recipes"])
        first = self.visitor.post("/protect", form)
        second = self.visitor.post("/protect", form)
        assert first.path == second.path
        assert len(self.visitor.running.project.state["recipes"]) == before + 1

    def raced(self):
        """Two clicks at once."""
        page = self.get("/measure")
        forms = [f for f in page.forms if f.action == "/measure"]
        if not forms:
            return
        fields = forms[0].filled()
        before = len(self.visitor.running.jobs.runs("measure"))
        clicks = [
            threading.Thread(target=self.visitor.post, args=("/measure", fields)) for _ in range(3)
        ]
        for click in clicks:
            click.start()
        for click in clicks:
            click.join()
        assert len(self.visitor.running.jobs.runs("measure")) <= before + 1

    def counts(self):
        state = self.visitor.running.project.state
        runs = [run.id for run in self.visitor.running.jobs.runs()]
        return len(runs), len(state["recipes"]), state["schema"], state["files"]["original"]

    def word(self):
        return self.rng.choice(("", "A", "<i>x</i>", "../up", "ä ö", "-", "a" * 80, "A"))

    # -- files and description ---------------------------------------------------------------

    def chosen(self):
        page = self.get("/")
        forms = [f for f in page.forms if f.action == "/files"]
        if not forms:
            return
        names = [value for name, value in forms[0].fields if name == "file"]
        roles = [self.rng.choice(("", "candidate", "candidate", "holdout")) for _ in names]
        if "original.csv" in names and self.rng.random() < 0.9:
            roles[names.index("original.csv")] = "original"
        if roles.count("holdout") > 1 and self.rng.random() < 0.7:
            roles = ["candidate" if role == "holdout" else role for role in roles]
        self.send(page, "/files", file=names, role=roles)

    def proposed(self):
        self.send(self.get("/describe"), "/describe/proposals")

    def roles(self):
        page = self.get("/describe")
        forms = [f for f in page.forms if f.action == "/describe/roles"]
        if forms:
            count = sum(name == "role" for name, _ in forms[0].fields)
            choices = ("", "analysis", "quasi_identifier", "sensitive", "weight", "id", "nonsense")
            picked = [self.rng.choice(choices[: self.rng.choice((6, 7))]) for _ in range(count)]
            self.send(page, "/describe/roles", role=picked)

    def variable(self):
        page = self.get(f"/describe/{self.rng.randrange(5)}")
        fields = {
            "importance": self.rng.choice(VALUES),
            "missing": self.rng.choice(("", "-9", "a, b", '"x', "\x00", "1,,2")),
            "order": self.rng.choice(("", "a, b", "a, a")),
            "recode": self.rng.choice(("", "", "round", "breaks", "map", "top", "prefix", "odd")),
            **{name: self.rng.choice(VALUES) for name in ("round", "breaks", "top", "prefix")},
            "map": self.rng.choice(("", "a = b", "=", "a = b\na = c")),
        }
        self.send(page, page.path, **fields)

    def analysis(self):
        """An indicator, a regression or a model is added, or one that is there is changed."""
        key = self.rng.choice(("indicator", "regression", "model"))
        page = self.get(f"/describe/analyses/{key}/{self.rng.randrange(3)}")
        sound = {
            "indicator": {"statistic": "mean", "variable": "income", "by": "sex"},
            "regression": {"formula": "income ~ age"},
            "model": {"formula": "income ~ age"},
        }[key]
        self.fill(page, sound if self.rng.random() < 0.6 else {})

    def choice(self):
        keys = ("options", "risk", "tables", "propensity", "loss", "rut", "require", "odd")
        self.fill(self.get(f"/describe/choices/{self.rng.choice(keys)}"), {})

    def fill(self, page, sound):
        """What is asked for, and something in one of the fields."""
        forms = [f for f in page.forms if f.action == page.path]
        names = [name for form in forms for name, _ in form.fields if name[:2] == "f-"]
        if names:
            odd = (
                {}
                if sound
                else {self.rng.choice(names): self.rng.choice((*VALUES, "a = 1", "yes"))}
            )
            self.send(page, page.path, **{f"f-{k}": v for k, v in sound.items()}, **odd)

    def unwanted(self):
        """An analysis is taken away."""
        key = self.rng.choice(("indicator", "regression", "model"))
        self.send(self.get("/describe/analyses"), f"/describe/analyses/{key}/0/remove")

    def another(self):
        """Another candidate is shown beside the original."""
        page = self.get("/describe")
        forms = [f for f in page.forms if f.action == "/describe/candidate"]
        if forms:
            there = [*forms[0].choices["candidate"], "none.csv"]
            self.send(page, "/describe/candidate", candidate=self.rng.choice(there))

    def looked_over(self):
        self.send(self.get("/describe"), "/describe/each")

    def schema(self):
        text = self.rng.choice(
            ("", "[variable.age]\ntype = 'nominal'\n", "[variable", "[options]\nseed = 3\n", "\x00")
        )
        self.send(self.get("/describe/schema"), "/describe/schema", text=text)

    def upload(self):
        name = self.rng.choice(("more.csv", "../up.csv", "weak.csv", "x", "<b>.csv", "."))
        page = self.get("/")
        self.seen(self.visitor.upload(page, name, b"age,sex\n1,f\n2,m\n"))

    def demo(self):
        self.send(self.get("/"), "/demo")

    def workbook(self, *names):
        """Sheets that are there from now on."""
        write_workbook(
            self.folder / "book.xlsx", **dict.fromkeys(names, self.folder / "original.csv")
        )

    def sheet_lost(self):
        """A sheet vanishes, or comes back."""
        if (self.folder / "original.csv").exists():
            both = ("People", "<b>Released")
            self.workbook(*self.rng.choice((both[:1], both[1:], both)))

    def file_lost(self):
        name = self.rng.choice(("weak.csv", "strong.csv", "more.csv"))
        (self.folder / name).unlink(missing_ok=True)

    # -- recipes -----------------------------------------------------------------------------

    def recipe(self):
        self.send(self.get("/protect"), "/protect", name=self.word())

    def any_recipe(self):
        there = self.visitor.running.project.state["recipes"]
        if not there:
            self.recipe()
            there = self.visitor.running.project.state["recipes"]
        return self.rng.choice(there)

    def step(self):
        one = self.any_recipe()
        place = self.rng.randrange(len(one["content"]["step"]) + 1)
        method = self.rng.choice(METHODS)
        page = self.get(f"/protect/{one['id']}/{place}?method={method}")
        forms = [f for f in page.forms if f.action == page.path]
        if forms:
            there = forms[0].choices.get("variable", [])
            picked = self.rng.sample(there, min(len(there), self.rng.randrange(3)))
            fields = {
                name: self.rng.choice(VALUES) for name, _ in forms[0].fields if name[:2] == "p-"
            }
            self.send(page, page.path, variable=picked, **fields)

    def undone(self):
        one = self.any_recipe()
        page = self.get(f"/protect/{one['id']}")
        self.send(page, f"/protect/{one['id']}/undo")

    def removed(self):
        one = self.any_recipe()
        page = self.get(f"/protect/{one['id']}")
        what = self.rng.choice(("0/remove", "1/raise", "remove", "rename", "text"))
        self.send(page, f"/protect/{one['id']}/{what}", name=self.word())

    def stale(self):
        """Two tabs, of which the second comes too late."""
        one = self.any_recipe()
        page = self.get(f"/protect/{one['id']}/{len(one['content']['step'])}?method=round")
        self.step()
        self.send(page, page.path, variable=["age"], **{"p-unit": "5"})

    def simple(self):
        """A recipe that can be used."""
        self.recipe()
        one = self.visitor.running.project.state["recipes"][-1]
        page = self.get(f"/protect/{one['id']}/0?method=round")
        self.send(page, page.path, variable=["age"], **{"p-unit": self.rng.choice(("5", "5, 10"))})
        return one["id"]

    def previewed(self):
        page = self.get(f"/protect/{self.simple()}")
        self.send(page, f"{page.path}/preview")

    def candidate(self):
        page = self.get(f"/protect/{self.simple()}")
        self.send(page, f"{page.path}/candidate")

    def explored(self):
        page = self.get(f"/protect/{self.simple()}")
        limits = {"limit-risk": self.rng.choice(("", "0.5"))}
        page = self.send(page, f"{page.path}/explore", **limits)
        self.visitor.get(f"{page.path}/part")

    # -- runs --------------------------------------------------------------------------------

    def measured(self):
        page = self.get("/measure")
        risk, others = self.rng.choice((("", ""), ("0.1", ""), ("", "nix")))
        return self.send(page, "/measure", **{"limit-risk": risk, "require": others})

    def under_way(self):
        """A run that is at work; None where nothing comes of it so fast."""
        for _ in range(6):
            self.measured()
            for _ in range(30):
                run = self.visitor.running.jobs.busy()
                if run is not None and run.pid is not None:
                    return run
                time.sleep(0.005)
        return None

    def cancelled(self):
        run = self.under_way()
        if run is not None:
            page = self.get(f"/runs/{run.id}")
            self.send(page, f"/runs/{run.id}/cancel")

    def killed(self):
        run = self.under_way()
        pid = None if run is None else run.pid
        if pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            self.get(f"/runs/{run.id}")

    def again(self):
        runs = self.visitor.running.jobs.runs()
        if runs:
            run = self.rng.choice(runs)
            page = self.get(f"/runs/{run.id}")
            self.send(page, f"/runs/{run.id}/again")

    def forgotten(self):
        runs = self.visitor.running.jobs.runs("measure", "preview")
        if runs:
            run = self.rng.choice(runs)
            self.send(self.get(f"/runs/{run.id}"), f"/runs/{run.id}/forget")

    def released(self):
        page = self.get("/release")
        forms = [f for f in page.forms if f.action == "/release"]
        if forms and forms[0].choices.get("choice"):
            choice = self.rng.choice(forms[0].choices["choice"])
            page = self.send(page, "/release", choice=choice, name=self.word())
            if "all the same?" in page.text and self.rng.random() < 0.7:
                self.send(page, "/release")

    # -- what must hold ----------------------------------------------------------------------

    def check(self):
        visitor = self.visitor
        visitor.wait()
        for path in PAGES:
            page = visitor.get(path)
            assert page.status == 200, (path, page.status, page.text[:300])
        running = visitor.running
        path = running.folder.own / "project.json"  # made when something is said
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty()
        assert kept == running.project.state
        actions = [run.about["action"] for run in running.jobs.runs() if "action" in run.about]
        assert len(actions) == len(set(actions)), "done twice"
        for run in running.jobs.runs():
            assert run.state in OVER
            plain = json.loads((running.jobs.place(run.id) / "run.json").read_text())
            assert (plain["state"], plain["id"]) == (run.state, run.id)
            assert visitor.get(f"/runs/{run.id}").status == 200
        assert not children(), "a worker is left"

    def check_disk(self):
        left = [path for path in self.folder.rglob(".*") if path.is_file()]
        assert not left, left
        for place in self.folder.glob("release-*-internal"):
            manifest = place / "release.json"
            if manifest.exists():
                names = [one["name"] for one in json.loads(manifest.read_text())["files"]]
                assert all((self.folder / name).is_file() for name in names)


def children():
    """Processes that this one started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == os.getpid() and words[0] != "Z":
            command = path.with_name("cmdline").read_bytes()
            if b"app_worker" in command:
                found.append(command)
    return found


def play(seed, prepared):
    """A sequence; the seed and what was done where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        sequence = Sequence(seed, Path(folder), prepared)
        try:
            sequence.run()
        except BaseException as error:
            note = f"sequence of seed {seed} failed after: {' '.join(sequence.did)}"
            error.add_note(note)
            raise
        return sequence.did


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def told(played, what):
    """Play as many sequences as the command line asks for; say which failed.

    `played` is told the folder that was prepared, and gives what plays the sequence of a seed.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    failed = []
    place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with place as folder, played(prepare(Path(folder))) as play_one:
        started = time.monotonic()
        for number in range(chosen.count):
            seed = chosen.seed * 100_000 + number
            try:
                play_one(seed)
            except Exception as error:  # noqa: BLE001  told, and on to the next
                failed.append(seed)
                traceback.print_exception(error)
            if (number + 1) % 25 == 0:
                spent = time.monotonic() - started
                say(f"{number + 1} {what}, {len(failed)} failed, {spent:.0f} s")
    named = f": {', '.join(map(str, failed))}" if failed else ""
    say(f"{chosen.count} {what}, {len(failed)} failed{named}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(told(lambda made: nullcontext(partial(play, prepared=made)), "sequences"))
