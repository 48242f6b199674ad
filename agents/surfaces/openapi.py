"""OpenAPI 3.1 from the registry, and the page to browse it."""

import inspect
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularAPIView
from pydantic import BaseModel

from agents.contracts import REGISTRY, RESOURCES, Registry, Tool
from agents.contracts.schemas import Schema, bundled, plain
from agents.errors import STATUSES

_COMPONENTS = "#/components/schemas/"
_ERRORS = {
    "400": ("invalid_input", "A field is wrong; `details` names it and what it accepts."),
    "401": ("unauthenticated", "There is no valid token."),
    "403": ("permission_denied", "The token lacks the scope, or a person must decide first."),
    "404": ("not_found", "There is no such row, or the caller may not see it."),
    "409": ("conflict", "It cannot be done as things stand, or is being done already."),
    "413": ("too_large", "The body is too large."),
    "415": ("unsupported_media_type", "The body is no plain JSON."),
    "422": ("idempotency_conflict", "The idempotency key was used for another call."),
    "500": ("internal", "Something went wrong on our side."),
    "502": ("provider_error", "The mail server refused."),
}
_READ_ERRORS = ("400", "401", "403", "404", "500")
_KEY_HEADER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key and content get the same answer, and one effect.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


class ContractSchema(AutoSchema):
    """Describes a view by its tool or resource instead of by serializers."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> Any:
        """Return the operation of a view that has a contract; None leaves others out."""
        self.registry = registry
        declared: Tool | None = getattr(self.view, "tool", None)
        if declared is not None:
            return self._describe_tool(declared)
        answer: type[BaseModel] | None = getattr(self.view, "answer", None)
        if answer is not None:
            return self._describe_plain(answer)
        name = getattr(self.view, "resource", None)
        return self._describe_resource(RESOURCES.find(name), path) if name else None

    def _describe_plain(self, answer: type[BaseModel]) -> Schema:
        """Describe a view that takes no arguments and needs no scope."""
        name: str = cast("Any", self.view).operation
        schema = self._schema(plain(answer, "serialization"), f"{name}.output")
        content = {"application/json": {"schema": schema}}
        return {
            "operationId": name,
            "summary": inspect.getdoc(answer),
            "tags": ["resources"],
            "security": [{"token": []}],
            "responses": {
                "200": {
                    "description": "The answer.",
                    "content": content,
                },
                **{status: self._error(status) for status in ("401", "500")},
            },
        }

    def _describe_tool(self, tool: Tool) -> Schema:
        content: Schema = {"schema": self._schema(tool.input_schema, f"{tool.name}.input")}
        if tool.example:
            content["examples"] = {tool.name: {"value": tool.example}}
        return {
            **self._describe(tool, REGISTRY, tuple(_ERRORS)),
            "tags": [tool.family],
            "parameters": [_KEY_HEADER],
            "requestBody": {"required": True, "content": {"application/json": content}},
        }

    def _describe_resource(self, resource: Tool, path: str) -> Schema:
        fields = RESOURCES.schemas_of(resource.name)[0]
        parameters = [
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in path else "query",
                "required": name in fields.get("required", ()),
                "schema": self._schema(schema, ""),
            }
            for name, schema in resource.input_schema.get("properties", {}).items()
        ]
        described = self._describe(resource, RESOURCES, _READ_ERRORS)
        return {**described, "tags": ["resources"], "parameters": parameters}

    def _describe(self, tool: Tool, registry: Registry, errors: tuple[str, ...]) -> Schema:
        answer = {"schema": self._schema(tool.output_schema, f"{tool.name}.output")}
        return {
            "operationId": tool.name,
            "summary": tool.description.partition("\n")[0],
            "description": f"{tool.description}\n\nScope: `{tool.scope}`",
            "security": [{"token": []}],
            "responses": {
                "200": {"description": "The answer.", "content": {"application/json": answer}},
                **{status: self._error(status) for status in errors},
            },
        }

    def _error(self, status: str) -> Schema:
        code, words = _ERRORS[status]
        codes = [name for name, number in STATUSES.items() if str(number) == status]
        schema = self._schema(REGISTRY.documents["neuralmail/errors.json"], "errors")
        example = {"code": code, "message": words.replace("`", "")}
        return {
            "description": f"{words} Codes: {', '.join(codes)}.",
            "content": {"application/json": {"schema": schema, "example": example}},
        }

    def _schema(self, schema: Schema, name: str) -> Schema:
        """Return the schema as OpenAPI refers to it; what it needs goes into the components."""
        body = bundled(schema, REGISTRY.documents, _COMPONENTS)
        for part, content in body.pop("$defs", {}).items():
            self._add(part, content)
        body.pop("$schema", None)
        if not name:
            return body
        self._add(name, body)
        return {"$ref": _COMPONENTS + name}

    def _add(self, name: str, schema: Schema) -> None:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name
        )
        self.registry.register_on_missing(component)


openapi_view = SpectacularAPIView.as_view(renderer_classes=[OpenApiJsonRenderer])


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """Show the API, to read and to try."""
    return render(request, "chancery/api_docs.html")
