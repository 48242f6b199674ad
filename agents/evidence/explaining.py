"""Where texts came from, told of each: whose words, who wrote them, of what, and who raised it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agents.evidence.exposures import trace
from agents.evidence.origins import VERSION, Traced, read_notes
from agents.evidence.refs import Ref, read_refs
from agents.evidence.trust import own_or_lowest
from agents.models import Provenance
from inbox.actor import system_actor
from inbox.models import FileNode, FileVersion

# Of all the files that are asked about, so many versions.
_MOST_VERSIONS = 200


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a text came from; `note` is what was noted when an agent wrote it, if one did.

    `sources` are what the agent had been shown, strangers' texts first; of a thread, an activity
    or an attachment its messages.
    """

    found: Traced
    note: Provenance | None = None
    sources: list[Traced] = field(default_factory=list)


class VersionOrigin(NamedTuple):
    """A version of a file, and where it came from."""

    row: FileVersion
    found: Traced


def explain_versions(workspace_id: int, files: Iterable[int]) -> dict[int, list[VersionOrigin]]:
    """Return where the newest versions of files came from, the newest first, by the files' keys."""
    there = FileNode.objects.visible_to(system_actor(workspace_id, "origins"))
    rows = FileVersion.objects.filter(file__in=there.filter(pk__in=list(files)))
    newest = list(rows.order_by("-number", "-pk")[:_MOST_VERSIONS])
    traced = trace(workspace_id, [Ref(VERSION, row.pk) for row in newest]) if newest else []
    own = {one.ref.key: one for one in traced if one.via is None}
    found: dict[int, list[VersionOrigin]] = {}
    for row in newest:
        found.setdefault(row.file_id, []).append(VersionOrigin(row, own[row.pk]))
    return found


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
