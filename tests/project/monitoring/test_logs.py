"""The log as programs read it."""

import json
import logging
import os
import subprocess
import sys

from inbox.background.request_ids import for_request
from project.monitoring.logs import JsonLines, RequestIds, SecretAddresses
from tests.fork_server import run


def line(message="ready", *arguments, **more) -> dict:
    record = logging.getLogger("inbox.background.jobs").makeRecord(
        "inbox.background.jobs", logging.ERROR, "jobs.py", 7, message, arguments, more.pop("exc_info", None),
        extra=more,
    )  # fmt: skip
    RequestIds().filter(record)
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_record_is_one_object_on_one_line():
    found = line("%s is\nlate", "work", kind="send")
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "ERROR",
        "logger": "inbox.background.jobs",
        "message": "work is\nlate",
        "kind": "send",
    }


def test_it_names_the_request_that_it_was_written_for():
    with for_request("web-1"):
        assert line()["request_id"] == "web-1"


def test_a_traceback_stands_in_its_own_field():
    try:
        raise ValueError("no\nlines")
    except ValueError:
        found = line(exc_info=sys.exc_info())
    assert found["exc_info"].endswith("ValueError: no\nlines")


def test_the_secret_address_of_a_calendar_is_in_no_line():
    record = logging.getLogger("x").makeRecord(
        "x", logging.ERROR, "x.py", 7, "Internal Server Error: %s 100%%", ("/calendars/s3-cr_t.ics",),
        None, extra={"request": "<ASGIRequest: GET '/calendars/s3-cr_t.ics'>"},
    )  # fmt: skip
    assert SecretAddresses().filter(record)
    written = json.loads(JsonLines().format(record))
    assert written["message"] == "Internal Server Error: /calendars/… 100%"
    assert "'/calendars/…'" in written["request"]


def settings_shell(code: str, tmp_path, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = {"CHANCERY_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "project.settings"}
    return run(
        ["-c", f"import django; django.setup()\n{code}"], env=os.environ | ours | environment
    )


def test_a_process_writes_json_where_the_environment_says_so_and_uvicorn_too(tmp_path):
    code = (
        "import logging, uvicorn\n"
        "logging.getLogger('uvicorn.error').warning('no room', extra={'color_message': 'x'})\n"
        "logging.getLogger('inbox').info('unheard')"
    )
    done = settings_shell(code, tmp_path, CHANCERY_LOG_FORMAT="json")
    [found] = [json.loads(text) for text in done.stderr.splitlines()]
    assert (found.pop("logger"), found.pop("message")) == ("uvicorn.error", "no room")
    assert found.keys() == {"time", "level"}


def test_a_format_that_there_is_not_is_refused_by_name(tmp_path):
    done = settings_shell("", tmp_path, CHANCERY_LOG_FORMAT="xml")
    assert done.returncode != 0
    assert "CHANCERY_LOG_FORMAT is 'xml'; it may be line or json" in done.stderr


def test_trouble_of_a_mail_server_is_logged_with_its_account_and_not_as_ours(tmp_path):
    """An answer 502 has been told of by whoever asked the server; a 500 is still told."""
    code = (
        "from django.http import HttpResponse\n"
        "from django.test import RequestFactory\n"
        "from django.utils.log import log_response\n"
        "request = RequestFactory().get('/api/x')\n"
        "for status in (502, 500):\n"
        "    response = HttpResponse(status=status)\n"
        "    log_response('%s', status, response=response, request=request)"
    )
    done = settings_shell(code, tmp_path)
    assert [text.split()[-1] for text in done.stderr.splitlines()] == ["500"], done.stderr
