"""The field `trust` of rows that have a text: whose words it holds, read once for a whole page."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from agents.contracts.fields import OrAbsent
from agents.contracts.trust import TrustShape
from agents.evidence.refs import Ref
from agents.evidence.trust import read_trust
from agents.resources.shapes import TogetherOf


def _trust_of(rows: Sequence[Any]) -> Mapping[int, TrustShape]:
    """Return what is told of rows that their reader sees, by their keys."""
    workspaces: dict[int, list[Ref]] = {}
    for row in rows:
        workspaces.setdefault(row.workspace_id, []).append(Ref(row.ID_PREFIX, row.pk))
    found = (read_trust(key, refs) for key, refs in workspaces.items())
    return {ref.key: trust for told in found for ref, trust in told.items()}


Trust: TypeAlias = Annotated[OrAbsent[TrustShape], TogetherOf(_trust_of)]
