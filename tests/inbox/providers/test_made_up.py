"""A provider that nobody knows, added as docs/how-to/add-a-provider.md says, and by no other line."""

import re
from dataclasses import fields, replace
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import create_todo, delete_todo, update_todo
from inbox.models import RemoteSource, Role, SyncConflict, SyncStatus
from inbox.providers import PROVIDERS
from inbox.providers.change_store import ChangeStore, ItemRefusedError, Put
from inbox.providers.declaration import Declaration, Limits
from inbox.providers.mail_store import StoreError
from inbox.syncing.collections.session import sync_source
from project.settings import BASE_DIR
from tests.change_store_cases import ChangeStoreCases, everything, fetched, follow
from tests.factories import make_person_user, person_actor
from tests.inbox.syncing.collections.sources import connect, sync
from tests.machines.api_server import Reply, serving
from tests.made_up import bramble
from tests.made_up.server import Bramble
from tests.made_up.stage import BrambleStage

PAGE = BASE_DIR / "docs" / "how-to" / "add-a-provider.md"
KINDS = {".py", ".html", ".yaml", ".js", ".po"}
PRODUCT = ("agents", "calendar_app", "inbox", "project", "templates")


@pytest.fixture
def stage():
    with serving(Bramble()) as server:
        stage = BrambleStage(server)
        yield stage
        stage.close()


@pytest.fixture
def named(monkeypatch):
    """The one line that names it."""
    monkeypatch.setitem(PROVIDERS, bramble.DECLARATION.name, bramble.DECLARATION)


@pytest.fixture
def owner(inbox, client, named):
    client.force_login(make_person_user(inbox.workspace, Role.OWNER))
    return client


@pytest.fixture
def source(inbox, named, stage):
    return sync(connect(inbox.account, "bramble", {"server": stage.server.url}, stage.key))


# -- the store ---------------------------------------------------------------------------------------
class TestStore(ChangeStoreCases):
    """What every store must do."""

    def test_a_change_leaves_what_only_the_server_knows(self, stage):
        stage.put("one", "Breakfast")
        [entry] = stage.list.entries.values()
        entry.fields["tint"] = "amber"
        [item] = fetched(stage, [entry.id])
        raw = item.raw.replace(b"Breakfast", b"Lunch")
        stage.store.apply(stage.collection, Put(item.id, "", raw, item.raw), item.etag)
        assert (entry.fields["text"], entry.fields["tint"]) == ("Lunch", "amber")

    def test_what_the_server_does_not_take_is_refused_alone(self, stage):
        for raw in (stage.item("one", "x" * 501), b"nonsense"):
            with pytest.raises(ItemRefusedError):
                stage.store.apply(stage.collection, Put("", "one", raw), "")

    def test_entries_that_are_too_much_for_one_answer_are_asked_for_in_parts(self, stage):
        for number in range(6):
            stage.server.put(stage.list, text=f"Meal {number}", memo="x" * 900_000)
        ids = [entry.id for entry in everything(stage).present]
        before = stage.store.calls
        assert {item.id for item in fetched(stage, ids)} == set(ids)
        assert stage.store.calls - before > 1

    def test_more_than_a_page_is_followed_page_by_page(self, stage):
        position = everything(stage).position
        for number in range(120):
            stage.put(f"{number}", f"Meal {number}")
        assert stage.store.changes(stage.collection, position).more
        assert len(follow(stage, position).present) == 120


class Odd(Bramble):
    """Says something else than it should."""

    said: object = None

    def answer(self, call):
        return Reply(body=self.said)


@pytest.mark.parametrize(
    "said", [{"lists": [{"id": 7}]}, {"lists": 7}, {"lists": [], "next": 7}, [], b"<html>"]
)
def test_an_answer_of_another_form_is_a_failure_of_the_server(said):
    with serving(Odd()) as server:
        server.said = said
        with pytest.raises(StoreError, match="in a way we do not understand") as caught:
            BrambleStage(server).store.collections()
    assert caught.value.kind == "transient"


# -- the pages ---------------------------------------------------------------------------------------
def page(owner, name, *args, **query):
    return shown(owner.get(reverse(name, args=args), query))


def shown(answer):
    """Return what a page says, without its tags."""
    assert answer.status_code == 200
    return " ".join(unescape(re.sub("<[^>]*>", "", answer.content.decode())).split())


def post(owner, inbox, **given):
    return owner.post(
        reverse("source-add", args=[inbox.account_id]), {"provider": "bramble", **given}
    )


