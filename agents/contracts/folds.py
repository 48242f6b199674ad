"""Names that fold several tools into one: the unified verbs, and services with actions.

A fold has no behaviour of its own. A call of it names a branch by the discriminator; that branch's
tool checks the arguments and does the work.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from agents.contracts import folded
from agents.contracts.records import FOLDERS, Effect, Resolved, Tool
from agents.contracts.schemas import DIALECT, Schema
from agents.errors import invalid


@dataclass(frozen=True)
class Branch:
    """One value of a discriminator: the tool it stands for, and the arguments that it fixes."""

    tool: Tool
    preset: dict[str, Any]


@dataclass(frozen=True)
class Fold:
    """Several tools under one name.

    `discriminator` is the field that names the branch. The branch's arguments stand in the object
    `parameters` (`inner`), or, where `inner` is empty, beside the discriminator.
    """

    name: str
    description: str
    family: str
    discriminator: str
    inner: str
    # The branches in the order of the contract; what is added to these comes after them.
    order: tuple[str, ...] = ()
    branches: dict[str, Branch] = field(default_factory=dict, repr=False)
    # What the operations are called among the verbs: `account_list` is `auth list`.
    names: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What a call of this name may run."""
        return tuple({branch.tool.name: branch.tool for branch in self.branches.values()}.values())

    @property
    def effects(self) -> frozenset[Effect]:
        """What it may do to the world."""
        return frozenset(tool.effect for tool in self.tools)

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes that its calls need, each branch one of them."""
        return frozenset(tool.scope for tool in self.tools)

    @property
    def asks_a_person(self) -> bool:
        """Whether calls of it may wait for a person."""
        return any(tool.asks_a_person for tool in self.tools)

    @property
    def example(self) -> dict[str, Any]:
        """Arguments as somebody might give them: those of the first branch."""
        value, branch = next(iter(self.branches.items()))
        given = {name: branch.tool.example[name] for name in branch.tool.example}
        inner = {name: words for name, words in given.items() if name not in branch.preset}
        return {self.discriminator: value, **({self.inner: inner} if self.inner else inner)}

    @property
    def schema_ids(self) -> tuple[str, str]:
        """The `$id`s of the input and output schemas."""
        stem = f"{FOLDERS[self.family]}/{self.name}"
        return f"{stem}.input.json", f"{stem}.output.json"

    @property
    def input_schema(self) -> Schema:
        """The schema of the arguments as lists of tools show it: a plain object at its root."""
        body = folded.plain_root(self.name, self.discriminator, self.inner, self._retold_parts)
        return {"$id": self.schema_ids[0], **body}

    @property
    def output_schema(self) -> Schema:
        """The schema of the answer as lists of tools show it: of verbs, only of which kind."""
        if self.family == "services":
            return self.exact_schemas[1]
        kind = folded.kind_of_answers([tool.output_schema for tool in self.tools])
        return {"$id": self.schema_ids[1], **kind}

    @property
    def exact_schemas(self) -> tuple[Schema, Schema]:
        """The schemas of arguments and answer that say exactly what each branch takes and gives."""
        takes = folded.union(self.discriminator, self.inner, self._parts)
        gives = folded.union_of_answers([tool.schema_ids[1] for tool in self.tools])
        if self.family == "services":
            gives = _in_envelope(gives)
        input_id, output_id = self.schema_ids
        return (
            {"$id": input_id, "$schema": DIALECT, **takes},
            {"$id": output_id, "$schema": DIALECT, **gives},
        )

    @property
    def _parts(self) -> list[folded.Part]:
        return [
            folded.Part(value, branch.tool.description, branch.tool.input_schema, branch.preset)
            for value, branch in self.branches.items()
        ]

    @property
    def _retold_parts(self) -> list[folded.Part]:
        """The branches in words for who sees only the verbs."""
        return [self._retold(part) if self.family == "unified" else part for part in self._parts]

    def _retold(self, part: folded.Part) -> folded.Part:
        # What takes an operation by its name goes on to speak of these names.
        names = {} if "operation" in part.fields else self.names
        description = folded.retold(part.description, names)
        return replace(part, description=description, schema=folded.retold(part.schema, names))

    def sort(self) -> None:
        """Put the branches into the order of the contract, whichever was declared first."""
        known = {value: self.branches[value] for value in self.order if value in self.branches}
        added = {value: branch for value, branch in self.branches.items() if value not in known}
        self.branches.clear()
        self.branches.update(known | added)

    def resolve(self, arguments: object) -> Resolved:
        """Return the tool that the discriminator names, with its arguments.

        Raises ToolError `invalid_input`.
        """
        if not isinstance(arguments, dict):
            raise invalid("", "is no JSON object", "an object")
        branch = self._branch(arguments)
        rest = {name: value for name, value in arguments.items() if name != self.discriminator}
        if not self.inner:
            return Resolved(branch.tool, rest, "")
        self._check_envelope(rest)
        own = rest[self.inner]
        inside = f"/{self.inner}"
        return Resolved(branch.tool, _with_preset(own, branch.preset, inside), inside)

    def _branch(self, arguments: dict[str, Any]) -> Branch:
        accepted = "one of " + ", ".join(self.branches)
        if self.discriminator not in arguments:
            raise invalid(f"/{self.discriminator}", "is required", accepted)
        value = arguments[self.discriminator]
        branch = self.branches.get(value) if isinstance(value, str) else None
        if branch is None:
            raise invalid(f"/{self.discriminator}", "is not accepted", accepted)
        return branch

    def _check_envelope(self, rest: dict[str, Any]) -> None:
        fields = f"the fields {self.discriminator}, {self.inner}"
        for name in rest:
            if name != self.inner:
                raise invalid(f"/{name[:100]}", "is no field of this", fields)
        if not isinstance(rest.get(self.inner), dict):
            words = "is no JSON object" if self.inner in rest else "is required"
            raise invalid(f"/{self.inner}", words, "an object")


def _in_envelope(answer: Schema) -> Schema:
    fields = {"status": {"const": "success"}, "data": answer, "message": {"type": "null"}}
    return {
        "type": "object", "properties": fields, "required": list(fields),
        "additionalProperties": False,
    }  # fmt: skip


def _with_preset(arguments: dict[str, Any], preset: dict[str, Any], inside: str) -> dict[str, Any]:
    """Return the arguments with what the branch fixes; the same given in so many words is fine."""
    for name, value in preset.items():
        if name in arguments and arguments[name] not in (value, [value]):
            raise invalid(f"{inside}/{name}", "is fixed by the resource", str(value))
    return {**arguments, **preset}


# What each is for, and its branches in the order in which the contracts name them.
UNIFIED = {
    "list": (
        "List what an account holds: emails, events, contacts or files.",
        "emails events contacts files",
    ),
    "get": (
        "Get one thing whole: an email, attachment, event, contact or file, or availability.",
        "email attachment event availability contact file",
    ),
    "create": (
        "Create an email draft, an event, a contact or a file.",
        "email_draft event contact file",
    ),
    "send": (
        "Send an email. A person approves exactly what leaves; until then it is queued.",
        "email",
    ),
    "reply": (
        "Reply to an email, to all of its recipients, or to an invitation. A person approves it.",
        "email email_all event",
    ),
    "update": ("Change an email, an event, a contact or a file.", "email event contact file"),
    "move": ("Move an email into another folder of its account.", "email"),
    "delete": (
        "Delete an email, event, contact, file or calendar; a person can restore it.",
        "email event contact file calendar",
    ),
    "search": (
        "Search emails, events and files by words, one kind of them or all.",
        "emails events files unified",
    ),
    "auth": (
        "List the accounts, and ask a person for another one.",
        "list authenticate complete",
    ),
    "cache": (
        "Look after the local mirror of the accounts and its tasks.",
        "get_stats invalidate task_enqueue task_status task_list warming_status",
    ),
}
SERVICES = {
    "google_tasks_service": (
        "List, create, update and delete the to-dos of the default list.",
        "list create update delete",
    ),
    "google_calendar_service": (
        "List, create, update and delete events of the calendars.",
        "list create update delete",
    ),
    "internal_memory_service": (
        "Save something to remember, and search what was saved.",
        "save search",
    ),
    "internal_scheduler_service": (
        "Have a note or a command come due at a time, or cancel it.",
        "create cancel",
    ),
}


def declare_folds() -> list[Fold]:
    """Return the folds of the contracts, still without branches."""
    verbs = [
        Fold(name, words, "unified", "resource", "parameters", tuple(order.split()))
        for name, (words, order) in UNIFIED.items()
    ]
    services = [
        Fold(name, words, "services", "action", "", tuple(order.split()))
        for name, (words, order) in SERVICES.items()
    ]
    return [*verbs, *services]
