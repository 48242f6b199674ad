"""An address at which a calendar is shared leaves receipts that name who did it, and no secret."""

import json

import pytest

from agents.models import Receipt
from calendar_app.feeds.changes import revoke_feed
from calendar_app.operations.keeping import default_calendar
from inbox.background.jobs import run_due
from inbox.models import Role
from tests import factories
from tests.calendar_app.feeds.made import share

pytestmark = pytest.mark.django_db


def test_making_and_revoking_one(workspace, inbox):
    olga = factories.person_actor(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    calendar = default_calendar(inbox.account)
    feed, place = share(calendar, olga, "busy")
    for _ in range(2):
        revoke_feed(feed=feed, by=olga)
    run_due()
    rows = list(Receipt.objects.filter(tool__startswith="feed.").order_by("seq"))
    assert [(row.tool, row.actor_name) for row in rows] == [
        ("feed.created", "olga"), ("feed.revoked", "olga"),
    ]  # fmt: skip
    assert rows[0].arguments == {
        "feed_id": feed.public_id, "calendar_id": calendar.public_id, "detail": "busy",
        "name": "The assistants",
    }  # fmt: skip
    assert place[11:-4] not in json.dumps([row.arguments for row in rows])
