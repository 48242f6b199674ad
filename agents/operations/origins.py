"""Persons raise the origin of what agents wrote, once they have read it.

No tool leads here: agents raise nothing, and a summary has the trust of what was summed up.
"""

from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.evidence.exposures import trace
from agents.evidence.origins import TRUST, read_notes
from agents.evidence.refs import Ref
from agents.evidence.texts import read_texts
from agents.models import Decision, Memory, Origin, Outcome, Provenance, Receipt
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid, not_found
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _
from inbox.viewer import viewer_of_user

RAISED_TO = (Origin.OWNER, Origin.KNOWN, Origin.AGENT)
# What agents write. Who vouches for messages and cards is said by the addresses on them.
RAISABLE = frozenset({"agm", "ctx", "drf", "evt", "fil", "mry", "sdl", "tdo"})
MOST_AT_ONCE = 200


def raise_origins(*, by: User, workspace_id: int, seen: Mapping[Ref, int | None], to: str) -> int:
    """Raise the origin of texts that this person has read and vouches for; return how many.

    All of them or none, each with a receipt. `seen` has, by text, the receipt with which it was
    written last when the person read it (`Provenance.receipt_id`), or None where nothing was noted.
    An agent's next change lowers it again.

    Raises DomainError: permission_denied for whoever does not decide there, not_found, conflict
    where a text was written anew since or is trusted so already, and invalid_input.
    """
    actor = Actor("person", by.pk, by.get_username(), (workspace_id,))
    _let_raise(actor, by)
    if to not in RAISED_TO:
        raise invalid(
            "origin", _("Trust cannot be raised to that level."), _("owner, known or agent")
        )
    if len(seen) > MOST_AT_ONCE:
        raise invalid("ids", _("Too many."), _("at most 200"))
    with transaction.atomic():
        _raise(actor, seen, to)
    return len(seen)


def _let_raise(actor: Actor, by: User) -> None:
    """Raise DomainError unless the person decides there; the attempt leaves a receipt."""
    if by.is_active and viewer_of_user(by).may_decide(actor.workspace_id):
        return
    refusal = say("not_a_decider")
    entry = ReceiptEntry(
        "raise_origin", reason=refusal, decision=Decision.DENY, outcome=Outcome.ERROR,
        error_code="permission_denied",
    )  # fmt: skip
    receipts.record(actor, entry)
    raise DomainError("permission_denied", refusal)


def _raise(actor: Actor, seen: Mapping[Ref, int | None], to: str) -> None:
    before = _origins_of(actor, seen)
    # The chain lets one writer of receipts in at a time, so that what is read now stays so.
    made = receipts.record_many(actor, [_entry(actor, ref, before[ref], to) for ref in seen])
    notes = read_notes(actor, list(seen))
    for ref, receipt_id in seen.items():
        if (notes[ref].receipt_id if ref in notes else None) != receipt_id:
            raise _conflict(ref, _("It was rewritten after it was read."))
        if TRUST.index(Origin(to)) >= TRUST.index(Origin(before[ref])):
            raise _conflict(ref, say("origin_is", status=before[ref]))
    rows = [
        _raised(actor, ref, notes.get(ref), to, row) for ref, row in zip(seen, made, strict=True)
    ]
    _write(rows)
    released = [ref.key for ref in seen if ref.kind == Memory.ID_PREFIX]
    Memory.objects.visible_to(actor).filter(pk__in=released).update(waits=False)
    for ref, origin in _origins_of(actor, seen).items():
        if origin != to:
            raise _conflict(
                ref, _("Someone else organizes this meeting, so it is trusted as much as they are.")
            )


def _origins_of(actor: Actor, refs: Collection[Ref]) -> dict[Ref, str]:
    """Return the origins of rows; raises DomainError for what is not there or never raised."""
    there = read_texts(actor.workspace_id, refs)
    for ref in refs:
        if ref.kind not in RAISABLE:
            raise invalid(
                "ids", _("%(id)s was not written by an agent.", id=ref.public_id),
                _("a memory, context, agent message, draft, event, file, to-do or schedule"),
            )  # fmt: skip
        if ref not in there:
            raise not_found("text", ref.public_id, "ids")
    return {one.ref: one.origin for one in trace(actor.workspace_id, refs) if one.via is None}


def _entry(actor: Actor, ref: Ref, before: str, to: str) -> ReceiptEntry:
    return ReceiptEntry(
        "raise_origin", {"id": ref.public_id, "origin": to},
        say("origin_raised", person=actor.name, before=before, status=to),
        result={"before": before, "origin": to},
    )  # fmt: skip


def _raised(
    actor: Actor, ref: Ref, note: Provenance | None, to: str, receipt: Receipt
) -> Provenance:
    row = note or Provenance(
        workspace_id=actor.workspace_id, kind=ref.kind, object_id=ref.key, receipt=receipt,
        written_at=timezone.now(),
    )  # fmt: skip
    row.origin, row.raised_by, row.raised_at = to, actor.key, timezone.now()
    row.raise_receipt = receipt
    return row


def _write(rows: list[Provenance]) -> None:
    Provenance.objects.bulk_create(row for row in rows if row.pk is None)
    fields = ["origin", "raised_by", "raised_at", "raise_receipt"]
    Provenance.objects.bulk_update([row for row in rows if row.pk is not None], fields)


def _conflict(ref: Ref, why: ReasonText) -> DomainError:
    return DomainError("conflict", _("%(id)s: %(why)s", id=ref.public_id, why=why), field="ids")
