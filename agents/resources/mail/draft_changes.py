"""Drafts made, changed and deleted by their address; a change names the state that it changes."""

from typing import Annotated, Any

from django.db import transaction
from pydantic import Field

from agents.contracts import Effect, ToolError
from agents.contracts.fields import Closed, Maybe
from agents.dispatching.rows import get_inbox, get_row, get_thread_row
from agents.errors import invalid
from agents.lists.etags import etag_of_answer, is_list_of_tags, names_strongly
from agents.resources.collection import resource
from agents.resources.mail.drafts import DRAFTS, DraftShape, kept_drafts
from agents.resources.shapes import shape_of
from agents.tools.shapes import Id, InboxId
from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.compose.outgoing import LONGEST_BODY, LONGEST_SUBJECT, MOST_RECIPIENTS
from inbox.errors import DomainError
from inbox.models import Draft, Identity, Inbox
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.deletions import delete_draft
from inbox.operations.drafts.writing import create_draft, revise_draft
from inbox.operations.mirror_entries import touched

Subject = Annotated[str, Field(max_length=LONGEST_SUBJECT)]
Body = Annotated[str, Field(min_length=1, max_length=LONGEST_BODY)]
Recipients = Annotated[
    list[Annotated[str, Field(max_length=320)]], Field(max_length=MOST_RECIPIENTS)
]
IfMatch = Annotated[str, Field(min_length=1, max_length=1000)]
_FIELDS = ("subject", "body", "to", "cc", "bcc")


class NewDraft(Closed):
    """A draft to be: from which inbox, to whom, and what it says; perhaps in a thread."""

    inbox_id: InboxId
    to: Recipients
    cc: Recipients = []
    bcc: Recipients = []
    subject: Subject
    body: Body
    thread_id: Maybe[Id] = None


class DraftChanges(Closed):
    """Which draft, in which state, and what to set; what is left out stays."""

    draft_id: Id
    # The `ETag` of the draft as the caller has read it; the header `If-Match`.
    if_match: IfMatch
    subject: Maybe[Subject] = None
    body: Maybe[Body] = None
    to: Maybe[Recipients] = None
    cc: Maybe[Recipients] = None
    bcc: Maybe[Recipients] = None


class DeletedDraft(Closed):
    """Which draft was deleted."""

    id: str
    deleted: bool


class OneDraft(Closed):
    """Which draft, in which state."""

    draft_id: Id
    if_match: IfMatch


@resource(domain="comms", effect=Effect.WRITE, writes="drf")
def write_draft(actor: Actor, args: NewDraft) -> DraftShape:
    """`POST /api/v1/drafts`: store a draft, which leaves only once it is proposed and approved.

    It is sent as the inbox's own address. With `thread_id` it belongs to a thread of that inbox.
    """
    inbox = get_inbox(actor, args.inbox_id)
    thread = get_thread_row(actor, args.thread_id) if args.thread_id else None
    if thread is not None and thread.inbox_id != inbox.pk:
        raise invalid("/thread_id", "is a thread of another inbox", "a thread of /inbox_id")
    draft = create_draft(
        actor=actor, inbox=inbox, identity=_identity_of(inbox), to=args.to, cc=args.cc,
        bcc=args.bcc, subject=args.subject, body=args.body, thread=thread,
    )  # fmt: skip
    return shape_of(DraftShape, draft)


@resource(domain="comms", effect=Effect.WRITE, writes="drf")
def change_draft(actor: Actor, args: DraftChanges) -> DraftShape:
    """`PATCH /api/v1/drafts/{draft_id}`: change a draft of the caller's own that has not left.

    `If-Match` names the draft as it was read; where it is another by now, nothing changes. Each
    change is a version, and what waited of the draft for a person is void.
    """
    changes = args.model_dump(include=set(_FIELDS), exclude_none=True)
    if not changes:
        raise invalid("", "changes nothing", "one of " + ", ".join(_FIELDS))
    with transaction.atomic():
        current = _own_draft_as_read(actor, args.draft_id, args.if_match)
        draft = revise_draft(draft=current, author_key=actor.key, author_name=actor.name, **changes)
        if draft.version != current.version:
            _tell(draft, "draft.updated")
    row = get_row(DRAFTS.single(actor), args.draft_id, "draft", "/draft_id")
    return shape_of(DraftShape, row)


@resource(domain="comms", effect=Effect.DESTROY)
def remove_draft(actor: Actor, args: OneDraft) -> DeletedDraft:
    """`DELETE /api/v1/drafts/{draft_id}`: delete a draft of the caller's own that has not left.

    A person can restore it for 30 days. What waited of it for a person is void.
    """
    with transaction.atomic():
        current = _own_draft_as_read(actor, args.draft_id, args.if_match)
        try:
            delete_draft(actor=actor, draft=current)
        except DomainError as error:
            raise ToolError(error.code, error.message) from error
    return DeletedDraft(id=args.draft_id, deleted=True)


def _own_draft_as_read(actor: Actor, public_id: str, if_match: str) -> Draft:
    """Return the draft, held fast; raises ToolError where it is not the one that was read."""
    if not is_list_of_tags(if_match):
        raise invalid("/if_match", "is no list of entity tags", "the ETag of the draft, quoted")
    locked = kept_drafts(actor).select_for_update(of=("self",))
    draft = get_row(locked, public_id, "draft", "/draft_id")
    if not draft.versions.filter(version=1, author=actor.key).exists():
        raise ToolError("permission_denied", "Another has written this draft")
    if not names_strongly(if_match, etag_of_answer(shape_of(DraftShape, draft))):
        raise ToolError(
            "precondition_failed", "The draft has changed since it was read",
            {"header": "If-Match", "accepted": "the ETag of the draft as it stands"},
        )  # fmt: skip
    return draft


def _identity_of(inbox: Inbox) -> Identity:
    """Return as whom a draft of the inbox is sent: its own address, else the account's default."""
    known = identities_of(inbox.account, field="inbox_id")
    own = [one for one in known if one.email.lower() == inbox.address.lower()]
    found: Identity = (own or known)[0]
    return found


def _tell(draft: Draft, fact: str) -> None:
    touched(account=draft.account, resources=("email_list", "email"))
    payload: dict[str, Any] = {"draft_ids": [draft.pk]}
    publish(fact, payload, workspace_id=draft.workspace_id)
