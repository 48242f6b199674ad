"""What the stand-in for a model reads of answers, however a framework has wrapped them."""

import json

import pytest

from examples.stand_in import find_name, read_result

HELD = {
    "status": "queued", "approval_id": "apr_1", "review_url": "http://127.0.0.1/x",
    "next": 'It\'s held: get_approval with {"approval_id": "apr_1"}.',
}  # fmt: skip
TEXT = json.dumps(HELD)


@pytest.mark.parametrize(
    "handed",
    [
        TEXT,
        f"{TEXT}\nIt waits for a person: the approval apr_1.",
        f"Observation:\n{HELD}",
        json.dumps([{"type": "text", "text": TEXT}, {"type": "text", "text": "It waits."}]),
        str([TEXT, "It waits for a person."]),
        json.dumps({"error": TEXT}),
        json.dumps({"result": HELD}),
        json.dumps({"meta": {"receipt": "r"}, "content": [{"type": "text", "text": TEXT}]}),
        f"meta={{'a': {{'approval_id': 'x'}}}} content=[TextContent(type='text', text={TEXT!r})]",
    ],
    ids=["text", "two texts", "smolagents", "blocks", "CrewAI", "Pydantic AI", "wrapped", "ADK", "LlamaIndex"],
)  # fmt: skip
def test_an_answer_is_read_however_it_is_wrapped(handed):
    assert read_result(handed) == HELD


@pytest.mark.parametrize("plain", ["", "It waits.", "not { json", "[", "{'a': b}"])
def test_what_is_no_json_is_read_as_it_is(plain):
    assert read_result(plain) == plain


@pytest.mark.parametrize("value", [[], [1, 2], [{"id": "msg_1"}], {"accounts": [{"id": "a"}]}])
def test_what_wraps_nothing_stays(value):
    assert read_result(json.dumps(value)) == value


def test_a_tool_is_found_behind_the_prefix_of_a_framework():
    tools = ["mcp_host_unified_get_approval", "mcp_host_unified_get", "mcp_host_unified_list"]
    assert find_name("get", tools) == "mcp_host_unified_get"
    assert find_name("get_approval", tools) == "mcp_host_unified_get_approval"
    assert find_name("send", tools) == "send"
