"""What is posted to `/a2a` and is no proper request: each is refused, and nothing breaks."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client

from agents.models import A2ATask, Receipt
from tests import factories
from tests.agents.surfaces.a2a.conftest import message
from tests.patience import LONG

pytestmark = pytest.mark.django_db(transaction=True)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}
QUERY = {"skill": "query_activities", "arguments": {}}


def reasons(error):
    return [one["reason"] for one in error["data"] if "reason" in one]


def test_no_token_and_a_wrong_one_are_refused_with_a_challenge(raw):
    for given in (None, "Bearer chy_wrong", "Basic eDp5"):
        status, headers, body = raw.post(LIST, Authorization=given)
        assert (status, headers["WWW-Authenticate"]) == (401, 'Bearer realm="chancery"')
        assert reasons(body["error"]) == ["UNAUTHENTICATED"]


def test_a_session_is_no_leave_to_speak(raw, reviewer):
    raw.token = None
    status, _, _ = raw.post(LIST, Authorization=None, Cookie="sessionid=abc")
    assert status == 401


def test_a_revoked_token_is_refused_at_once(raw, agent):
    assert raw.post(LIST)[0] == 200
    agent.tokens.update(revoked_at=factories.NOON)
    assert raw.post(LIST)[0] == 401


def test_a_token_that_calls_too_often_is_told_when_to_go_on(raw, settings):
    settings.CALLS_PER_MINUTE = 18
    status, headers, body = [raw.post(LIST) for _ in range(8)][-1]
    assert (status, reasons(body["error"])) == (429, ["RATE_LIMITED"])
    assert int(headers["Retry-After"]) >= 1


def test_only_version_1_0_is_spoken(raw):
    for given in (None, "", "0.3", "0.3.0", "2.0", "1.1", "1", "x"):
        error = raw.ask("ListTasks", A2A_Version=given)
        assert (error["code"], reasons(error)) == (-32009, ["VERSION_NOT_SUPPORTED"])
        assert error["data"][0]["metadata"]["accepted"] == "1.0"
    assert "tasks" in raw.ask("ListTasks", A2A_Version="1.0.1")
    status, _, body = raw.post(LIST, path="/a2a?A2A-Version=1.0", A2A_Version=None)
    assert (status, "result" in body) == (200, True)


def test_names_of_0_3_and_others_are_no_methods(raw):
    for name in ("message/send", "tasks/get", "sendMessage", ""):
        error = raw.ask(name)
        assert (error["code"], "SendMessage" in error["data"][0]["metadata"]["accepted"]) == (
            -32601, True,
        )  # fmt: skip


def test_a_server_without_streams_says_so(token):
    for name in ("SendStreamingMessage", "SubscribeToTask"):
        answer = Client().post(
            "/a2a", {**LIST, "method": name}, content_type="application/json",
            headers={"Authorization": f"Bearer {token}", "A2A-Version": "1.0"},
        )  # fmt: skip
        assert reasons(answer.json()["error"]) == ["UNSUPPORTED_OPERATION"]


def test_what_is_no_json_and_no_request_says_so(raw):
    for body, code in (
        (b"{", -32700), (b"\xff", -32700), (b'{"a": 1, "a": 2}', -32700), (b"[" * 5000, -32700),
        ([LIST], -32600), ("x", -32600), ({**LIST, "jsonrpc": "1.0"}, -32600),
        ({**LIST, "method": 3}, -32600), ({**LIST, "params": []}, -32600), (b"", -32600),
    ):  # fmt: skip
        status, _, answer = raw.post(body)
        assert (status, answer["error"]["code"]) == (200, code), body


def test_another_media_type_another_method_and_too_much_are_refused_by_http(raw, settings):
    assert raw.post(LIST, Content_Type="text/plain")[0] == 415
    status, headers, _ = raw.post(LIST, method="PUT")
    assert (status, headers["Allow"]) == (405, "POST")
    big = {**LIST, "x": "y" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE}
    assert raw.post(big)[0] == 413


def bad(**fields):
    return {"message": {**message(QUERY), **fields}}


def test_a_bad_field_is_named(raw):
    call = {"skill": "query_activities"}
    for params, field in (
        ({}, "message"),
        (bad(messageId=""), "message.messageId"),
        (bad(messageId="x" * 201), "message.messageId"),
        (bad(messageId="a\nb"), "message.messageId"),
        (bad(role="ROLE_AGENT"), "message.role"),
        (bad(parts=[]), "message.parts"),
        (bad(parts=[{}]), "message.parts.0"),
        (bad(parts=[{"text": "a", "data": {}}]), "message.parts.0"),
        (bad(parts=[{"data": [1]}]), "message.parts.0.data"),
        (bad(parts=[{"data": {"skill": 3}}]), "message.parts.0.data"),
        (bad(parts=[{"data": {**call, "sudo": True}}]), "message.parts.0.data.sudo"),
        (bad(parts=[{"data": call}, {"data": call}]), "message.parts.1"),
        (bad(contextId="x" * 201), "message.contextId"),
        ({**bad(), "configuration": {"historyLength": -1}}, "configuration.historyLength"),
        (bad(parts=[{"text": "a\0b"}]), "message.parts.0.text"),
        (bad(parts=[{"text": "\ud800"}]), "message.parts.0.text"),
    ):
        error = raw.ask("SendMessage", params)
        named = [one["field"] for each in error["data"] for one in each.get("fieldViolations", ())]
        assert (error["code"], named) == (-32602, [field]), params
    for params in ({"pageSize": 0}, {"pageSize": 101}, {"pageSize": "3"}, {"status": "DONE"},
                   {"pageToken": "junk"}, {"statusTimestampAfter": "yesterday"}):  # fmt: skip
        assert raw.ask("ListTasks", params)["code"] == -32602, params
    assert not A2ATask.objects.exists()


def test_arguments_of_any_kind_end_in_a_task_that_asks(raw):
    deep = {}
    for _ in range(50):
        deep = {"a": deep}
    for arguments in ([], "x", 3, {"limit": 10**400}, {"status": {"a": 1}}, deep, {"": ""}):
        said = message({"skill": "query_activities", "arguments": arguments})
        task = raw.ask("SendMessage", {"message": said})["task"]
        assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED", arguments


def test_unknown_fields_are_passed_over_and_nulls_say_nothing(raw):
    said = {**message(QUERY), "metadata": {"a": 1}, "extensions": [], "taskId": None, "new": 1}
    asked = {"message": said, "configuration": None, "tenant": "", "metadata": {}}
    assert raw.ask("SendMessage", asked)["task"]["status"]["state"] == "TASK_STATE_COMPLETED"


def test_the_same_message_many_times_at_once_is_one_task_and_one_call(raw):
    said = {"message": message(QUERY, message_id="once")}
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: raw.ask("SendMessage", said), range(12)))
    assert len({answer["task"]["id"] for answer in answers}) == 1
    assert A2ATask.objects.get().state == "completed"
    held = Receipt.objects.filter(tool="query_activities", idempotency_key="a2a-once")
    assert held.count() == 1


def test_an_id_of_another_kind_and_a_made_up_one_are_not_found(raw, agent):
    for name in (agent.public_id, "ata_xxxxxxxxxx", "", "../../etc"):
        for method in ("GetTask", "CancelTask"):
            error = raw.ask(method, {"id": name})
            assert (error["code"], reasons(error)) == (-32001, ["TASK_NOT_FOUND"])


def test_the_card_needs_no_token(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    connection.request("GET", "/.well-known/agent-card.json")
    assert json.loads(connection.getresponse().read())["name"] == "Chancery"
    connection.close()
