"""Mail that a call would send: what it says, how it is written, and what the call answers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from agents.approval.plan import MailContent, SealedMail
from agents.approval.sealing import SendingPlan, queued_fields, seal_checked
from agents.contracts.fields import Closed
from agents.contracts.records import AnswerT
from agents.models import Approval
from inbox.actor import Actor
from inbox.compose.outgoing import plain_line_ends
from inbox.models import Draft
from inbox.operations.drafts.replying import ReplyPlan


@dataclass(frozen=True)
class MailPlan(SendingPlan[AnswerT]):
    """A message that says `mail`; `write` makes its draft once it is to wait for a person."""

    actor: Actor
    mail: MailContent
    write: Callable[[], Draft]

    @property
    def content(self) -> MailContent:
        """What it says, by which it is known again whichever tool proposes it."""
        return self.mail

    def seal(self) -> SealedMail:
        """Write the draft, check it and seal it."""
        return seal_checked(self.actor, self.write())


class QueuedEmail(Closed):
    """The message that it becomes, whether it has left, and where a person decides on it."""

    status: Literal["queued", "sent"]
    message_id: str
    approval_id: str
    review_url: str


class EmailPlan(MailPlan[QueuedEmail]):
    """A message of the operations: its answer names the approval."""

    @classmethod
    def answer(cls, approval: Approval) -> QueuedEmail:
        """Return the answer as the submission stands: `queued` until the server has taken it."""
        return QueuedEmail(**queued_fields(approval))


def content_of_reply(plan: ReplyPlan, body: str) -> MailContent:
    """Return what a reply says that is written as planned."""
    thread = plan.in_reply_to.thread
    return MailContent(
        sender=folded([plan.identity.email])[0], to=_emails(plan.to), cc=_emails(plan.cc),
        subject=plan.subject, body=plain_line_ends(body), thread=thread.public_id,
    )  # fmt: skip


def content_of_draft(draft: Draft) -> MailContent:
    """Return what a stored draft says, with its files as they are."""
    files = draft.attachments.select_related("blob").order_by("position")
    return MailContent(
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
