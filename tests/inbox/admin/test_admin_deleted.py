"""What was deleted of mail: a list of its own in the admin, from which a person brings it back."""

import pytest
from django.test import Client
from django.urls import reverse

from inbox.models import Draft, Identity, Mailbox, Message, Role, Thread
from inbox.operations.deletions import delete_draft
from inbox.operations.drafts.writing import create_draft
from inbox.operations.mail.message_changes import delete_message
from tests import factories

pytestmark = pytest.mark.django_db
MESSAGES, DRAFTS = (
    reverse("admin:inbox_message_changelist"),
    reverse("admin:inbox_draft_changelist"),
)


def sign_in(workspace, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def message(actor, inbox):
    made = factories.make_message(inbox, subject="About lamps")
    made.mailboxes.add(Mailbox.objects.get(inbox=inbox, role="inbox"))
    delete_message(actor=actor, message=made)
    return made


@pytest.fixture
def draft(actor, inbox):
    made = create_draft(
        actor=actor, inbox=inbox, identity=Identity.objects.get(account=inbox.account),
        to=["ada@customer.example"], subject="About lamps", body="They shine.",
    )  # fmt: skip
    delete_draft(actor=actor, draft=made)
    return made


def restore(client, page, row):
    chosen = {"action": "restore_chosen", "_selected_action": [row.pk]}
    return client.post(f"{page}?deleted=yes", chosen)


@pytest.mark.parametrize("page", [MESSAGES, DRAFTS])
def test_deleted_rows_stand_in_a_list_of_their_own(workspace, message, draft, page):
    client = sign_in(workspace, Role.REVIEWER)
    assert b"About lamps" not in client.get(page).content
    assert b"About lamps" in client.get(f"{page}?deleted=yes").content


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OWNER])
def test_a_reviewer_brings_back_messages_and_drafts(workspace, message, draft, role):
    client = sign_in(workspace, role)
    restore(client, MESSAGES, message)
    restore(client, DRAFTS, draft)
    assert Message.objects.kept().get() == message
    assert Draft.objects.kept().get() == draft
    assert Thread.objects.get().message_count == 1


def test_a_viewer_brings_nothing_back(workspace, message):
    restore(sign_in(workspace, Role.VIEWER), MESSAGES, message)
    assert not Message.objects.kept().exists()


def test_a_stranger_brings_nothing_back(message):
    restore(sign_in(factories.make_workspace("far"), Role.OWNER), MESSAGES, message)
    assert not Message.objects.kept().exists()
