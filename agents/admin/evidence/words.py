"""Codes of flags, tools and fields as a reader would say them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.claims import DIFFERS
from inbox.flags import title_of
from inbox.reasons.words import spoken

_CLAIM_DIFFERS = _("Differs from its source")
TOOLS: dict[str, str | Promise] = {
    "send_reply": _("Reply"),
    "email_send": _("New message"),
    "email_reply": _("Reply"),
    "email_reply_all": _("Reply to all"),
    "file_share": _("Share a file"),
    "calendar_create_event": _("Invite to a meeting"),
    "calendar_update_event": _("Change a meeting"),
    "calendar_delete_event": _("Call off a meeting"),
    "calendar_respond_event": _("Answer an invitation"),
    "update_activities": _("Change activities"),
}
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
    "suggested_actions": _("What could be done"),
    "option_framing": _("How it is put"),
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


def flag_in_words(code: str) -> str:
    """Return what a flag, or an oddity of mail that came in, is called in the reader's language."""
    words = str(_CLAIM_DIFFERS) if code == DIFFERS else spoken(code)
    return title_of(code) or words[:1].upper() + words[1:]


def tool_in_words(name: str) -> str:
    """Return what a tool does; its name in words where nothing better is known."""
    return str(TOOLS.get(name) or name.replace("_", " ").replace(".", ": ").capitalize())


def field_in_words(name: str) -> str:
    """Return the name of a field or an argument as words."""
    return str(FIELDS.get(name) or name.replace("_", " ").capitalize())
