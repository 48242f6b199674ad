"""What a call would send, by which the same letter is known again whichever tool proposes it."""

from collections.abc import Iterable, Mapping

from agents.contracts import Letter
from inbox.compose.outgoing import plain_line_ends
from inbox.models import Draft
from inbox.operations.drafts.replying import ReplyPlan


def letter_of_plan(plan: ReplyPlan, body: str) -> Letter:
    """Return the reply that is written as planned."""
    thread = plan.in_reply_to.thread
    return Letter(
        sender=folded([plan.identity.email])[0], to=_emails(plan.to), cc=_emails(plan.cc),
        subject=plan.subject, body=plain_line_ends(body), thread=thread.public_id,
    )  # fmt: skip


def letter_of_draft(draft: Draft) -> Letter:
    """Return what a stored draft would be, with its files as they are."""
    files = draft.attachments.select_related("blob").order_by("position")
    return Letter(
        sender=folded([draft.identity.email])[0], to=_emails(draft.to), cc=_emails(draft.cc),
        bcc=_emails(draft.bcc), subject=draft.subject, body=draft.body,
        thread=draft.thread.public_id if draft.thread else "",
        files=tuple((one.filename, one.blob.sha256) for one in files),
    )  # fmt: skip


def folded(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return each address once, whatever its case, in order."""
    return tuple(sorted({address.strip().lower() for address in addresses}))


def _emails(addresses: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    return folded(address["email"] for address in addresses)
