"""The operations that write mail: a draft, and what leaves once a person has approved it."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, TypeAlias

from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Confirmed, IdOrName, Maybe
from agents.dispatching.rows import get_account, get_row
from agents.tools.mail.email_rows import drafts_of, get_draft, get_message, is_draft_id, messages_of
from agents.tools.mail.email_shapes import Email, draft_fields
from agents.tools.mail.emails import EmailId
from agents.tools.mail.enclosures import FilesToAttach, files_of, read_enclosures
from agents.tools.mail.plans import EmailPlan, content_of_reply
from agents.tools.mail.written import Written
from agents.tools.shapes import AccountId, EmailText
from inbox.actor import Actor
from inbox.compose.forwarding import forwarded_text
from inbox.compose.outgoing import MOST_RECIPIENTS
from inbox.errors import DomainError
from inbox.models import Account, Draft, Identity
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.replying import plan_reply_to
from inbox.operations.drafts.writing import draft_planned_reply
from inbox.reasons import phrase

_Some: TypeAlias = Annotated[list[EmailText], Field(min_length=1)]
_Many: TypeAlias = Annotated[list[EmailText], Field(min_length=1, max_length=MOST_RECIPIENTS)]
_ReplyBody: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _Written(Closed):
    """What an email says, as whom, and what goes with it."""

    identity_id: Maybe[
        Annotated[
            str,
            Field(description="As whom: an address of the account; look_around has them."),
            IdOrName(Identity.ID_PREFIX),
        ]
    ] = None
    forward_of: Maybe[
        Annotated[
            str,
            Field(min_length=1, description="An email to forward: its text stands below, its files "
                  "go along."),
        ]
    ] = None  # fmt: skip


class EmailCreateDraft(_Written):
    """What the draft says, and to whom."""

    account_id: AccountId
    to: EmailText | _Some
    subject: str
    body: Annotated[str, Field(description="Plain text.")]
    cc: Maybe[EmailText | _Some] = None
    attachments: Maybe[FilesToAttach] = None
    draft_id: Maybe[
        Annotated[str, Field(min_length=1, description="A draft to write anew in its place.")]
    ] = None


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
    """Write a draft, which stays here: nobody outside sees it; email_send sends it.

    With `draft_id` that draft is written anew; its cc and files stay where none are given.
    """
    written = _read(actor, args)
    draft = written.store(actor)
    attachments = list(draft.attachments.select_related("blob"))
    # As a row that was read with its text.
    draft.shown, draft.length = draft.body, len(draft.body)  # type: ignore[attr-defined]
    return Email.model_validate(draft_fields(draft, attachments))


class EmailSend(_Written):
    """What to send, and to whom."""

    account_id: AccountId
    to: EmailText | _Many
    subject: str
    body: Annotated[str, Field(description="Plain text.")]
    cc: Maybe[EmailText | _Many] = None
    attachments: Maybe[FilesToAttach] = None
    confirm: Confirmed
    draft_id: Maybe[
        Annotated[str, Field(min_length=1, description="A draft to send, as it is written here.")]
    ] = None


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
    With `draft_id` that draft leaves; its cc, files and conversation stay where none are given.
    """
    written = _read(actor, args)
    return EmailPlan(actor, written.content, partial(written.store, actor))


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
def _read(actor: Actor, args: EmailCreateDraft | EmailSend) -> Written:
    account = get_account(actor, args.account_id)
    draft = None
    if args.draft_id is not None:
        rows = drafts_of(actor, account).select_related("identity", "thread", "inbox")
        draft = get_row(rows, args.draft_id, "draft", "/draft_id")
    identity = _identity(actor, account, args.identity_id, draft)
    files = read_enclosures(actor, args.attachments)
    body, original = args.body, None
    if args.forward_of is not None:
        messages = messages_of(actor, account)
        original = get_row(messages, args.forward_of, "email", "/forward_of")
        body += forwarded_text(original, original.received_at)
        files += files_of(actor, original)
    stays = draft is not None and args.attachments is None and original is None
    return Written(
        account=account, identity=identity, to=_listed(args.to),
        cc=None if args.cc is None and draft else _listed(args.cc), subject=args.subject,
        body=body, files=None if stays else files, draft=draft, original=original,
        # Where one address stands alone, an error names the field and no place in it.
        alone=frozenset(n for n in ("to", "cc") if isinstance(getattr(args, n), str)),
    )  # fmt: skip


def _identity(actor: Actor, account: Account, given: str | None, draft: Draft | None) -> Identity:
    if given is None:
        return draft.identity if draft else identities_of(account)[0]
    rows = Identity.objects.visible_to(actor).filter(account=account)
    return get_row(rows, given, "identity", "/identity_id")


def _listed(given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def _plan_reply(actor: Actor, args: EmailReply, *, to_all: bool) -> EmailPlan:
    account = get_account(actor, args.account_id)
    if is_draft_id(args.email_id):
        get_draft(drafts_of(actor, account).only("pk"), args.email_id)
        raise DomainError("conflict", phrase("Nobody replies to a draft."), field="email_id")
    rows = messages_of(actor, account).select_related("inbox__account", "thread")
    plan = plan_reply_to(get_message(rows, args.email_id), to_all=to_all)
    write = partial(draft_planned_reply, actor=actor, plan=plan, body=args.body)
    return EmailPlan(actor, content_of_reply(plan, args.body), write)
