"""What is read by its address: the mail contract's five resources, and every collection."""

from agents.resources import (
    activities,
    file_content,
    files,
    people,
    schedules,
    understanding,
    vcards,
)
from agents.resources.addresses import read_query, read_uri, registry_of
from agents.resources.calendar import calendars, events, todos
from agents.resources.collection import COLLECTIONS, Collection
from agents.resources.control import agents, approvals, decisions, interrupts, receipts, webhooks
from agents.resources.mail import (
    attachments,
    draft_changes,
    drafts,
    inboxes,
    messages,
    submissions,
    threads,
)
from agents.resources.sharing import agent_messages, contexts, memories

__all__ = [
    "COLLECTIONS",
    "Collection",
    "activities",
    "agent_messages",
    "agents",
    "approvals",
    "attachments",
    "calendars",
    "contexts",
    "decisions",
    "draft_changes",
    "drafts",
    "events",
    "file_content",
    "files",
    "inboxes",
    "interrupts",
    "memories",
    "messages",
    "people",
    "read_query",
    "read_uri",
    "receipts",
    "registry_of",
    "schedules",
    "submissions",
    "threads",
    "todos",
    "understanding",
    "vcards",
    "webhooks",
]
