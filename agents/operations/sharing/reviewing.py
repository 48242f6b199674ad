"""Persons review what agents noted after they had been shown strangers' words."""

import hashlib
import json
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.errors import ToolError
from agents.evidence.origins import read_notes
from agents.evidence.refs import Ref
from agents.models import Memory, Origin, Provenance, Receipt, WaitingContext
from agents.operations.origins import raise_origins
from agents.operations.sharing.contexts import as_text, let_stand
from agents.operations.sharing.memories import delete_memories, index_words
from agents.recall.words import index_text, words_of
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid, not_found
from inbox.reasons import phrase as _
from inbox.reasons import say
from inbox.viewer import viewer_of_user

LONGEST_MEMORY = 20_000


def let_decide(by: User, workspace_id: int) -> Actor:
    """Return the person as who decides in a workspace; raises DomainError for whoever does not."""
    if not (by.is_active and viewer_of_user(by).may_decide(workspace_id)):
        raise DomainError("permission_denied", say("not_a_decider"))
    return Actor("person", by.pk, by.get_username(), (workspace_id,))


@transaction.atomic
def approve_memory(
    *,
    by: User,
    memory: Memory,
    seen: str,
    content: str | None = None,
    valid_from: datetime | None = None,
    expires_at: datetime | None = None,
) -> None:
    """Have an agent recall a memory that waits, in other words where `content` says so.

    `seen` is the SHA-256 of what the person read. Raises DomainError: permission_denied, not_found,
    conflict where it says something else by now, and invalid_input.
    """
    actor = let_decide(by, memory.workspace_id)
    row = _waiting_memory(actor, memory)
    if row.sha256 != seen:
        raise DomainError("conflict", _("It has changed since."))
    if expires_at and expires_at <= max(timezone.now(), valid_from or timezone.now()):
        raise invalid("expires_at", _("It would never take effect."), _("a later time"))
    if content is not None and content != row.content:
        reword(row, content)
    row.valid_from, row.expires_at = valid_from, expires_at
    row.save(update_fields=["content", "sha256", "terms", "valid_from", "expires_at"])
    ref = Ref(Memory.ID_PREFIX, row.pk)
    note = read_notes(actor, [ref]).get(ref)
    raise_origins(
        by=by, workspace_id=row.workspace_id, to=Origin.AGENT,
        seen={ref: note.receipt_id if note else None},
    )  # fmt: skip


def reject_memory(*, by: User, memory: Memory) -> None:
    """Delete a memory that waits; it can be brought back for 30 days, and then waits again."""
    actor = let_decide(by, memory.workspace_id)
    delete_memories(actor=actor, memories=[_waiting_memory(actor, memory)])


def _waiting_memory(actor: Actor, memory: Memory) -> Memory:
    rows = Memory.objects.visible_to(actor).kept().filter(pk=memory.pk, waits=True)
    row = rows.select_for_update().first()
    if row is None:
        raise not_found("memory", memory.public_id, "id")
    return row


def reword(row: Memory, content: str) -> None:
    """Give a memory other words, to be saved by the caller; raises DomainError."""
    if not content.strip() or len(content) > LONGEST_MEMORY:
        raise invalid("content", _("It is empty or too long."), _("at most 20,000 characters"))
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    if Memory.objects.kept().filter(agent_id=row.agent_id, sha256=sha256).exists():
        raise DomainError("conflict", _("The agent already has this memory."), field="content")
    words = words_of(content)
    row.content, row.sha256, row.terms = content, sha256, index_text(row.agent_id, words)
    index_words(row.agent_id, words, content)


@transaction.atomic
def approve_context(
    *, by: User, waiting: WaitingContext, seen: datetime, text: str | None = None
) -> None:
    """Put a value that waits under its key, another one where the JSON `text` says so.

    `seen` is when what the person read was pushed. Raises DomainError: permission_denied,
    not_found, conflict where it was pushed anew since or the key is another agent's by now, and
    invalid_input.
    """
    actor = let_decide(by, waiting.workspace_id)
    row = _waiting_context(actor, waiting)
    if row.pushed_at != seen:
        raise DomainError("conflict", _("It has changed since."))
    value = row.text if text is None else _as_json(text)
    agent = Actor("agent", row.author_id, row.author.name, (row.workspace_id,))
    try:
        entry = let_stand(row, agent, value)
    except ToolError as error:
        words = _("Another agent now uses this key, or there is no room for another one.")
        raise DomainError("conflict", words) from error
    arguments = {"id": row.public_id, "key": row.key, "is_edited": value != row.text}
    (receipt,) = _record(actor, "approve_context", [arguments])
    now = timezone.now()
    Provenance.objects.update_or_create(
        kind=entry.ID_PREFIX, object_id=entry.pk,
        defaults={
            "workspace_id": row.workspace_id, "origin": Origin.AGENT, "author": agent.key,
            "derived_from": row.derived_from, "receipt": receipt, "written_at": row.pushed_at,
            "raised_by": actor.key, "raised_at": now, "raise_receipt": receipt,
        },
    )  # fmt: skip


@transaction.atomic
def reject_context(*, by: User, waiting: WaitingContext) -> None:
    """Remove a value that waits; what stands under its key still does."""
    actor = let_decide(by, waiting.workspace_id)
    row = _waiting_context(actor, waiting)
    _record(actor, "reject_context", [{"id": row.public_id, "key": row.key}])
    row.delete()


def _waiting_context(actor: Actor, waiting: WaitingContext) -> WaitingContext:
    rows = WaitingContext.objects.visible_to(actor).filter(pk=waiting.pk)
    row = rows.select_for_update(of=("self",)).select_related("author").first()
    if row is None:
        raise not_found("context", waiting.public_id, "id")
    return row


def _as_json(text: str) -> str:
    try:
        return as_text(json.loads(text), "/text")
    except (ValueError, RecursionError, ToolError) as error:
        raise invalid("text", _("This is not JSON."), _("any JSON value")) from error


def _record(actor: Actor, tool: str, each: list[dict[str, object]]) -> list[Receipt]:
    done = say("done_by", person=actor.name)
    return receipts.record_many(actor, [ReceiptEntry(tool, one, done) for one in each])
