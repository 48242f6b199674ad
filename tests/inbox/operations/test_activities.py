"""Activities from messages, and their changes."""

import pytest

from inbox.errors import DomainError
from inbox.models import Activity
from inbox.operations.activities import (
    activities_from_messages,
    classify_input,
    lowers_attention,
    update_activities,
)
from tests.factories import make_inbox, make_message, make_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_activity(inbox) -> Activity:
    (made,) = activities_from_messages([make_message(inbox).pk])
    return made


def test_a_question_becomes_an_activity_that_needs_review(inbox):
    message = make_message(inbox, text="Could you send me the offer by Friday?")
    (made,) = activities_from_messages([message.pk])
    assert (made.source, made.source_id) == ("email", message.public_id)
    assert (made.activity_type, made.autonomy_tier, made.status) == (
        "action_required", 3, "needs_review",
    )  # fmt: skip
    assert "by Friday" in made.reasoning
    assert made.summary == "Could you send me the offer by Friday?"
    assert made.created_at == message.received_at
    assert made.sender == "ada@customer.example"


def test_a_second_run_makes_nothing(inbox):
    message = make_message(inbox)
    assert len(activities_from_messages([message.pk, message.pk])) == 1
    assert activities_from_messages([message.pk]) == []
    assert Activity.objects.count() == 1


def test_outbound_mail_makes_no_activity(inbox):
    message = make_message(inbox, direction="outbound")
    assert activities_from_messages([message.pk]) == []


def test_the_queries_are_constant(inbox, django_assert_num_queries):
    one = [make_message(inbox).pk]
    many = [make_message(inbox, sender=f"p{n}@customer.example").pk for n in range(30)]
    with django_assert_num_queries(10):
        activities_from_messages(one)
    with django_assert_num_queries(10):
        activities_from_messages(many)
