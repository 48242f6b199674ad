"""`@tool`: one declaration for each tool; its schemas, its scope and every other form derive."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from agents.contracts.plain import Plain
from agents.contracts.records import DOMAINS, Effect, Folded, Planned, Run, Tool
from agents.contracts.registry import REGISTRY, Registry

RunT = TypeVar("RunT", bound=Run)


def tool(
    *,
    family: str,
    domain: str,
    effect: Effect,
    unified: Sequence[tuple[Any, ...]] = (),
    service: tuple[str, str] | None = None,
    example: dict[str, Any] | None = None,
    needs_scope: bool = True,
    shows: bool | None = None,
    writes: str = "",
    registry: Registry = REGISTRY,
) -> Callable[[RunT], RunT]:
    """Declare a tool; its name, types and docstring are those of the function.

    The function takes `(actor, args)` and returns the answer, its fields alone (`Plain`), or a plan
    of it where a person may have to be asked. `unified` are the places `(verb, resource[, preset])`
    where it stands among the unified verbs; `service` makes it an action of a service, with no name
    of its own. Where `shows` is not said, the answers of reading tools do. The rest is as for
    `Tool`.
    """
    if domain not in DOMAINS:
        raise ValueError(f"{domain!r} is none of the domains {sorted(DOMAINS)}")
    places = tuple(Folded(*place) for place in (*unified, *([service] if service else [])))

    def declare(function: RunT) -> RunT:
        signature = _read_signature(function, service)
        _check_plan(effect, signature["plan"])
        registry.add(
            Tool(
                **signature, family=family, domain=domain, effect=effect, run=function,
                folds=places, example=example or {}, listed=service is None,
                needs_scope=needs_scope, writes=writes,
                shows=effect is Effect.READ if shows is None else shows,
            )
        )  # fmt: skip
        return function

    return declare


def _check_plan(effect: Effect, plan: type[Planned[Any]] | None) -> None:
    if effect is Effect.SEND and not (plan and plan.sends):
        raise ValueError("a SEND tool returns a plan that sends")
    if effect is Effect.READ and plan:
        raise ValueError("a READ tool asks nobody, and returns no plan")


def _read_signature(function: Run, service: tuple[str, str] | None) -> dict[str, Any]:
    hints = get_type_hints(function)
    description = inspect.getdoc(function)
    if not description:
        raise ValueError(f"the tool {function.__name__} has no docstring")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", function.__name__):
        raise ValueError(f"{function.__name__!r} is no name for a tool")
    answer = hints["return"]
    if get_origin(answer) is Plain:
        (answer,) = get_args(answer)
    plan = answer if issubclass(answer, Planned) else None
    return {
        "name": ".".join(service) if service else function.__name__,
        "description": description,
        "arguments": hints["args"],
        "result": _answer_of(plan) if plan else answer,
        "plan": plan,
    }


def _answer_of(plan: type[Planned[Any]]) -> Any:
    """Return what a plan answers: the argument of its generic base."""
    answers = [get_args(base) for base in plan.__dict__.get("__orig_bases__", ())]
    if not answers or not answers[0]:
        raise ValueError(f"{plan.__name__} does not say in brackets of its base what it answers")
    return answers[0][0]
