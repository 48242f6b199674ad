"""The versions that a message went through, and how any two of them differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from agents.admin.evidence.differences import TextPiece, difference
from agents.models import Approval
from inbox.actor import Actor
from inbox.models import DraftVersion, Submission
from inbox.prepared import Prepared, padded

# So many of the newest can be picked.
MOST_EDITIONS = 50
# Of a thread's proposals, so many are looked through for those that this one took the place of.
_MOST_BEFORE = 100


@dataclass(frozen=True, slots=True)
class MessageVersion:
    """A version, counted through every draft that this message took the place of."""

    number: int
    author: str
    by_person: bool
    at: datetime
    is_sealed: bool
    attachments: tuple[str, ...] | None
    row: DraftVersion
    emails: frozenset[str]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A line of the message's head that differs; `name` is the field's."""

    name: str
    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions beside each other."""

    editions: tuple[MessageVersion, ...]
    old: MessageVersion
    new: MessageVersion
    fields: tuple[FieldChange, ...]
    pieces: tuple[TextPiece, ...]
    is_open: bool

    @property
    def is_same(self) -> bool:
        """Whether both say the same, as far as versions tell."""
        return not self.fields and all(piece.change == "same" for piece in self.pieces)

    @property
    def before(self) -> tuple[TextPiece, ...]:
        """The older text, with what would go."""
        return tuple(piece for piece in self.pieces if piece.change != "added")

    @property
    def after(self) -> tuple[TextPiece, ...]:
        """The newer text, with what came."""
        return tuple(piece for piece in self.pieces if piece.change != "removed")


def read_editions(actor: Actor, approval: Approval) -> tuple[MessageVersion, ...]:
    """Return the versions that led to what is sealed, oldest first, in three queries at most."""
    submission = approval.submission
    if submission is None:
        return ()
    drafts = [submission.draft_id, *_drafts_before(actor, approval, submission)]
    keys = padded(drafts)
    found: list[DraftVersion] = list(_VERSIONS.rows(drafts=keys))[::-1]
    files = {
        (one["draft_id"], one["draft_version"]): tuple(str(file[0]) for file in one["attachments"])
        for one in _FILES.rows(actor=actor, drafts=keys)
    }
    sealed = (submission.draft_id, submission.draft_version)
    return tuple(
        MessageVersion(
            number=number, author=row.author_name, by_person=row.author.startswith("person:"),
            at=row.created_at, is_sealed=(row.draft_id, row.version) == sealed,
            attachments=files.get((row.draft_id, row.version)), row=row,
            emails=frozenset(_emails([*row.to, *row.cc, *row.bcc])),
        )
        for number, row in enumerate(found, start=1)
    )  # fmt: skip


def _versions_of(*, drafts: tuple[int, ...]) -> list[Any]:
    rows = DraftVersion.objects.filter(draft_id__in=drafts).order_by("-created_at", "-id")
    return [rows[:MOST_EDITIONS]]


def _files_of(*, actor: Actor, drafts: tuple[int, ...]) -> list[Any]:
    rows = Submission.objects.visible_to(actor).filter(draft_id__in=drafts)
    return [rows.values("draft_id", "draft_version", "attachments")[: 2 * MOST_EDITIONS]]


_VERSIONS, _FILES = Prepared(_versions_of), Prepared(_files_of)


def _drafts_before(actor: Actor, approval: Approval, submission: Submission) -> list[int]:
    """Return the drafts whose place this one took: what was sent back, edited or undone."""
    rows = _REPLACED.rows(
        there=actor.within(approval.workspace_id), agent=approval.agent_id,
        until=approval.created_at, draft=submission.draft_id,
        threads=(submission.thread_id,) if submission.thread_id else (),
    )  # fmt: skip
    links = {replaced_by: (key, draft) for key, replaced_by, draft in rows}
    found: list[int] = []
    at = links.pop(approval.pk, None)
    while at is not None:
        found.append(at[1])
        at = links.pop(at[0], None)
    return found


def _replaced(
    *, there: Actor, agent: int, until: datetime, draft: int, threads: tuple[int, ...]
) -> list[Any]:
    before = Approval.objects.visible_to(there).filter(
        Q(replaced_by__isnull=False),
        agent_id=agent, submission__isnull=False, created_at__lte=until,
    )  # fmt: skip
    same = Q(submission__draft_id=draft)
    if threads:
        same |= Q(submission__thread_id__in=threads)
    rows = before.filter(same).order_by("-created_at", "-id")
    return [rows.values_list("pk", "replaced_by_id", "submission__draft_id")[:_MOST_BEFORE]]


_REPLACED = Prepared(_replaced)


def compare(editions: Sequence[MessageVersion], picked: Mapping[str, str]) -> Comparison | None:
    """Compare the two versions that the address names as `old` and `new`, or else the last two.

    What is compared is never newer than what is sealed, unless somebody picks it.
    """
    if len(editions) < 2:
        return None
    sealed = next((one for one in editions if one.is_sealed), editions[-1])
    new = _pick(editions, picked.get("new", "")) or sealed
    old = _pick(editions, picked.get("old", ""))
    if old is None:
        old = editions[max(new.number - 2, 0)]
    if old.number > new.number:
        old, new = new, old
    return Comparison(
        editions=tuple(editions), old=old, new=new, fields=tuple(_fields(old, new)),
        pieces=tuple(difference(old.row.body, new.row.body)),
        is_open=bool(picked.get("old") or picked.get("new")) or len(_drafts(editions)) > 1
        or editions[-1].by_person,
    )  # fmt: skip


def _drafts(editions: Iterable[MessageVersion]) -> set[int]:
    return {one.row.draft_id for one in editions}


def _pick(editions: Sequence[MessageVersion], number: str) -> MessageVersion | None:
    wanted = number if number.isascii() and number.isdigit() and len(number) < 4 else ""
    return next((one for one in editions if str(one.number) == wanted.lstrip("0")), None)


def _fields(old: MessageVersion, new: MessageVersion) -> Iterable[FieldChange]:
    for name in ("to", "cc", "bcc"):
        was, becomes = getattr(old.row, name), getattr(new.row, name)
        if was != becomes:
            yield FieldChange(name, tuple(_listed(_written(was), _written(becomes))))
    if old.row.subject != new.row.subject:
        yield FieldChange("subject", tuple(difference(old.row.subject, new.row.subject)))
    if None not in (old.attachments, new.attachments) and old.attachments != new.attachments:
        pieces = _listed(list(old.attachments or ()), list(new.attachments or ()))
        yield FieldChange("attachments", tuple(pieces))


def _listed(old: list[str], new: list[str]) -> Iterable[TextPiece]:
    """Yield the items of two lists: whole addresses and file names, never parts of one."""
    for one in dict.fromkeys([*old, *new]):
        change: Any = "same" if one in old and one in new else "removed" if one in old else "added"
        yield TextPiece(one, change)


def _written(addresses: list[dict[str, str]]) -> list[str]:
    return [
        f"{one['name']} <{one.get('email', '')}>" if one.get("name") else str(one.get("email", ""))
        for one in addresses
    ]


def _emails(addresses: Iterable[dict[str, str]]) -> Iterable[str]:
    return (str(one.get("email", "")).lower() for one in addresses)
