"""Several accounts of one agent, of several kinds: what is searched, listed and free over all."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest

from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Grant
from inbox.models import RemoteCollection
from tests import factories
from tests.agents.every_kind.offices import office_of

pytestmark = pytest.mark.django_db
KINDS = ("local", "ics", "google", "graph")
NINE = datetime(2026, 1, 10, 9, tzinfo=UTC)
WINDOW = {"start": "2026-01-10T08:00:00Z", "end": "2026-01-10T16:00:00Z"}


@pytest.fixture
def agent(workspace):
    return factories.make_agent(workspace, "Clerk")


@pytest.fixture
def offices(workspace, agent, reviewer, request):
    """An office of each kind that one agent was granted, each with something of its own."""
    with ExitStack() as stack:
        made = {}
        for number, kind in enumerate(KINDS):
            inbox = factories.make_inbox(workspace, f"{kind}@lantern.example")
            Grant.objects.create(agent=agent, account=inbox.account)
            actor = current_actor(agent)
            office = stack.enter_context(office_of(kind, inbox, actor, reviewer, request))
            made[kind] = office
            furnish(office, NINE + timedelta(hours=number))
        actor = current_actor(agent)
        for office in made.values():
            office.actor = actor
        yield made


def furnish(office, at):
    """Have an event from this hour on: of those who made it, where it lies elsewhere."""
    place = office.connect("calendar")
    if office.kind == "ics":
        place.come("theirs", "Tide of ics")
        return
    times = {"start": at.isoformat(), "end": (at + timedelta(hours=1)).isoformat()}
    office.do("calendar_create_event", subject=f"Tide of {office.kind}", **times)
    place.sync()


def test_every_account_that_one_may_see_is_listed_and_searched(offices, agent, workspace):
    hidden = factories.make_inbox(workspace, "hidden@lantern.example").account
    actor = current_actor(agent)
    listed = call("auth", {"resource": "list", "parameters": {}}, actor).result
    assert [it["username"] for it in listed] == sorted(f"{kind}@lantern.example" for kind in KINDS)
    for account in listed:
        own = {"account_id": account["account_id"]}
        kind = account["username"].partition("@")[0]
        for verb, resource, more in (
            ("list", "events", WINDOW), ("search", "events", {"query": "tide"}),
        ):  # fmt: skip
            asked = {"resource": resource, "parameters": {**own, **more}}
            found = call(verb, asked, actor).result
            items = found if isinstance(found, list) else found["event"]
            assert [it["subject"] for it in items] == [f"Tide of {kind}"]
    for operation, more in (("search_unified", {"query": "x"}), ("calendar_list_events", {})):
        with pytest.raises(ToolError) as caught:
            call(operation, {"account_id": hidden.public_id, **more}, actor)
        assert caught.value.code == "not_found"


def test_free_time_is_that_of_all_calendars_as_of_the_oldest(offices, agent):
    actor = current_actor(agent)
    asked = {
        **WINDOW, "duration_minutes": 60,
        "working_hours": {"start": "08:00", "end": "16:00", "days": ["SA"]},
    }  # fmt: skip
    found = call("find_free_slots", asked, actor).result
    # 09:00 here, 10:00 at an address, 11:00 at Google, 12:00 at Microsoft.
    assert [it["start"][11:16] for it in found["slots"]][:3] == ["08:00", "13:00", "14:00"]
    taken = RemoteCollection.objects.filter(is_taken=True).order_by("pk")
    ages = list(taken.values_list("current_at", flat=True))
    assert datetime.fromisoformat(found["as_of"]) == min(ages)
    people = [f"{kind}@lantern.example" for kind in KINDS[1:]]
    asked = {**WINDOW, "account_id": "local@lantern.example", "attendees": people}
    value = call("calendar_check_availability", asked, actor).result["value"]
    views = [it["availabilityView"] for it in value]
    assert views == [f"{'00' * hour}22{'00' * (7 - hour)}" for hour in (1, 2, 3, 4)]
    assert [datetime.fromisoformat(it["asOf"]) for it in value[1:]] == ages


def test_the_figures_are_those_of_each_account(offices, agent):
    stats = call("cache", {"resource": "get_stats", "parameters": {}}, current_actor(agent)).result
    warming = call("cache_warming_status", {}, current_actor(agent)).result
    ids = {office.account_id for office in offices.values()}
    assert {it["account_id"] for it in stats["accounts"]} == ids
    assert {it["account_id"] for it in warming["accounts"]} == ids
    assert (warming["status"], warming["done"]) == ("complete", len(KINDS))
