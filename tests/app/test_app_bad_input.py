"""What the command refuses is refused with its sentences; nothing is lost, nothing done twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import httpx
import pytest

from microgauge.app.folder import Folder
from microgauge.app.jobs import Jobs
from support.app import Page, started, visited


def begun(visitor, **files):
    visitor.choose(**files or {"original": "original.csv", "candidate": "weak.csv"})
    visitor.wait()
    return visitor.get("/describe")


def said_by_command(folder, *words):
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", *words], cwd=folder, capture_output=True, text=True
    )
    assert found.returncode == 2
    return found.stderr.removeprefix("microgauge: ").strip()


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"importance": "much"}, "importance"),
        ({"importance": "-1"}, "importance"),
        ({"order": "a, b, a", "type": "ordinal"}, "order"),
        ({"recode": "breaks", "breaks": "30, 10"}, "recode"),
        ({"recode": "top"}, "recode"),
        ({"recode": "prefix", "prefix": "0.5"}, "recode"),
    ],
)
def test_faults_of_a_field_stand_beside_it_in_the_commands_words(described, tmp_path, fields, key):
    from microgauge.app import schemas

    visitor = described
    page = visitor.send(visitor.get("/describe/0"), "/describe/0", **fields)
    assert page.status == 422
    entry = schemas.entry_from(fields, {})
    (tmp_path / "s.toml").write_text(schemas.text_of({"variable": {"age": entry}}))
    said = said_by_command(
        visitor.running.folder.root,
        "assess",
        "original.csv",
        "weak.csv",
        "--schema",
        str(tmp_path / "s.toml"),
    )
    found = [line.strip(" -") for line in said.splitlines() if "[variable.age]" in line]
    assert found
    for sentence in found:
        assert sentence in page.text
        at = page.html.index("faults", page.html.index(f'id="{key}"') - 2000)
        assert at > 0
    shown = dict(page.form("/describe/0").fields)
    for name, value in fields.items():
        assert shown[name] == value, "what was filled in is lost"
    assert visitor.running.project.state["schema"] == ""


def test_a_fault_that_only_the_tables_show_stands_at_its_variable(visitor):
    begun(visitor)
    page = visitor.get("/describe/1")
    visitor.send(page, "/describe/1", recode="map", map="f = woman")
    visitor.wait()
    page = visitor.get("/describe")
    run = visitor.running.jobs.runs("describe")[0]
    assert run.state == "refused"
    for fault in run.faults:
        assert fault in page.text
    assert "age" in page.text, "the table of variables is still there"


@pytest.mark.parametrize(
    "text", ["[variable", "[variable.age]\ntype = 1\n", "[nix]\n", '[variable.age]\nrole = "kee"\n']
)
def test_a_faulty_schema_is_shown_again_as_it_was_typed(described, text, tmp_path):
    visitor = described
    page = visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    assert page.status == 422
    assert dict(page.form("/describe/schema").fields)["text"] == text
    (tmp_path / "schema.toml").write_text(text)
    said = subprocess.run(
        [
            sys.executable,
            "-m",
            "microgauge",
            "assess",
            str(visitor.running.folder.root / "original.csv"),
            str(visitor.running.folder.root / "weak.csv"),
            "--schema",
            "schema.toml",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stderr
    for line in said.removeprefix("microgauge: ").splitlines():
        if "faults:" not in line:
            assert line.strip(" -") in page.text
    sent = visitor.upload(
        visitor.get("/describe/schema"), "s.toml", text.encode(), purpose="schema"
    )
    assert sent.status == 422
    assert visitor.running.project.state["schema"] == ""


def test_a_file_that_is_no_table_is_refused_in_the_commands_words(visitor):
    root = visitor.running.folder.root
    (root / "broken.parquet").write_bytes(b"PAR1 nothing")
    begun(visitor, original="broken.parquet")
    said = said_by_command(root, "schema", "broken.parquet")
    assert said in visitor.get("/describe").text


def test_limits_that_cannot_be_read_are_told_at_the_field(described):
    visitor = described
    page = visitor.send(visitor.get("/measure"), "/measure", require="risk<=much")
    assert page.status == 422
    assert dict(page.form("/measure").fields)["require"] == "risk<=much"
    said = said_by_command(
        visitor.running.folder.root,
        "assess",
        "original.csv",
        "weak.csv",
        "--require",
        "risk<=much",
    )
    assert said in page.text
    assert visitor.running.jobs.runs("measure") == []


@pytest.mark.parametrize(
    ("method", "fields", "where"),
    [
        ("noise", {"variable": ["income"]}, "give share or deviation."),
        ("round", {"variable": ["age"], "p-unit": "x"}, "unit must be a number."),
        ("round", {"variable": ["sex"], "p-unit": "5"}, '"sex" is a category'),
        ("round", {"p-unit": "5"}, "names no variable"),
        ("pram", {"variable": ["sex"], "p-keep": "7"}, "keep"),
    ],
)
def test_faults_of_a_step_are_told_and_nothing_is_lost(described, method, fields, where):
    visitor = described
    page = visitor.get(f"/protect/1/0?method={method}")
    page = visitor.send(page, "/protect/1/0", **fields)
    assert page.status == 422
    assert where in page.text
    shown = page.form("/protect/1/0")
    assert [v for k, v in shown.fields if k == "variable"] == fields.get("variable", [])
    for key, value in fields.items():
        if key.startswith("p-"):
            assert dict(shown.fields)[key] == value
    assert visitor.running.project.state["recipes"][0]["content"]["step"] == []


def test_a_file_that_vanishes_is_told(visitor):
    begun(visitor)
    root = visitor.running.folder.root
    page = visitor.get("/measure")
    (root / "weak.csv").unlink()
    page = visitor.send(page, "/measure")
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    page = visitor.get(page.path)
    assert run.state == "refused"
    assert "weak.csv" in page.text
    said = said_by_command(root, "assess", "original.csv", "weak.csv")
    assert said.splitlines()[0] in page.text
    assert "no longer in the folder" in visitor.get("/").text


def test_a_file_that_changes_during_the_run_is_told(tables):
    (tables / "slow.py").write_text(SLOW)
    program = (sys.executable, str(tables / "slow.py"))
    with visited(tables, program=program) as visitor:
        visitor.choose(original="original.csv", candidate="weak.csv")
        visitor.wait()
        page = visitor.send(visitor.get("/measure"), "/measure")
        run = page.path.rsplit("/", 1)[-1]
        until(lambda: visitor.running.jobs.get(run).state == "running")
        with (tables / "weak.csv").open("a") as file:
            file.write("30,f,north,1\n")
        visitor.wait(run)
        assert visitor.running.jobs.get(run).changed == ["weak.csv"]
        assert "changed or vanished while" in visitor.get(f"/runs/{run}").text


SLOW = """
import sys, time
print('{"doing": "waiting", "share": 0.5}', file=sys.stderr, flush=True)
time.sleep(1.5 if sys.argv[1] in ("assess", "rank") else 0)
"""
STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('{"doing": "waiting", "share": 0.5}', file=sys.stderr, flush=True)
time.sleep(60)
"""


