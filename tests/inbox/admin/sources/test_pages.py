"""The pages of servers: connected in steps, looked after, parted from; by owners alone."""

import re

import pytest
from django.urls import reverse

from calendar_app.models import Calendar, Event
from inbox.models import RemoteSource, Role, SyncConflict
from tests.calendar_server import calendar, serving_calendar
from tests.factories import make_person_user
from tests.inbox.syncing.collections.sources import sync

pytestmark = pytest.mark.django_db
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"


@pytest.fixture
def server():
    with serving_calendar(calendar(FAIR)) as server:
        yield server


@pytest.fixture
def owner(inbox, client):
    client.force_login(make_person_user(inbox.workspace, Role.OWNER))
    return client


def connect(owner, inbox, **given):
    place = reverse("source-add", args=[inbox.account_id])
    return owner.post(place, {"provider": "ics", **given})


@pytest.fixture
def source(owner, inbox, server):
    connect(
        owner, inbox, url=server.url, action="connect", taken="calendar feed", name="The team's"
    )
    return sync(RemoteSource.objects.get())


def page_of(source):
    return reverse("source", args=[source.public_id])


def test_an_owner_chooses_looks_and_connects(owner, inbox, server):
    account = reverse("admin:inbox_account_change", args=[inbox.account_id])
    place = reverse("source-add", args=[inbox.account_id])
    assert place in owner.get(account).content.decode()
    assert "?provider=ics" in owner.get(place).content.decode()
    assert "See what is there" in owner.get(f"{place}?provider=ics").content.decode()
    shown = connect(owner, inbox, url=server.url, action="try").content.decode()
    assert re.search(r'value="calendar feed"\s+checked', shown)
    assert not RemoteSource.objects.exists()
    answer = connect(owner, inbox, url=server.url, action="connect", taken="calendar feed")
    source = RemoteSource.objects.get()
    assert answer.url == page_of(source)
    sync(source)
    assert Event.objects.get().summary == "Fair"
    assert "Up to date" in owner.get(page_of(source)).content.decode()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/x.ics", "cannot be reached"),
        ("http://elsewhere.example/x.ics", "must begin with https"),
        ("", "This field is required"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(owner, inbox, url, words):
    assert (
        words
        in connect(owner, inbox, url=url, action="connect", taken="calendar feed").content.decode()
    )
    assert not RemoteSource.objects.exists()


def test_what_is_unticked_goes_and_what_is_ticked_again_comes_back(owner, source):
    owner.post(page_of(source), {"action": "collections"})
    assert not Calendar.objects.filter(deleted_at=None, is_default=False).exists()
    collection = source.collections.get()
    owner.post(page_of(source), {"action": "collections", "taken": collection.public_id})
    sync(source)
    assert Calendar.objects.get(remote=collection, deleted_at=None).events.get().summary == "Fair"


def test_it_is_paused_and_goes_on(owner, source):
    owner.post(page_of(source), {"action": "pause"})
    assert "Paused" in owner.get(page_of(source)).content.decode()
    owner.post(page_of(source), {"action": "resume"})
    assert sync(source).status == "current"


def test_what_gave_way_is_shown_until_it_was_seen(owner, source):
    SyncConflict.objects.create(
        workspace=source.workspace, collection=source.collections.get(), key="fair@team",
        title="Fair", ours={"summary": "Our fair"}, theirs={"summary": "Fair"},
    )  # fmt: skip
    assert "Our fair" in owner.get(page_of(source)).content.decode()
    owner.post(page_of(source), {"action": "seen"})
    assert "Our fair" not in owner.get(page_of(source)).content.decode()


@pytest.mark.parametrize(("is_own", "left"), [(True, 1), (False, 0)])
def test_parting_leaves_what_is_our_own_and_takes_what_others_wrote(owner, source, is_own, left):
    source.collections.update(is_own=is_own)
    owner.post(page_of(source), {"action": "disconnect", "keep": "yes"})
    assert Event.objects.kept().count() == left
    assert not RemoteSource.objects.exists()


def test_the_health_page_names_every_account_and_server(owner, inbox, source):
    collection = source.collections.get()
    SyncConflict.objects.bulk_create(
        SyncConflict(workspace=source.workspace, collection=collection, key="fair@team")
        for _ in range(3)
    )
    shown = " ".join(owner.get(reverse("account-health")).content.decode().split())
    assert inbox.account.address in shown
    assert "1 item " in shown
    assert "3 changed on both sides" in shown
    assert "The team&#x27;s" in shown


@pytest.mark.parametrize("action", ["pause", "collections", "disconnect", "password"])
def test_who_only_reviews_changes_nothing(inbox, source, client, action):
    client.force_login(make_person_user(inbox.workspace, Role.REVIEWER))
    assert client.post(page_of(source), {"action": action}).status_code == 403
    assert client.get(reverse("source-add", args=[inbox.account_id])).status_code == 403
    assert client.get(page_of(source)).status_code == 200
