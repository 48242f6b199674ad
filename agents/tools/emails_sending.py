"""The operations that write mail: a draft, and what leaves once a person has approved it."""

import hashlib
import mimetypes
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from agents.approval.sealing import check_not_paused, queued_fields, release, seal_checked
from agents.contracts import Effect, Letter, Seal, Sealed, tool
from agents.contracts.fields import Closed, Confirmed, Maybe
from agents.dispatching.rows import get_account, get_inbox_of
from agents.errors import invalid
from agents.exchange.folders import find_file, read_file
from agents.models import Approval
from agents.tools.email_rows import drafts_of, get_draft, get_message, is_draft_id, messages_of
from agents.tools.email_shapes import Email, draft_fields
from agents.tools.emails import EmailId
from agents.tools.letters import folded, letter_of_plan
from agents.tools.shapes import AccountId, EmailText
from inbox.actor import Actor
from inbox.compose.outgoing import MOST_RECIPIENTS, plain_line_ends
from inbox.errors import DomainError
from inbox.models import Account, Draft
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.replying import ReplyPlan, plan_reply_to
from inbox.operations.drafts.sealing import LARGEST_MESSAGE
from inbox.operations.drafts.writing import (
    MOST_ATTACHMENTS,
    NewAttachment,
    create_draft,
    draft_planned_reply,
)

# Read from Python's own table: what the machine knows besides would make two machines differ.
_MEDIA_TYPES = mimetypes.MimeTypes()
_ANY_BYTES = "application/octet-stream"
_LONGEST_NAME = 255

_Some: TypeAlias = Annotated[list[EmailText], Field(min_length=1)]
_Many: TypeAlias = Annotated[list[EmailText], Field(min_length=1, max_length=MOST_RECIPIENTS)]
_Paths: TypeAlias = Annotated[
    str | Annotated[list[str], Field(min_length=1)],
    Field(description="Paths of files in the caller's exchange folder."),
]
_ReplyBody: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]


class EmailCreateDraft(Closed):
    """What the draft says, and to whom."""

    account_id: AccountId
    to: EmailText | _Some
    subject: str
    body: Annotated[str, Field(description="Plain text.")]
    cc: Maybe[EmailText | _Some] = None
    attachments: Maybe[_Paths] = None


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.WRITE,
    unified=[("create", "email_draft")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "to": "ada@customer.example",
        "subject": "The offer",
        "body": "It is attached.",
        "attachments": ["out/offer.pdf"],
    },
)
def email_create_draft(actor: Actor, args: EmailCreateDraft) -> Email:
    """Write a draft, which stays here: nobody outside sees it."""
    draft = _write(actor, get_account(actor, args.account_id), args)
    attachments = list(draft.attachments.select_related("blob"))
    # As a row that was read with its text.
    draft.shown, draft.length = draft.body, len(draft.body)  # type: ignore[attr-defined]
    return Email(**draft_fields(draft, attachments))


class EmailSend(Closed):
    """What to send, and to whom."""

    account_id: AccountId
    to: EmailText | _Many
    subject: str
    body: Annotated[str, Field(description="Plain text.")]
    cc: Maybe[EmailText | _Many] = None
    attachments: Maybe[_Paths] = None
    confirm: Confirmed


class QueuedEmail(Closed):
    """The message that it becomes, whether it has left, and where a person decides on it."""

    status: Literal["queued", "sent"]
    message_id: str
    approval_id: str
    review_url: str


def answer_for_email(approval: Approval) -> QueuedEmail:
    """Return the answer as the submission stands: `queued` until the server has taken it."""
    return QueuedEmail(**queued_fields(approval))


def send_email(seal: Seal) -> QueuedEmail:
    """Let an approved email leave, and return the answer."""
    release(seal)
    return answer_for_email(seal.approval)


def content_of_email(actor: Actor, args: EmailSend) -> Letter:
    """Return what is sent, with the files as they are now: a path says nothing of its content."""
    files = _read_files(actor, args.attachments)
    identity = identities_of(get_account(actor, args.account_id))[0]
    return Letter(
        sender=folded([identity.email])[0], to=folded(_listed(args.to)),
        cc=folded(_listed(args.cc)), subject=args.subject, body=plain_line_ends(args.body),
        files=tuple((it.filename, hashlib.sha256(it.content).hexdigest()) for it in files),
    )  # fmt: skip


def seal_email(actor: Actor, args: EmailSend) -> Sealed:
    """Write the draft, check it and seal it."""
    return seal_checked(actor, _write(actor, get_account(actor, args.account_id), args))


@tool(
    family="operations",
    domain="comms",
    effect=Effect.SEND,
    unified=[("send", "email")],
    seal=seal_email,
    content=content_of_email,
    answer_for=answer_for_email,
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "to": ["ada@customer.example"],
        "subject": "The offer",
        "body": "It comes on Friday.",
        "confirm": True,
    },
)
def email_send(actor: Actor, args: EmailSend, seal: Seal) -> QueuedEmail:
    """Send an email: a person approves exactly these bytes before they leave, once.

    `queued` until it has left; the same call with the same Idempotency-Key then answers `sent`.
    """
    return send_email(seal)


class EmailReply(Closed):
    """What to answer, and with which words."""

    account_id: AccountId
    email_id: EmailId
    body: Annotated[_ReplyBody, Field(description="Plain text.")]
    confirm: Confirmed


