"""What sends is sealed and waits, and says whether it has left."""

import pytest

from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.models import Submission

pytestmark = pytest.mark.django_db


def test_a_letter_is_queued_until_the_server_has_taken_it(inbox, actor, approve, settings):
    letter = {"account_id": inbox.account.public_id, "to": "ada@customer.example",
              "subject": "Offer", "body": "On Friday.", "confirm": True}  # fmt: skip
    said = [call("email_send", letter, actor, "k").result]
    approval = approve(Approval.objects.get())
    for state in ("pending", "sending", "sent"):
        Submission.objects.update(state=state)
        said.append(call("email_send", letter, actor, "k").result)
    assert [one["status"] for one in said] == ["queued", "queued", "queued", "sent"]
    assert {one["message_id"] for one in said} == {approval.submission.message_public_id}
    assert {one["approval_id"] for one in said} == {approval.public_id}
    assert {one["review_url"] for one in said} == {
        f"{settings.BASE_URL}/admin/review/{approval.public_id}/"
    }
