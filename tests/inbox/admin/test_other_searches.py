"""The boxes of files, people, events and memories search as that of messages does."""

import pytest
from django.test import Client

from agents.dispatching.dispatch import call
from agents.operations.sharing.memories import save_memory
from inbox.models import Role
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.files import create_file
from tests import factories
from tests.factories import NOON

pytestmark = pytest.mark.django_db
PLACES = {
    "files": "/admin/inbox/filenode/", "people": "/admin/inbox/person/",
    "events": "/admin/calendar_app/event/", "memories": "/admin/agents/memory/",
}  # fmt: skip
# What is typed, and how many rows it finds.
TYPED = {
    "files": {"oil": 2, "oil -lamp": 1, "type:text": 2, "in:nowhere": 0, "mueller": 1},
    "people": {"ada": 1, "email:navy": 1, "-email:navy": 1, "zoe": 1, "name:oersted": 1},
    "events": {"review": 1, "title:rev": 1, "review -harbour": 0, "where:harbour": 1},
    "memories": {"seat": 1, "seat -window": 0, "about:seats": 1, "agent:clerk": 1, "eat": 1},
}  # fmt: skip


@pytest.fixture
def reader(workspace, inbox, actor):
    for path, text in {"/Lamp.txt": "lamp oil", "/Müller.txt": "oil"}.items():
        create_file(actor=actor, account=inbox.account, path=path, content=text.encode())
    record_contacts(
        workspace_id=workspace.pk, account_id=inbox.account_id,
        contacts=[
            Contact("ada@navy.example", "Ada Byron", NOON, outbound=False),
            Contact("zoe@far.example", "Zoë Ørsted", NOON, outbound=False),
        ],
    )  # fmt: skip
    made = {
        "account_id": inbox.account.public_id, "subject": "Review", "location": "Harbour",
        "start": "2030-03-02T12:00:00Z", "end": "2030-03-02T13:00:00Z",
    }  # fmt: skip
    call("calendar_create_event", made, actor)
    save_memory(actor=actor, content="Ada wants a window seat.")
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER))
    return client


@pytest.mark.parametrize("kind", PLACES)
def test_words_and_operators_find(reader, kind):
    for query, number in TYPED[kind].items():
        page = reader.get(PLACES[kind], {"q": query})
        assert (query, page.context["cl"].result_count) == (query, number)


@pytest.mark.parametrize("kind", PLACES)
def test_a_bad_value_is_said_and_each_box_leads_to_the_page_of_what_can_be_typed(reader, kind):
    page = reader.get(PLACES[kind], {"q": "after:soon"})
    text = page.content.decode()
    assert "The operator after: does not take" in text
    assert page.context["cl"].result_count == 0
    assert f'href="/admin/search-help/#{kind}"' in text
    assert f'id="{kind}"' in reader.get("/admin/search-help/").content.decode()


def test_what_was_deleted_is_looked_for_in_the_columns(reader):
    assert reader.get(PLACES["files"], {"q": "lamp", "deleted": "yes"}).status_code == 200
    assert reader.get(PLACES["memories"], {"q": "seat", "deleted": "yes"}).status_code == 200


def test_another_workspace_finds_nothing_of_it(reader):
    other = factories.make_workspace("other")
    factories.make_inbox(other, "office@other.example")
    stranger = Client()
    stranger.force_login(factories.make_person_user(other, Role.OWNER, name="strange"))
    for kind, place in PLACES.items():
        for query in TYPED[kind]:
            page = stranger.get(place, {"q": query})
            assert (kind, page.context["cl"].result_count) == (kind, 0)
