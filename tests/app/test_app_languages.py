"""Whoever uses the app in a language sees everything in it: pages, results, runs and refusals."""

import json
import re
import shlex

import httpx
import pytest

from microgauge.app.jobs import Jobs
from microgauge.app.schemas import ROLES, TYPES, field_faults
from microgauge.app.server import Running
from microgauge.languages.catalogue import Words, words_of
from microgauge.languages.messages import Message
from microgauge.masking.methods import method_names
from microgauge.results.figures import FIGURES
from support.app import visited
from support.app_tables import write_tables
from support.shown import unsaid_on
from support.unsaid import Brackets

BRACKETS = Brackets("de")
"""Commands are asked for a language that there is; pages are in the made-up one."""
PATIENCE = 600
"""Seconds: all commands of this file are run one after the other."""
LIMITS = {"limit-risk": "0.001", "require": "gdu>=0.2"}
NOT_WALKED = re.compile(r"/static/.*|/runs/\d+/(files|framed|command).*|.*\.toml")
DATA = {"age", "sex", "region", "income", "original", "weak", "strong", "walked", "microgauge"}
DATA |= {"Mild", "Grid", "release-spring", "spring", "much"}
DATA |= {"gdu", "nix", "round", "unit"}
SECTIONS = {"propensity", "loss", "risk", "rut"}
TYPED = {"0.1", "0.2", "0.5", "0.7", "0.8", "0.9", "north", "south"}
"""Examples of what fields of a step take, which are typed the same in every language."""
CODES = {"importance", "kee", "keep", "require", "role", "share", "type", "variable", "0.05"}
"""What refusals say as it stands in files and on command lines."""


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """An app in which all was done once, and something refused."""
    folder = tmp_path_factory.mktemp("walk") / "walked"
    folder.mkdir()
    write_tables(folder)
    with visited(folder) as visitor:
        visitor.choose(original="original.csv", candidate=["weak.csv", "strong.csv"])
        visitor.wait(seconds=PATIENCE)
        visitor.send(visitor.get("/describe"), "/describe/proposals")
        visitor.ranked = run_of(
            visitor.send(visitor.get("/measure"), "/measure", require="risk<=0.9")
        )
        visitor.assessed = run_of(
            visitor.send(visitor.get("/measure"), "/measure", candidate="weak.csv", **LIMITS)
        )
        recipe(visitor, "Mild", "5")
        visitor.send(visitor.get("/protect/1"), "/protect/1/preview")
        recipe(visitor, "Grid", "10, 20")
        visitor.explored = run_of(visitor.send(visitor.get("/protect/2"), "/protect/2/explore"))
        visitor.wait(seconds=PATIENCE)
        visitor.released = run_of(
            visitor.release(visitor.get(f"/release?choice={visitor.assessed}:0"), name="spring")
        )
        (folder / "strong.csv").rename(folder / "kept.csv")
        visitor.refused = run_of(
            visitor.send(visitor.get("/measure"), "/measure", candidate="strong.csv")
        )
        visitor.wait(seconds=PATIENCE)
        (folder / "kept.csv").rename(folder / "strong.csv")
        yield visitor


def run_of(page):
    assert page.path.startswith("/runs/"), page.text
    return page.path.rsplit("/", 1)[-1]


def recipe(visitor, name, unit):
    at = visitor.send(visitor.get("/protect"), "/protect", name=name).path
    step = visitor.get(f"{at}/0?method=round")
    visitor.send(step, f"{at}/0", variable=["age"], **{"p-unit": unit})


@pytest.fixture
def speak(monkeypatch):
    """Have all pages speak a language."""

    def choose(words):
        monkeypatch.setattr(Running, "words", lambda self, wished="": words)

    return choose


def left(page, codes=frozenset()):
    assert page.status != 500
    typed = TYPED if page.path.startswith(("/protect/", "/answers/")) else set()
    return {(page.path, text) for text in unsaid_on(page.html, DATA | typed | codes)}


def codes():
    """Names that refusals list; sections add theirs when they are loaded."""
    return CODES.union(method_names(), FIGURES, ROLES, TYPES)


