"""Fills one workspace with mail and open items for a reviewer: `review_desk MESSAGES OPEN`.

A fifth of the open items are messages that wait for approval, each proposed by a call; the others
came in. Every message has an activity, those that are not open are noted or handled silently.
"""

import sys
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from agents.dispatching import dispatch
from agents.dispatching.actors import current_actor
from bench.in_process.furnish import Furnisher
from inbox.models import (
    Account,
    Activity,
    Membership,
    Message,
    PersonEmail,
    Role,
    Thread,
)
from inbox.operations.activities.priority import settle_order_in

REVIEWER = "bench-reviewer"
_MESSAGES = 5
_OPEN = ("surfaced", "needs_review", "needs_review", "quarantined")
_BODY = "Dear customer,\n\nthank you for your message, of which we made a note.\n\nBest regards"


def furnish(messages: int, items: int) -> None:
    """Write everything."""
    furnisher = Furnisher(messages / 100_000)
    with transaction.atomic():
        furnisher.mail()
        furnisher.people()
    # As in life, some addresses were written to.
    known = PersonEmail.objects.filter(pk__in=PersonEmail.objects.order_by("pk")[: messages // 50])
    known.update(sent_count=3, contact_count=6)
    messages = items // _MESSAGES
    with transaction.atomic():
        _activities(furnisher, items - messages)
    _messages(furnisher, messages)
    user = User.objects.create(username=REVIEWER, is_staff=True)
    Membership.objects.create(workspace=furnisher.workspace, user=user, role=Role.OWNER)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "postgresql" else "PRAGMA optimize")


def _activities(furnisher: Furnisher, items: int) -> None:
    """Write one for each message, the newest of which are open."""
    now = timezone.now()
    keys = list(Message.objects.order_by("-received_at").values_list("pk", flat=True))
    rows = (
        Activity(
            workspace=furnisher.workspace, source="email", source_id=f"b{key}", message_id=key,
            sender="a@customer.example", title=furnisher.text(6), content=furnisher.text(80),
            summary=furnisher.text(10),
            status=_OPEN[place % len(_OPEN)] if place < items else "processed",
            activity_type="request", urgency=("low", "normal", "normal", "high")[place // 4 % 4],
            autonomy_tier=(3, 4)[place % 2] if place < items else 1 + place % 2,
            confidence=0.8, reasoning=furnisher.text(10), created_at=now - timedelta(minutes=place),
        )
        for place, key in enumerate(keys)
    )  # fmt: skip
    Activity.objects.bulk_create(rows, batch_size=1000)
    settle_order_in(Thread.objects.values_list("pk", flat=True))


def _messages(furnisher: Furnisher, messages: int) -> None:
    """Have the agent propose answers, each to a thread of its own where there are enough."""
    actor = current_actor(furnisher.agent)
    threads = list(Thread.objects.order_by("pk")[:messages])
    for number in range(messages):
        thread = threads[number % len(threads)]
        arguments = {
            "thread_id": thread.public_id, "body_or_draft_id": f"{_BODY} {number}.",
            "idempotency_key": f"bench-{number}",
        }  # fmt: skip
        dispatch.call("send_reply", arguments, actor)


if __name__ == "__main__":
    if Account.objects.exists():
        raise SystemExit("the database is not empty")
    furnish(int(sys.argv[1]), int(sys.argv[2]))