@pytest.mark.django_db
def test_it_is_offered_and_its_form_is_asked_from_the_declaration(owner, inbox):
    offered = page(owner, "source-add", inbox.account_id)
    assert "Lists of to-dos at Bramble: with a key from its settings." in offered
    form = page(owner, "source-add", inbox.account_id, provider="bramble")
    for words in ("Server", "The address at which you open Bramble", "API key", "Made in"):
        assert words in form
    assert "User name" not in form
    assert "Password" not in form


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"server": ""}, "This field is required"),
        ({"password": "wrong"}, "does not accept the user name, password or key"),
        ({"password": ""}, "The access token or key is missing"),
        ({"server": "bramble.example"}, "The address must begin with https://"),
        ({"server": "http://bramble.example"}, "The address must begin with https://"),
        ({"server": "https://[bramble"}, "The address must begin with https://"),
        ({"server": "http://127.0.0.1:1"}, "127.0.0.1 cannot be reached: "),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(owner, inbox, stage, given, words):
    typed = {"server": stage.server.url, "password": stage.key, "action": "try", **given}
    assert words in shown(post(owner, inbox, **typed))
    assert not RemoteSource.objects.exists()


@pytest.mark.django_db
def test_a_host_that_the_operator_does_not_allow_is_not_asked(owner, inbox, stage, settings):
    settings.MAIL_HOSTS = frozenset({"*.example.org"})
    answer = post(owner, inbox, server=stage.server.url, password=stage.key, action="try")
    assert "The operator does not allow connections to 127.0.0.1." in shown(answer)
    assert stage.server.calls == []


@pytest.mark.django_db
def test_it_is_tried_connected_synced_and_shown(owner, inbox, stage):
    stage.put("wick", "Trim the wick")
    typed = {"server": stage.server.url, "password": stage.key}
    tried = shown(post(owner, inbox, **typed, action="try"))
    assert "Lamp to-do list" in tried
    assert not RemoteSource.objects.exists()
    answer = post(
        owner, inbox, server=stage.server.url, action="connect", taken=f"todos {stage.list.id}"
    )
    source = RemoteSource.objects.get()
    assert answer.url == reverse("source", args=[source.public_id])
    sync(source)
    assert Todo.objects.get().summary == "Trim the wick"
    own = page(owner, "source", source.public_id)
    for words in ("Up to date", f"Bramble · {stage.server.url}", "Lamp", "To-do list", "API key"):
        assert words in own
    assert stage.key not in own
    assert "Password" not in own
    health = page(owner, "account-health")
    assert "127.0.0.1" in health
    assert "Bramble · 1 item ·" in health
    assert "Bramble · 1 item ·" in page(owner, "admin:inbox_account_change", inbox.account_id)


@pytest.mark.django_db
def test_a_key_that_ended_is_said_and_another_is_taken(owner, inbox, stage, source):
    del stage.server.tokens[stage.key]
    assert sync(source).status == SyncStatus.LOGIN_REFUSED
    assert "Enter the password or key again below." in page(owner, "source", source.public_id)
    place = reverse("source", args=[source.public_id])
    owner.post(place, {"action": "password", "password": stage.server.issue(stage.account)})
    assert sync(source).status == SyncStatus.CURRENT


# -- both ways ---------------------------------------------------------------------------------------
def fields_there(stage):
    return [entry.fields for entry in stage.list.entries.values()]


@pytest.mark.django_db
def test_a_todo_comes_in_and_a_change_here_changes_that_alone_there(stage, source):
    stage.server.put(stage.list, text="Trim the wick", by="2026-03-10", star=True, tint="amber")
    sync(source)
    todo = Todo.objects.get()
    assert (todo.summary, todo.starred, f"{todo.due:%Y-%m-%d}") == (
        "Trim the wick", True, "2026-03-10",
    )  # fmt: skip
    update_todo(todo=todo, changes={"status": "completed"})
    assert sync(source).failures == 0
    [there] = fields_there(stage)
    assert there["done"]
    assert (there["text"], there["by"], there["tint"]) == (
        "Trim the wick",
        "2026-03-10",
        "amber",
    )
    assert [call.method for call in stage.server.calls].count("PATCH") == 1
    assert sync(source).calls == 1


