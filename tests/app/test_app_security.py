"""Who is answered, and with what: each way in is tried by itself."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import stat
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from microgauge.app.folder import Folder, plain_name
from microgauge.errors import InputError
from support.app import Visitor, served, started, visited, wait_for

PAGES = ("/", "/describe", "/measure", "/look", "/protect", "/release", "/describe/schema")
HOSTILE = "<img src=x onerror=alert(1)>\"'><script>window.hacked=1</script>"


def asked(visitor, method, path, headers, body=None):
    """A request whose every header we choose."""
    connection = http.client.HTTPConnection("127.0.0.1", visitor.running.port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def cookie(visitor):
    return "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())


def own(visitor):
    return f"127.0.0.1:{visitor.running.port}"


def fields(visitor, **more):
    return urlencode({"csrf": visitor.running.secrets.form, "action": "once", **more}).encode()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "[::1]:{port}", ""]
)
def test_another_host_is_refused(visitor, host):
    given = [("Host", host.format(port=visitor.running.port)), ("Cookie", cookie(visitor))]
    assert asked(visitor, "GET", "/", given)[0] in (400, 421)


def test_two_hosts_are_refused(visitor):
    given = [("Host", own(visitor)), ("Host", "evil.example"), ("Cookie", cookie(visitor))]
    assert asked(visitor, "GET", "/", given)[0] in (400, 421)


@pytest.mark.parametrize(
    "more",
    [
        [],
        [("Origin", "http://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://127.0.0.1:1")],
        [("Origin", "https://{own}")],
        [("Origin", "http://{own}"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "http://{own}"), ("Sec-Fetch-Site", "same-site")],
        [("Sec-Fetch-Site", "none")],
    ],
)
def test_a_form_of_another_site_is_refused(visitor, more):
    before = visitor.running.project.state
    given = [
        ("Host", own(visitor)),
        ("Cookie", cookie(visitor)),
        ("Content-Type", "application/x-www-form-urlencoded"),
        *((name, value.format(own=own(visitor))) for name, value in more),
    ]
    assert asked(visitor, "POST", "/protect", given, fields(visitor))[0] == 403
    assert visitor.running.project.state == before


def test_our_own_form_is_taken(visitor):
    given = [
        ("Host", own(visitor)),
        ("Cookie", cookie(visitor)),
        ("Origin", f"http://{own(visitor)}"),
        ("Sec-Fetch-Site", "same-origin"),
    ]
    assert asked(visitor, "POST", "/protect", given, fields(visitor))[0] == 303


@pytest.mark.parametrize("change", [{"csrf": ""}, {"csrf": "x" * 43}, {"action": ""}])
def test_a_form_without_its_secret_is_refused(visitor, change):
    before = visitor.running.project.state
    given = {"csrf": visitor.running.secrets.form, "action": "once", **change}
    page = visitor.post("/protect", list(given.items()))
    assert page.status == 403
    assert visitor.running.project.state == before


@pytest.mark.parametrize("path", [*PAGES, "/static/app.js", "/runs/0001/files/result.json"])
@pytest.mark.parametrize("value", [None, "wrong"])
def test_without_the_cookie_nothing_is_shown(visitor, path, value):
    given = [("Host", own(visitor))]
    if value:
        given.append(("Cookie", f"microgauge-{visitor.running.port}={value}"))
    status, _, text = asked(visitor, "GET", path, given)
    assert status == 403
    assert "original.csv" not in text
    assert (
        asked(visitor, "POST", path, [*given, ("Origin", f"http://{own(visitor)}")], b"")[0] == 403
    )


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token={t}&token={t}"])
def test_a_wrong_token_opens_nothing(visitor, query):
    path = "/" + query.format(t=visitor.running.secrets.token)
    status, headers, _ = asked(visitor, "GET", path, [("Host", own(visitor))])
    assert status == 403
    assert "set-cookie" not in {name.lower() for name in headers}


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(visitor):
    path = f"/?token={visitor.running.secrets.token}"
    status, headers, _ = asked(visitor, "GET", path, [("Host", own(visitor))])
    said = headers["set-cookie"]
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in said
    assert "SameSite=Strict" in said
    assert visitor.running.secrets.token not in said
    given = [("Host", own(visitor)), ("Cookie", cookie(visitor))]
    assert asked(visitor, "GET", path, given)[1]["location"] == "/"


def test_from_a_file_the_token_leads_on_by_a_page_of_ours(visitor):
    """A browser sends no strict cookie with what another origin redirected."""
    given = [("Host", own(visitor)), ("Sec-Fetch-Site", "cross-site")]
    given += [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
    path = f"/?token={visitor.running.secrets.token}"
    status, headers, text = asked(visitor, "GET", path, given)
    assert status == 200
    assert "SameSite=Strict" in headers["set-cookie"]
    assert '<meta http-equiv="refresh" content="0; url=/">' in text
    assert "original.csv" not in text


def test_every_answer_has_the_headers_that_guard_it(visitor):
    for path in (*PAGES, "/static/app.css", "/nowhere"):
        answer = visitor.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
def test_no_other_method_is_known(visitor, method):
    given = [("Host", own(visitor)), ("Cookie", cookie(visitor)), ("Origin", "http://evil.example")]
    status, headers, _ = asked(visitor, method, "/", given)
    assert status == 405
    assert "access-control-allow-origin" not in {name.lower() for name in headers}


def test_pages_hold_no_script_and_no_style_of_their_own(measured):
    for path in (*PAGES, "/describe/0", f"/look/{measured.run}", f"/runs/{measured.run}"):
        page = measured.get(path)
        assert page.status == 200
        assert all(at.get("src") == "/static/app.js" for at in page._read.scripts), path
        assert " style=" not in page.html, path
        assert " onclick=" not in page.html, path


def test_a_report_is_shown_where_it_can_reach_nothing(measured):
    answer = measured.client.get(f"/runs/{measured.run}/framed/report")
    policy = answer.headers["content-security-policy"]
    assert answer.status_code == 200
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv",
        "/etc/passwd",
        "sub/../../secret.csv",
        "link.csv",
        "linked/secret.csv",
        "nowhere.csv",
        "a\0b",
        "",
        ".",
    ],
)
def test_no_file_outside_the_folder_is_used(tmp_path, name):
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "linked").symlink_to(tmp_path)
    with pytest.raises(InputError, match="there is no"):
        Folder(folder.resolve()).inside(name)


def test_links_out_of_the_folder_are_not_listed_and_not_taken(tables, tmp_path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (tables / "link.csv").symlink_to(tmp_path / "secret.csv")
    (tables / "inner.csv").symlink_to(tables / "original.csv")
    with visited(tables) as visitor:
        running = visitor.running
        page = visitor.get("/")
        assert "inner.csv" in page.text
        assert "link.csv" not in page.text
        for name in ("link.csv", "../secret.csv", str(tmp_path / "secret.csv")):
            found = visitor.send(page, "/files", file=[name], role=["original"], action=name)
            assert found.status == 422
            assert "in the folder, or it leads out of it" in found.text
        assert running.project.state["files"]["original"] is None


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2f..%2fapp/server.py",
        "/runs/..%2f..%2f/files/project.json",
        "/runs/0001/files/..%2f..%2fproject.json",
        "/runs/0001/files/run.json",
        "/runs/0001/framed/..%2frun.json",
        "/look/..%2f..",
    ],
)
def test_addresses_lead_nowhere_else(visitor, path):
    given = [("Host", own(visitor)), ("Cookie", cookie(visitor))]
    assert asked(visitor, "GET", path, given)[0] in (404, 405)


def test_names_and_labels_are_text_whatever_they_hold(tmp_path):
    folder = tmp_path / "<b>bold<"
    folder.mkdir()
    name = "<img src=x onerror=alert(1)>.csv"
    column = HOSTILE
    quoted = '"' + column.replace('"', '""') + '"'
    rows = "".join(f"{place % 5},{place % 3}\n" for place in range(60))
    (folder / name).write_text(f"{quoted},b\n{rows}")
    with visited(folder) as visitor:
        visitor.choose(original=name)
        visitor.wait()
        page = visitor.get("/describe")
        assert column in page.text
        field = visitor.get("/describe/0")
        field = visitor.send(field, "/describe/0", label=HOSTILE, missing=HOSTILE)
        visitor.wait()
        visitor.send(visitor.get("/protect"), "/protect", name=HOSTILE[:60])
        for path in (
            "/",
            "/describe",
            "/describe/0",
            "/describe/schema",
            "/protect",
            "/protect/1",
            "/protect/1/0?method=noise",
        ):
            found = visitor.get(path)
            assert found.status == 200
            assert "<img" not in found.html, path
            assert "<script>window" not in found.html, path
            assert "<b>bold" not in found.html, path


def test_a_file_that_became_a_link_out_of_the_folder_is_not_read(visitor, tmp_path):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    root = visitor.running.folder.root
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (root / "weak.csv").unlink()
    (root / "weak.csv").symlink_to(tmp_path / "secret.csv")
    page = visitor.send(visitor.get("/measure"), "/measure")
    assert page.status == 422
    assert visitor.running.jobs.runs("measure") == []


OUTSIDE = "../outside.json"
COMMANDS = [
    ["schema", "original.csv", "--json", OUTSIDE],
    ["schema", "original.csv", f"--json={OUTSIDE}"],
    ["schema", "original.csv", "--js", "x.json"],
    ["schema", "{outside}/secret.csv", "--json", "x.json"],
    ["schema", "original.csv", "--json", "link/x.json"],
    ["schema", "original.csv", "--engine", "spark"],
    ["app", "."],
    ["schema", "original.csv", "--json", "x\0.json"],
    [],
]


@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize("state", ["queued", "done"])
def test_a_kept_run_whose_command_is_none_of_ours_is_passed_over(
    tables, tmp_path, arguments, state
):
    """The folder may be from somebody else: opening it must not do what they wrote there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("a\n1\n")
    (tables / "link").symlink_to(outside)
    commands = [[word.format(outside=outside) for word in arguments]]
    _keep_run(tables, commands, state)
    with visited(tables) as visitor:
        assert visitor.running.jobs.runs() == []
        visitor.wait()
    assert [path.name for path in outside.iterdir()] == ["secret.csv"]
    assert not (tmp_path / "outside.json").exists()
    assert not (tables / "x.json").exists()


