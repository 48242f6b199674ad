"""What rows say of themselves, and which of them a query keeps."""

from datetime import timedelta

import pytest

from inbox import ids
from inbox.models import (
    Correction,
    Draft,
    FileNode,
    Message,
    Submission,
    Thread,
    Workspace,
    store_blob,
)
from inbox.operations.drafts.writing import create_draft
from inbox.operations.files import create_file
from inbox.operations.sending.submissions import propose_submission
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox)


@pytest.fixture
def submission(actor, inbox):
    identity = inbox.account.identities.get()
    draft = create_draft(
        actor=actor, inbox=inbox, identity=identity, to=["ada@customer.example"], subject="Offer",
        body="Here.",
    )  # fmt: skip
    return propose_submission(actor=actor, draft=draft)


def test_a_message_of_ours_is_called_as_its_submission_promised(inbox, message, submission):
    ours = factories.make_message(inbox, submission=submission)
    assert ours.public_id == submission.message_public_id == ids.encode("msg", 1, submission.pk)
    assert message.public_id == ids.encode("msg", 0, message.pk)
    for one in (ours, message):
        assert Message.objects.with_public_id(one.public_id).get() == one
    # By its own key ours is not found: it has one name only.
    assert not Message.objects.with_public_id(ids.encode("msg", 0, ours.pk)).exists()
    assert not Message.objects.with_public_id(ids.encode("msg", 2, submission.pk)).exists()


def test_a_submission_is_found_by_the_message_that_it_promised_alone(message, submission):
    found = Submission.objects.with_message_id
    assert found(submission.message_public_id).get() == submission
    for other in (ids.encode("msg", 1, submission.pk + 1), message.public_id, "msg_", ""):
        assert not found(other).exists()


def test_a_submission_waits_for_a_login_until_it_expires_but_a_day_at_the_least(submission):
    since = submission.expires_at - timedelta(hours=40)
    assert submission.waits_until(since) == submission.expires_at
    assert submission.waits_until(submission.expires_at) == submission.expires_at + timedelta(
        days=1
    )
    for state, waits, awaits in (
        ("pending", since, True), ("pending", None, False), ("held", since, False),
    ):  # fmt: skip
        submission.state, submission.waits_since = state, waits
        assert submission.awaits_login is awaits


@pytest.mark.parametrize("model", [Draft, Message])
def test_what_was_deleted_is_left_out(model, message, submission):
    kept = model.objects.get()
    assert model.objects.kept().get() == kept
    model.objects.update(deleted_at=factories.NOON)
    assert not model.objects.kept().exists()


def test_a_thread_that_was_joined_to_another_or_is_empty_is_not_current(inbox):
    one, joined, empty = (factories.make_message(inbox).thread for _ in range(3))
    Thread.objects.filter(pk=joined.pk).update(merged_into=one)
    Thread.objects.filter(pk=empty.pk).update(message_count=0)
    assert list(Thread.objects.current()) == [one]


def test_below_a_folder_stands_what_is_in_it_and_in_no_other_account(
    actor, workspace, inbox, agent
):
    second = factories.make_inbox(workspace, "second@lantern.example")
    agent.grants.create(account=second.account)
    actor = factories.agent_actor(agent)
    for account in (inbox.account, second.account):
        for path in ("/a/b/c.txt", "/a/d.txt", "/ab/e.txt"):
            create_file(actor=actor, account=account, path=path, content=b"x")
    folder = FileNode.objects.get(account=inbox.account, path="/a")
    below = FileNode.objects.below(folder).values_list("path", flat=True)
    assert sorted(below) == ["/a/b", "/a/b/c.txt", "/a/d.txt"]


def test_bytes_that_changed_in_the_storage_are_not_read(workspace, settings):
    blob = store_blob(workspace.pk, b"10 EUR")
    assert blob.read() == b"10 EUR"
    (stored,) = [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]
    stored.chmod(0o600)
    stored.write_bytes(b"900 EUR")
    with pytest.raises(ValueError, match=f"the stored bytes of blob {blob.sha256} have changed"):
        blob.read()


def test_a_correction_is_in_force_where_it_was_made_for_whom_it_names_until_it_is_revoked(
    workspace,
):
    elsewhere = Workspace.objects.create(name="Else", slug="else")
    named = {"workspace": workspace, "scope": "sender", "value": "ada@customer.example"}
    counts = Correction.objects.create(**named)
    Correction.objects.create(**{**named, "revoked_at": factories.NOON})
    Correction.objects.create(**{**named, "workspace": elsewhere})
    Correction.objects.create(**{**named, "value": "bo@customer.example"})
    Correction.objects.create(**{**named, "scope": "domain"})
    names = {"sender": ["ada@customer.example"], "list": ["news.example"]}
    assert list(Correction.objects.in_force_for([workspace.pk], names)) == [counts]
    assert not Correction.objects.in_force_for([workspace.pk], {}).exists()
