"""Persons have agents forget what came from an address, a domain or one text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from agents import receipts
from agents.evidence.refs import Ref, read_refs
from agents.models import ContextEntry, Memory, Provenance, WaitingContext
from agents.operations.sharing.memories import delete_memories
from agents.operations.sharing.reviewing import let_decide
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Message
from inbox.reasons import phrase as _
from inbox.reasons import say

# So many notes of where texts came from are looked through, the newest.
MOST_LOOKED_THROUGH = 20_000
_AT_ONCE = 500
LONGEST_SOURCE = 320


@dataclass(frozen=True, slots=True)
class ToForget:
    """What agents noted after they had read a source: memories, contexts, and values that wait."""

    memories: Sequence[Memory]
    contexts: Sequence[ContextEntry]
    waiting: Sequence[WaitingContext]

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.memories) + len(self.contexts) + len(self.waiting)


def find_what_came_from(actor: Actor, source: str) -> ToForget:
    """Return what agents of the actor's workspaces noted after they had read a source.

    That is an address, a domain (with those below it), or the public id of a text. Raises
    DomainError where it is none of these.
    """
    wanted = source.strip().lower().lstrip("@")
    if not wanted or len(wanted) > LONGEST_SOURCE or any(it.isspace() for it in wanted):
        raise invalid("source", _("This is not a source."), _("an address, a domain or an id"))
    notes = Provenance.objects.visible_to(actor).filter(
        kind__in=(Memory.ID_PREFIX, ContextEntry.ID_PREFIX)
    )
    newest = notes.order_by("-id").values_list("kind", "object_id", "derived_from")
    noted = [(Ref(kind, key), named) for kind, key, named in newest[:MOST_LOOKED_THROUGH]]
    waiting = list(WaitingContext.objects.visible_to(actor).order_by("-pushed_at"))
    lists = [*(named for _ref, named in noted), *(row.derived_from for row in waiting)]
    meant = {source.strip(), *_from(actor, wanted, {one for named in lists for one in named})}
    made = [ref for ref, named in noted if not meant.isdisjoint(named)]
    memories = Memory.objects.visible_to(actor).kept()
    contexts = ContextEntry.objects.visible_to(actor)
    of_memories = [ref.key for ref in made if ref.kind == Memory.ID_PREFIX]
    of_contexts = [ref.key for ref in made if ref.kind == ContextEntry.ID_PREFIX]
    return ToForget(
        [row for part in _in_parts(of_memories) for row in memories.filter(pk__in=part)],
        [row for part in _in_parts(of_contexts) for row in contexts.filter(pk__in=part)],
        [row for row in waiting if not meant.isdisjoint(row.derived_from)],
    )


def _from(actor: Actor, wanted: str, public_ids: Iterable[str]) -> list[str]:
    """Return which of the texts are messages that an address, or somebody at a domain, wrote."""
    keys = [ref.key for ref in read_refs(public_ids) if ref.kind == "msg"]
    written = Q(from_email__iexact=wanted)
    if "@" not in wanted:
        written = Q(from_email__iendswith=f"@{wanted}") | Q(from_email__iendswith=f".{wanted}")
    rows = Message.objects.visible_to(actor).filter(written)
    found: list[str] = []
    for part in _in_parts(keys):
        there = rows.filter(pk__in=part).values_list("pk", flat=True)
        found += [Ref("msg", key).public_id for key in there]
    return found


def _in_parts(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield keys, as many at a time as a database takes in one statement."""
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]


@transaction.atomic
def forget(*, by: User, workspace_id: int, source: str, count: int) -> int:
    """Delete what agents noted after they had read a source; return how many that were.

    `count` is how many the person was shown: where they are others by now, nothing is deleted.
    Memories can be brought back for 30 days. Raises DomainError.
    """
    actor = let_decide(by, workspace_id)
    found = find_what_came_from(actor, source)
    if found.count != count:
        raise DomainError("conflict", _("The number has changed since you opened this page."))
    contexts = [*found.contexts, *found.waiting]
    receipts.record_many(
        actor,
        [
            ReceiptEntry(
                "forget_source", {"source": source, "id": row.public_id, "key": str(row)},
                say("done_by", person=actor.name),
            )
            for row in contexts
        ],
    )  # fmt: skip
    delete_memories(actor=actor, memories=found.memories)
    ContextEntry.objects.filter(pk__in=[row.pk for row in found.contexts]).delete()
    WaitingContext.objects.filter(pk__in=[row.pk for row in found.waiting]).delete()
    return found.count
