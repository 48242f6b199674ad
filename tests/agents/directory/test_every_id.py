"""Whatever id a tool takes, something within the same profile gives."""

import re

import pytest

from agents.contracts import REGISTRY
from agents.directory import KINDS, kinds_for, named_fields
from agents.surfaces.mcp.profiles import PROFILES, allowed
from inbox.actor import Actor

# What an argument is called that holds the id of one of the kinds that have names.
OF_KINDS = {
    "account_id": "accounts",
    "account_ids": "accounts",
    "inbox_id": "inboxes",
    "calendar_id": "calendars",
    "policy_id": "policies",
    "taxonomy_id": "taxonomies",
    "schema_id": "schemas",
}
MAILBOXES = {("email_list", "folder_id")}
# Every other id, by the tool that gives it; a profile has one of them, or a resource gives it.
GIVEN_BY = {
    "activity_id": {"query_activities"},
    "activity_ids": {"query_activities"},
    "approval_id": {"list_approvals"},
    "attachment_id": {"email_get"},
    "body_or_draft_id": {"draft_reply_with_policy", "list_approvals"},
    "contact_id": {"contact_list"},
    "draft_id": {"list_approvals", "email_create_draft"},
    "email_id": {"email_list"},
    "event_id": {"calendar_list_events", "google_calendar_service.list"},
    "file_id": {"file_list"},
    "folder_id": {"file_list"},
    "message_id": {"get_thread", "search_inbox"},
    "parent_id": {"google_tasks_service.list"},
    "schedule_id": {"internal_scheduler_service.list", "internal_scheduler_service.create"},
    "task_id": {"google_tasks_service.list", "cache_task_enqueue"},
    # Of mail, which is read as a resource in every profile; of the mesh, from its own messages.
    "thread_id": {"list_threads", "email://inboxes/{inbox_id}/threads", "get_messages_from_agents"},
    # One's own name; those of others are known from what they sent.
    "agent_name": {"look_around"},
    "from_agent": {"look_around", "get_messages_from_agents"},
    "to_agent": {"get_messages_from_agents"},
    "to_agents": {"get_messages_from_agents"},
}
# Sharing a file wants its id, which the operations list.
NOT_YET = {("house", "file_share", "file_id")}


def properties(schema):
    """The names of every argument that a schema knows, however deep."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from properties(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from properties(inner)


def ids_of(tool):
    names = set(properties(REGISTRY.schemas_of(tool.name)[0]))
    return {name for name in names if re.search(r"(_ids?|_agents?|agent_name)$", name)}


def tools_of(profile):
    return [tool for declared in profile.declared for tool in declared.tools]


each_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda one: one.name)


def kind_of(tool, name):
    return "mailboxes" if (tool.name, name) in MAILBOXES else OF_KINDS.get(name)


@pytest.mark.parametrize("tool", REGISTRY.tools, ids=lambda tool: tool.name)
def test_every_argument_of_a_named_kind_takes_the_name_and_stands_at_the_root(tool):
    named = {field.name: field.kind.plural for field in named_fields(tool.arguments)}
    expected = {name: kind_of(tool, name) for name in ids_of(tool) if kind_of(tool, name)}
    assert named == expected
    assert set(named) <= set(tool.arguments.model_fields)


@each_profile
def test_an_agent_with_no_more_than_the_scope_of_a_tool_is_given_the_ids_of_its_kinds(profile):
    for tool in tools_of(profile):
        wanted = {kind_of(tool, name) for name in ids_of(tool)} - {None}
        scopes = frozenset({tool.scope})
        assert "look_around" in {declared.name for declared in allowed(profile, scopes)}
        bearer = Actor("agent", 1, "Clerk", (1,), frozenset(), scopes)
        assert wanted <= {kind.plural for kind in kinds_for(bearer)}, tool.name


@each_profile
def test_every_other_id_is_given_by_a_tool_or_resource_of_the_profile(profile):
    there = {tool.name for tool in tools_of(profile)} | {"email://inboxes/{inbox_id}/threads"}
    missing = {
        (profile.name, tool.name, name)
        for tool in tools_of(profile)
        for name in ids_of(tool)
        if kind_of(tool, name) is None and not GIVEN_BY[name] & there
    }
    assert missing == NOT_YET & {(profile.name, *rest) for _, *rest in NOT_YET}


def test_looking_around_gives_an_id_and_a_name_of_each_kind():
    gives = REGISTRY.schemas_of("look_around")[1]
    for kind in KINDS:
        items = gives["properties"][kind]["items"]
        assert "id" in items["required"]
        assert set(KINDS[kind].names) <= set(items["properties"])


@pytest.mark.parametrize("name", ["account_id", "folder_id", "calendar_id", "policy_id"])
def test_our_own_words_say_that_a_name_is_taken(name):
    for tool in REGISTRY.tools:
        if tool.family in {"mail", "resource"} or kind_of(tool, name) is None:
            continue
        field = REGISTRY.schemas_of(tool.name)[0].get("properties", {}).get(name)
        if field is not None:
            assert "name" in field["description"], tool.name