def seal_reply_to_one(actor: Actor, args: EmailReply) -> Sealed:
    """Write the reply, check it and seal it."""
    return seal_checked(actor, _answer(actor, args, to_all=False))


def content_of_reply_to_one(actor: Actor, args: EmailReply) -> Letter:
    """Return the reply."""
    return letter_of_plan(_plan(actor, args, to_all=False), args.body)


_REPLY = {
    "account_id": "acc_8fXoQ2mKpL",
    "email_id": "msg_8fXoQ2mKpL",
    "body": "Thank you, it comes on Friday.",
    "confirm": True,
}


@tool(
    family="operations",
    domain="comms",
    effect=Effect.SEND,
    unified=[("reply", "email")],
    seal=seal_reply_to_one,
    content=content_of_reply_to_one,
    answer_for=answer_for_email,
    example=_REPLY,
)
def email_reply(actor: Actor, args: EmailReply, seal: Seal) -> QueuedEmail:
    """Reply to whoever wrote an email, once a person has approved it.

    It goes to Reply-To, else From; a reply to our own email goes to whom that went.
    """
    return send_email(seal)


class EmailReplyAll(EmailReply):
    """What to answer to everybody, and with which words."""


def seal_reply_to_all(actor: Actor, args: EmailReplyAll) -> Sealed:
    """Write the reply to all, check it and seal it."""
    return seal_checked(actor, _answer(actor, args, to_all=True))


def content_of_reply_to_all(actor: Actor, args: EmailReplyAll) -> Letter:
    """Return the reply to all."""
    return letter_of_plan(_plan(actor, args, to_all=True), args.body)


@tool(
    family="operations",
    domain="comms",
    effect=Effect.SEND,
    unified=[("reply", "email_all")],
    seal=seal_reply_to_all,
    content=content_of_reply_to_all,
    answer_for=answer_for_email,
    example=_REPLY,
)
def email_reply_all(actor: Actor, args: EmailReplyAll, seal: Seal) -> QueuedEmail:
    """Reply to everybody in an email but ourselves, once a person has approved it."""
    return send_email(seal)


# -- writing ---------------------------------------------------------------------------------------
def _write(actor: Actor, account: Account, args: EmailCreateDraft | EmailSend) -> Draft:
    inbox = get_inbox_of(account)
    check_not_paused(inbox)
    try:
        return create_draft(
            actor=actor, inbox=inbox, identity=identities_of(account)[0], to=_listed(args.to),
            cc=_listed(args.cc), subject=args.subject, body=args.body,
            attachments=_read_files(actor, args.attachments), may_be_empty=True,
        )  # fmt: skip
    except DomainError as error:
        raise _as_given(error, args) from error


def _listed(given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def _as_given(error: DomainError, args: Closed) -> DomainError:
    """Return the error with its field as the call has it: `to` where one address stands alone."""
    name, _, _ = error.field.partition("/")
    field = name if isinstance(getattr(args, name, None), str) else error.field
    return DomainError(error.code, error.message, field=field, accepted=error.accepted)


def _read_files(actor: Actor, given: str | Sequence[str] | None) -> list[NewAttachment]:
    """Return the files of the exchange folder; raises ToolError where there are too many."""
    paths = _listed(given)
    pointers = ["/attachments"] if isinstance(given, str) else [
        f"/attachments/{place}" for place in range(len(paths))
    ]  # fmt: skip
    if len(paths) > MOST_ATTACHMENTS:
        raise invalid("/attachments", "are too many files", f"at most {MOST_ATTACHMENTS}")
    places = list(zip(paths, pointers, strict=True))
    # Looked at before anything is read, so that nobody has us hold more than a mail can.
    size = sum(find_file(actor, path, pointer).size for path, pointer in places)
    if size > LARGEST_MESSAGE:
        accepted = f"at most {LARGEST_MESSAGE} bytes in all"
        raise invalid("/attachments", f"have {size} bytes", accepted)
    return [_attachment(actor, path, pointer) for path, pointer in places]


def _attachment(actor: Actor, path: str, pointer: str) -> NewAttachment:
    content = read_file(actor, path, pointer)
    name = PurePosixPath(path).name[-_LONGEST_NAME:]
    guessed = _MEDIA_TYPES.guess_type(name)[0] or _ANY_BYTES
    # Mail within mail, and mail in parts, would be read as our own; it goes as plain bytes.
    kept = guessed.partition("/")[0] not in {"message", "multipart"}
    return NewAttachment(name, guessed if kept else _ANY_BYTES, content)


def _answer(actor: Actor, args: EmailReply, *, to_all: bool) -> Draft:
    plan = _plan(actor, args, to_all=to_all)
    check_not_paused(plan.in_reply_to.inbox)
    return draft_planned_reply(actor=actor, plan=plan, body=args.body)


def _plan(actor: Actor, args: EmailReply, *, to_all: bool) -> ReplyPlan:
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        get_draft(drafts_of(actor, account).only("pk"), args.email_id)
        raise DomainError("conflict", "Nobody replies to a draft.", field="email_id")
    rows = messages_of(actor, account).select_related("inbox__account", "thread")
    return plan_reply_to(get_message(rows, args.email_id), to_all=to_all)
