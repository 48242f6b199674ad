"""Codes of flags, tools and fields as a reader would say them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FLAGS: dict[str, str | Promise] = {
    "new_recipient": _("New recipient"),
    "lookalike_sender": _("Look-alike address"),
    "hidden_text": _("Hidden text"),
    "content_from_other_thread": _("Words of another conversation"),
    "contains_sensitive_data": _("Sensitive data"),
    "forbidden_phrase": _("Forbidden phrase"),
    "policy_blocked": _("Blocked by the policy"),
    "missing_disclosure": _("A required text is missing"),
    "too_long": _("Too long"),
    "external_link": _("Link to elsewhere"),
    "low_confidence": _("Unsure"),
}
TOOLS: dict[str, str | Promise] = {
    "send_reply": _("Reply"),
    "email_send": _("New letter"),
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
    """Return a flag's code as words."""
    return str(FLAGS.get(code) or code.replace("_", " ").capitalize())


def tool_in_words(name: str) -> str:
    """Return what a tool does; its name in words where nothing better is known."""
    return str(TOOLS.get(name) or name.replace("_", " ").replace(".", ": ").capitalize())


def field_in_words(name: str) -> str:
    """Return the name of a field or an argument as words."""
    return str(FIELDS.get(name) or name.replace("_", " ").capitalize())
