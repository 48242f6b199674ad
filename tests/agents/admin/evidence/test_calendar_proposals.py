"""The reviewer sees what a calendar part says, what it changes, and what else is that day."""

import re

import pytest
from django.urls import reverse

from calendar_app.models import Event
from tests.agents.tools.calendars import ADA, BO, desk
from tests.sending_tools import check_proposed

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def page(desk, client):
    """The review page of the newest proposal that waits."""
    client.force_login(desk.reviewer)

    def page(place=-1):
        url = reverse("review", args=[desk.waiting()[place].public_id])
        return client.get(url).content.decode()

    return page


def test_an_invitation_says_what_when_where_and_who(desk, page):
    desk.create(attendees=[ADA], location="Yard <b>", body="Bring oil.")
    shown = page()
    assert "Invites to a meeting" in shown
    assert "Tuesday, 10 March 2026, 10:00 to 11:00 (Europe/Berlin)" in shown
    assert "Yard &lt;b&gt;" in shown
    assert ADA in shown
    assert "Nothing else in the calendar." in shown


def test_what_is_at_the_same_time_is_marked(desk, page):
    desk.create(subject="Audit", start="2026-03-10T10:30:00+01:00")
    desk.create(subject="Lunch", start="2026-03-10T12:00:00+01:00", end="2026-03-10T13:00:00+01:00")
    desk.create(attendees=[ADA])
    shown = page()
    assert "1 at the same time" in shown
    assert "10:30–11:00" in shown
    assert "12:00–13:00" in shown


def test_an_update_shows_what_it_changes(desk, page):
    desk.create(attendees=[ADA], location="Yard")
    desk.leave()
    desk.update(Event.objects.get().public_id, location="Harbour", attendees=[ADA, BO])
    shown = page()
    assert "Changes a meeting" in shown
    assert re.search(r"<del>[^Y]*Yard.*</del> <ins>.*Harbour.*</ins>", shown)
    assert "newly invited" in shown


def test_what_does_not_fit_any_more_cannot_be_decided(desk, page):
    desk.create(attendees=[ADA])
    desk.leave()
    event = Event.objects.get()
    desk.update(event.public_id, location="Harbour")
    desk.update(event.public_id, location="Yard")
    desk.approve()
    desk.send()
    shown = page()
    assert "the event has been changed" in shown
    assert "approve-form" not in shown


@pytest.mark.parametrize("kind", ["Cancels a meeting", "Withdraws an invitation"])
def test_bad_news_is_called_what_it_is(desk, page, kind):
    desk.create(attendees=[ADA])
    desk.leave()
    event = Event.objects.get()
    if kind.startswith("Cancels"):
        desk.delete(event.public_id)
    else:
        desk.update(event.public_id, attendees=[])
    assert kind in page()


def test_the_page_costs_the_same_whatever_is_in_the_calendar(
    desk, client, django_assert_max_num_queries
):
    desk.create(attendees=[ADA, BO])
    for hour in range(12, 20):
        times = {"start": f"2026-03-10T{hour}:00:00Z", "end": f"2026-03-10T{hour}:30:00Z"}
        desk.create(subject=f"Number {hour}", **times)
    client.force_login(desk.reviewer)
    url = reverse("review", args=[desk.waiting()[0].public_id])
    check_proposed()
    with django_assert_max_num_queries(60):
        client.get(url)
