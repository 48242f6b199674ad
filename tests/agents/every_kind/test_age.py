"""What is said of the age of what is read, on an account of every kind; and that servers are asked."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.models import MirrorEntry, RemoteCollection, RemoteSource, SyncState
from tests.agents.every_kind.offices import ELSEWHERE, calls
from tests.agents.every_kind.test_mail import letter

pytestmark = pytest.mark.django_db(transaction=True)
JANUARY = {"start": "2026-01-01T00:00:00Z", "end": "2026-02-01T00:00:00Z"}
TIMES = {"start": "2026-01-10T10:00:00Z", "end": "2026-01-10T11:00:00Z"}
# What is looked at of each kind, so that all are: the operation that lists it, how, and after how
# many minutes what it answers is old, but serves.
LOOKS = {
    "imap_smtp": ("mail", "email_list", {}, 5),
    "jmap": ("mail", "email_list", {}, 5),
    "ics": ("calendar", "calendar_list_events", JANUARY, 15),
    "dav": ("contacts", "contact_list", {}, 60),
    "google": ("files", "search_files", {"query": "buoy"}, 3),
    "graph": ("calendar", "search_unified", {"query": "tide", "entity_types": "event"}, 3),
}  # fmt: skip


class Look:
    """A list of something in an office."""

    def __init__(self, office):
        self.office = office
        self.noun, self.operation, self.arguments, self.old = LOOKS[office.kind]
        self.place = None if self.noun == "mail" else office.connect(self.noun)

    def list(self, **more):
        found = self.office.do(self.operation, **self.arguments, **more)
        self.office.called.clear()
        return found["event"] if isinstance(found, dict) else found

    def come(self):
        """Have something come there, which nobody here has heard of."""
        if self.place is None:
            self.office.mail.append(letter("Tide"))
        else:
            self.place.change("buoy", "Tide")

    def age(self, minutes):
        """Let it be so long ago that anything was asked for."""
        then = timezone.now() - timedelta(minutes=minutes)
        rows = RemoteCollection if self.place else SyncState
        rows.objects.update(current_at=then)
        SyncState.objects.update(next_at=None)
        MirrorEntry.objects.all().delete()
        return then

    def asked_for(self):
        rows = RemoteSource if self.place else SyncState
        return rows.objects.get().next_at <= timezone.now()


@pytest.mark.parametrize("office", ELSEWHERE, indirect=True)
def test_what_lies_at_a_server_is_as_old_as_it_says(office):
    look = Look(office)
    look.come()
    assert look.list() == []
    [item] = look.list(force_refresh=True)
    assert item["_cache_status"] == "miss"
    [item] = look.list()
    assert item["_cache_status"] == "fresh"
    then = look.age(look.old)
    [item] = look.list()
    assert (item["_cache_status"], look.asked_for()) == ("stale", True)
    assert item["_cached_at"][:19] == then.isoformat()[:19]
    look.age(60 * 24)
    [item] = look.list()
    assert item["_cache_status"] == "miss"
    assert item["_cached_at"] > then.isoformat()


@calls(
    "calendar_create_event", "calendar_list_events", "cache_get_stats", "cache_invalidate",
    "cache_task_enqueue", "cache_task_get_status", "cache_task_list", "cache_warming_status",
    "account_list",
)  # fmt: skip
def test_the_mirror_says_what_was_asked_of_it(office):
    office.connect("calendar")
    office.do("calendar_create_event", subject="Tide", **TIMES)
    before = figures(office)
    office.do("calendar_list_events", **JANUARY)
    # By its own name and by its verb.
    after = figures(office)
    assert sum(after[:2]) == sum(before[:2]) + 2
    assert office.do("cache_invalidate", pattern="event_list:*")["invalidated"] == after[2] == 1
    assert figures(office) == (*after[:2], 0)
    task = office.do("cache_task_enqueue", operation="calendar_list_events", parameters=JANUARY)
    run_due()
    done = office.do("cache_task_get_status", task_id=task["task_id"])
    assert (done["status"], [it["subject"] for it in done["result"]]) == ("completed", ["Tide"])
    assert [it["task_id"] for it in office.do("cache_task_list")] == [task["task_id"]]
    assert [it["account_id"] for it in office.do("account_list")] == [office.account_id]
    [account] = office.do("cache_warming_status")["accounts"]
    assert (account["status"], account["percent"]) == ("complete", 100.0)


def figures(office):
    """Hits, misses and entries of lists of events."""
    [account] = office.do("cache_get_stats")["accounts"]
    found = [it for it in account["resources"] if it["resource"] == "event_list"]
    return tuple(sum(it[name] for it in found) for name in ("hits", "misses", "entries"))


@pytest.mark.parametrize("office", ["dav", "google", "graph"], indirect=True)
@calls("cache_warming_status")
def test_a_first_reading_that_goes_on_is_said_with_what_it_is_of(office):
    office.connect("contacts")
    RemoteCollection.objects.update(first_done_at=None)
    answer = office.do("cache_warming_status")
    [account] = answer["accounts"]
    assert (answer["status"], account["status"]) == ("warming", "warming")
    percents = {it["operation"]: it["percent"] for it in account["operations"]}
    assert percents == {
        "email_list": 100.0, "calendar_list_events": 100.0, "contact_list": 0.0, "file_list": 100.0,
    }  # fmt: skip
