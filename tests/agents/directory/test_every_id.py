"""Whatever id a tool takes, something within the same profile gives."""

import re

from agents.contracts import REGISTRY
from agents.directory import KINDS, kinds_for, named_fields
from agents.directory.kinds import CALLED
from agents.surfaces.mcp.profiles import PROFILES, allowed
from inbox.actor import Actor
from tests.cases import in_one_test

# What an argument is called that holds the id of one of the kinds that have names.
OF_KINDS = {
    "account_id": "accounts",
    "account_ids": "accounts",
    "inbox_id": "inboxes",
    "calendar_id": "calendars",
    "identity_id": "identities",
    "policy_id": "policies",
    "taxonomy_id": "taxonomies",
    "schema_id": "schemas",
}
ELSEWHERE = {
    ("email_list", "folder_id"): "mailboxes",
    ("file_share", "file_id"): "files",
    ("send_message_to_agent", "to_agent"): "agents",
    ("broadcast_message_to_agents", "to_agents"): "agents",
    ("get_messages_from_agents", "from_agent"): "agents",
    ("push_context", "subscribers"): "agents",
}
# Every other id, by the tools that give it and the field of their answer in which it stands; a
# profile has one of them.
GIVEN_BY = {
    "activity_id": {"query_activities": "id"},
    "activity_ids": {"query_activities": "id"},
    "approval_id": {"list_approvals": "approval_id"},
    "attachment_id": {"email_get": "id"},
    "body_or_draft_id": {"list_approvals": "draft_id"},
    "contact_id": {"contact_list": "id"},
    "draft_id": {"list_approvals": "draft_id"},
    "email_id": {"email_list": "id"},
    "event_id": {"calendar_list_events": "id", "google_calendar_service.list": "id"},
    "file_id": {"file_list": "id"},
    "flow_cache": {"account_authenticate": "_flow_cache"},
    "folder_id": {"file_list": "id"},
    "key": {"list_context_keys": "available_keys"},
    "message_id": {"get_thread": "id", "search_inbox": "message_id"},
    "parent_id": {"google_tasks_service.list": "id"},
    "schedule_id": {"internal_scheduler_service.create": "schedule_id"},
    "task_id": {"google_tasks_service.list": "id"},
    "thread_id": {"list_threads": "id"},
    # One's own name, and in a batch of context those of others.
    "agent_name": {"look_around": "name"},
    "from_agent": {"look_around": "name"},
    "subscribers": {"look_around": "name"},
}
# What is called alike and is another thing: a task of the cache, a thread of the mesh.
GIVEN_TO = {
    ("operations", "task_id"): {"cache_task_list": "task_id"},
    ("mesh", "thread_id"): {"get_messages_from_agents": "thread_id"},
}


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
    return {
        name
        for name in names
        if re.search(r"(_ids?|_agents?|agent_name|subscribers|^key|flow_cache)$", name)
    }


def tools_of(profile):
    return [tool for declared in profile.declared for tool in declared.tools]


each_profile = in_one_test("profile", PROFILES.values())


def kind_of(tool, name):
    return ELSEWHERE.get((tool.name, name), OF_KINDS.get(name))


def givers(tool, name):
    return GIVEN_TO.get((tool.family, name)) or GIVEN_BY[name]


@in_one_test("tool", REGISTRY.tools)
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
def test_every_other_id_is_given_by_a_tool_of_the_profile(profile):
    there = {tool.name for tool in tools_of(profile)}
    missing = {
        (tool.name, name)
        for tool in tools_of(profile)
        for name in ids_of(tool)
        if kind_of(tool, name) is None and not givers(tool, name).keys() & there
    }
    assert missing == set()


@in_one_test(
    ("giver", "field"),
    sorted({pair for one in (*GIVEN_BY.values(), *GIVEN_TO.values()) for pair in one.items()}),
)
def test_what_gives_an_id_has_it_in_its_answer(giver, field):
    assert field in set(properties(REGISTRY.schemas_of(giver)[1]))


def test_looking_around_gives_an_id_and_a_name_of_each_kind():
    gives = REGISTRY.schemas_of("look_around")[1]
    for kind in KINDS:
        items = gives["$defs"][gives["properties"][kind]["items"]["$ref"].rpartition("/")[2]]
        assert "id" in items["required"]
        told = {CALLED.get(name, name) for name in KINDS[kind].names}
        assert told <= set(items["properties"])


@in_one_test("name", ["account_id", "folder_id", "calendar_id", "policy_id"])
def test_our_own_words_say_that_a_name_is_taken(name):
    for tool in REGISTRY.tools:
        if tool.family in {"mail", "resource"} or kind_of(tool, name) is None:
            continue
        field = REGISTRY.schemas_of(tool.name)[0].get("properties", {}).get(name)
        if field is not None:
            assert "name" in field["description"], tool.name
