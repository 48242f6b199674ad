"""The parts of the OpenAPI document that many operations share."""

from collections.abc import Iterable

from agents.contracts.schemas import Schema
from agents.surfaces.forms import FORMATS

ERRORS = {
    "400": ("invalid_input", "A field is wrong; `details` names it and what it accepts."),
    "401": ("unauthenticated", "There is no valid token."),
    "403": ("permission_denied", "The token lacks the scope, or a person must decide first."),
    "404": ("not_found", "There is no such row, or the caller may not see it."),
    "406": ("not_acceptable", "The answer is of another media type than `Accept` names."),
    "409": ("conflict", "It cannot be done as things stand, or is being done already."),
    "412": ("precondition_failed", "The row has changed since it was read; nothing was done."),
    "413": ("too_large", "The body is too large."),
    "415": ("unsupported_media_type", "The body is no plain JSON."),
    "422": ("idempotency_conflict", "The idempotency key was used for another call."),
    "428": ("precondition_required", "`If-Match` is missing."),
    "429": ("rate_limited", "Too many calls; `Retry-After` says when to go on."),
    "500": ("internal", "Something went wrong on our side."),
    "502": ("provider_error", "A server behind this one refused, or could not be reached."),
}
TOOL_ERRORS = (
    "400", "401", "403", "404", "406", "409", "413", "415", "422", "429", "500", "502",
)  # fmt: skip
READ_ERRORS = ("400", "401", "403", "404", "406", "429", "500")
PLAIN_ERRORS = ("400", "401", "406", "429", "500")
WRITE_ERRORS = (
    "400", "401", "403", "404", "406", "409", "413", "415", "422", "429", "500",
)  # fmt: skip
CONDITIONAL_ERRORS = ("412", "428")

_TAGS: Schema = {"type": "string", "minLength": 1, "maxLength": 1000}


def _header(description: str, **schema: object) -> Schema:
    return {"description": description, "schema": {"type": "string", **schema}}


IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key and content get the same answer, and one effect.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
FORM_OF_CALL: Schema = {
    "name": "format",
    "in": "query",
    "required": False,
    "description": "A model made the call, by a list of tools in this form: null for an optional "
    "field is the same as leaving it out, wherever null has no meaning of its own.",
    "schema": {"type": "string", "enum": list(FORMATS)},
}


def form_of(forms: Iterable[str]) -> Schema:
    """Return the parameter that names the form of an answer; the first where it is left out."""
    named = list(forms)
    schema = {"type": "string", "enum": named, "default": named[0]}
    words = "In whose shape it is told and answered."
    return {"name": "format", "in": "query", "required": False, "description": words,
            "schema": schema}  # fmt: skip


IF_MATCH: Schema = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The `ETag` of the row as it was read; `*` for whatever state it has.",
    "schema": _TAGS,
    "example": '"6f1ed002ab5595859014ebf0951522d9"',
}
IF_NONE_MATCH: Schema = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "An `ETag` that the caller has: 304 where the answer is still the same.",
    "schema": _TAGS,
}
CSRF_TOKEN: Schema = {
    "name": "X-CSRFToken",
    "in": "header",
    "required": True,
    "description": "The token of the `csrftoken` cookie.",
    "schema": {"type": "string"},
}

_RECEIPT = {"Chancery-Receipt": _header("The receipt of this call.")}
CALL_HEADERS: Schema = {
    **_RECEIPT,
    "Idempotency-Replayed": _header("`true` where it is the answer of an earlier call."),
    "Chancery-Approval": _header("The approval that the call waits for, or rests on."),
    "Chancery-Remarks": _header("What the answer lacks, in words, as a JSON list of texts."),
}
STATE_HEADERS: Schema = {
    "ETag": _header("The state of the row, for `If-Match`."),
    "Cache-Control": _header("Kept by nobody but the caller."),
}
READ_HEADERS: Schema = {**_RECEIPT, **STATE_HEADERS}
LOCATION: Schema = {"Location": _header("The address of the row.")}
ERROR_HEADERS: dict[str, Schema] = {
    "401": {"WWW-Authenticate": _header("Which kind of token is wanted (RFC 6750).")},
    "403": {"Chancery-Approval": _header("The approval that the call waits for.")},
    "429": {"Retry-After": _header("After how many seconds to go on.")},
}
NOT_MODIFIED: Schema = {
    "description": "The caller has it already.",
    "headers": READ_HEADERS,
}


def bytes_of(media_type: str) -> Schema:
    """Return the answer that is a file of this media type."""
    headers = {
        **READ_HEADERS,
        "Content-Disposition": _header("Always `attachment`, with the name of the file."),
        "Repr-Digest": _header("The SHA-256 of the bytes (RFC 9530)."),
    }
    form = {} if media_type.startswith("text/") else {"format": "binary"}
    content = {media_type: {"schema": {"type": "string", **form}}}
    return {"description": "The bytes, as a file to save.", "headers": headers, "content": content}


BINARY: Schema = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
FILE: Schema = {
    "description": "The bytes, as a file to save.",
    "headers": _RECEIPT,
    "content": BINARY,
}
SECURITY_SCHEMES: Schema = {
    "token": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
}
LICENSE = {"name": "MIT", "identifier": "MIT"}
CONTACT = {"name": "Whoever runs this server"}
_TAG_WORDS = {
    "unified": "Eleven verbs over mail, calendars, contacts, files, accounts and the cache.",
    "operations": "The same, each operation by its own name.",
    "mail": "Threads, search, triage, extraction, drafts by policy and sealed replies.",
    "concierge": "What came in, classified, and the people behind it.",
    "services": "To-dos, the calendar, memory and the scheduler.",
    "mesh": "Context and messages between agents.",
    "house": "Who one is and what there is, and what became of a proposal.",
    "resources": "What is read by its address, and what a person decides.",
}
TAGS = [{"name": name, "description": words} for name, words in _TAG_WORDS.items()]
