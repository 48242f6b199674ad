"""The concierge's tools as skills, and the call that a message asks for.

No model reads what a message says: a call is an object, `{"skill": …, "arguments": {…}}`, in a data
part, or as the JSON of a text part for clients that have nothing else.
"""

import json
from dataclasses import dataclass
from typing import Any

from agents.contracts import Declared, ToolError
from agents.contracts.schemas import Schema, bundled, convertible
from agents.surfaces.a2a.refusals import RpcError, bad_field
from agents.surfaces.a2a.requests import Message, Part
from agents.surfaces.mcp.profiles import Profile, allowed, find_profile
from agents.surfaces.request_body import parse_json
from inbox.actor import Actor

JSON = "application/json"
_TEXT = "text/plain"
_FIELDS = {"skill", "arguments"}


@dataclass(frozen=True, slots=True)
class SkillCall:
    """What a message asks for."""

    skill: str
    arguments: Any


def profile() -> Profile:
    """Return what there are skills for: the concierge's tools, and those that every profile has."""
    return find_profile("concierge")


def public_skills() -> list[Declared]:
    """Return the concierge's own, which the public card names."""
    return [each for each in profile().declared if each.family == profile().name]


def skills_for(actor: Actor) -> tuple[Declared, ...]:
    """Return what a bearer may call."""
    return allowed(profile(), actor.scopes, actor.tools)


def schema_of(skill: str) -> Schema:
    """Return what a skill's arguments are, with nothing left outside."""
    declared = profile().find(skill)
    if declared is None:
        return {}
    return convertible(bundled(declared.input_schema, profile().registry.documents))


def read_call(message: Message) -> SkillCall | None:
    """Return the call in a message; None where it has none, but only words.

    Raises RpcError for files, for media types that are not read, and for what is no call.
    """
    found = None
    for place, part in enumerate(message.parts):
        _check_media(place, part)
        given = part.data if part.text is None else _in_text(part.text)
        if given is None and part.text is not None:
            continue
        call = _call_in(place, given)
        if found is not None:
            raise bad_field(f"message.parts.{place}", "is a second call; accepted: one a message")
        found = call
    return found


def _check_media(place: int, part: Part) -> None:
    given = [name for name in ("text", "data", "raw", "url") if getattr(part, name) is not None]
    if len(given) != 1:
        raise bad_field(f"message.parts.{place}", "has not one content; accepted: text or data")
    kind = part.media_type.partition(";")[0].strip().lower()
    accepted = {"text": (_TEXT, JSON), "data": (JSON,)}.get(given[0], ())
    if not accepted or (kind and kind not in accepted):
        words = "Files are not read" if not accepted else f"{kind[:80]!r} is not read"
        about = {"part": str(place), "accepted": f"{JSON}, {_TEXT}"}
        raise RpcError("CONTENT_TYPE_NOT_SUPPORTED", words, about)


def _in_text(text: str) -> Any:
    """Return the object that a text writes out, where it is one that names a skill."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_json(text)
    except ToolError:
        return None
    return value if isinstance(value, dict) and "skill" in value else None


def _call_in(place: int, given: Any) -> SkillCall:
    where = f"message.parts.{place}.data"
    if not isinstance(given, dict) or not isinstance(given.get("skill"), str):
        raise bad_field(where, f"is no call; accepted: {EXAMPLE}")
    for name in sorted(given.keys() - _FIELDS):
        raise bad_field(f"{where}.{name[:100]}", "is no field; accepted: skill, arguments")
    arguments = given.get("arguments")
    return SkillCall(given["skill"], {} if arguments is None else arguments)


def example_of(declared: Declared) -> str:
    """Return a call of a skill as it may be sent."""
    return json.dumps({"skill": declared.name, "arguments": declared.tools[0].example})


EXAMPLE = '{"skill": "query_activities", "arguments": {"status": "surfaced"}}'
