"""What an agent was shown: named in receipts, judged when it next writes or proposes."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, F, Max, OuterRef, QuerySet
from django.utils import timezone

from agents.evidence.known import know
from agents.evidence.origins import VERSION, Traced, find_origins, lowest, read_notes
from agents.evidence.refs import Ref, read_refs
from agents.models import Approval, Exposure, Origin, Provenance, Receipt
from agents.receipts import own_since
from inbox.actor import Actor, system_actor
from inbox.models import FileNode, FileVersion

# What an agent was shown counts for so long.
WINDOW = timedelta(hours=24)
_AT_ONCE = 500
_MOST_IN_WINDOW = 300
# Receipts whose ids, a thousand each, a database takes in one statement.
_JUDGED_AT_ONCE = 30
# What was written names so many of its sources.
_MOST_NAMED = 50


def trace(workspace_id: int, refs: Iterable[Ref]) -> list[Traced]:
    """Return where the texts of a workspace's rows came from."""
    actor = system_actor(workspace_id, "origins")
    return find_origins(actor, refs, lambda emails: know(actor, workspace_id, emails))


def window(actor: Actor, approval: Approval | None = None) -> list[Exposure]:
    """Return what an agent was shown in the last 24 hours, each text once, the newest first.

    They are 300 at most; of an `approval` those before it. What is not judged yet is judged now:
    nobody but the agent pays for it, and only when it writes.
    """
    rows = _shown_to(actor, approval.created_at if approval else None)
    if approval is not None:
        rows = rows.filter(receipt_id__lt=approval.receipt_id)
    # A list that is asked for every few minutes shows the same again and again.
    newest = rows.order_by().values("kind", "object_id").annotate(last=Max("pk")).order_by("-last")
    return list(rows.filter(pk__in=[one["last"] for one in newest[:_MOST_IN_WINDOW]]))


def _shown_to(actor: Actor, until: datetime | None = None) -> QuerySet[Exposure]:
    end = until or timezone.now()
    _judge(actor, end)
    rows = Exposure.objects.visible_to(actor).filter(agent_id=actor.id, at__gte=end - WINDOW)
    return rows.order_by("-receipt_id", "-id")


def shown_since_proposal(actor: Actor, approval: Approval | None = None) -> QuerySet[Exposure]:
    """Return what an agent was shown since its last proposal, in 24 hours at most; newest first.

    Of an `approval`, what it had been shown when it proposed that.
    """
    rows = _shown_to(actor, approval.created_at if approval else None)
    proposed = Approval.objects.visible_to(actor).filter(agent_id=actor.id)
    if approval is not None:
        rows = rows.filter(receipt_id__lt=approval.receipt_id)
        proposed = proposed.filter(receipt_id__lt=approval.receipt_id)
    last = proposed.order_by("-created_at", "-id").values_list("receipt_id", flat=True).first()
    return rows.filter(receipt_id__gt=last) if last else rows


def _judge(actor: Actor, now: datetime) -> None:
    """Keep, of each receipt that has not been looked at, where what it showed came from."""
    mine = Exposure.objects.visible_to(actor).filter(agent_id=actor.id).order_by("-receipt_id")
    last = mine.values_list("receipt_id", flat=True).first()
    day = now - WINDOW
    there = Receipt.objects.visible_to(actor).filter(actor=actor.key, opened_at__gte=day)
    # Of calls that were answered at the same time, the one with the lower key may be later.
    new = there.filter(pk__gt=last - _AT_ONCE) if last else own_since(actor, day)
    judged = Exposure.objects.visible_to(actor).filter(receipt=OuterRef("pk"))
    rows = new.filter(~Exists(judged), shown__isnull=False)
    receipts = list(rows.only("id", "shown", "opened_at").order_by("id"))
    for start in range(0, len(receipts), _JUDGED_AT_ONCE):
        _judge_some(actor, receipts[start : start + _JUDGED_AT_ONCE])


def _judge_some(actor: Actor, receipts: Sequence[Receipt]) -> None:
    shown = {row: read_refs(row.shown or ()) for row in receipts}
    traced: dict[Ref, list[Traced]] = {}
    for one in trace(actor.workspace_id, (ref for refs in shown.values() for ref in refs)):
        traced.setdefault(one.via or one.ref, []).append(one)
    made = [
        Exposure(
            workspace_id=actor.workspace_id, agent_id=actor.id, receipt=row, kind=one.ref.kind,
            object_id=one.ref.key, via=one.via.public_id if one.via else "", origin=one.origin,
            author=one.author, at=row.opened_at,
            readers=None if one.readers is None else list(one.readers),
        )
        for row, refs in shown.items() for ref in refs
        for one in traced.get(ref, [Traced(ref, Origin.STRANGER)])
    ]  # fmt: skip
    # Two calls of the agent may judge the same receipt at once.
    Exposure.objects.bulk_create(made, ignore_conflicts=True, batch_size=_AT_ONCE)


def sources_of_writing(actor: Actor, approval: Approval | None = None) -> tuple[str, list[str]]:
    """Return the origin of what an agent writes now, and the public ids of what it was shown.

    That is since its last proposal, or up to the one of an approval; strangers' texts come first.
    """
    seen = shown_since_proposal(actor, approval)
    strange = list(seen.filter(origin=Origin.STRANGER)[:_MOST_NAMED])
    # Nothing but a stranger's words is less trusted than what an agent writes.
    origin = Origin.STRANGER if strange else Origin.AGENT
    named = dict.fromkeys(one.public_id for one in (*strange, *seen[:_MOST_NAMED]))
    return origin, list(named)[:_MOST_NAMED]


def note_written(
    actor: Actor, receipt: Receipt, written: Sequence[Ref], approval: Approval | None = None
) -> None:
    """Note where what an agent has just written came from; in the caller's transaction.

    It takes the lowest trust of what the agent was shown since its last proposal, and never rises
    above what it had: a summary of a stranger's words is a stranger's. What a person had raised
    falls again. Of what an `approval` let happen counts what had been shown when it was proposed.
    """
    if not written:
        return
    origin, derived = sources_of_writing(actor, approval)
    written = [*written, *_versions(actor, written)]
    before = read_notes(actor, written)
    rows = [_note(actor, ref, origin, derived, before.get(ref)) for ref in written]
    for row in rows:
        row.receipt = receipt
    Provenance.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["kind", "object_id"],
        update_fields=[
            "origin", "author", "derived_from", "receipt", "written_at", "raised_by", "raised_at",
            "raise_receipt",
        ],
    )  # fmt: skip


def _versions(actor: Actor, written: Sequence[Ref]) -> list[Ref]:
    """Return the newest versions of the files among what an agent has written."""
    keys = [ref.key for ref in written if ref.kind == "fil"]
    if not keys:
        return []
    files = FileNode.objects.visible_to(actor).filter(pk__in=keys)
    rows = FileVersion.objects.filter(
        file__in=files, number=F("file__version"), created_by=actor.key
    )
    return [Ref(VERSION, key) for key in rows.values_list("pk", flat=True)]


def _note(
    actor: Actor, ref: Ref, origin: str, derived: Sequence[str], before: Provenance | None
) -> Provenance:
    """Return what is noted of a text, but for its receipt; nobody has raised it."""
    named = dict.fromkeys([*derived, *(before.derived_from if before else ())])
    return Provenance(
        workspace_id=actor.workspace_id, kind=ref.kind, object_id=ref.key,
        origin=lowest([origin, before.origin]) if before else origin, author=actor.key,
        derived_from=[it for it in named if it != ref.public_id][:_MOST_NAMED],
        written_at=timezone.now(),
    )  # fmt: skip
