"""The reviewer sees what a calendar part says, what it changes, and what else is that day."""

import re

import pytest
from django.urls import reverse

from calendar_app.models import Calendar, Event
from inbox.models import Message
from inbox.models.blobs import store_blob
from tests import factories
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


def written_at(desk, date, sender=ADA):
    """Keep a message of somebody, whose Date is written so."""
    message = factories.make_message(desk.inbox, sender=sender)
    raw = f"From: {sender}\r\nDate: {date}\r\nSubject: Lamps\r\n\r\nAt three?\r\n".encode()
    Message.objects.filter(pk=message.pk).update(blob=store_blob(message.workspace_id, raw))


def clock_words(shown):
    found = re.findall(r'<span class="meeting-yours">(.*?)</span>', shown, re.DOTALL)
    return [" ".join(re.sub("<.*?>", "", one).split()) for one in found]


def test_the_time_is_told_on_the_clock_of_a_guest_who_wrote_by_another(desk, page):
    written_at(desk, "Mon, 9 Mar 2026 09:00:00 +0000", BO)
    written_at(desk, "Mon, 9 Mar 2026 04:00:00 -0500")
    desk.create(attendees=[ADA, BO])
    (told,) = clock_words(page())
    assert told == f"04:00–05:00 for {ADA} (UTC-05:00, by their last mail)"


@pytest.mark.parametrize(
    "date", ["Mon, 9 Mar 2026 09:00:00 -0000", "soon", "Mon, 9 Mar 2026 10:00:00 +0100"]
)
def test_nothing_is_told_where_no_clock_is_known_or_it_is_that_of_the_meeting(desk, page, date):
    written_at(desk, date)
    desk.create(attendees=[ADA])
    assert clock_words(page()) == []


def test_the_zone_of_an_invitation_counts_before_that_of_a_mail(desk, page):
    written_at(desk, "Mon, 9 Mar 2026 04:00:00 -0500")
    desk.create(subject="Audit", start="2026-03-02T10:00:00+01:00", end="2026-03-02T11:00:00+01:00")
    brought = factories.make_message(desk.inbox, sender=ADA)
    calendar = Calendar.objects.get()
    Event.objects.create(
        workspace=calendar.workspace, calendar=calendar, uid="theirs", message=brought,
        summary="Tea", organizer=ADA, timezone="America/Los_Angeles", dtstart=brought.received_at,
        dtend=brought.received_at,
    )  # fmt: skip
    desk.create(attendees=[ADA])
    (told,) = clock_words(page())
    assert told == f"02:00–03:00 for {ADA} (Los Angeles, by their last invitation)"


@pytest.mark.parametrize(
    ("language", "expected"), [("en", "Mon 23:00–Tue 00:00"), ("de", "Mo 23:00–Di 00:00")]
)
def test_another_day_on_a_guest_s_clock_is_named_in_the_reader_s_language(
    desk, page, client, language, expected
):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    written_at(desk, "Sun, 8 Mar 2026 09:00:00 -1000")
    desk.create(attendees=[ADA])
    (told,) = clock_words(page())
    assert told.startswith(expected)