def until(true, seconds=20):
    for _ in range(seconds * 50):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it never came")


def test_a_run_is_cancelled_and_done_again(visitor):
    begun(visitor)
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = page.path.rsplit("/", 1)[-1]
    jobs = visitor.running.jobs
    until(lambda: jobs.get(run).state == "running" and jobs.get(run).doing)
    page = visitor.send(visitor.get(page.path), f"/runs/{run}/cancel")
    assert visitor.wait(run).state == "cancelled"
    assert not (jobs.place(run) / "result.json").exists()
    page = visitor.send(visitor.get(page.path), f"/runs/{run}/again")
    assert visitor.wait(run).state == "done"
    assert visitor.get(f"/look/{run}").status == 200


def test_a_worker_that_is_killed_ends_nothing_else(visitor):
    begun(visitor)
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = page.path.rsplit("/", 1)[-1]
    jobs = visitor.running.jobs
    until(lambda: jobs.get(run).pid is not None and jobs.get(run).doing)
    os.kill(jobs.get(run).pid, signal.SIGKILL)
    assert visitor.wait(run).state == "killed"
    page = visitor.get(page.path)
    assert "ended from outside" in page.text
    visitor.send(page, f"/runs/{run}/again")
    assert visitor.wait(run).state == "done"


def test_a_process_that_will_not_stop_is_ended(tmp_path, monkeypatch):
    from microgauge.app import jobs as module

    monkeypatch.setattr(module, "PATIENCE", 0.3)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    jobs = Jobs(Folder(tmp_path), (sys.executable, str(tmp_path / "stubborn.py")))
    jobs.start()
    run = jobs.add("measure", "x", lambda place: [["assess"]])
    until(lambda: jobs.get(run.id).doing)
    pid = jobs.get(run.id).pid
    jobs.cancel(run.id)
    until(lambda: jobs.get(run.id).over)
    assert jobs.get(run.id).state == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    jobs.end()


def begin_describing(tables, address):
    """Choose the original, and wait until a worker is at it; its process."""
    path = tables / "microgauge-app" / "runs" / "0001" / "run.json"
    with httpx.Client(follow_redirects=True, trust_env=False) as client:
        page = Page(client.get(address))
        origin = address.split("/?")[0]
        fields = page.form("/files").filled({"role": ["original", "", ""]})
        client.post(origin + "/files", data=_dict(fields), headers={"origin": origin})
        until(lambda: path.exists() and json.loads(path.read_text())["pid"])
    return json.loads(path.read_text())["pid"]


