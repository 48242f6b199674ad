"""The mesh contract as printed: its schemas are ours, and its usage examples run."""

import json
from pathlib import Path

import pytest

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from tests import factories
from tests.cases import in_one_test

PRINTED_FILES = sorted((Path(__file__).parent / "contracts" / "mesh").glob("*.json"))
# What ours say beyond the printed ones: closed objects, limits, defaults; and words.
OURS_ALONE = {
    "additionalProperties", "default", "description", "maxItems", "maxLength", "maximum",
    "minItems", "minLength", "minimum",
}  # fmt: skip


def structure(schema):
    """A schema without words and limits; the order of what is required says nothing."""
    if isinstance(schema, list):
        return [structure(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in OURS_ALONE}
    return {key: inner(key, value) for key, value in kept.items()}


def inner(key, value):
    if key == "properties":
        return {name: structure(item) for name, item in value.items()}
    return sorted(value) if key == "required" else structure(value)


def test_every_printed_tool_is_there_and_no_other():
    ours = {found.name for found in REGISTRY if found.family == "mesh"}
    assert {path.stem for path in PRINTED_FILES} == ours
    assert len(ours) == 7


@in_one_test("path", PRINTED_FILES)
def test_a_printed_schema_has_the_same_structure_as_ours(path):
    printed = json.loads(path.read_text())
    ours, _ = REGISTRY.schemas_of(printed["name"])
    served = {key: value for key, value in ours.items() if not key.startswith("$")}
    assert structure(served) == structure(printed["parameters"])


@pytest.fixture
def mesh(workspace):
    """The agents that the examples name, and what the batch reads and deletes."""
    names = ("DataAnalyst", "DataCollector", "ReportGenerator", "TaskManager", "DataProcessor",
             "SystemManager", "FileHandler", "Logger", "DataManager")  # fmt: skip
    actors = {name: factories.agent_actor(factories.make_agent(workspace, name)) for name in names}

    def handle_tool_call(name, /, **arguments):
        caller = arguments.get("agent_name") or arguments["from_agent"]
        return call(name, arguments, actors[caller]).result

    return handle_tool_call


@pytest.mark.django_db
def test_the_printed_context_examples_run(mesh):
    mesh("push_context", agent_name="DataCollector", key="user_metrics", value={"users": 1500})
    mesh("push_context", agent_name="DataCollector", key="metrics_daily", value=1)
    result = mesh(
        "get_context",
        agent_name="DataAnalyst",
        key="user_metrics"
    )  # fmt: skip
    assert result["context"] == {"user_metrics": {"users": 1500}}
    result = mesh(
        "push_context",
        agent_name="DataCollector",
        key="daily_metrics",
        value={"users": 1500, "revenue": 50000},
        subscribers=["DataAnalyst", "ReportGenerator"],
        ttl=86400  # 24 hours
    )  # fmt: skip
    assert result["subscribers"] == ["DataAnalyst", "ReportGenerator"]
    result = mesh(
        "list_context_keys",
        agent_name="DataAnalyst",
        pattern="metrics_*"
    )  # fmt: skip
    assert result["available_keys"] == ["metrics_daily"]


@pytest.mark.django_db
def test_the_printed_message_examples_run(mesh):
    sent = mesh(
        "send_message_to_agent",
        from_agent="TaskManager",
        to_agent="DataProcessor",
        message="Please process the new user data file",
        message_type="task",
        priority="high",
        requires_confirmation=True
    )  # fmt: skip
    result = mesh(
        "get_messages_from_agents",
        agent_name="DataProcessor",
        unread_only=True,
        priority="high",
        message_type="task",
        mark_as_read=True
    )  # fmt: skip
    assert [message["message_id"] for message in result["messages"]] == [sent["message_id"]]
    assert result["messages"][0]["confirmed"]
    result = mesh(
        "broadcast_message_to_agents",
        from_agent="SystemManager",
        to_agents=["DataProcessor", "FileHandler", "Logger"],
        message="System maintenance scheduled for 3 PM",
        message_type="info",
        priority="normal",
        create_thread=True
    )  # fmt: skip
    assert result["successful_sends"] == 3


@pytest.mark.django_db
def test_the_printed_batch_example_runs(mesh):
    for key in ("previous_metrics", "temp_data"):
        mesh("push_context", agent_name="DataManager", key=key, value=[key])
    result = mesh(
        "batch_context_operation",
        agent_name="DataManager",
        operations=[
            {"type": "push", "key": "user_count", "value": 1500},
            {"type": "push", "key": "active_sessions", "value": 245},
            {"type": "get", "key": "previous_metrics"},
            {"type": "delete", "key": "temp_data"}
        ],
        atomic=True
    )  # fmt: skip
    assert (result["success"], result["successful_operations"]) == (True, 4)
    keys = mesh("list_context_keys", agent_name="DataAnalyst")["available_keys"]
    assert keys == ["active_sessions", "previous_metrics", "user_count"]
