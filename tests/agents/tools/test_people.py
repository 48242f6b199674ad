"""Looking up people."""

import pytest

from agents.tools.people import QueryPeople, query_people
from inbox.operations.contacts.people import Contact, record_contacts
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(inbox):
    record_contacts(
        workspace_id=inbox.workspace_id,
        account_id=inbox.account_id,
        contacts=[
            Contact("ada@harbour.example", "Ada Byron", NOON, outbound=False),
            Contact("ben@harbour.example", "Ben Okafor", NOON, outbound=False),
            Contact("ada@other.example", "Ada Lund", NOON, outbound=False),
        ],
    )


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("byron ada", {"ada@harbour.example", "ada@other.example"}),
        ("Ada  harbour", {"ada@harbour.example", "ben@harbour.example", "ada@other.example"}),
        ("Ada harbour -ben -lund", {"ada@harbour.example"}),
        ("name:ada email:harbour", {"ada@harbour.example"}),
        ("harbour.example", {"ada@harbour.example", "ben@harbour.example"}),
        ("ada", {"ada@harbour.example", "ada@other.example"}),
        ("ada nobody", {"ada@harbour.example", "ada@other.example"}),
        ("%", set()),
    ],
)
def test_words_are_looked_for_in_name_address_and_organisation(people, actor, search, found):
    answer = query_people(actor, QueryPeople(search=search))
    assert {person.email for person in answer.people} == found


def test_who_has_every_word_comes_first_and_of_these_whom_we_meet_most(people, actor, inbox):
    record_contacts(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id,
        contacts=[Contact("ada@other.example", "Ada Lund", NOON, outbound=True)] * 3,
    )  # fmt: skip
    asked = {"harbour ada": "ada@harbour.example", "ada": "ada@other.example"}
    for search, first in asked.items():
        assert query_people(actor, QueryPeople(search=search)).people[0].email == first
    assert len(query_people(actor, QueryPeople(search="harbour ada", limit=2)).people) == 2
