"""Two programs and we ourselves change contacts, and to-dos, at random: in the end nothing differs."""

import pytest
from django.db import transaction

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import create_todo, delete_todo, update_todo
from inbox.models import Person, RemoteCollection, RemoteItem
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from inbox.syncing.collections.keepers import keeper_of
from tests.factories import NOON
from tests.inbox.syncing.collections.random_items import MARK, items_at
from tests.inbox.syncing.collections.random_places import busy_at
from tests.inbox.syncing.collections.random_runs import ROUNDS, SEED, Ourselves, run_together
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


class OurItems(Ourselves):
    """What is done here, named by marks as programs make them."""

    def __init__(self, account, actor):
        super().__init__(SEED)
        self.account, self.actor = account, actor

    def acts(self):
        return {self.make: 3, self.change: 6, self.remove: 2}

    def mark(self):
        made = f"ours-{len(self.made)}@random.example"
        self.made.add(made)
        return made

    def any(self, rows):
        found = list(rows.order_by("pk"))
        return self.chance.choice(found) if found else None

    def words(self):
        return f"Ours {self.chance.randrange(1000)}"


class OurContacts(OurItems):
    def make(self):
        names = CardChanges(given_name="Mo", family_name=self.words(),
                            emails=[CardEmail(self.mark())])  # fmt: skip
        create_contact(actor=self.actor, account=self.account, changes=names)

    def change(self):
        if (one := self.any(Person.objects.kept())) is not None:
            name = self.chance.choice(("org", "title", "note", "family_name"))
            changes = CardChanges(**{name: self.words()})
            update_contact(actor=self.actor, person=one, changes=changes)

    def remove(self):
        if (one := self.any(Person.objects.kept())) is not None:
            delete_contact(actor=self.actor, person=one)
            self.removed |= set(one.emails.values_list("email", flat=True))


class OurTodos(OurItems):
    def make(self):
        todo_list = TodoList.objects.get(remote__isnull=False)
        create_todo(actor=self.actor, todo_list=todo_list, summary=self.words(),
                    description=self.mark())  # fmt: skip

    def change(self):
        if (one := self.any(Todo.objects.kept())) is not None:
            changes = self.chance.choice((
                {"summary": self.words()}, {"status": "completed"}, {"due": NOON.replace(hour=0)},
            ))  # fmt: skip
            update_todo(todo=one, changes=changes)

    def remove(self):
        if (one := self.any(Todo.objects.kept())) is not None:
            delete_todo(todo=one)
            self.removed.add(one.description)


def there(stage):
    """The items that lie there by id, and their etags."""
    with stage.reopened() as store:
        etags = {entry.id: entry.etag for entry in store.changes(stage.collection, "").present}
        items = store.fetch(stage.collection, list(etags)) if etags else ()
        return {item.id: item.raw for item in items}, etags


def differing(kind, raws):
    """What is said here and there of each item that is not the same on both sides."""
    collection = RemoteCollection.objects.select_related("source__account").get(
        kind=kind, is_taken=True
    )
    keeper = keeper_of(collection.kind)
    keys = dict(RemoteItem.objects.filter(collection=collection).values_list("href", "key"))
    with transaction.atomic():
        here = keeper.find(collection, list(keys.values()))
    said = {keys.get(id_, id_): keeper.read(raw, "") for id_, raw in raws.items()}
    return {
        key: (here.get(key), said.get(key))
        for key in here.keys() | said.keys() if here.get(key) != said.get(key)
    }  # fmt: skip


_PLACES = [(name, kind) for name in ("radicale", "xandikos", "cyrus_dav", "google", "graph")
           for kind in ("contacts", "todos")]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"), [*_PLACES, ("cyrus-jmap", "contacts"), ("jmap", "contacts")]
)
def test_nothing_differs_nothing_is_lost_and_nothing_echoes(inbox, actor, request, name, kind):
    with items_at(name, kind, request) as place:
        run_programs(inbox.account, actor, place, busy=busy_at(name))


def run_programs(account, actor, place, busy):
    stage = place.stage
    only = {stage.collection.id}
    source = connect(account, place.provider, place.settings, place.secret, only=only)

    def sync_now(*, busy=busy):
        now = sync(source)
        is_busy = any(said in now.reply for said in busy)
        assert now.failures == 0 or is_busy, (now.words, now.reply)

    sync_now()
    ours = (OurContacts if stage.collection.kind == "contacts" else OurTodos)(account, actor)
    programs = [place.program(seed, ROUNDS) for seed in (SEED, SEED + 1)]
    made, removed = run_together(programs, ours, source.pk, sync_now)
    for _ in range(3):
        sync_now(busy=())
    raws, etags = there(stage)
    assert differing(stage.collection.kind, raws) == {}
    marks = [mark for raw in raws.values() for mark in MARK.findall(raw.decode())[-1:]]
    assert len(set(marks)) == len(marks), "an item twice"
    assert made - removed <= set(marks)
    assert set(place.unknown()) <= {"as it is"}
    assert not RemoteItem.objects.exclude(problem="").exists()
    sync_now(busy=())
    assert there(stage)[1] == etags
    assert not RemoteItem.objects.filter(dirty=True).exists()
    stage.close()
