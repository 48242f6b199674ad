"""The pages of servers: connected in steps, looked after, parted from; by owners alone."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_app.models import Calendar, Event
from inbox.models import RemoteItem, RemoteSource, Role, SyncConflict
from inbox.templatetags.kept import forget_all
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
        (f"https://{'a' * 64}.example/x.ics", "must begin with https"),
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
    page = owner.get(page_of(source))
    assert "Our fair" in page.content.decode()
    owner.post(page_of(source), {"action": "seen", "shown": shown_on(page)})
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


def test_a_form_that_is_sent_twice_connects_once(owner, inbox, server):
    given = {"url": server.url, "action": "connect", "taken": "calendar feed"}
    connect(owner, inbox, **given)
    again = connect(owner, inbox, **given)
    assert again.url == page_of(RemoteSource.objects.get())
    assert "already connected" in owner.get(again.url).content.decode()


def test_a_button_that_is_pressed_twice_disconnects_once(owner, source):
    for _time in range(2):
        answer = owner.post(page_of(source), {"action": "disconnect"}, follow=True)
        assert answer.status_code == 200
    assert "disconnected already" in answer.content.decode()


def conflicts_of(source, count):
    SyncConflict.objects.bulk_create(
        SyncConflict(
            workspace=source.workspace, collection=source.collections.get(), key=f"{number}",
            title=f"Fair {number}", ours={"summary": "Ours"}, theirs={"summary": "Theirs"},
        )
        for number in range(count)
    )  # fmt: skip


def shown_on(page):
    return re.findall(r'name="shown" value="(\d+)"', page.content.decode())


def test_only_what_was_shown_counts_as_seen_unless_all_is_said(owner, source):
    conflicts_of(source, 60)
    page = owner.get(page_of(source))
    assert "These are the newest 50 of 60." in page.content.decode()
    conflicts_of(source, 1)
    owner.post(page_of(source), {"action": "seen", "shown": [*shown_on(page), "9" * 30]})
    assert SyncConflict.objects.filter(seen_at=None).count() == 11
    assert "These are the newest" not in owner.get(page_of(source)).content.decode()
    owner.post(page_of(source), {"action": "all_seen"})
    assert not SyncConflict.objects.filter(seen_at=None).exists()


def test_a_list_that_is_cut_says_so_and_costs_no_more(owner, source, django_assert_max_num_queries):
    collection = source.collections.get()

    def add(count, first):
        RemoteItem.objects.bulk_create(
            RemoteItem(collection=collection, href=f"/{number}", problem="It has no time.")
            for number in range(first, first + count)
        )

    add(10, 0)
    with CaptureQueriesContext(connection) as asked:
        assert "These are the newest" not in owner.get(page_of(source)).content.decode()
    add(990, 10)
    conflicts_of(source, 1000)
    with django_assert_max_num_queries(len(asked)):
        assert "These are the newest 50 of 1,000." in owner.get(page_of(source)).content.decode()


def test_a_secret_address_is_shown_to_owners_alone(owner, inbox, source, client):
    assert "/private/team.ics" in owner.get(page_of(source)).content.decode()
    client.force_login(make_person_user(inbox.workspace, Role.REVIEWER))
    shown = client.get(page_of(source)).content.decode()
    assert "127.0.0.1" in shown
    assert "/private/team.ics" not in shown


def test_what_a_person_kept_from_being_changed_stays_so_while_the_server_forbids_it(owner, source):
    source.collections.update(read_only=True, is_writable=False)
    taken = source.collections.get().public_id
    owner.post(page_of(source), {"action": "collections", "taken": taken})
    assert source.collections.get().read_only


def test_the_way_to_every_place_is_on_a_page_that_is_opened_first(owner, source):
    """The links at the top are kept for other pages too, as the first one has written them."""
    for page in (page_of(source), reverse("account-health")):
        forget_all()
        shown = owner.get(page).content.decode()
        assert re.search(r'data-key="g q"[^>]*>\s*Queue\s*</a>', shown)
        assert len(re.findall(r'<a href="[^"]+" data-key="g \w"', shown)) > 5
