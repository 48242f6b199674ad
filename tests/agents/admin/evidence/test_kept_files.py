"""Beside a file that would leave: which of our files it is, and what became of that since."""

import pytest

from agents.dispatching import dispatch
from agents.models import Approval
from inbox.operations.files import create_file, delete_file, write_file
from tests import factories

pytestmark = pytest.mark.django_db
FIRST, SECOND = b"The first offer", b"The second offer"


@pytest.fixture
def file(actor, inbox):
    return create_file(actor=actor, account=inbox.account, path="/Offers/June.txt", content=FIRST)


@pytest.fixture
def approval(actor, file) -> Approval:
    arguments = {
        "account_id": file.account.public_id, "file_id": file.public_id,
        "to": ["ada@customer.example"], "message": "Here is the offer, as agreed.",
    }  # fmt: skip
    return dispatch.call("file_share", arguments, actor, "share-1").approval


@pytest.fixture
def text(client, reviewer, approval):
    client.force_login(reviewer)
    return lambda: client.get(f"/admin/review/{approval.public_id}/").text


def test_a_shared_file_is_shown_with_where_it_stands_and_what_is_said(text, file):
    shown = text()
    assert f'<a href="/admin/files/{file.public_id}/"><bdi>/Offers/June.txt</bdi></a>' in shown
    assert "version 1" in shown
    assert "Here is the offer, as agreed." in shown
    assert f"{len(FIRST)}\xa0bytes, <bdi>text/plain" in shown
    assert "changed since" not in shown


def test_a_file_that_was_changed_or_deleted_since_says_so(text, file, actor):
    write_file(actor=actor, file=file, content=SECOND)
    assert "changed since: version 2 is newer" in text()
    delete_file(actor=actor, file=file)
    assert "deleted since" in text()


def test_of_several_with_the_same_bytes_the_one_that_was_named_is_shown(text, file, actor):
    for path in ("/A copy.txt", "/Offers/Z.txt"):
        create_file(actor=actor, account=file.account, path=path, content=FIRST)
    assert "/Offers/June.txt" in text()


def test_a_file_of_another_account_is_not_named(text, file, approval, workspace):
    other = factories.make_inbox(workspace, "other@lantern.example")
    type(file).objects.filter(pk=file.pk).update(account=other.account)
    shown = text()
    assert "June.txt" in shown
    assert "From files" not in shown