def test_what_was_under_way_when_the_app_was_killed_is_told(tables):
    with started(tables) as (process, address):
        begin_describing(tables, address)
        process.kill()
        process.wait()
    with visited(tables) as visitor:
        visitor.wait()
        assert visitor.running.jobs.get("0001").state == "killed"
        visitor.send(visitor.get("/describe"), "/describe/again")
        visitor.wait()
        assert "150 rows" in visitor.get("/describe").text


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_app_that_is_stopped_at_work_leaves_nobody_running(tables, stop):
    with started(tables) as (process, address):
        worker = begin_describing(tables, address)
        process.send_signal(stop)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    plain = json.loads((tables / "microgauge-app" / "runs" / "0001" / "run.json").read_text())
    assert plain["state"] == "cancelled"


def _dict(fields):
    found = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return found


def test_the_browser_may_be_closed_in_the_middle(visitor):
    from support.app import Visitor

    begun(visitor)
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = page.path.rsplit("/", 1)[-1]
    visitor.client.close()
    other = Visitor(visitor.running)
    assert other.wait(run).state == "done"
    assert other.get(f"/look/{run}").status == 200
    other.close()


def test_two_apps_on_one_folder_are_refused(tables):
    with started(tables) as (first, _):
        found = subprocess.run(
            [sys.executable, "-m", "microgauge", "app", str(tables), "--no-browser"],
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert first.poll() is None
    assert found.returncode == 2
    assert "another microgauge app works in" in found.stderr
    assert found.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there is no folder"),
        ([".", "--port", "99999"], "--port must be"),
        ([".", "--language", "xx"], "--language"),
        ([".", "--upload-limit", "0"], "--upload-limit"),
    ],
)
def test_what_the_command_line_cannot_mean(tmp_path, words, said):
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", "app", *words, "--no-browser"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_without_the_libraries_one_message_says_what_to_install(tmp_path):
    script = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n == 'starlette' else find(n, *a)\n"
        "from microgauge.cli import main\n"
        "sys.exit(main(['app', '.']))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 2
    assert 'pip install "microgauge[app]"' in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_help_loads_no_server():
    script = (
        "import sys; from microgauge.cli import main\n"
        "try: main(['app', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(any(n.split('.')[0] in ('starlette', 'uvicorn', 'jinja2') for n in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


# -- uploads ---------------------------------------------------------------------------------


class Endless:
    """A file of a size that nobody holds in memory."""

    def __init__(self, size):
        self.left = size

    def read(self, count=-1):
        count = min(self.left, 1 << 16 if count < 0 else count)
        self.left -= count
        return b"0" * count


def parts(form, size, name="big.csv"):
    """A form with a file, made while it is sent."""
    head = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in form.fields
    )
    head += f'--x\r\nContent-Disposition: form-data; name="sent"; filename="{name}"\r\n\r\n'
    yield head.encode()
    block = b"1,2\n" * 16384
    while size > 0:
        yield block[: min(size, len(block))]
        size -= len(block)
    yield b"\r\n--x--\r\n"


def send_big(visitor, size):
    form = visitor.get("/").form("/upload")
    return visitor.client.post(
        "/upload",
        content=parts(form, size),
        headers={"origin": visitor.origin, "content-type": "multipart/form-data; boundary=x"},
        timeout=600,
    )


def test_an_upload_is_streamed_to_the_disk(tables):
    with visited(tables) as visitor:
        answer = send_big(visitor, 40 << 20)
        assert answer.status_code == 200
        assert (tables / "big.csv").stat().st_size == 40 << 20
        assert not list((tables / "microgauge-app").glob(".sent-*"))


def test_an_upload_beyond_the_limit_leaves_nothing(tables):
    with visited(tables, upload_limit=4 << 20) as visitor:
        import contextlib

        with contextlib.suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
            answer = send_big(visitor, 12 << 20)
            assert answer.status_code == 413
        until(lambda: not list((tables / "microgauge-app").glob(".sent-*")))
        assert not (tables / "big.csv").exists()
        assert visitor.get("/").status == 200


