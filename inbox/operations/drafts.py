"""Writing what may leave later: drafts, their versions, and the replies among them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import regex
from django.db import transaction
from django.db.models import Q

from inbox.actor import Actor
from inbox.errors import DomainError, invalid, not_found
from inbox.models import (
    Account,
    Direction,
    Draft,
    DraftAttachment,
    DraftStatus,
    DraftVersion,
    Identity,
    Inbox,
    Message,
    ReplyPolicy,
    Thread,
    store_blob,
)
from inbox.outgoing import (
    AddressList,
    Recipient,
    check_body,
    check_filename,
    check_recipients,
    check_subject,
    plain_line_ends,
    plain_name,
    reply_subject,
)
from inbox.policies import Flag
from inbox.rfc5322.addresses import check_address

EDITABLE = frozenset({DraftStatus.OPEN, DraftStatus.PROPOSED, DraftStatus.RETURNED})
UNPROPOSED = frozenset({DraftStatus.OPEN, DraftStatus.RETURNED})
MOST_ATTACHMENTS = 50
LARGEST_ATTACHMENT = 25 * 1024 * 1024
# A reply answers the newest message; no thread is read further back than this to find it.
NEWEST_LOOKED_AT = 50

_DRAFT_ID = regex.compile(r"drf_\S*")
_CONTENT_TYPE = regex.compile(r"[A-Za-z0-9][\w!#$&^.+-]{0,126}/[A-Za-z0-9][\w!#$&^.+-]{0,126}")


@dataclass(frozen=True)
class ReplyPlan:
    """To whom a reply to a thread would go, as whom, under which subject, answering what."""

    in_reply_to: Message
    identity: Identity
    to: AddressList
    subject: str


def create_draft(
    *,
    actor: Actor,
    inbox: Inbox,
    identity: Identity,
    to: Iterable[Recipient],
    subject: str,
    body: str,
    cc: Iterable[Recipient] = (),
    bcc: Iterable[Recipient] = (),
    thread: Thread | None = None,
    in_reply_to: Message | None = None,
    policy: ReplyPolicy | None = None,
    goal: str = "",
    risk_flags: Sequence[Flag] = (),
    cited: Sequence[Message] = (),
) -> Draft:
    """Store a draft and its first version.

    Raises DomainError where an address, the subject or the body cannot be taken, or where the
    identity, thread or policy is not of the inbox.
    """
    _check_that_they_belong(inbox, identity, thread, in_reply_to, policy)
    recipients = check_recipients(to=to, cc=cc, bcc=bcc)
    draft = Draft(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, inbox=inbox,
        identity=identity, thread=thread, in_reply_to=in_reply_to, author=actor.key,
        author_name=actor.name, subject=check_subject(subject), body=check_body(body), goal=goal,
        policy=policy, policy_version=policy.version if policy else None,
        risk_flags=[flag.as_json() for flag in risk_flags], **recipients,
    )  # fmt: skip
    with transaction.atomic():
        draft.save(force_insert=True)
        _keep_version(draft)
        draft.cited.set(cited)
    return draft


def _check_that_they_belong(
    inbox: Inbox,
    identity: Identity,
    thread: Thread | None,
    in_reply_to: Message | None,
    policy: ReplyPolicy | None,
) -> None:
    if identity.account_id != inbox.account_id:
        raise invalid("identity", f"{identity.email} is no identity of {inbox.address}.")
    if thread is not None and thread.inbox_id != inbox.pk:
        raise invalid("thread", f"The thread is not one of {inbox.address}.")
    if in_reply_to is not None and in_reply_to.inbox_id != inbox.pk:
        raise invalid("in_reply_to", f"The message is not one of {inbox.address}.")
    if policy is not None and policy.workspace_id != inbox.workspace_id:
        raise not_found("policy", policy.public_id, "policy")


def draft_reply(
    *,
    actor: Actor,
    thread: Thread,
    body: str,
    policy: ReplyPolicy | None = None,
    goal: str = "",
    risk_flags: Sequence[Flag] = (),
    cited: Sequence[Message] = (),
) -> Draft:
    """Store a draft that answers the thread; recipients and subject follow `plan_reply`."""
    plan = plan_reply(thread)
    return create_draft(
        actor=actor, inbox=thread.inbox, identity=plan.identity, to=plan.to, subject=plan.subject,
        body=body, thread=thread, in_reply_to=plan.in_reply_to, policy=policy, goal=goal,
        risk_flags=risk_flags, cited=cited,
    )  # fmt: skip


def plan_reply(thread: Thread) -> ReplyPlan:
    """Return what a reply to the thread starts from (RFC 5322 3.6.2).

    It goes to Reply-To, else From, of the newest message that came in, and never to an identity of
    ours; where all messages are ours, to whom the newest went. Raises DomainError (`conflict`)
    where that leaves nobody.
    """
    identities = list(thread.inbox.account.identities.order_by("-is_default", "pk"))
    own = own_addresses(thread.inbox.account, identities, thread.inbox)
    newest = list(
        thread.messages.kept()
        .defer("new_text", "text", "html", "search_extra", "signals")
        .order_by("-received_at", "-pk")[:NEWEST_LOOKED_AT]
    )
    came_in = [message for message in newest if message.direction == Direction.INBOUND]
    went_out = [message for message in newest if message.direction == Direction.OUTBOUND]
    for message in [*came_in, *went_out]:
        if to := _addresses_to_answer(message, own):
            identity = _identity_written_to(message, identities)
            return ReplyPlan(message, identity, to, reply_subject(message.subject))
    raise DomainError(
        "conflict", "There is nobody in this thread to reply to.", field="thread_id",
        accepted="a thread with a message from an address that can be answered",
    )  # fmt: skip


def own_addresses(account: Account, identities: Sequence[Identity], inbox: Inbox) -> frozenset[str]:
    """Return, in lower case, the addresses that are ourselves."""
    emails = (account.address, inbox.address, *(identity.email for identity in identities))
    return frozenset(email.lower() for email in emails)


def _addresses_to_answer(message: Message, own: frozenset[str]) -> AddressList:
    """Return the first of its address lists that leaves somebody who is not ourselves.

    An address that cannot be written to is passed over, so a broken Reply-To leaves From.
    """
    if message.direction == Direction.OUTBOUND:
        lists = [message.to, message.cc]
    else:
        lists = [message.reply_to, [message.sender]]
    for addresses in lists:
        usable = [_usable(address) for address in addresses]
        if others := [it for it in usable if it and it["email"].lower() not in own]:
            return others
    return []


def _usable(address: dict[str, str]) -> dict[str, str] | None:
    try:
        email = check_address(address.get("email", ""))
    except ValueError:
        return None
    name = plain_name(address.get("name", ""))
    return {"name": name, "email": email} if name else {"email": email}


def _identity_written_to(message: Message, identities: Sequence[Identity]) -> Identity:
    if message.direction == Direction.OUTBOUND:
        mentioned = {message.from_email.lower()}
    else:
        mentioned = {it.get("email", "").lower() for it in [*message.to, *message.cc]}
    for identity in identities:
        if identity.email.lower() in mentioned:
            return identity
    if not identities:
        raise DomainError("conflict", "The account has no identity to send as.", field="thread_id")
    return identities[0]


def revise_draft(
    *,
    draft: Draft,
    author_key: str,
    author_name: str,
    to: Iterable[Recipient] | None = None,
    cc: Iterable[Recipient] | None = None,
    bcc: Iterable[Recipient] | None = None,
    subject: str | None = None,
    body: str | None = None,
    risk_flags: Sequence[Flag] | None = None,
) -> Draft:
    """Change what is given and keep a new version, open again; None leaves as it is.

    Nothing changed, nothing is kept. Raises DomainError for values that cannot be taken, and
    (`conflict`) where the draft was sent or discarded.
    """
    with transaction.atomic():
        draft = _locked(draft)
        changes: dict[str, Any] = dict(
            check_recipients(
                to=draft.to if to is None else to,
                cc=draft.cc if cc is None else cc,
                bcc=draft.bcc if bcc is None else bcc,
            )
        )
        changes["subject"] = draft.subject if subject is None else check_subject(subject)
        changes["body"] = draft.body if body is None else check_body(body)
        if risk_flags is not None:
            changes["risk_flags"] = [flag.as_json() for flag in risk_flags]
        if any(getattr(draft, name) != value for name, value in changes.items()):
            _change(draft, changes, author_key, author_name)
    return draft


def _locked(draft: Draft) -> Draft:
    current: Draft = Draft.objects.select_for_update().get(pk=draft.pk)
    if current.status not in EDITABLE:
        raise DomainError("conflict", f"The draft is {current.status} and cannot be changed.")
    return current


def _change(draft: Draft, changes: dict[str, Any], author_key: str, author_name: str) -> None:
    for name, value in changes.items():
        setattr(draft, name, value)
    draft.author, draft.author_name = author_key, author_name
    draft.version += 1
    draft.status = DraftStatus.OPEN
    draft.save()
    _keep_version(draft)


def _keep_version(draft: Draft) -> None:
    DraftVersion.objects.create(
        draft=draft, version=draft.version, author=draft.author, author_name=draft.author_name,
        to=draft.to, cc=draft.cc, bcc=draft.bcc, subject=draft.subject, body=draft.body,
    )  # fmt: skip


def attach_to_draft(
    *, draft: Draft, filename: str, content_type: str, content: bytes
) -> DraftAttachment:
    """Add a file to the draft, as a new version of it.

    Raises DomainError for a name that is a path, a content type that is none, more than 25 MB, or
    more than fifty files.
    """
    filename = check_filename(filename)
    if not _CONTENT_TYPE.fullmatch(content_type):
        raise invalid("content_type", f"{content_type[:80]!r} is no media type.", "like text/plain")
    if len(content) > LARGEST_ATTACHMENT:
        raise invalid("content", f"{filename} has {len(content)} bytes.", "at most 25 MB a file")
    blob = store_blob(draft.workspace_id, content)
    with transaction.atomic():
        current = _locked(draft)
        position = current.attachments.count()
        if position >= MOST_ATTACHMENTS:
            raise invalid("filename", "The draft has too many files.", f"{MOST_ATTACHMENTS} files")
        _change(current, {}, current.author, current.author_name)
        return DraftAttachment.objects.create(
            draft=current, blob=blob, position=position, filename=filename,
            content_type=content_type,
        )  # fmt: skip


def find_reply_draft(*, actor: Actor, thread: Thread, body_or_draft_id: str) -> Draft | None:
    """Return the caller's stored draft of this thread that is meant; None: it is a new body.

    Meant is the draft of that id, else the newest open one whose text is exactly this. Raises
    DomainError (`not_found`) for a draft id that is not the caller's in this thread, (`conflict`)
    for one that was proposed or sent already.
    """
    drafts = (
        Draft.objects.visible_to(actor)
        .filter(Q(thread=thread) | Q(thread__merged_into=thread))
        .filter(versions__version=1, versions__author=actor.key)
    )
    text = body_or_draft_id.strip()
    if _DRAFT_ID.fullmatch(text):
        return _draft_of_id(drafts.with_public_id(text).first(), text)
    same: Draft | None = (
        drafts.filter(status__in=UNPROPOSED, body=plain_line_ends(body_or_draft_id))
        .order_by("-updated_at", "-pk")
        .first()
    )
    return same


def _draft_of_id(draft: Draft | None, public_id: str) -> Draft:
    if draft is None:
        raise not_found("draft", public_id, "body_or_draft_id")
    if draft.status not in UNPROPOSED:
        raise DomainError(
            "conflict", f"The draft {public_id!r} is {draft.status} already.",
            field="body_or_draft_id", accepted="a draft that is open or was sent back, or a text",
        )  # fmt: skip
    return draft
