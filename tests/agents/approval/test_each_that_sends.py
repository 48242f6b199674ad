"""Each tool that sends, in one furnished workspace: it is planned once, and the same again is one."""

import pytest

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.exchange.folders import write_file
from agents.models import Approval
from inbox.models import Draft, FileNode, Submission, store_blob
from tests import factories
from tests.agents.approval.test_plans import plans
from tests.agents.approval.test_same_proposal import answered
from tests.agents.furnishing import furnish

__all__ = ["plans"]
pytestmark = pytest.mark.django_db
SENDS = (
    "send_reply", "email_send", "email_reply", "email_reply_all", "file_share",
    "calendar_create_event", "calendar_respond_event",
)  # fmt: skip


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(lambda: {"world": furnish("same", "walnut")})


@pytest.fixture
def world(own_rows, db):
    return own_rows["world"]


@pytest.mark.parametrize("name", SENDS)
def test_what_sends_is_planned_once_until_it_has_left(world, plans, name):
    key = None if name == "send_reply" else "once"
    approval = call(name, world.calls[name], world.actor, key).approval
    reviewer = factories.make_person_user(approval.workspace)
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert call(name, world.calls[name], world.actor, key).approval == approval
    assert plans == {name: 1}


@pytest.mark.parametrize("name", SENDS)
def test_the_same_again_is_answered_with_the_first(world, name):
    arguments = world.calls[name]
    first = call(name, arguments, world.actor)
    again = {**arguments, **({"idempotency_key": "other"} if name == "send_reply" else {})}
    held, mails = Approval.objects.count(), Submission.objects.count()
    drafts = Draft.objects.count()
    second = call(name, again, world.actor)
    assert second.approval == first.approval
    assert second.json == first.json
    assert second.replayed
    assert (Approval.objects.count(), Submission.objects.count()) == (held, mails)
    assert Draft.objects.count() == drafts


def test_a_file_that_is_shared_or_sent_with_the_same_words_is_one_letter(world):
    share = world.calls["file_share"]
    first = answered("file_share", share, world.actor)
    file = FileNode.objects.with_public_id(share["file_id"]).get()
    write_file(world.actor, f"out/{file.name}", file.blob.read())
    letter = {
        "account_id": share["account_id"], "to": share["to"], "subject": file.name,
        "body": share.get("message") or f"{file.name} is attached.",
        "attachments": f"out/{file.name}", "confirm": True,
    }  # fmt: skip
    assert answered("email_send", letter, world.actor) == first


def test_a_shared_file_that_has_changed_is_another_share(world):
    arguments = world.calls["file_share"]
    first = answered("file_share", arguments, world.actor)
    file = FileNode.objects.with_public_id(arguments["file_id"]).get()
    file.blob = store_blob(world.workspace.pk, b"another edition")
    file.save(update_fields=["blob"])
    assert answered("file_share", arguments, world.actor) != first
