"""Beside a new message stand the last letters with those who get it, answered or not."""

import pytest
from django.test import Client

from agents.dispatching.dispatch import call
from inbox.models import Direction
from tests import factories

pytestmark = pytest.mark.django_db
BO = "bo@partner.example"


@pytest.fixture
def page(inbox, actor, reviewer):
    """The review page of a new message to Bo."""

    def page():
        given = {
            "account_id": inbox.account.public_id, "to": [BO], "subject": "The lamps",
            "body": "Dear Bo,\n\nshall we?\n\nLantern", "confirm": True,
        }  # fmt: skip
        approval = call("email_send", given, actor).approval
        client = Client()
        client.force_login(reviewer)
        return client.get(f"/admin/review/{approval.public_id}/")

    return page


def ours(inbox, subject, to=BO):
    return factories.make_message(
        inbox, subject=subject, sender=inbox.address, direction=Direction.OUTBOUND,
        to=[{"name": "", "email": to}],
    )  # fmt: skip


def subjects(response):
    (bo,) = response.context["review"].evidence.correspondents
    return [letter.subject for letter in bo.letters]


def test_letters_that_nobody_answered_stand_beside_a_new_one(page, inbox):
    ours(inbox, "First")
    ours(inbox, "To somebody else", to="cy@partner.example")
    ours(inbox, "Second")
    assert subjects(page()) == ["Second", "First"]


def test_of_letters_to_and_from_somebody_the_newest_three_stand_there(page, inbox):
    ours(inbox, "Oldest")
    ours(inbox, "Asked")
    factories.make_message(inbox, subject="Answered", sender=BO)
    ours(inbox, "Newest")
    assert subjects(page()) == ["Newest", "Answered", "Asked"]
