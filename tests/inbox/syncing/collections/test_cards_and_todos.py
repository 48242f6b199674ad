"""Address books and lists of to-dos at a server: both ways, and without touching the rest."""

import pytest

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import create_todo, delete_todo, update_todo
from inbox.models import Person, RemoteCollection
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from tests.dav_servers import PASSWORD
from tests.factories import make_person_user, person_actor
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = pytest.mark.django_db
CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:mo@there\r\nFN:Mo Lantern\r\nN:Lantern;Mo;;;\r\n"
    "EMAIL;TYPE=WORK:mo@lantern.example\r\nX-PHONETIC-LAST-NAME:Lan\r\n"
    "BDAY:1980-02-03\r\nEND:VCARD\r\n"
)
TODO = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Elsewhere//EN\r\nBEGIN:VTODO\r\n"
    "UID:wick@there\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Trim the wick\r\n"
    "DUE;VALUE=DATE:20260310\r\nX-APPLE-SORT-ORDER:7\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
)


class There:
    """Another client of the same collection, and our source."""

    def __init__(self, account, server, kind):
        user = server.new_user()
        self.stage = DavStage(server, user, kind)
        settings = {"url": server.url, "username": user}
        self.source = sync(connect(account, "dav", settings, PASSWORD))

    def sync(self):
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)

    def put(self, raw):
        self.stage.put_raw("one", raw.encode())

    def raws(self):
        store, collection = self.stage.reopened(), self.stage.collection
        ids = [entry.id for entry in store.changes(collection, "").present]
        return [item.raw.decode() for item in store.fetch(collection, ids)]


@pytest.fixture
def book(inbox, radicale):
    there = There(inbox.account, radicale, "contacts")
    yield there
    there.stage.close()


@pytest.fixture
def todos(inbox, radicale):
    there = There(inbox.account, radicale, "todos")
    yield there
    there.stage.close()


@pytest.fixture
def owner(inbox):
    return person_actor(make_person_user(inbox.workspace))


def test_a_card_comes_in_and_a_change_here_touches_nothing_else_there(book, owner):
    book.put(CARD)
    book.sync()
    person = Person.objects.get(fn="Mo Lantern")
    assert person.email == "mo@lantern.example"
    update_contact(actor=owner, person=person, changes=CardChanges(org="Lighthouse"))
    book.sync()
    [raw] = book.raws()
    for line in ("ORG:Lighthouse", "X-PHONETIC-LAST-NAME:Lan", "BDAY:1980-02-03", "FN:Mo Lantern"):
        assert line in raw
    book.sync()
    assert book.source.calls <= 2


def test_a_contact_made_here_is_there_and_deleted_here_is_gone_there(book, owner, inbox):
    book.sync()
    changes = CardChanges(
        given_name="Ada", family_name="Wick", emails=[CardEmail("ada@wick.example")]
    )
    person = create_contact(actor=owner, account=inbox.account, changes=changes)
    book.sync()
    [raw] = book.raws()
    assert "ada@wick.example" in raw
    delete_contact(actor=owner, person=person)
    book.sync()
    assert book.raws() == []


def test_a_card_deleted_there_is_deleted_here_softly(book):
    book.put(CARD)
    book.sync()
    book.stage.remove("one")
    book.sync()
    assert Person.objects.get(fn="Mo Lantern").deleted_at is not None


def test_a_todo_comes_in_is_completed_here_and_keeps_what_we_do_not_know(todos):
    todos.put(TODO)
    todos.sync()
    todo = Todo.objects.get(summary="Trim the wick")
    update_todo(todo=todo, changes={"status": "completed"})
    todos.sync()
    [raw] = todos.raws()
    for line in ("STATUS:COMPLETED", "X-APPLE-SORT-ORDER:7", "DUE;VALUE=DATE:20260310"):
        assert line in raw


def test_a_todo_made_here_in_such_a_list_is_there_and_goes_when_it_is_deleted(todos, owner):
    todo_list = TodoList.objects.get(remote=RemoteCollection.objects.get())
    todo = create_todo(actor=owner, todo_list=todo_list, summary="Fill the oil")
    todos.sync()
    assert "SUMMARY:Fill the oil" in todos.raws()[0]
    delete_todo(todo=todo)
    todos.sync()
    assert todos.raws() == []