@pytest.mark.django_db
@pytest.mark.parametrize("fault", [None, "lose", "half", "drop", 503])
def test_a_todo_made_here_is_there_once_whatever_goes_wrong(inbox, stage, source, fault):
    owner = person_actor(make_person_user(inbox.workspace))
    todo = create_todo(
        actor=owner, todo_list=TodoList.objects.get(remote__isnull=False), summary="Oil"
    )
    if fault:
        stage.server.order(fault, "^POST .*/entries$")
    sync(source)
    assert stage.server.faults == []
    assert sync(source).failures == 0
    assert [one["text"] for one in fields_there(stage)] == ["Oil"]
    delete_todo(todo=todo)
    sync(source)
    assert fields_there(stage) == []
    assert Todo.objects.count() == 1


@pytest.mark.django_db
def test_what_is_deleted_there_while_cursors_end_is_deleted_here_softly(stage, source):
    stage.put("one", "Breakfast")
    stage.put("two", "Lunch")
    sync(source)
    stage.remove("one")
    stage.server.end_cursors(stage.list)
    assert sync(source).failures == 0
    assert Todo.objects.get(summary="Breakfast").deleted_at is not None
    assert Todo.objects.get(summary="Lunch").deleted_at is None


@pytest.mark.django_db
def test_where_both_sides_changed_one_field_the_server_stands_and_ours_is_kept(stage, source):
    stage.put("one", "Breakfast")
    sync(source)
    update_todo(todo=Todo.objects.get(), changes={"summary": "Brunch", "starred": True})
    stage.put("one", "Lunch")
    sync(source)
    assert Todo.objects.get().summary == "Lunch"
    [there] = fields_there(stage)
    assert (there["text"], there["star"]) == ("Lunch", True)
    assert SyncConflict.objects.get().ours == {"summary": "Brunch"}


@pytest.mark.django_db
def test_a_server_that_was_asked_too_often_is_left_alone_for_as_long_as_it_says(stage, source):
    stage.server.allowance, stage.server.retry_after = 0, "1200"
    source = sync(source)
    assert (source.status, source.failures) == (SyncStatus.THROTTLED, 1)
    assert (source.next_at - timezone.now()).total_seconds() > 1100


@pytest.mark.django_db
def test_what_the_server_refuses_is_said_and_the_others_go_on(owner, inbox, stage, source):
    maker = person_actor(make_person_user(inbox.workspace))
    todo_list = TodoList.objects.get(remote__isnull=False)
    for summary in ("x" * 600, "Oil"):
        create_todo(actor=maker, todo_list=todo_list, summary=summary)
    assert sync(source).failures == 0
    assert [one["text"] for one in fields_there(stage)] == ["Oil"]
    own = page(owner, "source", source.public_id)
    assert "Not synced" in own
    assert "Bramble does not take it: HTTP 422" in own
    assert "1 not synced" in page(owner, "account-health")


@pytest.mark.django_db
def test_no_more_is_asked_in_an_hour_than_is_declared(owner, inbox, stage, monkeypatch):
    limits = Limits(calls_an_hour=6, seconds_between_looks=120)
    monkeypatch.setitem(PROVIDERS, "bramble", replace(bramble.DECLARATION, limits=limits))
    for number in range(250):
        stage.server.put(stage.list, text=f"Meal {number}")
    source = connect(inbox.account, "bramble", {"server": stage.server.url}, stage.key)
    asked = []
    for _hour in range(2):
        RemoteSource.objects.update(hour_began_at=timezone.now() - timedelta(minutes=61))
        for _look in range(2):
            RemoteSource.objects.update(next_at=timezone.now())
            before = len(stage.server.calls)
            sync_source(source.pk)
            asked.append(len(stage.server.calls) - before)
        source.refresh_from_db()
        if source.status == SyncStatus.THROTTLED:
            assert source.next_at > timezone.now() + timedelta(minutes=59)
            own = page(owner, "source", source.public_id)
            assert "No more than 6 requests an hour are made of such a server." in own
    # Five pages, and two lookups that were begun while one was left; the feed, and what is missing.
    assert asked == [7, 0, 4, 1]
    assert source.status == SyncStatus.CURRENT
    assert Todo.objects.count() == 250


# -- the page ----------------------------------------------------------------------------------------
def test_no_line_of_the_product_knows_it():
    paths = [
        path for room in PRODUCT for path in (BASE_DIR / room).rglob("*") if path.suffix in KINDS
    ]
    assert len(paths) > 500
    assert [path for path in paths if "bramble" in path.read_text("utf-8").lower()] == []


def test_the_page_tells_of_all_that_a_declaration_says():
    told = PAGE.read_text("utf-8")
    assert [one.name for one in fields(Declaration) if f"`{one.name}`" not in told] == []
    methods = [name for name in vars(ChangeStore) if not name.startswith("_")]
    assert [name for name in methods if not re.search(rf"`{name}\b", told)] == []