def test_a_kept_run_whose_command_is_ours_is_gone_on_with(tables):
    place = "microgauge-app/runs/0001"
    _keep_run(tables, [["schema", "original.csv", "--json", f"{place}/variables.json"]], "queued")
    with visited(tables) as visitor:
        assert visitor.wait("0001").state == "done"


def _keep_run(folder, commands, state):
    place = folder / "microgauge-app" / "runs" / "0001"
    place.mkdir(parents=True)
    run = {"id": "0001", "kind": "describe", "title": "x", "commands": commands, "state": state}
    run |= {"queued": 1.0, "inputs": ["original.csv"], "about": {"files": ["original.csv"]}}
    (place / "run.json").write_text(json.dumps(run))


@pytest.mark.parametrize("name", ["project.json", "runs", "runs/0001/run.json", "lock", ""])
def test_links_in_what_the_app_keeps_are_refused(tables, tmp_path, name):
    """By a link the app would write over a file of another place."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path = tables / "microgauge-app" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(victim)
    with pytest.raises(InputError, match="is a link"), visited(tables):
        pass
    assert victim.read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="a browser of our own is a script")
def test_the_browser_is_opened_without_the_token_in_its_command_line(tables, tmp_path):
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$*" > {told}.new; mv {told}.new {told}\n')
    browser.chmod(0o700)
    with started(tables, shown=False, BROWSER=f"{browser} %s") as (process, _):
        address = re.search(r"http://\S+", process.stderr.readline())[0]
        wait_for(told.exists)
        said = told.read_text()
        door = tables / "microgauge-app" / "open.html"
        assert said == door.as_uri()
        assert stat.S_IMODE(door.stat().st_mode) == 0o600
        assert f"url={address}" in door.read_text()
        process.send_signal(signal.SIGINT)
        process.wait(15)
        assert not door.exists()


def test_a_file_is_never_taken_for_an_option():
    from microgauge.app.asking import masked, measured
    from microgauge.app.project import empty

    state = empty()
    state["files"]["original"] = "--help.csv"
    words = measured(state, ["-o.csv"], "place", "en")
    assert words[1:3] == ["./--help.csv", "./-o.csv"]
    assert masked("-a.csv", "r.toml", "-b.csv")[1] == "./-a.csv"


def test_a_module_in_the_folder_is_never_run(tables):
    (tables / "json.py").write_text("raise SystemExit('taken')\n")
    (tables / "polars.py").write_text("raise SystemExit('taken')\n")
    with visited(tables) as visitor:
        running = visitor.running
        visitor.choose(original="original.csv")
        visitor.wait()
        (run,) = running.jobs.runs("describe")
        assert run.state == "done", run.messages


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="no socket table to look into")
def test_only_loopback_is_bound(tables):
    with started(tables) as (process, address):
        port = int(address.split(":")[2].split("/")[0])
        inodes = set()
        for link in Path(f"/proc/{process.pid}/fd").iterdir():
            target = str(link.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        listening = []
        for table in ("tcp", "tcp6", "udp", "udp6"):
            for line in Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                if words[9] in inodes and (table.startswith("udp") or words[3] == "0A"):
                    listening.append((table, words[1]))
        assert listening == [("tcp", f"0100007F:{port:04X}")]


def test_nothing_is_logged_and_nothing_of_data_stands_in_addresses(tables):
    with started(tables) as (process, address):
        with httpx.Client(follow_redirects=True, trust_env=False) as client:
            page = client.get(address)
            assert page.status_code == 200
            assert "token" not in str(page.url)
            client.get(str(page.url) + "nowhere")
        process.terminate()
        process.wait(15)
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_sessions_end_with_the_program(tables):
    with served(tables) as running:
        first = Visitor(running)
        kept = cookie(first)
        port = running.port
        first.close()
    with served(tables, port=port) as running:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/", headers={"Host": f"127.0.0.1:{port}", "Cookie": kept})
        assert connection.getresponse().status == 403
        connection.close()


def test_what_the_app_keeps_holds_no_secret(measured):
    known = measured.running.secrets
    for path in measured.running.folder.own.rglob("*"):
        if path.is_file():
            text = path.read_bytes()
            for secret in (known.token, known.cookie, known.form):
                assert secret.encode() not in text, path


def test_a_garbled_request_ends_nothing(visitor):
    for line in (
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
        b"\0" * 99,
    ):
        with socket.create_connection(("127.0.0.1", visitor.running.port), 5) as raw:
            raw.sendall(line)
            raw.settimeout(2)
            with contextlib.suppress(OSError):
                raw.recv(1000)
    assert visitor.get("/").status == 200


def test_a_form_that_is_too_large_is_refused(visitor):
    page = visitor.post("/protect", [("csrf", "x"), ("name", "a" * (9 << 20))])
    assert page.status == 413


def test_uploaded_names_are_plain(visitor):
    assert plain_name("../../x.csv") == "x.csv"
    assert plain_name("C:\\a\\b.csv") == "b.csv"
    page = visitor.upload(visitor.get("/"), "../../evil.csv", b"a\n1\n")
    assert page.status == 200
    sent = visitor.running.folder.root / "evil.csv"
    assert sent.read_bytes() == b"a\n1\n"
    assert not stat.S_IMODE(sent.stat().st_mode) & 0o022
    assert not (visitor.running.folder.root.parent / "evil.csv").exists()


def test_the_state_file_is_plain_json(measured):
    text = (measured.running.folder.own / "project.json").read_text(encoding="utf-8")
    assert json.loads(text)["files"]["original"] == "original.csv"
