"""`@tool`: one declaration for each tool; its schemas, its scope and every other form derive."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, get_type_hints

from agents.contracts.records import (
    DOMAINS,
    AnswerFor,
    Content,
    Effect,
    Folded,
    Guard,
    Run,
    SealStep,
    Tool,
    Touched,
)
from agents.contracts.registry import REGISTRY, Registry


def tool(
    *,
    family: str,
    domain: str,
    effect: Effect,
    unified: Sequence[tuple[Any, ...]] = (),
    service: tuple[str, str] | None = None,
    seal: SealStep | None = None,
    answer_for: AnswerFor | None = None,
    guard: Guard | None = None,
    touches: Touched | None = None,
    content: Content | None = None,
    example: dict[str, Any] | None = None,
    needs_scope: bool = True,
    registry: Registry = REGISTRY,
) -> Callable[[Run], Run]:
    """Declare a tool; its name, types and docstring are those of the function.

    The function takes `(actor, args)`, and with a `seal` step a `Seal | None` as well: it runs
    once a person has approved what that step made, or, where `guard` gave no reason to hold the
    call, at once and with None. `unified` are the places `(verb, resource[, preset])` where it
    stands among the verbs of seed 000; `service` makes it an action of a service of seed 002, with
    no name. Without `needs_scope` every token may call it. By `content` a held call is known again.
    """
    _check_declaration(domain, effect, seal, answer_for, guard)
    places = tuple(Folded(*place) for place in (*unified, *([service] if service else [])))

    def declare(function: Run) -> Run:
        signature = _read_signature(function, service)
        registry.add(
            Tool(
                **signature, family=family, domain=domain, effect=effect, run=function, seal=seal,
                answer_for=answer_for, guard=guard, touches=touches, content=content, folds=places,
                example=example or {}, listed=service is None, needs_scope=needs_scope,
            )
        )  # fmt: skip
        return function

    return declare


def _check_declaration(
    domain: str,
    effect: Effect,
    seal: SealStep | None,
    answer_for: AnswerFor | None,
    guard: Guard | None,
) -> None:
    if domain not in DOMAINS:
        raise ValueError(f"{domain!r} is none of the domains {sorted(DOMAINS)}")
    if (seal is None) != (answer_for is None):
        raise ValueError("what seals answers for what it sealed, and nothing else does")
    if effect is Effect.SEND and seal is None:
        raise ValueError("a SEND tool has a seal step")
    if seal is not None and effect is not Effect.SEND and guard is None:
        raise ValueError("a tool that seals at times has a guard that says when")


def _read_signature(function: Run, service: tuple[str, str] | None) -> dict[str, Any]:
    hints = get_type_hints(function)
    description = inspect.getdoc(function)
    if not description:
        raise ValueError(f"the tool {function.__name__} has no docstring")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", function.__name__):
        raise ValueError(f"{function.__name__!r} is no name for a tool")
    return {
        "name": ".".join(service) if service else function.__name__,
        "description": description,
        "arguments": hints["args"],
        "result": hints["return"],
    }
