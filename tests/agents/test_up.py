"""`manage.py up`: one command, one process."""

import http.client
import json
import re
import shutil
import signal
import socket
import sqlite3
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.patience import LONG
from tests.sqlite3.base import put_empty_database
from tests.up import SEEN, SHOWN, DemoUp, Up


def get(url: str, token: str = "") -> tuple[int, bytes, str]:
    """Return status, body and Location of an answer, following no redirect."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=LONG)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", parts.path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.getheader("Location", "")


def messages_in(var) -> int:
    with sqlite3.connect(var / "chancery.sqlite3") as database:
        return database.execute("SELECT count(*) FROM inbox_message").fetchone()[0]


def test_it_makes_the_demo_serves_it_stops_and_keeps_it(demo_folder, tmp_path):
    # Made from nothing, as somebody starts it; elsewhere it is forked off what has loaded a part.
    shutil.copytree(demo_folder, tmp_path, dirs_exist_ok=True)
    shown, seen = (tmp_path / SHOWN).read_text(), json.loads((tmp_path / SEEN).read_text())
    password, token = (re.search(rf"{name}  (\S+)", shown)[1] for name in ("password", "token"))
    assert "Chancery" in seen["login"]
    assert "list_threads" in {tool["name"] for tool in json.loads(seen["tools"])["tools"]}
    assert (seen["code"], seen["seconds"] < 3) == (0, True)
    assert "Traceback" not in shown
    made = messages_in(tmp_path)
    assert made >= 45

    second = Up(tmp_path, "--demo")
    url = second.wait_until_ready()
    assert get(f"{url}/api/tools", token)[0] == 200
    parts = urlsplit(url)
    # An idle connection that is kept alive does not hold it up.
    with socket.create_connection((parts.hostname, parts.port)) as idle:
        idle.sendall(b"GET /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert idle.recv(9).startswith(b"HTTP/1.1")
        code, seconds = second.stop(signal.SIGINT)
    assert (code, seconds < 3) == (0, True)
    assert "Traceback" not in second.output
    for secret in (password, token, "chy_"):
        assert secret not in second.output
    assert "changepassword" in second.output
    assert "create_agent" in second.output
    assert messages_in(tmp_path) == made


def test_an_empty_folder_is_set_up_in_the_browser_and_no_code_is_printed_once_somebody_is(tmp_path):
    put_empty_database(tmp_path)
    up = Up(tmp_path)
    url = up.wait_until_ready()
    first = code_in(up)
    assert get(f"{url}/")[2] == "/admin/"
    assert get(f"{url}/admin/login/")[::2] == (302, "/admin/start/")
    assert b'name="password1"' in get_whole(f"{url}/admin/start/?code={first}")
    assert "token" not in up.output
    assert up.stop()[0] == 0
    # Started again, it has another code, and the one before is over.
    up = Up(tmp_path)
    url, second = up.wait_until_ready(), code_in(up)
    assert b'name="password1"' not in get_whole(f"{url}/admin/start/?code={first}")
    assert b'name="password1"' in get_whole(f"{url}/admin/start/?code={second}")
    with sqlite3.connect(tmp_path / "chancery.sqlite3") as database:
        database.execute(
            "INSERT INTO auth_user (username, password, first_name, last_name, email, is_staff,"
            " is_active, is_superuser, date_joined)"
            " VALUES ('ada', '!', '', '', '', 1, 1, 1, '2026-11-23')"
        )
    assert up.stop()[0] == 0
    up = Up(tmp_path)
    up.wait_until_ready()
    assert up.stop()[0] == 0
    assert "?code=" not in up.output
    assert "changepassword ada" in up.output


def code_in(up) -> str:
    """Return the code that it printed, which comes after it is ready."""
    end = time.monotonic() + LONG
    while not (found := re.search(r"/admin/start/\?code=(\S+)\n", up.output)):
        assert time.monotonic() < end, up.output
        time.sleep(0.02)
    return found[1]


def get_whole(url: str) -> bytes:
    """Return what an address answers, its query included, refused or not."""
    try:
        return urllib.request.urlopen(url, timeout=LONG).read()
    except urllib.error.HTTPError as refused:
        return refused.read()


def test_open_streams_of_events_do_not_hold_it_up(demo_folder, tmp_path):
    up = DemoUp(demo_folder, tmp_path)
    url = up.wait_until_ready()
    headers = {
        "Authorization": f"Bearer {up.secret('token')}", "Accept": "text/event-stream",
    }  # fmt: skip
    opened = []
    for _ in range(3):
        opened.append(http.client.HTTPConnection(urlsplit(url).netloc, timeout=LONG))
        opened[-1].request("GET", "/api/v1/events", headers=headers)
        assert opened[-1].getresponse().readline().startswith(b"retry:")
    code, seconds = up.stop(signal.SIGINT)
    assert (code, seconds < 3) == (0, True)
    assert "Traceback" not in up.output
    assert "Stopped." in up.output


def test_it_stops_while_it_is_still_making_ready(tmp_path):
    up = Up(tmp_path)
    while "Preparing" not in up.output:
        assert up.process.poll() is None, up.output
        time.sleep(0.01)
    code, _ = up.stop(signal.SIGTERM)
    assert (code, "Traceback" in up.output) == (0, False), up.output


def test_a_port_that_is_taken_is_named_with_the_option(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        up = Up(tmp_path, "--port", port)
        assert up.wait() == 1
    assert f"127.0.0.1:{port}" in up.output
    assert "--port" in up.output
    assert "Traceback" not in up.output
    assert not (tmp_path / "chancery.sqlite3").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mail", "nowhere"], "does not exist"),
        (["--mail", "pyproject.toml"], "not mail"),
        (["--mail", "requirements"], "is mail"),
        (["--port", "70000"], "from 0 to 65535"),
        (["--address", "a@x.example"], "--mail"),
        (["--demo", "--mail", "examples/demo_mail"], "Choose one"),
        (["--mail", "examples/demo_mail", "--address", "a at b"], "is not an email address"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_made(signals, arguments, words):
    # No test that asks for no database may open one.
    with pytest.raises(CommandError, match=words):
        call_command("up", *arguments)


@pytest.fixture
def signals():
    """Put back what is done on the signals that the command takes."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture
