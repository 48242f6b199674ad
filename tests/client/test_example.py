"""The example of the typed client, as somebody would run it, and the page's lines."""

import re
import subprocess
import sys
import time

import pytest

from project.settings import BASE_DIR
from tests.patience import LONG
from tests.up import clean_environment

PAGE = (BASE_DIR / "docs" / "how-to" / "python-client.md").read_text(encoding="utf-8")


def command(url, *arguments):
    script = BASE_DIR / "examples" / "typed_client.py"
    return [sys.executable, script, "--url", url, *arguments]


@pytest.fixture
def environment(token):
    return {
        **clean_environment(), "CHANCERY_TOKEN": token, "PYTHONPATH": str(BASE_DIR / "client"),
        "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1",
    }  # fmt: skip


def test_it_waits_for_a_person_and_tells_what_was_decided(url, environment, person):
    running = subprocess.Popen(
        command(url, "--query", "kassenexport"), env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip
    said, deadline = "", time.monotonic() + LONG
    while "A person decides at" not in said:
        line = running.stdout.readline()
        assert line, said
        assert time.monotonic() < deadline
        said += line
    [approval] = re.findall(r"/admin/review/(apr_\w+)/", said)
    person.answer(approval, [{"type": "ignore", "args": None}])
    rest, _ = running.communicate(timeout=LONG)
    assert running.returncode == 0
    assert "It is rejected. A person let it be." in rest


def test_where_nobody_decides_it_ends_and_says_for_what_to_ask(url, environment):
    done = subprocess.run(
        command(url, "--query", "vat return", "--seconds", "1"), env=environment,
        capture_output=True, text=True, encoding="utf-8", timeout=LONG, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"nobody has decided on (apr_\w+) within 1 seconds; ask for \1", done.stdout)


def test_the_lines_of_the_page_run(url, token, environment):
    [lines] = re.findall(
        r"```python\n(from chancery_client import Chancery, Held\n.*?)```", PAGE, re.DOTALL
    )
    lines = lines.replace("http://127.0.0.1:8000", url).replace("chy_…", token)
    lines = lines.replace("chancery.wait_for_decision(sent)", "{'state': 'waiting'}")
    done = subprocess.run(
        [sys.executable, "-c", lines], env=environment,
        capture_output=True, text=True, timeout=LONG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "A person decides at" in done.stdout
