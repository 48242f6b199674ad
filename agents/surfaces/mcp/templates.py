"""The patterns of the addresses of what can be read over MCP."""

import re

from mcp_types import ListResourceTemplatesResult, ResourceTemplate

JSON = "application/json"
SURROUNDINGS = "chancery://look_around"
_TEMPLATES = {
    "inbox": ("email://inboxes/{inbox_id}", "An inbox, its mailboxes as labels."),
    "threads": (
        "email://inboxes/{inbox_id}/threads{?status,label,updated_after,limit,cursor}",
        "The threads of an inbox, newest first.",
    ),
    "thread": ("email://threads/{thread_id}", "A thread."),
    "message": ("email://messages/{message_id}", "A message, or what waits to be sent."),
    "thread_summary": (
        "email://threads/{thread_id}/summary",
        "Who wants what in a thread, how it stands and what is open.",
    ),
    "look_around": (
        f"{SURROUNDINGS}/{{kind}}{{?search,cursor}}",
        "What there is of a kind, with ids, names and defaults: accounts, inboxes, mailboxes, "
        "calendars, policies, taxonomies, schemas, files or agents.",
    ),
}


def list_templates() -> ListResourceTemplatesResult:
    """Return the patterns of the addresses that can be read."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(name=name, uri_template=uri, description=words, mime_type=JSON)
            for name, (uri, words) in _TEMPLATES.items()
        ]
    )


def has_template(uri: str, argument: str) -> bool:
    """Return True if there is such a pattern with such an argument in it."""
    known = any(uri == template for template, _ in _TEMPLATES.values())
    return known and argument in re.findall(r"[a-z_]+(?=[,}])", uri)
