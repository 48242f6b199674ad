"""Texts of rows as a model reads them: each with whose words it holds."""

from collections.abc import Iterable, Sequence

from agents.evidence.claims.records import Source
from agents.evidence.exposures import trace
from agents.evidence.origins import lowest
from agents.evidence.refs import Ref, read_refs
from agents.models import Origin
from inbox.language_model.prompts import Passage, bounded

# Of what is no row it is known who wrote it.
_OF_KIND = {
    "goal": Origin.AGENT, "attachment": Origin.AGENT, "policy": Origin.OWNER,
    "recipient": Origin.OWNER,
}  # fmt: skip
# What a model has to have read whatever else there is room for.
_FIRST = ("policy", "goal", "attachment")


def passages_of(workspace_id: int, sources: Sequence[Source]) -> list[Passage]:
    """Return sources as a model reads them, bounded: rules first, then in their order.

    What no row of the workspace says came from a stranger.
    """
    ordered = sorted(sources, key=lambda it: it.type not in _FIRST)
    origins = origins_of(workspace_id, [one.id for one in ordered if one.type not in _OF_KIND])
    named = enumerate((one for one in ordered if one.type != "recipient"), 1)
    return bounded(
        Passage(
            f"S{number}", one.text, _OF_KIND.get(one.type) or origins.get(one.id, Origin.STRANGER),
            one.type, one.id, _about(one),
        )
        for number, one in named
    )  # fmt: skip


def _about(source: Source) -> dict[str, str]:
    told = {"kind": str(source.type), "written": source.written_on.isoformat(), "by": source.by}
    return {name: value for name, value in told.items() if value}


def origins_of(workspace_id: int, public_ids: Iterable[str]) -> dict[str, str]:
    """Return whose words rows hold, by their public ids, the least trusted of each."""
    refs = {one: ref for one in dict.fromkeys(public_ids) for ref in read_refs([one])}
    held: dict[Ref, list[str]] = {}
    for traced in trace(workspace_id, refs.values()):
        held.setdefault(traced.via or traced.ref, []).append(traced.origin)
    return {one: lowest(held[ref]) for one, ref in refs.items() if ref in held}
