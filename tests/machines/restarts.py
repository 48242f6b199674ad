"""`python -m tests.machines.restarts SERVER`: mail is sent while its PostgreSQL is restarted.

`SERVER` is the folder of a server that `pg_ctl` may restart; `DATABASE_URL` names a database there.
Prints what became of the submissions, what arrived how often, and how many copies there are.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import OperationalError, connection  # noqa: E402

from inbox.models import Message, Submission  # noqa: E402
from tests import factories  # noqa: E402
from tests.sending_tools import propose, recover, release  # noqa: E402
from tests.servers import Peer, say  # noqa: E402

MAILS, WORKERS, RESTARTS = 12, 2, 2


def slowly(talk) -> None:
    time.sleep(0.1)
    say("250 taken")(talk)


def restart(server: str) -> None:
    """Have it lose every connection and everything that is not on disk."""
    command = ["pg_ctl", "-D", server, "-w", "-m", "immediate", "restart", "-l", f"{server}/log"]
    # PostgreSQL does not run as root: its folder belongs to somebody else then.
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, user=Path(server).owner(), cwd=server
    )
    connection.close()


def wait_for(states: set[str], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(OperationalError):
            if set(Submission.objects.values_list("state", flat=True)) <= states:
                return
        time.sleep(0.1)


def main(server: str) -> None:
    call_command("migrate", verbosity=0)
    inbox = factories.make_inbox(factories.make_workspace("lantern"), "office@lantern.example")
    actor = factories.agent_actor(factories.make_agent(inbox.workspace, "Clerk", (inbox,)))
    reviewer = factories.make_person_user(inbox.workspace)
    with Peer(dot=slowly) as peer, ExitStack() as stack:
        for _ in range(MAILS):
            release(propose(actor, inbox, peer.port), reviewer)
        for _ in range(WORKERS):
            command = [sys.executable, "manage.py", "worker", "--threads", "1"]
            worker = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            stack.callback(worker.wait)
            stack.callback(worker.kill)
        for _ in range(RESTARTS):
            seen = len(peer.whole)
            while len(peer.whole) < min(seen + 3, MAILS):
                time.sleep(0.02)
            restart(server)
        wait_for({"sent", "unknown"}, 10)
        stack.close()
        for _ in range(3):
            recover()
    arrived = Counter(taken.content for taken in peer.whole)
    states = Counter(Submission.objects.values_list("state", flat=True))
    sealed = {it.mime_bytes: it.state for it in Submission.objects.all()}
    found = {
        "states": states,
        "most": max(arrived.values()),
        "copies": Message.objects.count(),
        "strangers": sum(content not in sealed for content in arrived),
        "sent but not arrived": sum(
            state == "sent" and content not in arrived for content, state in sealed.items()
        ),
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
