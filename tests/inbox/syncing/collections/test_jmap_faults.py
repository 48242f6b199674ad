"""At each request by JMAP something goes wrong, in each way: nothing is lost, nothing is doubled.

`HTTP_FAULTS=all` spoils every request, else some of them.
"""

import os
import random
from contextlib import ExitStack

import pytest
from django.utils import timezone

from calendar_app.models import Calendar
from inbox.models import Person, RemoteItem, RemoteSource, SyncConflict
from inbox.operations.contacts.cards import CardChanges
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from inbox.providers.jmap import api
from inbox.syncing.collections.session import sync_source
from tests.cyrus import PASSWORD
from tests.factories import make_person_user, person_actor
from tests.http_faults import faulty
from tests.inbox.providers.jmap.stages import CalendarStage, CardStage, ContactStage, EventStage
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync
from tests.inbox.syncing.collections.test_http_faults import Scene as CalendarsScene
from tests.inbox.syncing.collections.test_http_faults import spoil_each
from tests.machines.jmap.server import ACCOUNT, jmap_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
EVERY = os.environ.get("HTTP_FAULTS") == "all"
WAYS = ["reset", "late reset", "half", "401", "429", "503", "late 502"]
EXPECTED = ["Ours, changed", "Ours, new", "Theirs, changed", "Theirs, new"]


class Scene:
    """Contacts behind a proxy, changed on both sides, not yet synced."""

    def __init__(self, account, actor, stage, proxy, secret):
        self.actor, self.stage, self.proxy = actor, stage, proxy
        proxy.spoil(-1, "")
        settings = {"jmap_url": proxy.url, "username": getattr(stage, "user", "mira")}
        only = {stage.collection.id}
        self.source = connect(account, "jmap", settings, secret, only=only)
        for number in range(4):
            stage.put(f"e{number}", f"Theirs {number}")
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        stage.put("e0", "Theirs, changed")
        stage.remove("e1")
        stage.put("e4", "Theirs, new")
        changes = CardChanges(fn="Ours, changed", family_name="Ours, changed")
        update_contact(actor=actor, person=self.person("Theirs 2"), changes=changes)
        delete_contact(actor=actor, person=self.person("Theirs 3"))
        changes = CardChanges(family_name="Ours, new")
        create_contact(actor=actor, account=account, changes=changes)

    def person(self, name):
        return Person.objects.get(fn=name, deleted_at=None)

    def sync_once(self):
        """Have what was published heard of, and sync, from the session resource on."""
        run_jobs_but_syncs()
        api._kept.clear()
        rows = RemoteSource.objects.filter(pk=self.source.pk)
        rows.update(next_at=timezone.now(), listed_at=None)
        sync_source(self.source.pk)

    def check(self):
        """See that both sides say what was last said on either."""
        self.proxy.spoil(-1, "")
        self.source = sync(RemoteSource.objects.get(pk=self.source.pk))
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        here = Person.objects.filter(deleted_at=None, fn__contains="rs")
        assert sorted(here.values_list("fn", flat=True)) == EXPECTED
        before = self.there()
        assert sorted(title for title, _etag in before.values()) == EXPECTED
        assert not SyncConflict.objects.exists()
        assert not RemoteItem.objects.exclude(problem="").exists()
        sync(self.source)
        assert self.there() == before
        assert not RemoteItem.objects.filter(dirty=True).exists()

    def there(self):
        with self.stage.reopened() as store:
            entries = store.changes(self.stage.collection, "").present
            etags = {entry.id: entry.etag for entry in entries}
            items = store.fetch(self.stage.collection, list(etags))
            return {it.id: (self.stage.title(it.raw), etags[it.id]) for it in items}

    def clear(self):
        self.stage.close()
        RemoteSource.objects.all().delete()
        Person.objects.all().delete()


@pytest.fixture(params=["cyrus", "stand-in"])
def new_scene(request, inbox):
    """What makes a scene of its own each time; the proxy it stands behind."""
    actor = person_actor(make_person_user(inbox.workspace))
    with ExitStack() as stack:
        if request.param == "cyrus":
            server = request.getfixturevalue("cyrus")
        else:
            server = stack.enter_context(jmap_server())
        proxy = stack.enter_context(faulty(server.url))

        def make():
            if request.param == "cyrus":
                return Scene(inbox.account, actor, ContactStage(server), proxy, PASSWORD)
            secret = server.issue(ACCOUNT)
            return Scene(inbox.account, actor, CardStage(server), proxy, secret)

        yield make


@pytest.mark.parametrize("way", WAYS)
def test_whatever_goes_wrong_with_a_request_both_sides_agree(new_scene, way):
    scene = new_scene()
    scene.proxy.spoil(-1, "")
    scene.sync_once()
    count = scene.proxy.count
    scene.check()
    scene.clear()
    assert count >= 8
    for number in range(count) if EVERY else sorted(random.sample(range(count), 2)):
        scene = new_scene()
        scene.proxy.spoil(number, way)
        scene.sync_once()
        assert scene.proxy.spoiled, f"request {number} of {count} was not made"
        scene.check()
        scene.clear()


class CalendarScene(CalendarsScene):
    """A calendar at a JMAP server."""

    def __init__(self, inbox, stage, proxy, secret):
        self.stage, self.proxy = stage, proxy
        proxy.spoil(-1, "")
        settings = {"jmap_url": proxy.url, "username": getattr(stage, "user", "mira")}
        only = {stage.collection.id}
        self.source = connect(inbox.account, "jmap", settings, secret, only=only)
        self.calendar = Calendar.objects.select_related("account").get(remote__source=self.source)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["cyrus", "stand-in"])
def test_whatever_goes_wrong_with_a_calendar_both_sides_agree(inbox, request, name, way):
    with ExitStack() as stack:
        if name == "cyrus":
            server = request.getfixturevalue("cyrus")
        else:
            server = stack.enter_context(jmap_server())
        proxy = stack.enter_context(faulty(server.url))

        def new_scene():
            if name == "cyrus":
                return CalendarScene(inbox, CalendarStage(server), proxy, PASSWORD)
            return CalendarScene(inbox, EventStage(server), proxy, server.issue(ACCOUNT))

        spoil_each(new_scene, proxy, way)


METHODS = [("ContactCard/changes", "cannotCalculateChanges"), ("ContactCard/set", "stateMismatch"),
           ("ContactCard/set", "rateLimit"), ("ContactCard/set", "serverUnavailable"),
           ("ContactCard/get", "serverFail"), ("ContactCard/query", "serverPartialFail"),
           ("AddressBook/get", "serverUnavailable")]  # fmt: skip


@pytest.mark.parametrize(("method", "error"), METHODS)
def test_a_method_that_is_not_run_is_run_later(inbox, method, error):
    actor = person_actor(make_person_user(inbox.workspace))
    with jmap_server() as server, faulty(server.url) as proxy:
        secret = server.issue(ACCOUNT)
        scene = Scene(inbox.account, actor, CardStage(server), proxy, secret)
        server.refusing[method] = error
        scene.sync_once()
        assert server.refusing == {}
        scene.check()
