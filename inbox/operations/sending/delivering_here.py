"""Mail that the built-in provider takes for an address of ours arrives there."""

from email.utils import format_datetime

from inbox.background.jobs import Payload, subscribe
from inbox.models import Inbox, Submission
from inbox.operations.mail.incoming import receive_message
from inbox.submission_states import SubmissionState

_BUILT_IN = "local"


@subscribe("submission.sent", "submission.deliver_here")
def deliver_here(payload: Payload) -> None:
    """Bring a sent message into the inboxes of its workspace that it is addressed to; each once."""
    sent = Submission.objects.select_related("account").get(pk=payload["submission_id"])
    if sent.state != SubmissionState.SENT or sent.account.provider != _BUILT_IN:
        return
    addressed = {address.lower() for address in sent.envelope_to}
    inboxes = Inbox.objects.filter(
        workspace=sent.workspace_id, account__provider=_BUILT_IN
    ).select_related("account")
    for inbox in inboxes:
        if inbox.address.lower() in addressed:
            receive_message(
                inbox=inbox, raw=_as_received(sent, inbox), received_at=sent.finished_at,
                mailbox_role="inbox",
            )  # fmt: skip


def _as_received(sent: Submission, inbox: Inbox) -> bytes:
    """Return the bytes as a server delivers them, with its trace (RFC 5321, section 4.4)."""
    at = sent.finished_at or sent.proposed_at
    trace = [
        f"Return-Path: <{sent.envelope_from}>",
        f"Delivered-To: {inbox.address}",
        f"Received: by localhost with LMTP id {sent.public_id};",
        f" {format_datetime(at)}",
    ]
    return "".join(f"{line}\r\n" for line in trace).encode() + sent.mime_bytes
