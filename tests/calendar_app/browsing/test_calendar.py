"""The calendar's pages: what is on which day, in whose zone, and who sees it."""

import re
from datetime import UTC, date, datetime

import pytest

from calendar_app.browsing import queries
from calendar_app.browsing.queries import period_of
from calendar_app.models import Calendar, Event
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db
PLACE = "/admin/calendar/"


@pytest.fixture
def calendar(inbox) -> Calendar:
    return Calendar.objects.create(workspace=inbox.workspace, account=inbox.account, name="Main")


def make_event(calendar, start, end, **fields) -> Event:
    fields = {"summary": "A meeting", "status": "confirmed", "last_end": end, **fields}
    return Event.objects.create(
        workspace=calendar.workspace, calendar=calendar, uid=f"{start}{fields['summary']}",
        dtstart=start, dtend=end, **fields,
    )  # fmt: skip


def at(day, hour=0, minute=0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)

    def page(**wanted):
        return client.get(PLACE, {"view": "week", "day": "2026-03-04", **wanted})

    return page


def entries(response):
    return {
        (day.date.day, entry.event.summary, entry.starts, entry.ends)
        for day in response.context["days"]
        for entry in day.entries
    }


def test_a_week_goes_from_monday_to_sunday_and_a_month_by_whole_weeks():
    week = period_of("week", date(2026, 3, 4))
    assert (week.days[0], week.days[-1]) == (date(2026, 3, 2), date(2026, 3, 8))
    month = period_of("month", date(2026, 3, 31))
    assert (month.days[0], month.days[-1]) == (date(2026, 2, 23), date(2026, 4, 5))
    assert (month.before.month, month.after) == (2, date(2026, 4, 1))


def test_what_lasts_over_midnight_is_on_both_days(page, calendar):
    make_event(calendar, at(4, 22), at(5, 1))
    assert entries(page()) == {(4, "A meeting", "22:00", ""), (5, "A meeting", "", "01:00")}


def test_times_are_in_the_reader_s_zone_and_whole_days_are_not_moved(client, page, calendar):
    make_event(calendar, at(4, 23, 30), at(5, 0, 30))
    make_event(calendar, at(6), at(7), all_day=True, summary="Stocktake")
    client.cookies["tz"] = "America/New_York"
    assert entries(page()) == {
        (4, "A meeting", "18:30", "19:30"),
        (6, "Stocktake", "00:00", "00:00"),
    }


def test_a_series_is_shown_on_each_of_its_days(page, calendar):
    make_event(calendar, at(2, 9), at(2, 10), rrule="FREQ=DAILY;COUNT=3", last_end=at(4, 10))
    assert {day for day, *_ in entries(page())} == {2, 3, 4}


def test_what_is_deleted_or_another_s_is_not_shown(page, calendar, client):
    make_event(calendar, at(4, 9), at(4, 10), deleted_at=at(5))
    foreign = factories.make_inbox(factories.make_workspace())
    theirs = Calendar.objects.create(workspace=foreign.workspace, account=foreign.account, name="X")
    event = make_event(theirs, at(4, 9), at(4, 10))
    assert entries(page()) == set()
    assert entries(page(account=foreign.account_id)) == set()
    assert client.get(f"{PLACE}{event.public_id}/").status_code == 404


@pytest.mark.parametrize(
    "wanted", [{"day": "nonsense"}, {"day": "9999-12-31"}, {"view": "x"}, {"account": "¼"}]
)
def test_an_odd_address_shows_a_period_all_the_same(page, calendar, wanted):
    assert page(**wanted).status_code == 200


def test_an_event_shows_its_guests_answers_and_the_mail_it_came_by(client, page, calendar, inbox):
    message = factories.make_message(inbox, subject="Invitation: <b>us</b>")
    event = make_event(calendar, at(4, 9), at(4, 10), summary="<script>x", message=message)
    event.attendees.create(email="ada@customer.example", partstat="accepted")
    text = client.get(f"{PLACE}{event.public_id}/").content.decode()
    assert "ada@customer.example" in text
    assert "accepted" in text
    assert message.thread.public_id in text
    assert "<script>x" not in text


def test_the_pages_only_show(client, page, calendar, workspace):
    client.force_login(factories.make_person_user(workspace, Role.VIEWER))
    assert client.get(PLACE).status_code == 200
    assert client.post(PLACE).status_code == 405


def test_a_month_takes_as_many_queries_with_many_events(
    page, calendar, django_assert_max_num_queries
):
    for day in range(1, 29):
        make_event(calendar, at(day, 9), at(day, 10))
    with django_assert_max_num_queries(16):
        assert len(entries(page(view="month"))) == 28


def test_an_account_that_is_none_chooses_none(page):
    assert page(account="9" * 5000).status_code == 200


def test_whole_days_of_an_event_are_the_same_wherever_its_reader_is(client, page, calendar):
    trip = make_event(calendar, at(2), at(4), all_day=True, summary="Trip")
    day = make_event(calendar, at(2), at(3), all_day=True, summary="Stocktake")
    client.cookies["tz"] = "America/New_York"
    response = client.get(f"{PLACE}{trip.public_id}/")
    assert "2 March 2026 – 3 March 2026, all day" in " ".join(response.text.split())
    assert "day=2026-03-02" in response.context["back"]
    text = client.get(f"{PLACE}{day.public_id}/").text
    assert re.search(r"<dd>\s*2 March 2026,\s+all day\s*</dd>", text)


def test_the_title_of_an_event_s_page_is_text(client, page, calendar):
    event = make_event(calendar, at(4, 9), at(4, 10), summary="Tea & <b>cake</b>")
    text = client.get(f"{PLACE}{event.public_id}/").text
    assert "<title>Tea &amp; &lt;b&gt;cake&lt;/b&gt; · Chancery</title>" in text


def test_days_that_are_not_shown_whole_do_not_pass_for_free(page, calendar, monkeypatch):
    monkeypatch.setattr(queries, "MOST", 2)
    for day in (3, 4):
        make_event(calendar, at(day, 9), at(day, 10))
    assert "may look free" not in page().text
    make_event(calendar, at(6, 9), at(6, 10))
    response = page()
    assert "may look free" in response.text
    assert len(entries(response)) == 2
