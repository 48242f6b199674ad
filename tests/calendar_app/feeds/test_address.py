"""The secret address: what it answers, to whom, and when no longer."""

from datetime import timedelta
from email.utils import parsedate_to_datetime
from unittest.mock import ANY

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from django.utils.http import http_date

from calendar_app.feeds import reading
from calendar_app.feeds.changes import create_feed, revoke_feed
from calendar_app.feeds.reading import first_told
from calendar_app.models import Calendar, CalendarFeed, Event, FeedDetail
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.deletions import delete_calendar, delete_event, restore_calendar
from calendar_app.operations.occurrences import find_occurrence
from inbox.actor import system_actor
from inbox.errors import DomainError
from inbox.models import Role
from tests import factories
from tests.calendar_app.feeds.made import changed, ics, once, share, weekly

pytestmark = pytest.mark.django_db


@pytest.fixture
def calendar(inbox):
    return Calendar.objects.create(workspace=inbox.workspace, account=inbox.account, name="Shared")


@pytest.fixture
def owner(workspace):
    return factories.person_actor(factories.make_person_user(workspace, Role.OWNER))


@pytest.fixture
def filled(calendar):
    import_calendar(calendar=calendar, content=ics(weekly(), changed(7, 15), once("a", 1, 9)))
    return calendar


def ask(place: str, **headers: str):
    return Client().get(place, headers=headers)


def test_whoever_has_the_address_reads_it_and_nobody_keeps_it(filled, owner):
    response = ask(share(filled, owner)[1])
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    assert response["Cache-Control"] == "private, no-cache"
    assert response["X-Robots-Tag"] == "noindex"
    assert "Set-Cookie" not in response
    assert b"SUMMARY:Standup, late" not in response.content
    assert rb"SUMMARY:Standup\, late" in response.content


def test_only_its_hash_is_kept(filled, owner):
    feed, place = share(filled, owner)
    secret = place.split("/")[-1].removesuffix(".ics")
    assert len(secret) >= 43
    assert secret not in {str(value) for value in CalendarFeed.objects.values_list()[0]}
    assert feed.digest not in place


def test_a_head_says_what_a_get_would(filled, owner):
    _feed, place = share(filled, owner)
    got, headed = ask(place), Client().head(place)
    assert headed.content == b""
    for name in ("ETag", "Last-Modified", "Content-Length", "Content-Type"):
        assert headed[name] == got[name]


def test_nothing_else_can_be_done_there(filled, owner):
    _feed, place = share(filled, owner)
    assert {getattr(Client(), verb)(place).status_code for verb in ("post", "put", "delete")} == {
        405
    }


def test_who_has_the_newest_gets_no_second(filled, owner, django_assert_num_queries):
    _feed, place = share(filled, owner)
    first = ask(place)
    for headers in (
        {"If-None-Match": first["ETag"]},
        {"If-Modified-Since": first["Last-Modified"]},
    ):
        with django_assert_num_queries(2):
            again = ask(place, **headers)
        assert (again.status_code, again.content) == (304, b"")
        assert (again["ETag"], again["Cache-Control"]) == (first["ETag"], first["Cache-Control"])


def test_a_feed_is_read_in_three_queries_however_many_events_it_has(
    filled, owner, django_assert_num_queries
):
    for detail in FeedDetail:
        _feed, place = share(filled, owner, detail)
        ask(place)
        import_calendar(
            calendar=filled, content=ics(*(once(f"{detail}{n}", n, 9) for n in range(9)))
        )
        ask(place)
        reading.write_feed.cache_clear()
        with django_assert_num_queries(3):
            assert ask(place).status_code == 200


def delete_one(calendar):
    rows = Event.objects.kept().select_related("calendar__account")
    delete_event(occurrence=find_occurrence(rows, rows.get(uid="a").public_id))


def test_each_change_is_seen_at_once(filled, owner):
    _feed, place = share(filled, owner)
    seen = [ask(place)["ETag"]]
    rows = Event.objects.filter(calendar=filled)
    for change in (
        lambda: import_calendar(calendar=filled, content=ics(once("b", 2, 9))),
        lambda: delete_one(filled),
        lambda: rows.filter(uid="b").update(partstat="declined"),
        lambda: Calendar.objects.filter(pk=filled.pk).update(name="Renamed"),
    ):
        change()
        response = ask(place, **{"If-None-Match": seen[-1]})
        assert response.status_code == 200
        seen.append(response["ETag"])
    assert len(set(seen)) == 5


def test_since_when_it_is_so_is_told_even_where_the_newest_was_deleted(filled, owner):
    feed, place = share(filled, owner)
    ask(place)
    long_ago = timezone.now() - timedelta(days=3)
    CalendarFeed.objects.filter(pk=feed.pk).update(changed_at=long_ago)
    assert ask(place)["Last-Modified"] == http_date(long_ago.timestamp())
    delete_one(filled)
    response = ask(place, **{"If-Modified-Since": http_date(long_ago.timestamp())})
    assert response.status_code == 200
    assert parsedate_to_datetime(response["Last-Modified"]) > long_ago


