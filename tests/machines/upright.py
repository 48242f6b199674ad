"""`python -m tests.machines.upright prepare | propose PORT | lapse | settle`: a message for a `manage.py up`.

Works on the data folder of `CHANCERY_VAR`, while it is up or before. `prepare` makes a database.
`propose` has an agent propose a message of an account whose server listens at this port. `lapse` lets
every lease be over, and it be time for all that is done every so often. `settle` lets every pause be
over, waits for whoever is up to bring the mail to its end, and says what that was. Each prints one
line of JSON.
"""

import hashlib
import json
import os
import sys
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from agents.dispatching.dispatch import call  # noqa: E402
from agents.models import Approval  # noqa: E402
from inbox.models import Account, Job, Message, PeriodicRun, Submission  # noqa: E402
from tests import factories  # noqa: E402
from tests.machines.brokers import until  # noqa: E402
from tests.machines.webs import session_of  # noqa: E402
from tests.sending_tools import hurry  # noqa: E402


def prepare() -> dict[str, object]:
    call_command("migrate", verbosity=0)
    return {}


def propose(port: str) -> dict[str, object]:
    settings.ALLOWED_HOSTS.append("testserver")
    inbox = factories.make_inbox(factories.make_workspace("lantern"), "office@lantern.example")
    given = {
        "smtp_host": "127.0.0.1", "smtp_port": int(port), "smtp_security": "none",
        "smtp_timeout": 60, "smtp_answer_timeout": 60,
    }  # fmt: skip
    Account.objects.filter(pk=inbox.account_id).update(
        provider="imap_smtp", settings=given, undo_seconds=0
    )
    agent = factories.make_agent(inbox.workspace, "Clerk", (inbox,))
    arguments = {
        "account_id": inbox.account.public_id, "to": ["ada@customer.example"], "subject": "News",
        "body": "Hello", "confirm": True,
    }  # fmt: skip
    answer = call("email_send", arguments, factories.agent_actor(agent))
    approval = Approval.objects.get(pk=answer.approval.pk)
    session = session_of(factories.make_person_user(inbox.workspace))
    return {"id": approval.public_id, "sha256": approval.sha256, "session": session}


def lapse() -> dict[str, object]:
    past = timezone.now() - timedelta(seconds=1)
    Submission.objects.filter(state="sending").update(leased_until=past)
    Job.objects.filter(state="running").update(leased_until=past)
    PeriodicRun.objects.update(due_at=past)
    return {}


def settle() -> dict[str, object]:
    until(has_ended)
    [submission] = Submission.objects.all()
    return {
        "state": submission.state, "outcome": submission.outcome,
        "copies": Message.objects.filter(submission=submission).count(),
        "sha256": hashlib.sha256(submission.mime_bytes).hexdigest(),
    }  # fmt: skip


def has_ended() -> bool:
    """Return True if there is nothing more to come, the copy of what was sent included.

    What waits for a time is hurried on, as is what begins to wait only now.
    """
    hurry()
    moving = Submission.objects.filter(state__in=["pending", "sending"])
    return not (moving | Submission.objects.filter(state="sent", message=None)).exists()


if __name__ == "__main__":
    actions = {"prepare": prepare, "propose": propose, "lapse": lapse, "settle": settle}
    sys.stdout.write(json.dumps(actions[sys.argv[1]](*sys.argv[2:])))
