"""A mail server and a web server that keep what they are sent."""

import email
import json
import threading
from collections.abc import Iterator
from email import policy
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from aiosmtpd.controller import Controller

from agents.models import NoticeSettings
from inbox.background.jobs import run_due
from inbox.models import Job
from tests.patience import LONG
from tests.ports import free_port


class Sink:
    """Takes mail, or refuses it with `answer`."""

    def __init__(self):
        self.answer = "250 taken"
        self.got = []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        if self.answer.startswith("2"):
            parsed = email.message_from_bytes(envelope.content, policy=policy.default)
            self.got.append((envelope.rcpt_tos, parsed))
        return self.answer


@pytest.fixture
def sink(settings) -> Iterator[Sink]:
    made = Sink()
    controller = Controller(made, hostname="127.0.0.1", port=free_port(), ready_timeout=LONG)
    controller.start()
    settings.NOTIFY_SMTP = f"smtp://127.0.0.1:{controller.port}"
    settings.NOTIFY_FROM = "chancery@lantern.example"
    yield made
    controller.stop()


class Hook:
    """Keeps what is posted and answers with `status`."""

    def __init__(self):
        self.status, self.got = 200, []
        hook = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.got.append((dict(self.headers), body))
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, *args):
                """Keep quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def bodies(self):
        return [json.loads(body) for _, body in self.got]


@pytest.fixture
def hook(settings) -> Iterator[Hook]:
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    made = Hook()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def carry():
    """Run the jobs of notices that are due."""

    def carry():
        Job.objects.exclude(kind__startswith="notices.").delete()
        run_due()

    return carry


@pytest.fixture
def wish(reviewer):
    """Have the reviewer told by mail of every proposal, or as asked for."""

    def wish(user=None, **fields):
        values = {
            "kinds": ["approval"], "by_mail": True, "mail_address": "rhea@lantern.example",
            "mail_confirmed_at": "2026-01-01T00:00Z", "quiet_days": [0, 1, 2, 3, 4, 5, 6], **fields,
        }  # fmt: skip
        made = NoticeSettings.objects.create(user=user or reviewer, **values)
        made.refresh_from_db()
        return made

    return wish