def test_an_upload_that_says_it_is_too_large_is_refused_at_once(visitor):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", visitor.running.port, timeout=10)
    connection.putrequest("POST", "/upload")
    for name, value in {
        "Origin": visitor.origin,
        "Cookie": "; ".join(f"{k}={v}" for k, v in visitor.client.cookies.items()),
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": str(1 << 50),
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_full_disk_is_told_and_leaves_nothing(tables, monkeypatch):
    from microgauge.app.folder import Folder as Place

    with visited(tables) as visitor:
        monkeypatch.setattr(Place, "room", lambda self: 1 << 20)
        page = visitor.upload(visitor.get("/"), "a.csv", b"a\n1\n")
        assert page.status == 507
        assert "no room" in page.text
        monkeypatch.undo()
        assert not (tables / "a.csv").exists()
        assert not list((tables / "microgauge-app").glob(".sent-*"))


def test_a_disk_that_fills_up_while_the_state_is_saved(visitor, monkeypatch):
    from microgauge.app import project
    from microgauge.errors import InputError

    def full(path, content):
        raise InputError(f"{path.name} cannot be written: No space left on device.")

    before = visitor.running.project.state
    page = visitor.get("/protect")
    monkeypatch.setattr(project, "write_whole", full)
    found = visitor.send(page, "/protect", name="x")
    assert found.status == 422
    assert "No space left on device" in found.text
    assert visitor.running.project.state == before
    monkeypatch.undo()
    assert visitor.send(page, "/protect", name="x").status == 200


def test_an_upload_never_writes_over_a_file(visitor):
    root = visitor.running.folder.root
    before = (root / "original.csv").read_bytes()
    visitor.upload(visitor.get("/"), "original.csv", b"a\n1\n")
    assert (root / "original.csv").read_bytes() == before
    assert (root / "original-2.csv").read_bytes() == b"a\n1\n"


# -- twice, back, two tabs -------------------------------------------------------------------


def test_a_form_sent_twice_is_done_once(visitor):
    begun(visitor)
    form = visitor.get("/measure").form("/measure").filled()
    addresses = {visitor.post("/measure", form).path for _ in range(3)}
    assert len(addresses) == 1
    assert len(visitor.running.jobs.runs("measure")) == 1
    form = visitor.get("/protect").form("/protect").filled()
    for _ in range(3):
        visitor.post("/protect", form)
    assert len(visitor.running.project.state["recipes"]) == 1
    visitor.wait()


def test_two_clicks_at_the_same_moment_are_one(visitor):
    import threading

    begun(visitor)
    form = visitor.get("/measure").form("/measure").filled()
    found = []
    clicks = [
        threading.Thread(target=lambda: found.append(visitor.post("/measure", form).path))
        for _ in range(4)
    ]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert len(set(found)) == 1
    assert len(visitor.running.jobs.runs("measure")) == 1
    visitor.wait()


def test_a_form_sent_again_after_a_restart_is_still_done_once(tables):
    with visited(tables) as visitor:
        form = visitor.get("/protect").form("/protect").filled()
        visitor.post("/protect", form)
    with visited(tables) as visitor:
        fresh = [(k, visitor.running.secrets.form if k == "csrf" else v) for k, v in form]
        visitor.post("/protect", fresh)
        assert len(visitor.running.project.state["recipes"]) == 1


def test_a_stale_tab_is_told_what_changed_and_loses_nothing(visitor):
    begun(visitor)
    first, second = visitor.get("/describe/0"), visitor.get("/describe/0")
    visitor.send(first, "/describe/0", label="one")
    page = visitor.send(second, "/describe/0", label="two")
    assert page.status == 409
    assert "changed elsewhere" in page.text
    assert "one" in page.text
    assert "two" in page.text
    assert 'label = "one"' in visitor.running.project.state["schema"]
    visitor.send(page, "/describe/0")
    assert 'label = "two"' in visitor.running.project.state["schema"]


def test_tabs_on_other_variables_do_not_disturb_each_other(visitor):
    begun(visitor)
    first, second = visitor.get("/describe/0"), visitor.get("/describe/1")
    visitor.send(first, "/describe/0", label="one")
    assert visitor.send(second, "/describe/1", label="two").status == 200
    text = visitor.running.project.state["schema"]
    assert 'label = "one"' in text
    assert 'label = "two"' in text


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 99}', '{"format": 1, "files": 3}'])
def test_a_state_that_cannot_be_read_is_told(tables, content):
    place = tables / "microgauge-app"
    place.mkdir()
    (place / "project.json").write_text(content)
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", "app", str(tables), "--no-browser"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert found.returncode == 2, found.stdout
    assert "project.json" in found.stderr
    assert (place / "project.json").read_text() == content


def test_runs_that_cannot_be_read_are_passed_over(tables):
    place = tables / "microgauge-app" / "runs" / "0001"
    place.mkdir(parents=True)
    (place / "run.json").write_text("{")
    shutil.copytree(place, place.parent / "0002")
    with visited(tables) as visitor:
        assert visitor.get("/look").status == 200
        begun(visitor)
        assert visitor.running.jobs.runs("describe")[0].state == "done"
