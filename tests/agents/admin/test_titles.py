"""Tools, deeds, jobs and events are called by words that a person reads."""

from agents.admin.evidence.words import call_about, tool_in_words
from agents.contracts import REGISTRY
from agents.contracts.tool_titles import TITLES
from agents.events.fact_titles import FACT_TITLES
from agents.events.payloads import FACTS


def test_each_tool_and_each_event_has_a_title():
    assert [tool.name for tool in REGISTRY.tools if tool.name not in TITLES] == []
    assert [fact for fact in FACTS if fact not in FACT_TITLES] == []
    assert tool_in_words("move_file") == "Move a file"


def test_a_call_says_what_it_is_about_and_nothing_where_only_ids_tell():
    assert call_about({"subject": "Invoice", "to": ["ada@customer.example"]}) == "Invoice"
    assert call_about({"to": ["ada@customer.example", "ben@customer.example"]}) == (
        "ada@customer.example +1"
    )
    assert call_about({"file_id": "fil_1", "path": "/a.txt"}) == "/a.txt"
    assert call_about({"message_id": "msg_1"}) == call_about(None) == call_about({"to": [1]}) == ""
