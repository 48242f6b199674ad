"""The tools by name, and every schema by `$id`."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from pydantic import BaseModel

from agents.contracts import schemas
from agents.contracts.documents import Documents
from agents.contracts.folds import Branch, Fold, declare_folds
from agents.contracts.nulls import without_nulls
from agents.contracts.records import Tool
from agents.contracts.schemas import Schema
from agents.contracts.validation import validate
from agents.errors import ToolError

# What can be called by its name.
Declared: TypeAlias = Tool | Fold


class Registry:
    """The tools by name, and every schema by `$id`. Frozen once the application is ready.

    It iterates over what is listed: the tools, then the folds that have branches.
    """

    def __init__(self, documents: Documents | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._folds = {fold.name: fold for fold in declare_folds()}
        self._bundles: dict[str, tuple[Schema, Schema]] = {}
        self.documents = Documents() if documents is None else documents
        self.frozen = False

    def __iter__(self) -> Iterator[Declared]:
        yield from (tool for tool in self._tools.values() if tool.listed)
        yield from (fold for fold in self._folds.values() if fold.branches)

    def __contains__(self, name: str) -> bool:
        return any(declared.name == name for declared in self)

    @property
    def tools(self) -> list[Tool]:
        """Every tool, the actions of services among them."""
        return list(self._tools.values())

    def add(self, added: Tool) -> None:
        """Take in a tool; raises ValueError for a second one of the name, or when frozen."""
        self._refuse_when_frozen(added.name)
        if added.name in self._tools or added.name in self._folds:
            raise ValueError(f"two tools are called {added.name!r}")
        self._tools[added.name] = added
        input_id, output_id = added.schema_ids
        self.publish(input_id, lambda: added.input_schema)
        self.publish(output_id, lambda: added.output_schema)
        for place in added.folds:
            branches = self._folds[place.fold].branches
            if place.branch in branches:
                raise ValueError(f"{place.fold!r} has two branches {place.branch!r}")
            branches[place.branch] = Branch(added, dict(place.preset))
            if added.listed and not place.preset:
                names = {added.name: f"`{place.fold} {place.branch}`"}
                for fold in self._folds.values():
                    fold.names.update(names)

    def publish(self, schema_id: str, make: Callable[[], Schema]) -> None:
        """Serve the document that this makes; raises ValueError for a second one of its `$id`."""
        self._refuse_when_frozen(schema_id)
        self.documents.add(schema_id, make)

    def publish_model(self, model: Any, schema_id: str) -> None:
        """Serve the schema of an answer, or a part of one, as a document of its own."""
        self.publish(schema_id, partial(schemas.document, model, schema_id, "serialization"))

    def freeze(self) -> None:
        """Put the folds in order and take nothing more."""
        for fold in self._folds.values():
            if fold.branches:
                fold.sort()
                for place, schema_id in enumerate(fold.schema_ids):
                    self.publish(schema_id, partial(_exact_schema, fold, place))
        self.frozen = True

    def find(self, name: str) -> Declared:
        """Return what can be called by this name; raises ToolError `not_found`."""
        tool = self._tools.get(name)
        if tool is not None and tool.listed:
            return tool
        fold = self._folds.get(name)
        if fold is not None and fold.branches:
            return fold
        raise ToolError("not_found", "There is no such tool", {"tool": name[:100]})

    def tool(self, name: str) -> Tool:
        """Return the tool that does the work under this name, an action of a service or another.

        Raises ToolError `not_found`.
        """
        try:
            return self._tools[name]
        except KeyError:
            raise ToolError("not_found", "There is no such tool", {"tool": name[:100]}) from None

    def schemas_of(self, name: str) -> tuple[Schema, Schema]:
        """Return the input and output schemas of a name with nothing left outside them.

        Raises KeyError for a name that is none.
        """
        if name not in self._bundles:
            declared: Declared = self._tools[name] if name in self._tools else self._folds[name]
            self._bundles[name] = (
                schemas.bundled(declared.input_schema, self.documents),
                schemas.bundled(declared.exact_schemas[1], self.documents),
            )
        return self._bundles[name]

    def read_arguments(self, found: Tool, arguments: object) -> BaseModel:
        """Return the arguments by the tool's contract; raises ToolError `invalid_input`."""
        return validate(found.arguments, arguments, self.schemas_of(found.name)[0])

    def leave_out_nulls(self, name: str, arguments: object) -> Any:
        """Return the arguments of a call as a model's client means them: null says nothing.

        For calls over MCP and function calling; by REST a null is refused where none is taken.
        """
        fold = self._folds.get(name)
        is_known = name in self._tools or (fold is not None and bool(fold.branches))
        return without_nulls(arguments, self.schemas_of(name)[0]) if is_known else arguments

    def _refuse_when_frozen(self, name: str) -> None:
        if self.frozen:
            raise ValueError(f"{name!r} comes too late: the application is ready")


def _exact_schema(fold: Fold, place: int) -> Schema:
    return fold.exact_schemas[place]


REGISTRY = Registry()
# What is read by its address (`email://…`, `/api/v1/…`) rather than by a tool's name.
RESOURCES = Registry(REGISTRY.documents)
# What only a person decides: apart from what agents read, with no scope that a token could hold.
DECISIONS = Registry(REGISTRY.documents)