def test_every_word_of_every_page_is_in_the_catalogue(worked, speak):
    speak(BRACKETS)
    states = {run.id: run.state for run in worked.running.jobs.runs()}
    expected = {worked.ranked: "done", worked.assessed: "done", worked.refused: "refused"}
    expected |= {worked.explored: "done", worked.released: "done"}
    assert {name: states[name] for name in expected} == expected
    seen, ahead, found = set(), ["/", "/nowhere"], set()
    while ahead:
        path = ahead.pop()
        if path in seen or NOT_WALKED.fullmatch(path):
            continue
        seen.add(path)
        page = worked.get(path)
        found |= left(page)
        ahead += [link for link in page.links if link.startswith("/")]
    assert len(seen) > 60, seen
    assert found == set()


@pytest.mark.parametrize(
    ("at", "to", "fields"),
    [
        ("/", "/files", {"file": ["weak.csv"], "role": ["candidate"]}),
        ("/", "/files", {"file": ["nix.csv"], "role": ["original"]}),
        ("/", "/files", {"file": ["weak.csv", "strong.csv"], "role": ["original", "original"]}),
        ("/", "/files", {"seen": "another"}),
        ("/", "/language", {"language": "nix"}),
        ("/describe/0", "/describe/0", {"importance": "much"}),
        ("/describe/0", "/describe/0", {"recode": "breaks", "breaks": "30, 10"}),
        ("/describe/1", "/describe/1", {"order": "f, m, f", "type": "ordinal"}),
        ("/describe/schema", "/describe/schema", {"text": "[variable.age]\ntype = 1\n"}),
        ("/describe/schema", "/describe/schema", {"text": '[variable.age]\nrole = "kee"\n'}),
        ("/measure", "/measure", {"candidate": []}),
        ("/measure", "/measure", {"limit-risk": "", "require": "risk<=much"}),
        ("/measure", "/measure", {"require": "nix<=1"}),
        ("/protect/1/0", "/protect/1/0", {"p-unit": "-1"}),
        ("/protect/1/1?method=noise", "/protect/1/1", {"variable": ["sex", "nix"]}),
        ("/protect/1", "/protect/1/text", {"text": "[[step]]\nmethod = 1\n"}),
        ("/protect/1", "/protect/1/text", {"text": "seed = 2020-01-01\n"}),
        ("/protect/1", "/protect/1/explore", {"require": "much"}),
        ("/release", "/release", {"choice": ""}),
        ("/release", "/release", {"choice": "0002:0", "name": "spring"}),
    ],
)
def test_what_is_refused_is_refused_in_the_language(worked, speak, at, to, fields):
    speak(BRACKETS)
    page = worked.send(worked.get(at), to, **fields)
    assert page.status in (409, 422), page.text
    assert left(page, codes()) == set()


def test_files_that_are_refused(worked, speak):
    speak(BRACKETS)
    for content in (b"[nix]\n", b"\xff\xfe"):
        sent = worked.upload(worked.get("/describe/schema"), "s.toml", content, purpose="schema")
        assert sent.status == 422
        assert left(sent, codes()) == set()


@pytest.mark.parametrize("state", ["queued", "running", "cancelled", "killed", "failed"])
def test_a_run_is_told_in_the_language_however_far_it_is(worked, speak, monkeypatch, state):
    speak(BRACKETS)
    run = worked.running.jobs.get(worked.assessed)
    assert run.doing
    assert run.verdict["provisional"]["sentence"]
    monkeypatch.setattr(run, "state", state)
    for path in (f"/runs/{run.id}", f"/runs/{run.id}/part"):
        assert left(worked.get(path), SECTIONS) == set()


def test_runs_keep_what_their_messages_were_made_from(worked, speak):
    jobs = Jobs(worked.running.folder)
    refused = jobs.get(worked.refused)
    assert refused.faults == worked.running.jobs.get(worked.refused).faults
    for text in (*refused.faults, jobs.get(worked.assessed).verdict["safe"]["sentence"]):
        assert isinstance(text, Message)
    assert Jobs(worked.running.folder).get(worked.refused) == refused


def test_a_result_is_asked_for_in_one_language_and_shown_in_another(worked, speak):
    speak(words_of("de"))
    page = worked.send(worked.get("/measure"), "/measure", candidate="weak.csv", **LIMITS)
    run = worked.wait(run_of(page), PATIENCE)
    assert run.state == "done", (run.faults, run.messages)
    line = shlex.split(worked.client.get(f"/runs/{run.id}/command").text)
    assert line[line.index("--language") + 1] == "de"
    report = worked.client.get(f"/runs/{run.id}/framed/report").text
    assert 'lang="de"' in report
    there = [figures(worked, name) for name in (run.id, worked.assessed)]
    assert there[0] == there[1]
    said = worked.running.jobs.place(run.id) / "result.json"
    sentence = json.loads(said.read_text())["verdict"]["safe"]["sentence"]
    for language in ("de", "fr"):
        speak(Told(language, {}))
        page = worked.get(f"/look/{run.id}")
        assert f'lang="{language}"' in page.html
        assert f"{language}: " in page.text
        assert sentence not in page.text


