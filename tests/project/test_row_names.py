"""What a row is called where a list, a log or an error names it."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from agents.models import Agent, Approval, Memory, NoticeItem, Presence, Schedule
from calendar_app.models import Attendee, Event
from inbox.models import (
    Activity,
    ActivityChange,
    Attachment,
    Correction,
    Draft,
    Identity,
    Message,
    Person,
    Thread,
)
from tests import factories

OURS = [
    model for model in apps.get_models()
    if model.__module__.partition(".")[0] in {"inbox", "calendar_app", "agents"}
]  # fmt: skip
ADA = "ada@customer.example"
RHEA = User(username="rhea")


def example(model):
    """Return a row of the model, not stored, whose texts are the names of their columns."""
    values = {}
    for field in model._meta.concrete_fields:
        if field.null or field.has_default():
            continue
        if isinstance(field, models.ForeignKey):
            values[field.name] = example(field.related_model)
        elif isinstance(field, models.DateTimeField):
            values[field.name] = factories.NOON
        elif isinstance(field, models.AutoField | models.IntegerField):
            values[field.name] = 7
        elif isinstance(field, models.JSONField):
            values[field.name] = {}
        elif isinstance(field, models.CharField | models.TextField):
            values[field.name] = field.name
    return model(**values)


@pytest.mark.parametrize("model", OURS, ids=[model.__name__ for model in OURS])
def test_every_row_has_a_name_of_its_own(model):
    assert str(example(model)) not in {"", str(models.Model.__str__(example(model)))}


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (Activity(title="Roof", source_id="m1"), "Roof"),
        (Activity(source_id="m1"), "m1"),
        (ActivityChange(after={"status": 1, "tier": 2}, activity_id=7, by_name="rhea"),
         "status, tier of 7 by rhea"),
        (Approval(tool="send_reply", agent=Agent(name="Clerk")), "send_reply by Clerk"),
        (Attachment(filename="a.pdf", content_type="application/pdf"), "a.pdf"),
        (Attachment(content_type="application/pdf"), "application/pdf"),
        (Attendee(name="Ada", email=ADA), "Ada"),
        (Attendee(email=ADA), ADA),
        (Correction(scope="list", value="news.example"), "list news.example"),
        (Draft(subject="Roof"), "Roof"),
        (Draft(), "(no subject)"),
        (Event(summary="Roof"), "Roof"),
        (Event(), "(no title)"),
        (Identity(name="Ada", email=ADA), f"Ada <{ADA}>"),
        (Identity(email=ADA), ADA),
        (Memory(content="x" * 100), "x" * 80),
        (Message(subject="Roof"), "Roof"),
        (Message(), "(no subject)"),
        (NoticeItem(kind="approval", approval_id=7), "approval 7"),
        (NoticeItem(kind="surfaced", activity_id=8), "surfaced 8"),
        (Person(fn="Ada", email=ADA), "Ada"),
        (Person(email=ADA), ADA),
        (Person(), "(no name)"),
        (Presence(user=RHEA, approval=Approval(tool="send_reply", agent=Agent(name="Clerk"))),
         "rhea at send_reply by Clerk"),
        (Presence(user=RHEA, activity=Activity(title="Roof")), "rhea at Roof"),
        (Schedule(command="x" * 100), "x" * 80),
        (Thread(subject="Roof"), "Roof"),
        (Thread(), "(no subject)"),
    ],
)  # fmt: skip
def test_a_row_is_called_by_the_best_that_is_known_of_it(row, name):
    assert str(row) == name
