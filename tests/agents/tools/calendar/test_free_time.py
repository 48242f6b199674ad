"""Free time over all calendars and accounts that the caller may see, and how old that is."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Grant
from agents.tools.calendar.events import Availability
from calendar_app.models import Calendar
from calendar_app.operations.keeping import default_calendar
from inbox.models import RemoteCollection, RemoteSource
from tests import factories
from tests.agents.furnishing.calendar import make_event
from tests.agents.tools.calendars import desk

__all__ = ["desk"]
pytestmark = pytest.mark.django_db

AS_JSON = {"mode": "json", "by_alias": True, "exclude_none": True}
NINE = datetime(2026, 3, 10, 9, tzinfo=UTC)
WINDOW = {"start": "2026-03-10T09:00:00Z", "end": "2026-03-10T12:00:00Z"}


@pytest.fixture
def calendar(inbox):
    return default_calendar(inbox.account)


def make_remote(calendar, name, current_at):
    source = RemoteSource.objects.create(
        workspace=calendar.workspace, account=calendar.account, provider="caldav", name=name
    )
    remote = RemoteCollection.objects.create(
        workspace=calendar.workspace, source=source, kind="calendar", href=f"/{name}/", name=name,
        current_at=current_at,
    )  # fmt: skip
    return Calendar.objects.create(
        workspace=calendar.workspace, account=calendar.account, name=name, remote=remote
    )


def free(actor, **arguments):
    wanted = {**WINDOW, "duration_minutes": 60, **arguments}
    found = call("find_free_slots", wanted, actor).result
    return [one["start"][11:16] for one in found["slots"]], found["as_of"]


def test_what_is_in_any_calendar_of_an_account_is_taken(desk, calendar):
    other = Calendar.objects.create(
        workspace=calendar.workspace, account=calendar.account, name="Other"
    )
    make_event(calendar, "Here", dtstart=NINE)
    make_event(other, "There", dtstart=NINE + timedelta(hours=1))
    (own,) = desk.ask("calendar_check_availability", **WINDOW)["value"]
    assert own["availabilityView"] == "222200"
    assert free(desk.actor)[0] == ["11:00"]
    Calendar.objects.filter(pk=other.pk).update(deleted_at=timezone.now())
    assert free(desk.actor)[0] == ["10:00", "11:00"]


def test_time_is_free_where_all_accounts_of_the_caller_have_it_unless_some_are_named(
    desk, calendar, agent
):
    theirs = factories.make_inbox(calendar.workspace, "second@lantern.example")
    make_event(calendar, "Here", dtstart=NINE)
    make_event(default_calendar(theirs.account), "There", dtstart=NINE + timedelta(hours=1))
    assert free(desk.actor)[0] == ["10:00", "11:00"]
    Grant.objects.create(agent=agent, account=theirs.account)
    actor = current_actor(agent)
    assert free(actor)[0] == ["11:00"]
    assert free(actor, account_ids=[theirs.account.public_id])[0] == ["09:00", "11:00"]


def test_free_time_is_as_old_as_the_calendar_that_was_in_step_longest_ago(desk, calendar):
    before = timezone.now()
    (own,) = desk.ask("calendar_check_availability", **WINDOW)["value"]
    assert datetime.fromisoformat(own["asOf"]) >= before
    for name, days in (("New", 1), ("Old", 3), ("Newer", 0)):
        make_remote(calendar, name, before - timedelta(days=days))
    (own,) = desk.ask("calendar_check_availability", **WINDOW)["value"]
    assert datetime.fromisoformat(own["asOf"]) == before - timedelta(days=3)
    assert datetime.fromisoformat(free(desk.actor)[1]) == before - timedelta(days=3)
    Calendar.objects.filter(name="Old").update(deleted_at=before)
    assert datetime.fromisoformat(free(desk.actor)[1]) == before - timedelta(days=1)


def test_what_was_never_in_step_is_as_old_as_its_calendar(desk, calendar):
    listed_at = timezone.now() - timedelta(days=9)
    Calendar.objects.filter(pk=make_remote(calendar, "Never", None).pk).update(created_at=listed_at)
    assert datetime.fromisoformat(free(desk.actor)[1]) == listed_at


def test_taken_times_are_of_the_declared_shape_though_nobody_checks_each(desk, calendar):
    make_event(calendar, "Here", dtstart=NINE + timedelta(microseconds=250))
    make_event(calendar, "Perhaps", dtstart=NINE + timedelta(hours=2), status="tentative")
    found = desk.ask("calendar_check_availability", **WINDOW)
    assert Availability.model_validate(found).model_dump(**AS_JSON) == found
    (own,) = found["value"]
    assert own["scheduleItems"] == [
        {
            "status": status,
            "start": {"dateTime": f"2026-03-10T{start}", "timeZone": "UTC"},
            "end": {"dateTime": f"2026-03-10T{end}", "timeZone": "UTC"},
        }
        for status, start, end in (
            ("busy", "09:00:00.000250", "10:00:00.000250"),
            ("tentative", "11:00:00", "12:00:00"),
        )
    ]


def test_an_account_that_is_not_theirs_is_named_by_its_place(desk, calendar):
    theirs = factories.make_inbox(calendar.workspace, "second@lantern.example").account
    wanted = {**WINDOW, "duration_minutes": 60}
    wanted["account_ids"] = [calendar.account.public_id, theirs.public_id]
    with pytest.raises(ToolError) as refused:
        call("find_free_slots", wanted, desk.actor)
    assert refused.value.code == "not_found"
    assert "/account_ids/1" in str(refused.value.as_json())
