"""How strictly arguments are read, and what the errors say."""

import pytest

from agents.contracts import REGISTRY
from agents.errors import ToolError
from tests.cases import in_one_test


def errors_of(name, arguments):
    found = REGISTRY.find(name)
    with pytest.raises(ToolError) as caught:
        REGISTRY.read_arguments(found, arguments)
    assert caught.value.code == "invalid_input"
    assert caught.value.status == 400
    return {error["pointer"]: error for error in caught.value.details["errors"]}


def read(name, arguments):
    return REGISTRY.read_arguments(REGISTRY.find(name), arguments)


@in_one_test("limit", ["3", True, 3.5, None, [3], {"a": 3}, 0, 201, -1, 1e300])
def test_a_limit_that_is_no_integer_in_range_is_refused(limit):
    problem = errors_of("list_threads", {"inbox_id": "inb_1", "limit": limit})["/limit"]
    assert problem["accepted"] == "an integer from 1 to 200"


def test_a_whole_number_with_a_point_is_an_integer():
    limit = read("list_threads", {"inbox_id": "inb_1", "limit": 47.0}).limit
    assert limit == 47
    assert isinstance(limit, int)


@pytest.mark.parametrize("limit", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(limit):
    assert "/limit" in errors_of("list_threads", {"inbox_id": "inb_1", "limit": limit})


@in_one_test(
    "moment",
    [
        "2026-03-02T12:00:00", "2026-03-02 12:00:00Z", "2026-03-02", "12:00:00Z", 1772452800, "1772452800",
        "2026-03-02T12:00Z", "2026-02-30T12:00:00Z", "2026-03-02T25:00:00Z", "2026-03-02T12:00:60Z",
        "2026-03-02T12:00:00+0100", "2026-03-02T12:00:00+99:00", "0000-01-01T00:00:00Z", "", "tomorrow", None, True,
        "2026-03-02T12:00:00Z\n", "２０２６-03-02T12:00:00Z", "0001-01-01T00:00:00+14:00",
    ],
)  # fmt: skip
def test_a_time_that_is_naive_or_none_is_refused(moment):
    problem = errors_of("list_threads", {"inbox_id": "inb_1", "updated_after": moment})
    assert "offset" in problem["/updated_after"]["accepted"]


@in_one_test(
    ("text", "utc"),
    [
        ("2026-03-02T12:00:00Z", "2026-03-02T12:00:00+00:00"),
        ("2026-03-02t12:00:00z", "2026-03-02T12:00:00+00:00"),
        ("2026-03-02T12:00:00.5+02:00", "2026-03-02T10:00:00.500000+00:00"),
        ("2026-03-02T12:00:00.123456789-05:30", "2026-03-02T17:30:00.123456+00:00"),
    ],
)
def test_a_time_with_its_offset_is_read_as_utc(text, utc):
    read_time = read("list_threads", {"inbox_id": "inb_1", "updated_after": text}).updated_after
    assert read_time.isoformat() == utc


@in_one_test("flag", ["true", 1, 0, "false", None, []])
def test_a_flag_is_true_or_false(flag):
    problem = errors_of("get_thread", {"thread_id": "thr_1", "include_messages": flag})
    assert problem["/include_messages"]["accepted"] == "true or false"


def test_an_unknown_field_is_named_with_those_there_are():
    problem = errors_of("get_thread", {"thread_id": "thr_1", "__proto__": {}})["/__proto__"]
    assert problem["accepted"] == "the fields thread_id, include_messages"


def test_an_unknown_field_deep_inside_is_named_by_its_pointer():
    arguments = {"inbox_id": "inb_1", "query": "x", "time_range": {"from/to": "a"}}
    problem = errors_of("search_inbox", arguments)["/time_range/from~1to"]
    assert problem["accepted"] == "the fields start, end"


def test_every_failing_field_is_listed():
    found = errors_of("list_threads", {"status": "lost", "limit": "3", "label": 7})
    assert set(found) == {"/inbox_id", "/status", "/limit", "/label"}
    assert found["/inbox_id"]["message"] == "is required"
    assert found["/status"]["accepted"] == "one of open, closed, snoozed"


def test_null_is_refused_where_the_mail_contract_has_none():
    for field in ("status", "label", "updated_after", "limit", "cursor"):
        assert f"/{field}" in errors_of("list_threads", {"inbox_id": "inb_1", field: None})


def test_null_is_taken_where_the_concierge_contract_has_it():
    arguments = {"status": None, "limit": None, "since": None, "before": None}
    assert read("query_activities", arguments).limit is None
    read("query_people", {"email": None, "search": None, "limit": None})
    changes = {"status": None, "classification": {"activity_type": None, "autonomy_tier": None}}
    read("update_activities", {"activity_ids": ["act_1"], "updates": changes})


def test_an_empty_id_is_refused():
    problem = errors_of("get_thread", {"thread_id": ""})["/thread_id"]
    assert problem["accepted"] == "a text that is not empty"


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "a\udfff"])
def test_a_nul_or_half_a_character_is_refused(text):
    found = errors_of("search_inbox", {"inbox_id": "inb_1", "query": text})
    assert "whole Unicode" in found["/query"]["accepted"]
    assert "" in errors_of("search_inbox", {"inbox_id": "inb_1", text: "x"})


def test_what_is_nested_without_end_is_refused():
    deep = {}
    for _ in range(3000):
        deep = {"a": deep}
    assert errors_of("get_thread", {"thread_id": "thr_1", "x": deep})


@in_one_test("arguments", [None, [], "x", 7, True, [1, 2]])
def test_arguments_that_are_no_object_are_refused(arguments):
    assert "" in errors_of("get_thread", arguments)


def test_a_tier_out_of_range_is_named():
    changes = {"activity_ids": ["act_1"], "updates": {"classification": {"autonomy_tier": 5}}}
    found = errors_of("update_activities", changes)
    assert (
        found["/updates/classification/autonomy_tier"]["accepted"]
        == "an integer from 1 to 4 or null"
    )


@pytest.mark.parametrize(
    ("name", "updates", "pointer"),
    [
        ("contact_update", {"given_name": "Ada"}, "/updates/given_name"),
        ("email_update", {"is_read": True}, "/updates/is_read"),
        ("email_update", {"flag": {"flag_status": "flagged"}}, "/updates/flag/flag_status"),
    ],
)
def test_a_field_has_only_the_name_that_the_contract_writes(name, updates, pointer):
    ids = {"account_id": "acc_1", "contact_id": "per_1", "email_id": "msg_1"}
    known = REGISTRY.find(name).input_schema["properties"]
    arguments = {key: value for key, value in ids.items() if key in known}
    assert pointer in errors_of(name, {**arguments, "updates": updates})
