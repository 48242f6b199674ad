"""The bytes of files and the cards of people by their address."""

import pytest

from agents.operations.agents import create_token
from inbox.formats.vcard import read_cards
from inbox.models import Correspondence
from inbox.operations.contacts.cards import CardChanges
from inbox.operations.contacts.contacts import create_contact, delete_contact
from inbox.operations.files import create_file, delete_file
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(actor, inbox):
    return create_file(
        actor=actor, account=inbox.account, path="/a/June.html", content=b"<script>1</script>"
    )


@pytest.fixture
def ada(actor, inbox):
    changes = CardChanges(given_name="Ada", family_name="Byron", note="a\nb")
    return create_contact(actor=actor, account=inbox.account, changes=changes)


def test_the_address_that_a_file_names_gives_its_bytes_as_a_download(api, file):
    listed = api.call("file_list", {"account_id": file.account.public_id, "path": "/a"}).json()
    address = listed[0]["download_url"].partition("/api/")[2]
    response = api.get(address)
    assert response.content == b"<script>1</script>"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Chancery-Receipt"].startswith("rcp_")
    assert api.get(address, If_None_Match=response["ETag"]).status_code == 304


def test_a_person_is_read_as_a_vcard(api, ada):
    response = api.get(f"v1/people/{ada.public_id}/vcard", Accept="text/vcard")
    assert response["Content-Type"] == "text/vcard; charset=utf-8"
    [card] = read_cards(response.content)
    assert (card.fn, card.family, card.note) == ("Ada Byron", "Byron", "a\nb")


def test_what_is_foreign_deleted_or_a_folder_is_not_there(api, actor, file, ada, workspace):
    other = factories.make_inbox(workspace)
    Correspondence.objects.filter(person=ada).update(account=other.account)
    delete_file(actor=actor, file=file)
    absent = api.get("v1/files/fil_nothing/content").json()
    for one in (file, file.parent):
        assert api.get(f"v1/files/{one.public_id}/content").json() == absent
    assert api.get(f"v1/people/{ada.public_id}/vcard").status_code == 404


def test_a_deleted_person_has_no_card(api, actor, ada):
    delete_contact(actor=actor, person=ada)
    assert api.get(f"v1/people/{ada.public_id}/vcard").status_code == 404


def test_neither_is_read_without_the_scope(api, agent, file, ada):
    api.token = create_token(agent=agent, scopes={"inbox:read"})[1]
    for place in (f"v1/files/{file.public_id}/content", f"v1/people/{ada.public_id}/vcard"):
        assert api.get(place).status_code == 403
