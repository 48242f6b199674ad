"""What each scope lets an agent do, in words for people."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from agents.contracts import REGISTRY, RESOURCES

_WORDS: dict[str, Any] = {
    "admin:read": _("See the accounts, agents and webhooks"),
    "admin:write": _("Request access to an account, which an owner grants"),
    "calendar:destroy": _("Delete events, calendars and to-dos, which can be undone"),
    "calendar:read": _("Read calendars, events, to-dos and free times"),
    "calendar:send": _("Propose answers to invitations, which need approval"),
    "calendar:write": _("Add and change events and to-dos; invitations need approval"),
    "comms:destroy": _("Discard drafts, which can be undone"),
    "comms:read": _("Read its drafts, outgoing mail and messages from other agents"),
    "comms:send": _("Propose mail, which needs approval"),
    "comms:write": _("Write drafts and messages to other agents"),
    "control_plane:read": _("See its own approvals and receipts"),
    "inbox:destroy": _("Delete mail, which can be undone"),
    "inbox:read": _("Read and search mail in its accounts"),
    "inbox:write": _("Mark, move and file mail, and draft replies"),
    "memory:read": _("Recall its notes and read what agents share"),
    "memory:write": _("Take notes and share them with other agents"),
    "policy:read": _("Ask what a policy says of a text"),
    "storage:destroy": _("Delete people and files, which can be undone"),
    "storage:read": _("Read items, people and files"),
    "storage:send": _("Propose sharing files, which needs approval"),
    "storage:write": _("Change items, people and files"),
    "time:read": _("Tell the time and see its schedules"),
    "time:write": _("Schedule actions for a certain time"),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope, what it allows, and the tools that it opens."""

    name: str
    words: Any
    tools: tuple[str, ...]


def explain_scopes(names: Iterable[str]) -> list[Scope]:
    """Return the scopes in order, each with its words and its tools."""
    wanted = sorted(set(names))
    tools: dict[str, set[str]] = {name: set() for name in wanted}
    for registry in (REGISTRY, RESOURCES):
        for tool in registry.tools:
            if tool.needs_scope and tool.scope in tools:
                tools[tool.scope].add(tool.name)
    return [Scope(name, words_of(name), tuple(sorted(tools[name]))) for name in wanted]


def words_of(scope: str) -> Any:
    """Return what a scope allows; the scope itself where nothing is known of it."""
    return _WORDS.get(scope, scope)
