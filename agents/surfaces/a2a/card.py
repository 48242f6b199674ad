"""The agent card: who we are, where we are spoken to, and which skills there are (A2A 1.0, 4.4)."""

import json
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from agents.contracts import Declared, ToolError
from agents.lists.etags import etag_of
from agents.surfaces.a2a.skills import JSON, example_of, public_skills, skills_for
from agents.surfaces.conditional import make_conditional
from agents.surfaces.mcp.listing import safety
from agents.surfaces.rest import render_error
from inbox.actor import Actor

VERSION = "1.0"
_SCHEME = "token"
_WORDS = (
    "Sorts and looks up what comes in for the people of a workspace. No model reads messages: send "
    'a data part {"skill": …, "arguments": {…}}. What would lower a person\'s attention waits for '
    "that person: such a task is input-required and names the page where it is decided."
)


def make_card(skills: Iterable[Declared], words: str = _WORDS) -> dict[str, Any]:
    """Return the card with these skills."""
    return {
        "name": "Chancery",
        "description": words,
        "version": str(settings.SPECTACULAR_SETTINGS["VERSION"]),
        "documentationUrl": settings.BASE_URL + reverse("api-docs"),
        "supportedInterfaces": [
            {
                "url": settings.BASE_URL + reverse("a2a"),
                "protocolBinding": "JSONRPC",
                "protocolVersion": VERSION,
            }
        ],
        "capabilities": {
            "streaming": True,
            "pushNotifications": bool(settings.A2A_PUSH_HOSTS),
            "extendedAgentCard": True,
        },
        "securitySchemes": {
            _SCHEME: {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "chy_…"}}
        },
        "securityRequirements": [_requirement([])],
        "defaultInputModes": [JSON, "text/plain"],
        "defaultOutputModes": [JSON],
        "skills": [_skill(declared) for declared in skills],
    }


def extended_card(actor: Actor) -> dict[str, Any]:
    """Return the card with all that this bearer may call."""
    return make_card(skills_for(actor), f"{_WORDS} You are {actor.name}.")


def _skill(declared: Declared) -> dict[str, Any]:
    words = safety(declared.tools[0])
    return {
        "id": declared.name,
        "name": declared.name.replace("_", " ").capitalize(),
        "description": f"{declared.description}\n\nEffect: {words}.",
        "tags": sorted({declared.family, *(str(effect) for effect in declared.effects)}),
        "examples": [example_of(declared)],
        "inputModes": [JSON],
        "securityRequirements": [_requirement(sorted(declared.scopes))],
    }


def _requirement(scopes: list[str]) -> dict[str, Any]:
    return {"schemes": {_SCHEME: {"list": scopes}}}


@csrf_exempt
def serve_card(request: HttpRequest) -> HttpResponse:
    """Serve the public card, which every cache may keep for an hour."""
    if request.method not in {"GET", "HEAD"}:
        words = {"method": request.method or "", "accepted": "GET, HEAD"}
        response = render_error(ToolError("method_not_allowed", "The card is only read", words))
        response["Allow"] = "GET, HEAD"
        return response
    body = json.dumps(make_card(public_skills()), ensure_ascii=False).encode()
    response = HttpResponse(body, content_type=JSON)
    answer = make_conditional(request, response, etag_of(body))
    answer["Cache-Control"], answer["Vary"] = "public, max-age=3600", "Accept-Encoding"
    return answer
