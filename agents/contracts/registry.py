"""The tools by name, and every schema by `$id`."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic import BaseModel

from agents.contracts import schemas
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

    def __init__(self, documents: dict[str, Schema] | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._folds = {fold.name: fold for fold in declare_folds()}
        self._bundles: dict[str, tuple[Schema, Schema]] = {}
        self.documents: dict[str, Schema] = {} if documents is None else documents
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
        self.publish(added.input_schema)
        self.publish(added.output_schema)
        for place in added.folds:
            branches = self._folds[place.fold].branches
            if place.branch in branches:
                raise ValueError(f"{place.fold!r} has two branches {place.branch!r}")
            branches[place.branch] = Branch(added, dict(place.preset))
            if added.listed and not place.preset:
                names = {added.name: f"`{place.fold} {place.branch}`"}
                for fold in self._folds.values():
                    fold.names.update(names)

    def publish(self, schema: Schema) -> None:
        """Serve a schema document under its `$id`; raises ValueError for a second one."""
        self._refuse_when_frozen(schema["$id"])
        if schema["$id"] in self.documents:
            raise ValueError(f"two schemas have the $id {schema['$id']!r}")
        self.documents[schema["$id"]] = schema

    def freeze(self) -> None:
        """Work out the self-contained schemas and take nothing more."""
        folds = [fold for fold in self._folds.values() if fold.branches]
        for fold in folds:
            fold.sort()
            for schema in fold.exact_schemas:
                self.publish(schema)
        every: list[Declared] = [*self._tools.values(), *folds]
        for declared in every:
            self._bundles[declared.name] = (
                schemas.bundled(declared.input_schema, self.documents),
                schemas.bundled(declared.exact_schemas[1], self.documents),
            )
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
        """Return the input and output schemas of a name with nothing left outside them."""
        return self._bundles[name]

    def read_arguments(self, found: Tool, arguments: object) -> BaseModel:
        """Return the arguments by the tool's contract; raises ToolError `invalid_input`."""
        return validate(found.arguments, arguments, self._bundles[found.name][0])

    def leave_out_nulls(self, name: str, arguments: object) -> Any:
        """Return the arguments of a call as a model's client means them: null says nothing.

        For calls over MCP and function calling; by REST a null is refused where none is taken.
        """
        bundle = self._bundles.get(name)
        return arguments if bundle is None else without_nulls(arguments, bundle[0])

    def _refuse_when_frozen(self, name: str) -> None:
        if self.frozen:
            raise ValueError(f"{name!r} comes too late: the application is ready")


REGISTRY = Registry()
# What is read by its address (`email://…`, `/api/v1/…`) rather than by a tool's name.
RESOURCES = Registry(REGISTRY.documents)
# What only a person decides: apart from what agents read, with no scope that a token could hold.
DECISIONS = Registry(REGISTRY.documents)
