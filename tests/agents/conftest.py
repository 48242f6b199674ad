"""What the tests of agents share."""

import pytest

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.models import Approval
from tests import factories


@pytest.fixture
def message(inbox):
    """A question that came in."""
    return factories.make_message(inbox)


@pytest.fixture
def propose(actor, message):
    """Propose a reply to the question; return its approval."""

    def propose(text="Here is the offer.", key="k1", who=actor):
        arguments = {
            "thread_id": message.thread.public_id, "body_or_draft_id": text, "idempotency_key": key,
        }  # fmt: skip
        answer = call("send_reply", arguments, who)
        return Approval.objects.get(pk=answer.approval.pk)

    return propose


@pytest.fixture
def approve(reviewer):
    """Approve as the reviewer, who saw the bytes."""

    def approve(approval, by=reviewer):
        return lifecycle.approve(approval=approval, by=by, sha256=approval.sha256)

    return approve


@pytest.fixture
def ours(own_rows, db):
    """The furnished workspace that the module's `made_once` calls so."""
    return own_rows["ours"]


@pytest.fixture
def theirs(own_rows, db):
    """The other one, of which nothing may be seen."""
    return own_rows["theirs"]
