"""Whatever is typed is searched for or refused by name, and is never the database's language."""

import random
from contextlib import suppress

import pytest

from agents.models import Memory
from agents.operations.sharing.memories import save_memory
from agents.recall.questions import keep_memories
from agents.recall.searching import search_memories
from calendar_app.event_search import find_all_events, keep_events
from calendar_app.models import Calendar, Event
from inbox.errors import DomainError
from inbox.models import FileNode, Person
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.files import create_file
from inbox.search.files import find_files, keep_files
from inbox.search.people import find_people, keep_people
from tests.cases import made_up
from tests.factories import NOON

pytestmark = pytest.mark.django_db
PIECES = (
    "lamp", "the", "will", "-", '"', "OR", "NOT", "AND", "NEAR", "(", ")", "*", ":", "name:", "type:",
    "in:", "after:", "before:", "about:", "with:", "is:", "has:", "phone:", "%", "_", "\\", "'", ";",
    "{", "}", "^", "!", "&", "|", "<->", "日本", "ß", "Ø", "\x00", "\ud800", "a.b", "x@y.example", "2026",
    "zz", "1d", "folder", "контакт", "\u0301", "é", "//",
)  # fmt: skip


def test_no_query_is_more_than_words_and_operators(actor, inbox):
    account = inbox.account
    create_file(actor=actor, account=account, path="/Lamp.txt", content=b"the lamp will")
    save_memory(actor=actor, content="the lamp will")
    met = Contact("x@y.example", "Will Lamp", NOON, outbound=False)
    record_contacts(workspace_id=inbox.workspace_id, account_id=account.pk, contacts=[met])
    Calendar.objects.create(workspace=inbox.workspace, account=account, name="Lamps")
    searches = (
        lambda query: find_files(actor=actor, accounts=[account], query=query),
        lambda query: list(keep_files(actor, FileNode.objects.all(), query)),
        lambda query: find_people(actor=actor, query=query, limit=9),
        lambda query: list(keep_people(actor, Person.objects.all(), query)),
        lambda query: find_all_events(actor, query, 9),
        lambda query: list(keep_events(actor, Event.objects.all(), query)),
        lambda query: search_memories(actor=actor, query=query, limit=9),
        lambda query: list(keep_memories(actor, Memory.objects.all(), query)),
    )
    chosen = random.Random(3)
    for _ in range(made_up(150)):
        pieces = chosen.choices(PIECES, k=chosen.randint(1, 9))
        query = chosen.choice(["", " "]).join(pieces)
        for search in searches:
            with suppress(DomainError):
                search(query)
