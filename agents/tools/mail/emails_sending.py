"""The operations that write mail: a draft, and what leaves once a person has approved it."""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, TypeAlias

from pydantic import Field

from agents.approval.plan import MailContent
from agents.approval.sealing import check_not_paused
from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Confirmed, Maybe
from agents.dispatching.rows import get_account, get_inbox_of
from agents.errors import invalid
from agents.exchange.folders import find_file, read_file
from agents.tools.mail.email_rows import drafts_of, get_draft, get_message, is_draft_id, messages_of
from agents.tools.mail.email_shapes import Email, draft_fields
from agents.tools.mail.emails import EmailId
from agents.tools.mail.plans import EmailPlan, content_of_reply, folded
from agents.tools.shapes import AccountId, EmailText
from inbox.actor import Actor
from inbox.compose.outgoing import MOST_RECIPIENTS, plain_line_ends
from inbox.errors import DomainError
from inbox.files.media_types import media_type_of
from inbox.models import Account, Draft
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.replying import plan_reply_to
from inbox.operations.drafts.sealing import LARGEST_MESSAGE
from inbox.operations.drafts.writing import (
    MOST_ATTACHMENTS,
    NewAttachment,
    create_draft,
    draft_planned_reply,
)
from inbox.reasons import phrase

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
    writes="drf",
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
    account = get_account(actor, args.account_id)
    draft = _write(actor, account, args, _read_files(actor, args.attachments))
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


@tool(
    family="operations",
    domain="comms",
    effect=Effect.SEND,
    unified=[("send", "email")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "to": ["ada@customer.example"],
        "subject": "The offer",
        "body": "It comes on Friday.",
        "confirm": True,
    },
)
def email_send(actor: Actor, args: EmailSend) -> EmailPlan:
    """Send an email: a person approves exactly these bytes before they leave, once.

    `queued` until it has left; the same call with the same Idempotency-Key then answers `sent`.
    """
    account = get_account(actor, args.account_id)
    files = _read_files(actor, args.attachments)
    content = MailContent(
        sender=folded([identities_of(account)[0].email])[0], to=folded(_listed(args.to)),
        cc=folded(_listed(args.cc)), subject=args.subject, body=plain_line_ends(args.body),
        # A path says nothing of what it names.
        files=tuple((it.filename, hashlib.sha256(it.content).hexdigest()) for it in files),
    )  # fmt: skip
    return EmailPlan(actor, content, partial(_write, actor, account, args, files))


class EmailReply(Closed):
    """What to answer, and with which words."""

    account_id: AccountId
    email_id: EmailId
    body: Annotated[_ReplyBody, Field(description="Plain text.")]
    confirm: Confirmed


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
    example=_REPLY,
)
def email_reply(actor: Actor, args: EmailReply) -> EmailPlan:
    """Reply to whoever wrote an email, once a person has approved it.

    It goes to Reply-To, else From; a reply to our own email goes to whom that went.
    """
    return _plan_reply(actor, args, to_all=False)


class EmailReplyAll(EmailReply):
    """What to answer to everybody, and with which words."""


@tool(
    family="operations",
    domain="comms",
    effect=Effect.SEND,
    unified=[("reply", "email_all")],
    example=_REPLY,
)
def email_reply_all(actor: Actor, args: EmailReplyAll) -> EmailPlan:
    """Reply to everybody in an email but ourselves, once a person has approved it."""
    return _plan_reply(actor, args, to_all=True)


# -- writing ---------------------------------------------------------------------------------------
def _write(
    actor: Actor,
    account: Account,
    args: EmailCreateDraft | EmailSend,
    files: list[NewAttachment],
) -> Draft:
    inbox = get_inbox_of(account)
    check_not_paused(inbox)
    try:
        return create_draft(
            actor=actor, inbox=inbox, identity=identities_of(account)[0], to=_listed(args.to),
            cc=_listed(args.cc), subject=args.subject, body=args.body,
            attachments=files, may_be_empty=True,
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
    # Looked at before anything is read, so that nobody has us hold more than a message can.
    size = sum(find_file(actor, path, pointer).size for path, pointer in places)
    if size > LARGEST_MESSAGE:
        accepted = f"at most {LARGEST_MESSAGE} bytes in all"
        raise invalid("/attachments", f"have {size} bytes", accepted)
    return [_attachment(actor, path, pointer) for path, pointer in places]


def _attachment(actor: Actor, path: str, pointer: str) -> NewAttachment:
    content = read_file(actor, path, pointer)
    name = PurePosixPath(path).name[-_LONGEST_NAME:]
    return NewAttachment(name, media_type_of(name), content)


def _plan_reply(actor: Actor, args: EmailReply, *, to_all: bool) -> EmailPlan:
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        get_draft(drafts_of(actor, account).only("pk"), args.email_id)
        raise DomainError("conflict", phrase("Nobody replies to a draft."), field="email_id")
    rows = messages_of(actor, account).select_related("inbox__account", "thread")
    plan = plan_reply_to(get_message(rows, args.email_id), to_all=to_all)
    write = partial(draft_planned_reply, actor=actor, plan=plan, body=args.body)
    return EmailPlan(actor, content_of_reply(plan, args.body), write)