def mail(tmp_path):
    """A folder with three letters to Ada."""
    folder = tmp_path / "mail"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.eml").write_bytes(
            b"Delivered-To: ada@x.example\r\nFrom: bo@y.example\r\nTo: list@z.example\r\n"
            b"Subject: Letter %d\r\nMessage-ID: <%d@y.example>\r\n\r\nHello Ada.\r\n"
            % (number, number)
        )
    return str(folder)


def test_it_brings_in_ones_own_mail(tmp_path, mail):
    var = tmp_path / "var"
    put_empty_database(var)
    first = Up(var, "--mail", mail)
    url, token = first.wait_until_ready(), first.secret("token")
    assert "for ada@x.example" in first.output
    assert "3 new" in first.output
    request = urllib.request.Request(
        f"{url}/api/tools", headers={"Authorization": f"Bearer {token}"}
    )
    assert urllib.request.urlopen(request, timeout=LONG).status == 200
    assert first.stop()[0] == 0

    second = Up(var, "--mail", mail)
    second.wait_until_ready()
    assert "0 new, 3 known" in second.output
    assert "chy_" not in second.output
    assert second.stop()[0] == 0


def test_on_all_addresses_it_says_how_other_machines_are_answered(tmp_path, mail):
    put_empty_database(tmp_path / "var")
    up = Up(tmp_path / "var", "--mail", mail, "--host", "0.0.0.0")
    url = up.wait_until_ready()
    assert url.startswith("http://127.0.0.1:")
    assert get(f"{url}/admin/login/")[0] == 200
    assert "CHANCERY_HOSTS=" in up.output
    assert up.stop()[0] == 0
