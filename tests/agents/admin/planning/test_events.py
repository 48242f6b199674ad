"""A person makes, moves and calls off events in the browser; guests are told by what is sealed."""

from datetime import timedelta

import pytest
from django.test import Client

from agents.models import Approval, Receipt
from calendar_app.models import Event
from inbox.models import Role, Submission
from tests import factories
from tests.agents.tools.calendars import ADA, desk  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client


@pytest.fixture
def make(browser, desk):  # noqa: F811 (the fixture)
    def make(**fields):
        wanted = {
            "account_id": desk.account_id, "subject": "The lamps", "start": "2026-03-10T10:00",
            "end": "2026-03-10T11:00", "timezone": "Europe/Berlin",
        }  # fmt: skip
        desk.ask("calendar_list_events")
        return browser.post("/admin/events/new/", {**wanted, **fields}, follow=True)

    return make


@pytest.fixture(autouse=True)
def calendar(desk):  # noqa: F811 (the fixture)
    """The account has a calendar."""
    desk.create(subject="Before", start="2026-03-01T10:00:00Z", end="2026-03-01T11:00:00Z")


def kept(title="The lamps"):
    return Event.objects.filter(summary=title, deleted_at=None)


def change(browser, event, **fields):
    shown = browser.get(f"/admin/events/{event.public_id}/change/").context["form"].initial
    return browser.post(
        f"/admin/events/{event.public_id}/change/", {**shown, **fields}, follow=True
    )


def test_without_guests_it_is_in_the_calendar_at_once_moved_and_called_off(make, browser, reviewer):
    page = make()
    event = kept().get()
    assert event.dtstart.isoformat() == "2026-03-10T09:00:00+00:00"
    assert f"/admin/calendar/{event.public_id}/" in page.text
    assert "Times in " in page.text
    change(browser, event, start="2026-03-10T14:00", end="2026-03-10T15:30", location="The yard")
    event.refresh_from_db()
    assert (event.dtstart.hour, event.location, event.timezone) == (13, "The yard", "Europe/Berlin")
    browser.post(f"/admin/events/{event.public_id}/cancel/")
    assert not kept().exists()
    assert not Submission.objects.exists()
    by = Receipt.objects.filter(actor=f"person:{reviewer.pk}", outcome="ok")
    done = list(by.order_by("pk").values_list("tool", flat=True))
    assert done == ["calendar_create_event", "calendar_update_event", "calendar_delete_event"]


def test_guests_are_told_by_what_their_person_saw_sealed_and_sent(make, browser, desk):  # noqa: F811
    make(attendees=ADA)
    approval = Approval.objects.get()
    assert (approval.held_by, kept().exists()) == ("writer", False)
    assert "/withdraw/" in browser.get(f"/admin/review/{approval.public_id}/").text
    desk.approve(approval)
    desk.send()
    event = kept().get()
    assert b"METHOD:REQUEST" in desk.delivered(approval.submission).as_bytes()
    browser.post(f"/admin/events/{event.public_id}/cancel/")
    ends = Approval.objects.latest("pk")
    assert (ends.state, ends.submission.state, kept().exists()) == ("waiting", "held", True)
    # Not sent, it stays in the calendar.
    browser.post(f"/admin/review/{ends.public_id}/withdraw/")
    assert (Submission.objects.latest("pk").state, kept().exists()) == ("canceled", True)


def test_one_of_a_series_is_moved_and_the_others_stay(make, browser):
    make()
    series = kept().get()
    series.rrule, series.last_end = "FREQ=DAILY;COUNT=3", series.dtend + timedelta(days=2)
    series.save()
    page = browser.get("/admin/calendar/?view=week&day=2026-03-10")
    ones = [
        entry.occurrence.public_id for day in page.context["days"] for entry in day.entries
    ]  # fmt: skip
    assert len(ones) == 3
    shown = browser.get(f"/admin/calendar/{ones[1]}/").text
    assert "Only this event" in shown
    assert "All events in the series" in shown
    browser.post(
        f"/admin/events/{ones[1]}/change/",
        {"subject": "The lamps", "start": "2026-03-11T16:00", "end": "2026-03-11T17:00",
         "timezone": "Europe/Berlin"},
    )  # fmt: skip
    page = browser.get("/admin/calendar/?view=week&day=2026-03-10")
    begun = [entry.starts for day in page.context["days"] for entry in day.entries]
    assert begun == ["09:00", "15:00", "09:00"]
    browser.post(f"/admin/events/{series.public_id}/cancel/")
    assert not kept().exists()


def test_what_cannot_be_is_said_and_nothing_is_made(make):
    wrong = {
        "end": "2026-03-10T09:00", "start": "never", "timezone": "Mars/Olympus",
        "attendees": "nobody", "subject": "", "account_id": "acc_other",
    }  # fmt: skip
    for name, value in wrong.items():
        page = make(**{name: value})
        assert page.status_code == 400, name
        assert page.context["form"].errors[name], name
    assert not kept().exists()


def test_who_only_reads_changes_nothing_and_foreign_events_do_not_exist(make, workspace):
    make()
    event = kept().get()
    reader = Client()
    reader.force_login(factories.make_person_user(workspace, role=Role.VIEWER, name="rita"))
    assert reader.get("/admin/events/new/").status_code == 403
    assert (
        f"/admin/events/{event.public_id}/"
        not in reader.get(f"/admin/calendar/{event.public_id}/").text
    )
    stranger = Client()
    stranger.force_login(factories.make_person_user(factories.make_workspace("o"), name="sven"))
    for action in ("change", "cancel"):
        place = f"/admin/events/{event.public_id}/{action}/"
        assert reader.post(place).status_code == 403
        assert stranger.post(place).status_code == 404
    assert kept().exists()
