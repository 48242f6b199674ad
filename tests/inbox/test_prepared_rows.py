"""What a plan makes of rows is what Django makes of them, to what it keeps beside an object."""

from datetime import timedelta

import pytest
from django.db.models import Count, F, Value
from django.db.models.signals import post_init
from django.utils import timezone

from agents.models import Approval
from inbox.models import Activity, Message, PersonEmail, Submission
from inbox.prepared import Prepared
from inbox.prepared.rows import plan_rows
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail(inbox, actor):
    for number in range(3):
        message = factories.make_message(
            inbox, subject=f"Letter {number}", at=timezone.now() - timedelta(days=number)
        )
        make_activity(message)
        propose(actor, message.thread)


SHAPES = {
    "whole": Message.objects.order_by("pk"),
    "some columns": Message.objects.only("subject", "to").order_by("pk"),
    "its key alone": Message.objects.only("pk").order_by("pk"),
    "with what it belongs to": Message.objects.select_related("inbox__account", "thread"),
    "columns out of two tables": Activity.objects.select_related("message__inbox").only(
        "title", "message__from_name", "message__anomalies", "message__inbox__address"
    ),
    "where nothing belongs to it": Activity.objects.select_related("person"),
    "the other side of one to one": Approval.objects.select_related(
        "planted", "submission__draft__identity", "agent__person"
    ),
    "put off": Submission.objects.defer("mime").order_by("pk"),
    "worked out": Message.objects.annotate(twice=F("pk") * 2, word=Value("x")).order_by("pk"),
    "counted": Approval.objects.values("agent_id", "agent__name").annotate(n=Count("pk")),
    "values": Message.objects.values("pk", "received_at", "to").order_by("pk"),
    "rows": Message.objects.values_list("pk", "received_at", "to").order_by("pk"),
    "one column": Message.objects.values_list("received_at", flat=True).order_by("pk"),
    "of two questions": Message.objects.values_list("pk", "subject").union(
        PersonEmail.objects.values_list("pk", "email"), all=True
    ),
}


def told(row, *, within=()):
    """Return all that an object holds, with what Django keeps of it; what it is part of by name."""
    if not hasattr(row, "_state"):
        return type(row), row
    held = {name: value for name, value in row.__dict__.items() if name != "_state"}
    path = (*within, row)
    cached = {
        name: "above" if any(one is it for it in path) else one and told(one, within=path)
        for name, one in row._state.fields_cache.items()
    }
    return type(row), held, row._state.adding, row._state.db, cached


@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_the_same(shape):
    rows = SHAPES[shape].all()
    compiler = rows.query.get_compiler(rows.db)
    compiler.as_sql()
    assert plan_rows(rows, compiler) is not None
    prepared = Prepared(lambda: [SHAPES[shape].all()])
    for _ in range(2):
        found = list(prepared.rows())
        assert [told(one) for one in found] == [told(one) for one in SHAPES[shape].all()]
    assert found


def test_an_object_saves_what_was_changed_and_reads_what_was_put_off():
    prepared = Prepared(lambda: [Message.objects.only("subject").order_by("pk")[:1]])
    (message,) = prepared.rows()
    assert message.get_deferred_fields() >= {"text", "received_at"}
    assert message.direction == "inbound"
    message.subject = "Another"
    message.save(update_fields=["subject"])
    assert Message.objects.get(pk=message.pk).subject == "Another"


def test_where_somebody_listens_to_objects_being_made_django_makes_them():
    heard = []
    listener = lambda instance, **_: heard.append(instance.pk)  # noqa: E731
    post_init.connect(listener, sender=Message)
    try:
        found = list(Prepared(lambda: [Message.objects.order_by("pk")]).rows())
    finally:
        post_init.disconnect(listener, sender=Message)
    assert len(found) == 3
    assert heard == [one.pk for one in found]


def test_what_is_read_beforehand_is_left_to_django():
    prepared = Prepared(lambda: [Message.objects.prefetch_related("attachments").order_by("pk")])
    assert all("attachments" in one._prefetched_objects_cache for one in prepared.rows())
