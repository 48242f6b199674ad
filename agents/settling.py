"""A person's word on a letter whose fate the server never told."""

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approvals import ApprovalError
from agents.models import Approval
from agents.receipts import Deed
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Membership, Role
from inbox.operations.sending import settle_submission


def settle(*, approval: Approval, by: User, sent: bool) -> Approval:
    """Record whether it was sent, by the word of a person who may decide there.

    Raises ApprovalError (`not_allowed`, or `not_waiting` where it is known already).
    """
    place = Membership.objects.filter(
        user=by, workspace_id=approval.workspace_id, role__in=[Role.OWNER, Role.REVIEWER]
    )
    if not by.is_active or not place.exists():
        raise ApprovalError("not_allowed", "Only an owner or reviewer of the workspace decides")
    if approval.submission is None:
        raise ApprovalError("not_allowed", "Nothing left by this call: there is no mail")
    person = Actor(
        kind="person", id=by.pk, name=by.get_username(), workspace_ids=(approval.workspace_id,)
    )
    words = f"{by.get_username()} says that it {'arrived' if sent else 'did not arrive'}"
    try:
        with transaction.atomic():
            settle_submission(submission=approval.submission, sent=sent, by=by)
            receipts.record(
                person,
                Deed(
                    tool="settle", reason=words, approval=approval.public_id,
                    arguments={"approval_id": approval.public_id, "sent": sent},
                ),
            )  # fmt: skip
    except DomainError as error:
        raise ApprovalError("not_waiting", error.message) from error
    approval.refresh_from_db()
    return approval
