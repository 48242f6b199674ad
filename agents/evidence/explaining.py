"""Where texts came from, told of each: whose words, who wrote them, of what, and who raised it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.evidence.exposures import trace
from agents.evidence.origins import Traced, read_notes
from agents.evidence.refs import Ref, read_refs
from agents.evidence.trust import own_or_lowest
from agents.models import Provenance
from inbox.actor import system_actor


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a text came from; `note` is what was noted when an agent wrote it, if one did.

    `sources` are what the agent had been shown, strangers' texts first; of a thread, an activity
    or an attachment its messages.
    """

    found: Traced
    note: Provenance | None = None
    sources: list[Traced] = field(default_factory=list)


def explain(workspace_id: int, refs: Sequence[Ref]) -> dict[Ref, Explanation]:
    """Return where the texts of a workspace's rows came from.

    In as many queries for many as for one.
    """
    notes = read_notes(system_actor(workspace_id, "origins"), refs)
    named = {ref: read_refs(note.derived_from) for ref, note in notes.items()}
    every = trace(workspace_id, [*refs, *(one for sources in named.values() for one in sources)])
    own = own_or_lowest(every)
    held: dict[Ref, list[Traced]] = {}
    for one in every:
        if one.via is not None:
            held.setdefault(one.via, []).append(one._replace(via=None))
    return {
        ref: Explanation(
            own[ref], notes.get(ref),
            [own[one] for one in named[ref]] if ref in named else held.get(ref, []),
        )
        for ref in refs
    }  # fmt: skip