def test_what_is_over_for_a_year_is_left_out_but_series_that_go_on_are_whole(calendar, owner):
    start = first_told(timezone.now())
    before, after = start - timedelta(days=40), start + timedelta(days=40)
    old = once("old", 0, 9), once("new", 0, 9), weekly(), changed(7, 15)
    import_calendar(calendar=calendar, content=ics(*old))
    for uid, moment in (("old", before), ("new", after)):
        Event.objects.filter(uid=uid).update(dtstart=moment, dtend=moment, last_end=moment)
    # An instance of long ago belongs to a series that goes on: else its rule would tell of it.
    Event.objects.filter(recurrence_id__gt="").update(last_end=before)
    text = ask(share(calendar, owner)[1]).content.decode()
    assert ("UID:old" in text, "UID:new" in text, "RECURRENCE-ID" in text) == (False, True, True)
    Event.objects.filter(uid__startswith="weekly", recurrence_id="").update(last_end=before)
    assert "weekly" not in ask(share(calendar, owner)[1]).content.decode()


def test_it_is_bounded_and_what_ends_last_stays(filled, owner, monkeypatch):
    monkeypatch.setattr(reading, "MOST_EVENTS", 2)
    import_calendar(calendar=filled, content=ics(once("late", 30, 9)))
    text = ask(share(filled, owner)[1]).content.decode()
    assert ("weekly" in text, "UID:late" in text, "UID:a" in text) == (True, True, False)


def answer_of(place: str):
    response = ask(place)
    return response.status_code, response.content, sorted(response.headers.items())


def test_revoked_deleted_and_unknown_addresses_answer_alike(filled, owner, inbox):
    cache.clear()
    revoked, place_revoked = share(filled, owner)
    _other, place_deleted = share(filled, owner)
    assert ask(place_revoked).status_code == 200
    revoke_feed(feed=revoked, by=owner)
    delete_calendar(calendar=filled)
    answers = [
        answer_of(place)
        for place in (place_revoked, place_deleted, "/calendars/x.ics", "/calendars/%00ü.ics")
    ]
    assert answers == [(404, b"There is no such calendar.\n", ANY)] * 4
    assert len({str(headers) for *_, headers in answers}) == 1
    restore_calendar(calendar=filled)
    assert [ask(place).status_code for place in (place_revoked, place_deleted)] == [404, 200]


def test_very_many_wrong_addresses_are_too_many_and_the_right_one_is_still_read(filled, owner):
    cache.clear()
    _feed, place = share(filled, owner)
    answers = [ask(f"/calendars/{number}.ics") for number in range(61)]
    assert [one.status_code for one in answers] == [404] * 60 + [429]
    assert answers[-1]["Retry-After"] == "60"
    assert ask(place).status_code == 200


def test_that_it_was_read_is_noted_once_a_minute(filled, owner):
    feed, place = share(filled, owner)
    for _ in range(5):
        ask(place)
    feed.refresh_from_db()
    assert feed.reads == 1
    CalendarFeed.objects.update(last_read_at=timezone.now() - timedelta(minutes=2))
    ask(place)
    feed.refresh_from_db()
    assert feed.reads == 2
    assert timezone.now() - feed.last_read_at < timedelta(minutes=1)


def test_only_a_person_who_owns_the_workspace_makes_or_revokes_one(filled, owner, workspace, actor):
    feed, place = share(filled, owner)
    reviewer = factories.person_actor(factories.make_person_user(workspace))
    elsewhere = factories.make_person_user(factories.make_workspace(), Role.OWNER)
    others = (
        reviewer,
        actor,
        system_actor(workspace.pk, "Clock"),
        factories.person_actor(elsewhere),
    )
    for by in others:
        with pytest.raises(DomainError, match="Only an owner"):
            create_feed(calendar=filled, detail=FeedDetail.BUSY, name="Me", by=by)
        with pytest.raises(DomainError, match="Only an owner"):
            revoke_feed(feed=feed, by=by)
    assert ask(place).status_code == 200
    assert CalendarFeed.objects.count() == 1


def test_a_deleted_calendar_gets_none_and_no_calendar_gets_very_many(filled, owner, monkeypatch):
    monkeypatch.setattr("calendar_app.feeds.changes.MOST_FEEDS", 1)
    share(filled, owner)
    with pytest.raises(DomainError, match="1 addresses"):
        share(filled, owner)
    delete_calendar(calendar=filled)
    with pytest.raises(DomainError, match="deleted"):
        share(filled, owner)
