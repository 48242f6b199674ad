"""What the OpenAPI document says of a view, from its tool or resource."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from pydantic import BaseModel

from agents.contracts import DECISIONS, REGISTRY, RESOURCES, Declared, Effect, Tool
from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.schemas import Schema, bundled, plain
from agents.errors import STATUSES
from agents.surfaces.openapi import parts

_COMPONENTS = "#/components/schemas/"
_TOKEN: list[Schema] = [{"token": []}]
_SESSION: list[Schema] = [{"session": []}]
_TOKEN_OR_SESSION = [*_TOKEN, *_SESSION]
# Refused before it is known what was called, and so in the house shape whatever the family.
_EARLY = frozenset({"400", "413"})
_NO_CONTENT = "304"


class MeshError(Closed):
    """An error of the mesh."""

    error: str
    error_code: str
    tool: str
    timestamp: Moment


class ServiceErrorData(Closed):
    """Which error it is, and what of the call it is about."""

    code: str
    details: OrAbsent[dict[str, Any]] = None


class ServiceError(Closed):
    """An error of a service."""

    status: Literal["error"]
    data: ServiceErrorData
    message: str


_FAMILY_ERRORS: dict[str, type[BaseModel]] = {"mesh": MeshError, "services": ServiceError}


class ContractSchema(AutoSchema):
    """Describes a view by its tool or resource instead of by serializers.

    A view that has neither says itself what it answers: `operation` is its name and `answer` the
    model, or `described` has a function for each method that makes the operation.
    """

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> Any:
        """Return the operation of a view that has a contract; None leaves others out."""
        self.registry = registry
        view, verb = cast("Any", self.view), method.lower()
        describe = getattr(view, "described", {}).get(verb)
        if describe is not None:
            return describe(self, path)
        declared: Declared | None = getattr(view, "tool", None)
        if declared is not None:
            return self._describe_tool(declared)
        if hasattr(view, "answer"):
            return self._describe_plain(view.operation, view.answer)
        if hasattr(view, "download"):
            return self._describe_download(RESOURCES.tool(view.download), path, view.media_type)
        if hasattr(view, "decision"):
            return self._describe_write(view.decision, path, "post", _SESSION)
        return self._describe_resource(view, path, verb)

    def _describe_resource(self, view: Any, path: str, verb: str) -> Schema | None:
        name = getattr(view, "resources", {}).get(verb)
        if name is None:
            return None
        resource = getattr(view, "held_in", RESOURCES).tool(name)
        if getattr(view, "is_bytes", False) and verb in {"get", "put"}:
            return self._describe_bytes(resource, path, verb)
        if verb == "get":
            return self._describe_reading(resource, path)
        return self._describe_write(resource, path, verb, _TOKEN)

    # -- tools -------------------------------------------------------------------------------------
    def _describe_tool(self, tool: Declared) -> Schema:
        content: Schema = {"schema": self._schema(tool.exact_schemas[0], f"{tool.name}.input")}
        if tool.example:
            content["examples"] = {tool.name: {"value": tool.example}}
        answer = self._answer(tool.exact_schemas[1], tool.name, parts.CALL_HEADERS)
        return {
            **_words(tool, tool.family, _TOKEN),
            "parameters": [parts.IDEMPOTENCY_KEY, parts.FORM_OF_CALL],
            "requestBody": {"required": True, "content": {"application/json": content}},
            "responses": {"200": answer, **self._errors(parts.TOOL_ERRORS, tool.family)},
        }

    # -- resources ---------------------------------------------------------------------------------
    def _describe_plain(self, name: str, answer: type[BaseModel]) -> Schema:
        """Describe a view that takes no arguments and needs no scope."""
        return {
            "operationId": name,
            "summary": inspect.getdoc(answer),
            "description": f"{inspect.getdoc(cast('Any', self.view))}\n\nNeeds no scope.",
            "tags": ["resources"],
            "security": _TOKEN,
            "responses": {
                "200": self._answer(plain(answer, "serialization"), name, {}),
                **self._errors(parts.PLAIN_ERRORS),
            },
        }

    def _describe_reading(self, resource: Tool, path: str) -> Schema:
        answer = self._answer(resource.output_schema, resource.name, parts.READ_HEADERS)
        return {
            **_words(resource, "resources", _TOKEN_OR_SESSION),
            "parameters": [*self._parameters(resource, path), parts.IF_NONE_MATCH],
            "responses": {
                "200": answer,
                _NO_CONTENT: parts.NOT_MODIFIED,
                **self._errors(parts.READ_ERRORS),
            },
        }

    def _describe_download(self, resource: Tool, path: str, media_type: str) -> Schema:
        return {
            **_words(resource, "resources", _TOKEN),
            "parameters": [*self._parameters(resource, path), parts.IF_NONE_MATCH],
            "responses": {
                "200": parts.bytes_of(media_type),
                _NO_CONTENT: parts.NOT_MODIFIED,
                **self._errors(parts.READ_ERRORS),
            },
        }

    def _describe_bytes(self, resource: Tool, path: str, verb: str) -> Schema:
        """Describe an address whose body is the bytes themselves, either way."""
        if verb == "get":
            described = self._describe_download(resource, path, "application/octet-stream")
            # Made anew for each call: there is no tag to ask with.
            described["parameters"].remove(parts.IF_NONE_MATCH)
            del described["responses"][_NO_CONTENT]
            return {**described, "responses": {**described["responses"], "200": parts.FILE}}
        headers = {**parts.CALL_HEADERS, **parts.LOCATION}
        return {
            **_words(resource, "resources", _TOKEN),
            "parameters": [
                *self._parameters(resource, path, only_path=True), parts.IDEMPOTENCY_KEY,
            ],
            "requestBody": {"required": True, "content": parts.BINARY},
            "responses": {
                "201": self._answer(resource.output_schema, resource.name, headers),
                **self._errors(parts.WRITE_ERRORS),
            },
        }  # fmt: skip

    def describe_forms(self, path: str, forms: Mapping[str, str]) -> Schema:
        """Describe an address that tells the same in several forms: resources by `format`."""
        each = [self._describe_reading(RESOURCES.tool(name), path) for name in forms.values()]
        first = each[0]
        content = [one["responses"]["200"]["content"]["application/json"] for one in each]
        content[0]["schema"] = {"anyOf": [one["schema"] for one in content]}
        others = [one for one in first["parameters"] if one["name"] != "format"]
        return {**first, "parameters": [*others, parts.form_of(forms)]}

    def describe_answering(
        self, path: str, words: Schema, body: Schema, forms: Iterable[str]
    ) -> Schema:
        """Describe an address that decides in other forms: `body` is the schema of these."""
        described = self._describe_write(DECISIONS.tool("decide_approval"), path, "post", _SESSION)
        parameters = [
            *described["parameters"], {**parts.IF_MATCH, "required": False}, parts.form_of(forms)
        ]  # fmt: skip
        errors = self._errors(parts.CONDITIONAL_ERRORS)
        content = {"application/json": {"schema": self._schema(body, "")}}
        return {
            **described, **words, "parameters": parameters,
            "requestBody": {"required": True, "content": content},
            "responses": {**described["responses"], **errors},
        }  # fmt: skip

    def _describe_write(self, resource: Tool, path: str, verb: str, security: Any) -> Schema:
        parameters = self._parameters(resource, path, only_path=True)
        conditional = "if_match" in resource.input_schema["properties"]
        errors = parts.WRITE_ERRORS + (parts.CONDITIONAL_ERRORS if conditional else ())
        headers = {**parts.CALL_HEADERS, **({} if verb == "delete" else parts.STATE_HEADERS)}
        if security is _SESSION:
            parameters.append(parts.CSRF_TOKEN)
            headers = parts.CALL_HEADERS
        if conditional:
            parameters.append(parts.IF_MATCH)
        status = "201" if resource.effect is Effect.WRITE and verb == "post" else "200"
        if security is _SESSION:
            status = "200"
        if status == "201":
            headers = {**headers, **parts.LOCATION}
        described: Schema = {
            **_words(resource, "resources", security),
            "parameters": [*parameters, parts.IDEMPOTENCY_KEY],
            "responses": {
                status: self._answer(resource.output_schema, resource.name, headers),
                **self._errors(errors),
            },
        }
        body = self._body(resource, {one["name"] for one in parameters} | {"if_match"})
        return {**described, "requestBody": body} if body else described

    def _parameters(self, resource: Tool, path: str, *, only_path: bool = False) -> list[Schema]:
        """Return the arguments that stand in the address, and unless `only_path` in its query."""
        required = resource.input_schema.get("required", ())
        found = []
        for name, schema in resource.input_schema.get("properties", {}).items():
            in_path = f"{{{name}}}" in path
            if only_path and not in_path:
                continue
            parameter = {
                "name": name,
                "in": "path" if in_path else "query",
                "required": in_path or name in required,
                "schema": self._schema(schema, ""),
            }
            found.append(parameter)
        return found

    def _body(self, resource: Tool, elsewhere: set[str]) -> Schema:
        """Return the body of a write: the arguments that do not stand in the address or headers."""
        whole = resource.input_schema
        fields = {
            name: schema for name, schema in whole["properties"].items() if name not in elsewhere
        }
        if not fields:
            return {}
        schema: Schema = {**whole, "properties": fields}
        schema["required"] = [name for name in whole.get("required", ()) if name in fields]
        if not schema["required"]:
            # What changes nothing is refused.
            schema["minProperties"] = 1
            del schema["required"]
        named = self._schema(schema, f"{resource.name}.input")
        return {"required": True, "content": {"application/json": {"schema": named}}}

    # -- answers and errors ------------------------------------------------------------------------
    def _answer(self, schema: Schema, name: str, headers: Schema) -> Schema:
        content = {"application/json": {"schema": self._schema(schema, f"{name}.output")}}
        answer: Schema = {"description": "The answer.", "content": content}
        return {**answer, "headers": headers} if headers else answer

    def _errors(self, statuses: tuple[str, ...], family: str = "") -> Schema:
        return {status: self._error(status, family) for status in statuses}

    def _error(self, status: str, family: str) -> Schema:
        code, words = parts.ERRORS[status]
        codes = [name for name, number in STATUSES.items() if str(number) == status]
        house = self._schema(REGISTRY.documents["neuralmail/errors.json"], "errors")
        schema = house
        content: Schema = {"example": {"code": code, "message": words.replace("`", "")}}
        model = _FAMILY_ERRORS.get(family)
        if model is not None:
            schema = self._schema(plain(model, "serialization"), f"{family}.error")
            content = {}
        if model is not None and status in _EARLY:
            schema = {"anyOf": [schema, house]}
        content["schema"] = schema
        return {
            "description": f"{words} Codes: {', '.join(codes)}.",
            "headers": parts.ERROR_HEADERS.get(status, {}),
            "content": {"application/json": content},
        }

    def _schema(self, schema: Schema, name: str) -> Schema:
        """Return the schema as OpenAPI refers to it; what it needs goes into the components."""
        body = bundled(schema, REGISTRY.documents, _COMPONENTS)
        for part, content in body.pop("$defs", {}).items():
            self._add(part, _without_contradiction(content))
        body.pop("$schema", None)
        body = dict(_without_contradiction(body))
        if not name:
            return body
        if "discriminator" in body:
            body = self._with_named_branches(body, name)
        self._add(name, body)
        return {"$ref": _COMPONENTS + name}

    def _with_named_branches(self, union: Schema, name: str) -> Schema:
        """Return a union whose branches have names: only by these can a discriminator choose."""
        field = union["discriminator"]["propertyName"]
        mapping = {}
        for branch in union["oneOf"]:
            value = branch["properties"][field]["const"]
            own = f"{name}.{value}"
            self._add(own, branch)
            mapping[value] = _COMPONENTS + own
        chosen = {"propertyName": field, "mapping": mapping}
        branches = [{"$ref": ref} for ref in mapping.values()]
        return {**union, "oneOf": branches, "discriminator": chosen}

    def _add(self, name: str, schema: Schema) -> None:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name
        )
        if component in self.registry and self.registry[component].schema != schema:
            raise ValueError(f"two schemas are called {name!r} in the OpenAPI document")
        self.registry.register_on_missing(component)


def _without_contradiction(schema: Any) -> Any:
    """Leave out a default that the schema itself refuses: `confirm` is true, and not by itself."""
    if isinstance(schema, list):
        return [_without_contradiction(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    refused = "const" in schema and schema.get("default", schema["const"]) != schema["const"]
    return {
        name: _without_contradiction(value)
        for name, value in schema.items()
        if not (refused and name == "default")
    }


def _words(declared: Declared, tag: str, security: Any) -> Schema:
    scopes = ", ".join(f"`{scope}`" for scope in sorted(declared.scopes))
    needs = f"Scope: {scopes}" if scopes else "Needs no scope."
    if security is _SESSION:
        needs = "Needs a person who is signed in."
    return {
        "operationId": declared.name,
        "summary": declared.description.partition("\n")[0],
        "description": f"{declared.description}\n\n{needs}",
        "tags": [tag],
        "security": security,
    }
