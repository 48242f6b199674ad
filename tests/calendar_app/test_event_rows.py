"""What rows of events say of themselves, and which of them a query keeps."""

import pytest

from calendar_app.models import Calendar, Event
from tests import factories


@pytest.mark.parametrize(
    ("fields", "recurs"),
    [({}, False), ({"rrule": "FREQ=DAILY"}, True), ({"rdate": ["20260303T120000Z"]}, True)],
)
def test_a_rule_or_dates_make_a_series(fields, recurs):
    assert Event(**fields).recurs is recurs


@pytest.mark.django_db
def test_what_was_deleted_is_left_out_with_all_that_lay_in_a_deleted_calendar(inbox):
    place = {"workspace": inbox.workspace, "dtstart": factories.NOON, "dtend": factories.NOON}
    kept, gone = (
        Calendar.objects.create(workspace=inbox.workspace, account=inbox.account, name=name)
        for name in ("Work", "Old")
    )
    event = Event.objects.create(**place, calendar=kept, uid="1")
    Event.objects.create(**place, calendar=kept, uid="2", deleted_at=factories.NOON)
    Event.objects.create(**place, calendar=gone, uid="3")
    Calendar.objects.filter(pk=gone.pk).update(deleted_at=factories.NOON)
    assert list(Event.objects.kept()) == [event]
    assert list(Calendar.objects.kept()) == [kept]
