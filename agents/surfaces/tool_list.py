"""`GET /api/tools`: the list of tools, in our own form or in that of a vendor of models."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from rest_framework.request import Request

from agents.contracts import REGISTRY, Declared, Effect
from agents.contracts.fields import Closed
from agents.errors import ToolError, invalid
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profile_names import DEFAULT
from agents.surfaces.mcp.profiles import Profile, find_profile
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.rest import ApiView

_TAKEN = ("format", "profile")


class ListedTool(Closed):
    """A tool, with its schemas self-contained."""

    name: str
    description: str
    family: str
    effects: list[Effect]
    scopes: list[str]
    asks_a_person: bool
    input_schema_id: str
    output_schema_id: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]


class ToolList(Closed):
    """Every tool, with its schemas and the scope that it needs."""

    tools: list[ListedTool]


class ToolListView(ApiView):
    """GET lists the tools."""

    http_method_names = ["get", "head"]
    schema = ContractSchema()
    operation = "list_tools"
    answer = ToolList

    def get(self, request: Request) -> HttpResponse:
        """Return every tool with its schemas, self-contained.

        With `?format=` those that the token may call, in that form: the few unified ones, or those
        of `&profile=`, which names one or, joined by `+`, several.
        """
        form, profile = _read_query(request._request)
        if form is None:
            return JsonResponse({"tools": [describe_tool(one) for one in REGISTRY]})
        tools = list_tools(form, profile, self.actor.scopes, self.actor.tools)
        # As short as can be: it stands in the context of a model.
        short = {"separators": (",", ":"), "ensure_ascii": False}
        return JsonResponse({"tools": tools}, json_dumps_params=short)


def _read_query(request: HttpRequest) -> tuple[str | None, Profile]:
    """Return (format, profile); raises ToolError `invalid_input`."""
    for name in request.GET:
        if name not in _TAKEN:
            raise invalid(f"/{name[:100]}", "is no parameter of this", ", ".join(_TAKEN))
    form, profile = request.GET.get("format"), request.GET.get("profile")
    if form is None and profile is not None:
        raise invalid("/format", "is required with a profile", f"one of {', '.join(FORMATS)}")
    if form is not None and form not in FORMATS:
        raise invalid("/format", "is not accepted", f"one of {', '.join(FORMATS)}")
    try:
        return form, find_profile(profile or DEFAULT)
    except ToolError as error:
        accepted = error.details["accepted"]
        raise invalid("/profile", "is not accepted", accepted) from None


def describe_tool(tool: Declared) -> dict[str, Any]:
    """Return a tool as `GET /api/tools` lists it."""
    input_schema, output_schema = REGISTRY.schemas_of(tool.name)
    input_id, output_id = tool.schema_ids
    return {
        "name": tool.name,
        "description": tool.description,
        "family": tool.family,
        "effects": sorted(tool.effects),
        "scopes": sorted(tool.scopes),
        "asks_a_person": tool.asks_a_person,
        "input_schema_id": input_id,
        "output_schema_id": output_id,
        "input_schema": input_schema,
        "output_schema": output_schema,
    }
