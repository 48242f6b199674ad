"""One declaration for each tool; its schemas, its scope and every other form derive from it."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, get_type_hints

from django.contrib.auth.models import User
from pydantic import BaseModel

from agents.contracts import schemas
from agents.contracts.schemas import Schema
from agents.contracts.validation import validate
from agents.errors import ToolError
from inbox.actor import Actor
from inbox.models import Activity, Submission

DOMAINS = frozenset(
    {"inbox", "storage", "comms", "calendar", "admin", "memory", "policy", "time", "control_plane"}
)
# Which folder of schemas a family's documents stand in.
_FOLDERS = {
    "mail": "neuralmail/tools",
    "concierge": "concierge/tools",
    "house": "chancery/tools",
    "resource": "chancery/reads",
}


class Effect(StrEnum):
    """What a tool does to the world; with the domain it is the scope that a token needs."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a SEND tool would let out: sealed bytes, and what is odd about them."""

    submission: Submission
    risk_flags: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Seal:
    """A person's leave to send exactly these bytes."""

    submission: Submission
    approved_by: User
    sha256: str


Run: TypeAlias = Callable[..., BaseModel]
SealStep: TypeAlias = Callable[[Actor, Any], Sealed]
Guard: TypeAlias = Callable[[Actor, Any], str | None]
AnswerFor: TypeAlias = Callable[[Submission], BaseModel]
Touched: TypeAlias = Callable[[Actor, Any], list[Activity]]


@dataclass(frozen=True)
class Tool:
    """A tool as declared, with everything that derives from the declaration."""

    name: str
    description: str
    family: str
    domain: str
    effect: Effect
    arguments: type[BaseModel]
    result: type[BaseModel]
    run: Run = field(repr=False)
    # SEND only: seals what would leave; `run` then takes a `Seal` as its third argument.
    seal: SealStep | None = field(default=None, repr=False)
    # SEND only: the tool's answer while its submission stands as it does.
    answer_for: AnswerFor | None = field(default=None, repr=False)
    # Says why this very call needs a person, or None.
    guard: Guard | None = field(default=None, repr=False)
    # The activities that a held call is about, for the reviewer's page.
    touches: Touched | None = field(default=None, repr=False)
    # Arguments as somebody might give them, for the documentation.
    example: dict[str, Any] = field(default_factory=dict, repr=False)
    input_schema: Schema = field(init=False, repr=False)
    output_schema: Schema = field(init=False, repr=False)

    def __post_init__(self) -> None:
        input_id, output_id = self.schema_ids
        object.__setattr__(
            self, "input_schema", schemas.document(self.arguments, input_id, "validation")
        )
        object.__setattr__(
            self, "output_schema", schemas.document(self.result, output_id, "serialization")
        )

    @property
    def scope(self) -> str:
        """The scope that a token needs, like `inbox:read`."""
        return f"{self.domain}:{self.effect}"

    @property
    def schema_ids(self) -> tuple[str, str]:
        """The `$id`s of the input and output schemas."""
        stem = f"{_FOLDERS[self.family]}/{self.name}"
        return f"{stem}.input.json", f"{stem}.output.json"

    @property
    def has_absent_fields(self) -> bool:
        """Whether answers leave out what is not there; the concierge's say null instead."""
        return self.family != "concierge"


class Registry:
    """The tools by name, and every schema by `$id`. Frozen once the application is ready."""

    def __init__(self, documents: dict[str, Schema] | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._bundles: dict[str, tuple[Schema, Schema]] = {}
        self.documents: dict[str, Schema] = {} if documents is None else documents
        self.frozen = False

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def add(self, added: Tool) -> None:
        """Take in a tool; raises ValueError for a second one of the name, or when frozen."""
        self._refuse_when_frozen(added.name)
        if added.name in self._tools:
            raise ValueError(f"two tools are called {added.name!r}")
        self._tools[added.name] = added
        self.publish(added.input_schema)
        self.publish(added.output_schema)

    def publish(self, schema: Schema) -> None:
        """Serve a schema document under its `$id`; raises ValueError for a second one."""
        self._refuse_when_frozen(schema["$id"])
        if schema["$id"] in self.documents:
            raise ValueError(f"two schemas have the $id {schema['$id']!r}")
        self.documents[schema["$id"]] = schema

    def freeze(self) -> None:
        """Work out the self-contained schemas and take nothing more."""
        for added in self:
            self._bundles[added.name] = (
                schemas.bundled(added.input_schema, self.documents),
                schemas.bundled(added.output_schema, self.documents),
            )
        self.frozen = True

    def find(self, name: str) -> Tool:
        """Return the tool; raises ToolError `not_found`."""
        try:
            return self._tools[name]
        except KeyError:
            raise ToolError("not_found", "There is no such tool", {"tool": name[:100]}) from None

    def schemas_of(self, name: str) -> tuple[Schema, Schema]:
        """Return a tool's input and output schemas with nothing left outside them."""
        return self._bundles[name]

    def read_arguments(self, found: Tool, arguments: object) -> BaseModel:
        """Return the arguments by the tool's contract; raises ToolError `invalid_input`."""
        return validate(found.arguments, arguments, self._bundles[found.name][0])

    def _refuse_when_frozen(self, name: str) -> None:
        if self.frozen:
            raise ValueError(f"{name!r} comes too late: the application is ready")


REGISTRY = Registry()
# What is read by its address (`email://…`, `/api/v1/…`) rather than by a tool's name.
RESOURCES = Registry(REGISTRY.documents)


def tool(
    *,
    family: str,
    domain: str,
    effect: Effect,
    seal: SealStep | None = None,
    answer_for: AnswerFor | None = None,
    guard: Guard | None = None,
    touches: Touched | None = None,
    example: dict[str, Any] | None = None,
    registry: Registry = REGISTRY,
) -> Callable[[Run], Run]:
    """Declare a tool; its name, types and docstring are those of the function.

    The function takes `(actor, args)`, and a SEND tool a `Seal` as well: it runs once a person
    has approved what its `seal` step made.
    """
    _check_declaration(domain, effect, seal, answer_for)

    def declare(function: Run) -> Run:
        registry.add(
            Tool(
                **_read_signature(function), family=family, domain=domain, effect=effect,
                run=function, seal=seal, answer_for=answer_for, guard=guard, touches=touches,
                example=example or {},
            )
        )  # fmt: skip
        return function

    return declare


def _check_declaration(
    domain: str, effect: Effect, seal: SealStep | None, answer_for: AnswerFor | None
) -> None:
    if domain not in DOMAINS:
        raise ValueError(f"{domain!r} is none of the domains {sorted(DOMAINS)}")
    if len({effect is Effect.SEND, seal is not None, answer_for is not None}) > 1:
        raise ValueError("a SEND tool has a seal step and answers for it, and no other has")


def _read_signature(function: Run) -> dict[str, Any]:
    hints = get_type_hints(function)
    description = inspect.getdoc(function)
    if not description:
        raise ValueError(f"the tool {function.__name__} has no docstring")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", function.__name__):
        raise ValueError(f"{function.__name__!r} is no name for a tool")
    return {
        "name": function.__name__,
        "description": description,
        "arguments": hints["args"],
        "result": hints["return"],
    }