def test_a_figure_stands_beside_its_limit_with_the_digits_that_tell_it(worked, speak):
    """As reports do: a count is no 1,000, and what misses 0,05 is not shown as 0,050."""
    speak(words_of("de"))
    result = worked.running.jobs.place(worked.assessed) / "result.json"
    kept = result.read_text()
    content = json.loads(kept)
    for one, value in zip(content["requirements"], (0.00100001, 1.0), strict=True):
        one["value"] = value
    result.write_text(json.dumps(content))
    page = worked.get(f"/look/{worked.assessed}")
    result.write_text(kept)
    assert "Risiko höchstens 0,001 · 0,00100001" in page.text
    assert "gdu mindestens 0,2 · 1 " in page.text


class Told(Words):
    """A language in which every form begins with its name."""

    def form(self, form):
        return f"{self.language}: {form}"


def figures(visitor, run):
    """What is in a result apart from where its files are."""
    plain = json.loads((visitor.running.jobs.place(run) / "result.json").read_text())
    plain.pop("manifest")
    return plain


def test_english_is_not_said_on_the_command_line(worked):
    for run in worked.running.jobs.runs():
        if run.id in (worked.ranked, worked.assessed, worked.explored, worked.released):
            assert "--language" not in worked.client.get(f"/runs/{run.id}/command").text


def test_a_fault_stands_at_its_field_in_the_language(worked, speak):
    forms = {form for fault in field_faults("age", {"importance": "x"})["importance"]
             for form in said_forms(fault.plain())}  # fmt: skip
    german = {form: form.replace("must be a number", "muss eine Zahl sein") for form in forms}
    assert german != dict(zip(forms, forms, strict=True))
    speak(Words("de", german))
    page = worked.send(worked.get("/describe/0"), "/describe/0", importance="x")
    assert page.status == 422
    at = page.html.index('id="importance"')
    assert "muss eine Zahl sein" in page.html[at : page.html.index("</div>", at) + 300]


def said_forms(plain):
    """The forms that a message is made of."""
    if isinstance(plain, dict):
        for key, value in plain.items():
            yield from [value] if key == "form" else said_forms(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from said_forms(value)


def test_who_has_no_token_is_told_so_in_the_language_of_the_browser(worked):
    running = worked.running
    text = "Only the app's own pages may ask for this."
    headers = {"origin": "http://elsewhere", "accept-language": "de"}
    answer = httpx.post(f"{worked.origin}/files", headers=headers)
    assert answer.status_code == 403
    assert answer.text == f"microgauge: {running.words('de')(text)}\n"


def test_a_folder_that_is_in_use_is_told_in_the_language(worked, monkeypatch, capsys):
    from microgauge.cli import app, main

    monkeypatch.setattr(app, "words_of", lambda language: Brackets(language))
    folder = str(worked.running.folder.root)
    assert main(["app", folder, "--no-browser", "--language", "de"]) == 2
    said = capsys.readouterr().err
    assert "⟦another microgauge app works in ⟧" in said


def test_whatever_is_written_for_people_is_asked_for_in_the_language():
    from microgauge.app import asking
    from microgauge.app.project import empty

    state = empty()
    state["files"]["original"] = "a.csv"
    for language, said in (("fr", ["--language", "fr"]), ("en", [])):
        (assess,) = asking.released(state, "release-x", "b.csv", None, language)
        rank = asking.measured(state, ["b.csv", "c.csv"], "place", language)
        for command in (assess, rank, asking.explored(state, "place", language)):
            at = command.index("--language") if said else len(command)
            assert command[at : at + 2] == said


def test_what_a_command_wrote_is_told_in_the_language_of_the_page(worked, speak):
    worked.wait(seconds=PATIENCE)
    preview = worked.running.jobs.runs("preview")[-1]
    speak(words_of("de"))
    page = worked.get(f"/runs/{preview.id}")
    assert re.search(r"geschrieben: .*protected.csv, 150 Zeilen × 4", page.text), page.text
