"""Codes of flags, tools and fields as a reader would say them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.claims import DIFFERS
from agents.contracts.tool_titles import TITLES
from inbox.flags import title_of
from inbox.reasons.words import spoken

_CLAIM_DIFFERS = _("Differs from its source")
FIELDS: dict[str, str | Promise] = {
    "to": _("To"),
    "cc": _("Cc"),
    "bcc": _("Bcc"),
    "subject": _("Subject"),
    "body": _("Text"),
    "attachments": _("Attachments"),
    "status": _("Status"),
    "urgency": _("Urgency"),
    "autonomy_tier": _("Tier"),
    "activity_type": _("Kind"),
    "confidence": _("Confidence"),
    "personas": _("Personas"),
    "reasoning": _("Reasoning"),
    "suggested_actions": _("What you could do"),
    "option_framing": _("How it is presented"),
    "content": _("Content"),
    "name": _("Name"),
    "path": _("Path"),
    "source": _("Source"),
    "schema": _("Schema"),
    "location": _("Where"),
    "summary": _("Title"),
    "title": _("Title"),
    "description": _("Text"),
    "start": _("Begins"),
    "end": _("Ends"),
    "attendees": _("Guests"),
    "command": _("What happens"),
    "trigger_at": _("When"),
    "note": _("Note"),
    "action": _("Action"),
    "message": _("Message"),
    "key": _("Key"),
    "value": _("Value"),
    "url": _("Address"),
    "email": _("Address"),
    "fn": _("Name"),
}

# Arguments that say what a call is about, the most telling first.
_ABOUT = (
    "subject", "title", "summary", "to", "path", "onedrive_path", "query", "name", "fn", "key",
    "command", "to_agent", "content", "message", "words", "text", "email",
)  # fmt: skip


def flag_in_words(code: str) -> str:
    """Return what a flag, or an oddity of mail that came in, is called in the reader's language."""
    words = str(_CLAIM_DIFFERS) if code == DIFFERS else spoken(code)
    return title_of(code) or words[:1].upper() + words[1:]


def tool_in_words(name: str) -> str:
    """Return what a tool does; its name in words where nothing better is known."""
    return str(TITLES.get(name) or name.replace("_", " ").replace(".", ": ").capitalize())


def field_in_words(name: str) -> str:
    """Return the name of a field or an argument as words."""
    return str(FIELDS.get(name) or name.replace("_", " ").capitalize())


def call_about(arguments: object) -> str:
    """Return what a call is about, by the first of its arguments that says so; else nothing."""
    if not isinstance(arguments, dict):
        return ""
    for name in _ABOUT:
        value = arguments.get(name)
        if isinstance(value, list) and value and isinstance(value[0], str):
            more = f" +{len(value) - 1}" if len(value) > 1 else ""
            return f"{value[0]}{more}"
        if isinstance(value, str) and value.strip():
            return value
    return ""
