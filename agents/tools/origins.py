"""Where texts come from, for agents to ask before they act on what one says."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.schemas import published
from agents.contracts.trust import OriginName, TrustShape
from agents.errors import not_found
from agents.evidence.explaining import Explanation, VersionOrigin, explain, explain_versions
from agents.evidence.refs import Ref, read_refs
from agents.evidence.trust import name_authors, trust_shapes
from agents.evidence.visibility import visible_refs
from inbox.actor import Actor, system_actor

_MOST_IDS = 50
_MOST_SOURCES = 20


class ExplainOrigin(Closed):
    """Which texts."""

    ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=100)]],
        Field(
            min_length=1, max_length=_MOST_IDS,
            description="Of messages, threads, activities, attachments, files, events, to-dos, "
            "memories, contexts, agent messages, drafts, schedules or people.",
        ),
    ]  # fmt: skip


class SourceShape(Closed):
    """A text that its author had been shown, and whose words that holds."""

    id: str
    origin: OriginName


class VersionShape(Closed):
    """A version of a file: whose words it holds, and who wrote it."""

    version: int
    origin: OriginName
    author: OrAbsent[str] = None
    created_at: Moment


class OriginShape(TrustShape):
    """Where a text came from.

    `derived_from` are what the agent that wrote it had been shown, strangers' texts first, as far
    as you may see them; of a thread its messages. `raised_by` is the person who vouches for it.
    Of a file its `versions` are told, the newest first.
    """

    model_config = published("chancery/text_origin.json")

    id: str
    derived_from: list[SourceShape]
    written_at: OrAbsent[Moment] = None
    raised_by: OrAbsent[str] = None
    raised_at: OrAbsent[Moment] = None
    versions: OrAbsent[list[VersionShape]] = None


REGISTRY.publish_model(OriginShape, "chancery/text_origin.json")


class ExplainedOrigins(Closed):
    """Where each came from, in the order asked for."""

    origins: list[OriginShape]


@tool(
    family="house", domain="policy", effect=Effect.READ,
    example={"ids": ["msg_8fXoQ2mKpL"]},
)  # fmt: skip
def explain_origin(actor: Actor, args: ExplainOrigin) -> ExplainedOrigins:
    """Tell where texts come from: whose words, who wrote them, of what, and who vouches for them.

    Of mail that came in also whether the sender was authenticated, what is odd about it, and what
    its sender hid from the eye.
    """
    refs = _find(actor, args.ids)
    told = explain(actor.workspace_id, list(refs))
    sources = {one.ref for each in told.values() for one in each.sources}
    there = set(visible_refs(actor, sources))
    workspace = system_actor(actor.workspace_id, "origins")
    trusts = trust_shapes(workspace, [told[ref].found for ref in refs])
    versions = explain_versions(actor.workspace_id, [ref.key for ref in refs if ref.kind == "fil"])
    authors = {one.row.created_by for ones in versions.values() for one in ones}
    raisers = {it.note.raised_by for it in told.values() if it.note}
    names = name_authors(workspace, authors | raisers)
    return ExplainedOrigins(
        origins=[
            _shape(ref, told[ref], trust, there, names).model_copy(
                update={"versions": _versions(ref, versions, names)}
            )
            for ref, trust in zip(refs, trusts, strict=True)
        ]
    )


def _find(actor: Actor, public_ids: list[str]) -> list[Ref]:
    """Return the rows that ids name; raises ToolError for one that is not there or not seen."""
    refs = {public_id: read_refs([public_id]) for public_id in public_ids}
    there = set(visible_refs(actor, (ref for found in refs.values() for ref in found)))
    for at, public_id in enumerate(public_ids):
        if not there.issuperset(refs[public_id]) or not refs[public_id]:
            raise not_found("text", f"/ids/{at}")
    return list(dict.fromkeys(ref for found in refs.values() for ref in found))


def _shape(
    ref: Ref, told: Explanation, trust: TrustShape, there: set[Ref], names: dict[str, str]
) -> OriginShape:
    seen = [one for one in told.sources if one.ref in there][:_MOST_SOURCES]
    fields: dict[str, Any] = trust.model_dump()
    if told.note is not None:
        fields["written_at"] = told.note.written_at
        fields["raised_by"] = names.get(told.note.raised_by)
        fields["raised_at"] = told.note.raised_at
    derived = [
        SourceShape(id=one.ref.public_id, origin=str(one.origin))  # type: ignore[arg-type]
        for one in seen
    ]
    return OriginShape(**fields, id=ref.public_id, derived_from=derived)


def _versions(
    ref: Ref, found: Mapping[int, Sequence[VersionOrigin]], names: Mapping[str, str]
) -> list[VersionShape] | None:
    if ref.kind != "fil":
        return None
    return [
        VersionShape(
            version=row.number, origin=str(one.origin),  # type: ignore[arg-type]
            author=names.get(row.created_by) or None, created_at=row.created_at,
        )
        for row, one in found.get(ref.key, [])[:_MOST_SOURCES]
    ]  # fmt: skip
