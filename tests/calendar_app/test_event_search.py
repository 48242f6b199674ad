"""Events are searched by what the search of mail takes, and by operators of their own."""

from datetime import timedelta

import pytest

from agents.dispatching.dispatch import call
from calendar_app.event_search import find_all_events, find_events, keep_events
from calendar_app.models import Event
from calendar_app.operations.event_forms import renew_forms
from inbox.errors import DomainError
from inbox.models import Job
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(actor, inbox):
    def plan(subject, start="2030-03-02T12:00:00Z", **fields):
        end = f"{start[:11]}23:00:00Z"
        made = {
            "account_id": inbox.account.public_id, "subject": subject, "start": start, "end": end,
            **fields,
        }  # fmt: skip
        return call("calendar_create_event", made, actor).result

    return plan


@pytest.fixture
def find(actor, inbox):
    def find(query, **more):
        asked = {"actor": actor, "account": inbox.account, "query": query, "limit": 20, **more}
        names = dict(Event.objects.values_list("pk", "summary"))
        return [names[key] for key in find_events(**asked)]

    return find


FAIR, LUNCH, YOGA = "Besuch der Rechnungsprüfer", "Lunch with Will", "Morning yoga"


@pytest.fixture
def diary(plan, inbox):
    plan(FAIR, "2031-05-05T09:00:00Z", location="Müllerstraße 5")
    plan(LUNCH, body="We talk about the loom and its shuttles.")
    plan(YOGA, "2030-01-07T06:00:00Z")
    Event.objects.filter(summary=YOGA).update(rrule="FREQ=WEEKLY;BYDAY=MO", last_end=None)
    lunch = Event.objects.get(summary=LUNCH)
    lunch.attendees.create(email="ada@customer.example", name="Ada Ørsted")
    Event.objects.filter(pk=lunch.pk).update(organizer="grace@lantern.example")
    renew_forms({"after": 0})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lunch", [LUNCH]),
        ("looms shuttle", [LUNCH]),
        ("will", [LUNCH]),
        ("mueller", [FAIR]),
        ("mullerstrasse", [FAIR]),
        ("Rechnung", [FAIR]),
        ("besuche rechnungspruefer", [FAIR]),
        ("orsted", [LUNCH]),
        ("ada@customer.example", [LUNCH]),
        ("unch", [LUNCH]),
        ("morn", [YOGA]),
        ("loom -lunch", []),
        ('"the loom"', [LUNCH]),
        ("yoga OR lunch", [LUNCH, YOGA]),
        ("title:lun", [LUNCH]),
        ("with:oersted", [LUNCH]),
        ("with:customer.example", [LUNCH]),
        ("from:grace", [LUNCH]),
        ("with:grace", [LUNCH]),
        ("where:muller", [FAIR]),
        ("location:strasse", [FAIR]),
        ("is:recurring", [YOGA]),
        ("-is:recurring", [FAIR, LUNCH]),
        ("is:all-day", []),
        ("after:2031", [FAIR, YOGA]),
        ("before:2030-03-03", [LUNCH, YOGA]),
        ("before:2030-03-02 after:2029", [YOGA]),
        ("after:2030-03-02 before:2030-03-03 -is:recurring", [LUNCH]),
        ("in:nowhere", []),
        ("%", []),
    ],
)
def test_what_is_typed_finds(diary, find, query, found):
    assert sorted(find(query)) == sorted(found)


def test_calendars_are_named(diary, find):
    name = Event.objects.first().calendar.name
    assert len(find(f'in:"{name}"')) == 3


@pytest.mark.parametrize("query", ["is:over", "after:soon", "where:-"])
def test_a_value_that_an_operator_does_not_take_is_named(find, query):
    with pytest.raises(DomainError, match=query.partition(":")[0]):
        find(query)


def test_what_has_every_word_comes_first(plan, find):
    plan("Board board board")
    plan("The budget of the board, at last")
    assert find("board budget") == ["The budget of the board, at last", "Board board board"]


def test_a_whole_day_is_over_when_its_day_is_whatever_the_zone(diary, find):
    Event.objects.filter(summary=FAIR).update(
        all_day=True, dtstart="2031-05-05T00:00:00Z", dtend="2031-05-06T00:00:00Z",
        last_end="2031-05-06T00:00:00Z",
    )  # fmt: skip
    assert FAIR in find("is:all-day after:2031-05-05")
    assert FAIR not in find("is:all-day after:2031-05-06")
    assert FAIR in find("is:all-day before:2031-05-06")
    assert FAIR not in find("is:all-day before:2031-05-05")


def test_events_of_other_accounts_and_deleted_calendars_are_no_hits(diary, find, actor, inbox):
    second = factories.make_inbox(inbox.workspace, "second@lantern.example").account
    assert find("lunch", account=second) == find("title:lunch", account=second) == []
    assert len(find_all_events(actor, "lunch", 5)) == 1
    calendar = Event.objects.first().calendar
    calendar.deleted_at = calendar.created_at + timedelta(days=1)
    calendar.save()
    assert find("lunch") == find("unch") == find("title:lunch") == []


def test_a_list_keeps_what_has_every_word(diary, actor):
    rows = Event.objects.visible_to(actor).kept()
    assert [row.summary for row in keep_events(actor, rows, "besuch mueller")] == [FAIR]
    assert [row.summary for row in keep_events(actor, rows, "orning oga")] == [YOGA]
    assert [row.summary for row in keep_events(actor, rows, "is:recurring")] == [YOGA]


def test_who_is_invited_is_found_from_the_beginning_and_no_longer_once_taken_off(
    actor, inbox, plan, find
):
    made = plan("Review")
    event = Event.objects.get(summary="Review")
    assert "ada" not in event.search_extra
    call(
        "calendar_update_event",
        {
            "account_id": inbox.account.public_id, "event_id": made["id"],
            "updates": {"subject": "Überprüfung"},
        },
        actor,
    )  # fmt: skip
    assert find("ueberpruefung") == ["Überprüfung"]
    assert find("review") == []


def test_earlier_events_are_prepared_some_at_a_time(diary, find, monkeypatch):
    monkeypatch.setattr("inbox.operations.renewing.AT_ONCE", 2)
    Event.objects.update(search_extra="")
    assert find("oersted") == find("besuchen") == []
    renew_forms({"after": 0})
    (job,) = Job.objects.filter(kind="search.events")
    renew_forms(job.payload)
    assert (find("oersted"), find("besuchen")) == ([LUNCH], [FAIR])
