"""Writing what may leave later: drafts, their versions, and the replies among them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import regex
from django.db import transaction
from django.db.models import Max, Q

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.compose.outgoing import (
    Recipient,
    check_body,
    check_filename,
    check_recipients,
    check_subject,
    plain_line_ends,
)
from inbox.errors import DomainError, invalid, not_found
from inbox.flags import Finding, as_json, collect
from inbox.models import (
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
    store_bytes,
)
from inbox.models.drafts import DraftQuerySet
from inbox.operations.drafts.replying import ReplyPlan, plan_reply
from inbox.operations.mail.storing import blob_rows
from inbox.operations.mirror_entries import touched
from inbox.reasons import phrase as _

EDITABLE = frozenset({DraftStatus.OPEN, DraftStatus.PROPOSED, DraftStatus.RETURNED})
UNPROPOSED = frozenset({DraftStatus.OPEN, DraftStatus.RETURNED})
MOST_ATTACHMENTS = 50
LARGEST_ATTACHMENT = 25 * 1024 * 1024

_DRAFT_ID = regex.compile(r"drf_\S*")
_CONTENT_TYPE = regex.compile(r"[A-Za-z0-9][\w!#$&^.+-]{0,126}/[A-Za-z0-9][\w!#$&^.+-]{0,126}")


@dataclass(frozen=True, slots=True)
class NewAttachment:
    """A file to go with a draft."""

    filename: str
    content_type: str
    content: bytes


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
    risk_flags: Sequence[Finding] = (),
    cited: Sequence[Message] = (),
    attachments: Sequence[NewAttachment] = (),
    may_be_empty: bool = False,
    calendar: str = "",
) -> Draft:
    """Store a draft and its first version, which publishes the fact `draft.created`.

    `may_be_empty` takes one without any text. `calendar` is an iTIP message that goes with it; its
    recipients can then not be changed. Raises DomainError where an address, the subject, the body
    or a file cannot be taken, or where the identity, thread or policy is not of the inbox.
    """
    _check_that_they_belong(inbox, identity, thread, in_reply_to, policy)
    recipients = check_recipients(to=to, cc=cc, bcc=bcc)
    _check_attachments(attachments)
    draft = Draft(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, inbox=inbox,
        identity=identity, thread=thread, in_reply_to=in_reply_to, author=actor.key,
        author_name=actor.name, subject=check_subject(subject),
        body=check_body(body, may_be_empty=may_be_empty), goal=goal, policy=policy,
        policy_version=policy.version if policy else None,
        risk_flags=as_json(collect(risk_flags)), calendar=calendar, **recipients,
    )  # fmt: skip
    _store(draft, cited, attachments)
    return draft


def _store(draft: Draft, cited: Sequence[Message], attachments: Sequence[NewAttachment]) -> None:
    with transaction.atomic():
        draft.save(force_insert=True)
        _keep_version(draft)
        draft.cited.set(cited)
        _attach(draft, attachments)
        touched(account=draft.inbox.account, resources=("email_list",))
        publish("draft.created", {"draft_ids": [draft.pk]}, workspace_id=draft.workspace_id)


def _check_attachments(attachments: Sequence[NewAttachment]) -> None:
    if len(attachments) > MOST_ATTACHMENTS:
        raise invalid(
            "attachments",
            _("%(count)s files.", count=len(attachments)),
            _("at most %(most)s", most=MOST_ATTACHMENTS),
        )
    for place, attachment in enumerate(attachments):
        _check_attachment(attachment, f"attachments/{place}")


def _check_attachment(attachment: NewAttachment, field: str = "") -> None:
    try:
        check_filename(attachment.filename)
    except DomainError as error:
        raise invalid(field or "filename", error.message, error.accepted) from error
    if not _CONTENT_TYPE.fullmatch(attachment.content_type):
        words = _("%(type)s is not a media type.", type=repr(attachment.content_type[:80]))
        raise invalid(field or "content_type", words, _("like text/plain"))
    if len(attachment.content) > LARGEST_ATTACHMENT:
        size = len(attachment.content)
        words = _("%(name)s has %(count)s bytes.", name=attachment.filename, count=size)
        raise invalid(field or "content", words, _("at most 25 MB a file"))


def _attach(draft: Draft, attachments: Sequence[NewAttachment]) -> None:
    """Store the files of a new draft; queries constant in their number."""
    shas = [store_bytes(draft.workspace_id, it.content) for it in attachments]
    sizes = {sha: len(it.content) for sha, it in zip(shas, attachments, strict=True)}
    blobs = blob_rows(draft.workspace_id, sizes) if sizes else {}
    DraftAttachment.objects.bulk_create(
        DraftAttachment(
            draft=draft, blob_id=blobs[sha], position=position, filename=it.filename.strip(),
            content_type=it.content_type,
        )
        for position, (sha, it) in enumerate(zip(shas, attachments, strict=True))
    )  # fmt: skip


def _check_that_they_belong(
    inbox: Inbox,
    identity: Identity,
    thread: Thread | None,
    in_reply_to: Message | None,
    policy: ReplyPolicy | None,
) -> None:
    if identity.account_id != inbox.account_id:
        raise invalid(
            "identity",
            _(
                "%(address)s cannot send as %(email)s.",
                email=identity.email,
                address=inbox.address,
            ),
        )
    if thread is not None and thread.inbox_id != inbox.pk:
        raise invalid(
            "thread", _("The thread does not belong to %(address)s.", address=inbox.address)
        )
    if in_reply_to is not None and in_reply_to.inbox_id != inbox.pk:
        raise invalid(
            "in_reply_to", _("The message does not belong to %(address)s.", address=inbox.address)
        )
    if policy is not None and policy.workspace_id != inbox.workspace_id:
        raise not_found("policy", policy.public_id, "policy")


def draft_reply(
    *,
    actor: Actor,
    thread: Thread,
    body: str,
    plan: ReplyPlan | None = None,
    policy: ReplyPolicy | None = None,
    goal: str = "",
    risk_flags: Sequence[Finding] = (),
    cited: Sequence[Message] = (),
) -> Draft:
    """Store a draft that answers the thread, as planned by `plan_reply` where that was done."""
    plan = plan or plan_reply(actor, thread)
    return create_draft(
        actor=actor, inbox=thread.inbox, identity=plan.identity, to=plan.to, subject=plan.subject,
        body=body, thread=thread, in_reply_to=plan.in_reply_to, policy=policy, goal=goal,
        risk_flags=risk_flags, cited=cited,
    )  # fmt: skip


def draft_planned_reply(*, actor: Actor, plan: ReplyPlan, body: str) -> Draft:
    """Store a draft that answers a message as it was planned."""
    message = plan.in_reply_to
    return create_draft(
        actor=actor, inbox=message.inbox, identity=plan.identity, to=plan.to, cc=plan.cc,
        subject=plan.subject, body=body, thread=message.thread, in_reply_to=message,
        cited=[message],
    )  # fmt: skip


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
    risk_flags: Sequence[Finding] | None = None,
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
        if draft.calendar:
            _check_invited(draft, changes)
        changes["subject"] = draft.subject if subject is None else check_subject(subject)
        changes["body"] = draft.body
        if body is not None:
            changes["body"] = check_body(body, may_be_empty=not draft.body)
        if risk_flags is not None:
            changes["risk_flags"] = as_json(collect(risk_flags))
        if any(getattr(draft, name) != value for name, value in changes.items()):
            _change(draft, changes, author_key, author_name)
    return draft


def _locked(draft: Draft) -> Draft:
    current = Draft.objects.select_for_update().get(pk=draft.pk)
    if current.status not in EDITABLE or current.deleted_at is not None:
        raise DomainError(
            "conflict",
            _("The draft is %(status)s and cannot be changed.", status=_standing(current)),
        )
    return current


def _standing(draft: Draft) -> str:
    return "deleted" if draft.deleted_at is not None else str(draft.status)


def _check_invited(draft: Draft, changes: dict[str, Any]) -> None:
    """Refuse other recipients than those whom the iTIP message names."""
    fields = ("to", "cc", "bcc")
    before = [[one["email"].lower() for one in getattr(draft, field)] for field in fields]
    if before != [[one["email"].lower() for one in changes[field]] for field in fields]:
        raise invalid(
            "to", _("It goes to the people named in the calendar part."), _("the same recipients")
        )


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
    filename = filename.strip()
    _check_attachment(NewAttachment(filename, content_type, content))
    blob = store_blob(draft.workspace_id, content)
    with transaction.atomic():
        current = _locked(draft)
        if current.attachments.count() >= MOST_ATTACHMENTS:
            raise invalid(
                "filename",
                _("The draft has too many files."),
                _("%(most)s files", most=MOST_ATTACHMENTS),
            )
        last = current.attachments.aggregate(last=Max("position"))["last"]
        position = 0 if last is None else last + 1
        _change(current, {}, current.author, current.author_name)
        return DraftAttachment.objects.create(
            draft=current, blob=blob, position=position, filename=filename,
            content_type=content_type,
        )  # fmt: skip


def detach_from_draft(*, draft: Draft, positions: Collection[int]) -> None:
    """Take the files at these positions from the draft, as a new version of it.

    Raises DomainError (`conflict`) where it was sent or discarded.
    """
    with transaction.atomic():
        current = _locked(draft)
        if current.attachments.filter(position__in=positions).delete()[0]:
            _change(current, {}, current.author, current.author_name)


def written_by(actor: Actor) -> DraftQuerySet:
    """Return the drafts that the actor began."""
    rows = Draft.objects.visible_to(actor).kept()
    return rows.filter(versions__version=1, versions__author=actor.key)


def _own_drafts(actor: Actor, thread: Thread) -> DraftQuerySet:
    return written_by(actor).filter(Q(thread=thread) | Q(thread__merged_into=thread))


def find_reply_draft(*, actor: Actor, thread: Thread, body_or_draft_id: str) -> Draft | None:
    """Return the caller's stored draft of this thread that is meant; None: it is a new body.

    Meant is the draft of that id, however it stands, else the newest open one whose text is exactly
    this. Raises DomainError (`not_found`) for a draft id that is not the caller's in this thread.
    """
    drafts = _own_drafts(actor, thread)
    public_id = body_or_draft_id.strip()
    if _DRAFT_ID.fullmatch(public_id):
        named = drafts.with_public_id(public_id).first()
        if named is None:
            raise not_found("draft", public_id, "body_or_draft_id")
        return named
    return (
        drafts.filter(status__in=UNPROPOSED, body=plain_line_ends(body_or_draft_id))
        .order_by("-updated_at", "-pk")
        .first()
    )


def take_reply_draft(draft: Draft) -> Draft:
    """Return a draft that is about to be proposed; raises DomainError (`conflict`) if it was."""
    draft.refresh_from_db(fields=["status"])
    if draft.status not in UNPROPOSED:
        raise DomainError(
            "conflict",
            _(
                "The draft %(draft)s is already %(status)s.",
                draft=repr(draft.public_id),
                status=draft.status,
            ),
            field="body_or_draft_id",
            accepted=_("a draft that is open or was sent back, or a text"),
        )
    return draft
