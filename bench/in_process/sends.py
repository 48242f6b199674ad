"""Sends mail one after the other, with a worker in this process, and tells how long each took."""

import os
import socket
import threading
import time

from aiosmtpd.controller import Controller
from django.contrib.auth.models import User

from inbox.actor import Actor, system_actor
from inbox.background.worker import Worker
from inbox.models import Account, Inbox, Membership, Role, Submission
from inbox.operations.accounts.accounts import create_account
from inbox.operations.drafts.writing import create_draft
from inbox.operations.sending.submissions import propose_submission, release_submission

SENDS = int(os.environ.get("BENCH_SENDS", "100"))
# As many a second as a busy office approves, and a moment for the import to begin.
PAUSE, BEFORE = 0.2, 3.0
ADDRESS = "sender@lantern.example"


class Sink:
    """Takes every message and notes when the last one came."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.at = 0.0

    async def handle_DATA(self, *_: object) -> str:  # noqa: N802
        """Note the time."""
        self.at = time.perf_counter()
        self.came.set()
        return "250 taken"


def send(inbox: Inbox, actor: Actor, reviewer: User, sink: Sink) -> float:
    """Release one message; return how long it took to leave, in seconds."""
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(),
        to=["ada@customer.example"], subject="News", body="Hello",
    )  # fmt: skip
    submission: Submission = propose_submission(actor=actor, draft=draft)
    sink.came.clear()
    start = time.perf_counter()
    release_submission(submission=submission, approved_by=reviewer, sha256=submission.sha256)
    if not sink.came.wait(60):
        raise SystemExit("a message has not left within a minute")
    return sink.at - start


def sender(port: int) -> Inbox:
    """Return the inbox of the account that sends, made at the first time."""
    if not Account.objects.filter(address=ADDRESS).exists():
        create_account(workspace=Inbox.objects.get().workspace, address=ADDRESS)
    settings = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
    Account.objects.filter(address=ADDRESS).update(
        provider="imap_smtp", settings=settings, undo_seconds=0
    )
    return Inbox.objects.select_related("account").get(account__address=ADDRESS)


def main() -> None:
    """Print the times on one line."""
    sink = Sink()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Controller(sink, hostname="127.0.0.1", port=port, ident="sink")
    server.start()
    inbox = sender(port)
    reviewer, _ = User.objects.get_or_create(username="rhea")
    Membership.objects.get_or_create(
        workspace=inbox.workspace, user=reviewer, defaults={"role": Role.REVIEWER}
    )
    actor = system_actor(inbox.workspace_id, "bench")
    worker = Worker()
    worker.start()
    time.sleep(BEFORE)
    times = []
    for _ in range(SENDS):
        times.append(send(inbox, actor, reviewer, sink))
        time.sleep(PAUSE)
    worker.stop()
    server.stop()
    print(" ".join(f"{each:.6f}" for each in times))


if __name__ == "__main__":
    main()
