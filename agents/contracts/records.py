"""What a tool is, as declared; everything else derives from this record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from agents.contracts import schemas
from agents.contracts.schemas import Schema
from agents.contracts.words import with_words
from inbox.actor import Actor

DOMAINS = frozenset(
    {"inbox", "storage", "comms", "calendar", "admin", "memory", "policy", "time", "control_plane"}
)
# Which folder of schemas a family's documents stand in.
FOLDERS = {
    "mail": "neuralmail/tools",
    "concierge": "concierge/tools",
    "house": "chancery/tools",
    "operations": "operations",
    "unified": "unified",
    "services": "services",
    "mesh": "mesh/tools",
    "resource": "chancery/reads",
}
# The families whose schemas are served exactly as their contracts print them.
PRINTED = frozenset({"mail"})
# The families whose contracts leave the words about each argument to us.
DESCRIBED = frozenset({"house", "operations", "services", "mesh"})
AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Effect(StrEnum):
    """What a tool does to the world; with the domain it is the scope that a token needs."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    DESTROY = "destroy"


class Planned(Generic[AnswerT]):
    """What a tool returns, instead of its answer, where a call of it may need a person.

    `agents.approval.plan.Plan` is what tools write.
    """

    # Whether it sends what it sealed: then it has `seal`, `release` and `answer`.
    sends: ClassVar[bool] = False

    @classmethod
    def release(cls, approved: Any) -> AnswerT:
        """Let what was sealed leave, and return the answer."""
        raise NotImplementedError

    @classmethod
    def answer(cls, approval: Any) -> AnswerT:
        """Return the answer as what was sealed stands, before and after it has left."""
        raise NotImplementedError


Run: TypeAlias = Callable[[Actor, Any], Any]


class Folded(NamedTuple):
    """Where a tool stands within a fold: of which name, under which value of its discriminator.

    `preset` are arguments that this place fixes: given otherwise they are refused.
    """

    fold: str
    branch: str
    preset: Mapping[str, Any] = {}


class Resolved(NamedTuple):
    """The tool that a call means, its own arguments, and where these stand in what was given."""

    tool: "Tool"
    arguments: object
    inside: str


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
    # What `run` returns where calls of it may need a person, instead of the answer itself.
    plan: type[Planned[Any]] | None = field(default=None, repr=False)
    # Arguments as somebody might give them, for the documentation.
    example: dict[str, Any] = field(default_factory=dict, repr=False)
    # The folds that it is a branch of.
    folds: tuple[Folded, ...] = ()
    # Whether it can be called by its own name; the actions of a service cannot.
    listed: bool = True
    # Whether its answer shows texts to the agent: then what these are is kept with the receipt.
    shows: bool = False
    # What the ids of the rows begin with whose text it writes, such as `evt`.
    writes: str = ""
    # Whether a token has to have its scope; what does not is open to every token.
    needs_scope: bool = True

    @cached_property
    def input_schema(self) -> Schema:
        """The schema of the arguments."""
        input_id, _ = self.schema_ids
        described = self.family in DESCRIBED
        takes = schemas.document(self.arguments, input_id, "validation", described=described)
        return takes if self.family in PRINTED else with_words(takes, input_id)

    @cached_property
    def output_schema(self) -> Schema:
        """The schema of the answer."""
        return schemas.document(self.result, self.schema_ids[1], "serialization")

    @property
    def exact_schemas(self) -> tuple[Schema, Schema]:
        """The schemas of arguments and answer; those of a fold say more than its plain ones."""
        return self.input_schema, self.output_schema

    @property
    def scope(self) -> str:
        """The scope that a token needs, like `inbox:read`."""
        return f"{self.domain}:{self.effect}"

    def opens_to(self, scopes: frozenset[str], only: frozenset[str] = frozenset()) -> bool:
        """Return True if a token of these scopes may call it.

        `only` are the names of the tools that the token is for; empty: whichever its scopes open.
        """
        if not self.needs_scope:
            return True
        return self.scope in scopes and (not only or self.name in only)

    @property
    def tools(self) -> tuple["Tool", ...]:
        """What a call of this name may run: itself."""
        return (self,)

    @property
    def effects(self) -> frozenset[Effect]:
        """What it may do to the world."""
        return frozenset({self.effect})

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes that its calls need: its own, or none."""
        return frozenset({self.scope}) if self.needs_scope else frozenset()

    @property
    def asks_a_person(self) -> bool:
        """Whether calls of it may wait for a person."""
        return self.plan is not None

    @property
    def sends(self) -> bool:
        """Whether calls of it may reach somebody outside."""
        return self.plan is not None and self.plan.sends

    @property
    def schema_ids(self) -> tuple[str, str]:
        """The `$id`s of the input and output schemas."""
        stem = f"{FOLDERS[self.family]}/{self.name}"
        return f"{stem}.input.json", f"{stem}.output.json"

    @property
    def has_absent_fields(self) -> bool:
        """Whether answers leave out what is not there; the concierge's and mesh's say null."""
        return self.family not in {"concierge", "mesh"}

    def resolve(self, arguments: object) -> Resolved:
        """Return what a call of this name runs."""
        return Resolved(self, arguments, "")
