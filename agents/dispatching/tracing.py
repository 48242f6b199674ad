"""What a call showed to an agent, and what it wrote: by the ids in its answer and arguments."""

from typing import Any

from agents.contracts import Effect, Tool
from agents.contracts.fields import WithTrace
from agents.dispatching.canonical import CallArguments
from agents.evidence.refs import MOST_SHOWN, Ref, ids_in, read_refs
from inbox.actor import Actor


def shown_by(
    tool: Tool, actor: Actor, arguments: CallArguments, found: Any, answer: str
) -> list[str]:
    """Return the public ids of the texts that a call shows to an agent; none for a person.

    They are those that it asked for, those in the answer, whose JSON `answer` is, and those that
    the tool said besides with `found`, what it returned.
    """
    if actor.kind != "agent" or not tool.shows:
        return []
    asked = ids_in(arguments.text) if tool.effect is Effect.READ else []
    said = found.shown if isinstance(found, WithTrace) else ()
    return list(dict.fromkeys([*said, *asked, *ids_in(answer)]))[:MOST_SHOWN]


def written_by(
    tool: Tool, actor: Actor, arguments: CallArguments, found: Any, answer: str
) -> list[Ref]:
    """Return the rows whose texts an agent has written with a call; none for a person."""
    if actor.kind != "agent" or not tool.writes:
        return []
    said = found.written if isinstance(found, WithTrace) else ()
    refs = read_refs([*said, *ids_in(answer), *ids_in(arguments.text)])
    return [it for it in refs if it.kind == tool.writes]
