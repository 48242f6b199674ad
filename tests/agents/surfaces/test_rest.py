"""The tools over HTTP, and how every kind of bad request is answered."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.errors import ToolError
from agents.models import Agent, Approval, Receipt, Token
from agents.surfaces.rest import ApiView
from inbox.models import Draft
from tests import factories

pytestmark = pytest.mark.django_db
ERROR_SHAPE = Draft202012Validator(REGISTRY.documents["neuralmail/errors.json"])


def error(response, status, code):
    body = json.loads(response.content)
    ERROR_SHAPE.validate(body)
    assert (response.status_code, body["code"]) == (status, code), body
    return body


def test_a_tool_answers_as_its_contract_says(api, inbox):
    thread = factories.make_message(inbox).thread
    response = api.call("list_threads", {"inbox_id": inbox.public_id})
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Chancery-Receipt"] == Receipt.objects.get().public_id
    body = response.json()
    Draft202012Validator(REGISTRY.schemas_of("list_threads")[1]).validate(body)
    assert body["threads"][0]["id"] == thread.public_id
    assert "next_cursor" not in body


def test_a_held_reply_names_its_approval_in_headers(api, inbox):
    thread = factories.make_message(inbox).thread
    arguments = {"thread_id": thread.public_id, "body_or_draft_id": "Yes.", "idempotency_key": "k"}
    response = api.call("send_reply", arguments)
    approval = Approval.objects.get()
    assert set(response.json()) == {"message_id", "status"}
    assert response["Chancery-Approval"] == approval.public_id
    assert f"/admin/review/{approval.public_id}/>" in response["Link"]
    again = api.call("send_reply", arguments, Idempotency_Key="k")
    assert again["Idempotency-Replayed"] == "true"
    assert again.json() == response.json()
    changed = {**arguments, "body_or_draft_id": "No."}
    error(api.call("send_reply", changed), 422, "idempotency_conflict")


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("", "no token"),
        ("chy_wrong", "no such token"),
        ("\xff\xfe", "no such token"),
        ("a b", "no such"),
    ],
)
def test_without_a_good_token_nobody_is_let_in(client, token, words):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = client.post(
        "/api/tools/list_threads", "{}", content_type="application/json", headers=headers
    )
    body = error(response, 401, "unauthenticated")
    assert words in body["message"]
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_another_scheme_is_no_token(client, token):
    headers = {"Authorization": f"Basic {token}"}
    response = client.post(
        "/api/tools/list_threads", "{}", content_type="application/json", headers=headers
    )
    error(response, 401, "unauthenticated")


def test_expired_and_revoked_tokens_are_told_so(api):
    real = Token.objects.exclude(hint="chy_none")
    real.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in error(api.call("query_people"), 401, "unauthenticated")["message"]
    real.update(expires_at=None, revoked_at=timezone.now())
    assert "revoked" in error(api.call("query_people"), 401, "unauthenticated")["message"]


def test_a_paused_agent_is_told_so(api, agent):
    Agent.objects.update(status="paused")
    assert "paused" in error(api.call("query_people"), 403, "permission_denied")["message"]


def test_a_missing_scope_is_named(api):
    Token.objects.update(scopes=["inbox:read"])
    assert "storage:read" in error(api.call("query_people"), 403, "permission_denied")["message"]


def test_the_last_use_of_a_token_is_noted_at_most_once_a_minute(api, django_assert_num_queries):
    api.call("query_people")
    used = Token.objects.exclude(hint="chy_none").get().last_used_at
    assert used is not None
    api.call("query_people")
    assert Token.objects.exclude(hint="chy_none").get().last_used_at == used


@pytest.mark.parametrize(
    "body",
    [
        '{"a":1,"a":2}', "[1e400]", "[NaN]", '{"__proto__":{}}', '{"id":9007199254740993}', '{"email":["a@ok.org","b@c.net"]}',
        '{"confirm":"true"}', "{", "nothing", "[]", '"x"', "7", "null", "{'a': 1}", '{"a": Infinity}', '{"a": -Infinity}',
        '{"inbox_id": "x", "limit": 1e400}', "[" * 5000, '{"a":' * 5000, b"\xff\xfe{}", b'{"a": "\xff"}', '{"inbox_id": "a\\u0000b"}',
        '{"inbox_id": "\\ud800"}', '{"inbox_id": "a", "limit": ' + "9" * 5000 + "}", "{} {}", '{"inbox_id": "a",}', "\x00",
    ],
)  # fmt: skip
def test_bad_json_and_bad_arguments_are_400(api, body):
    found = error(api.call("list_threads", body), 400, "invalid_input")
    assert found["details"]["errors"][0]["message"]


@pytest.mark.parametrize(("body", "headers"), [("{", {}), ("{}", {"Content_Encoding": "gzip"})])
def test_what_cannot_be_read_leaves_a_receipt_too(api, body, headers):
    api.call("list_threads", body, **headers)
    receipt = Receipt.objects.get()
    assert (receipt.tool, receipt.decision, receipt.outcome) == ("list_threads", "deny", "error")


def test_an_empty_body_is_an_empty_object(api):
    assert error(api.call("list_threads", ""), 400, "invalid_input")["details"]["errors"][0] == {
        "pointer": "/inbox_id", "message": "is required", "accepted": "a text that is not empty",
    }  # fmt: skip
    assert api.call("query_people", "").status_code == 200


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                     "application/json; charset=latin-1", "application/xml", ""],
)  # fmt: skip
def test_another_media_type_is_415(api, content_type):
    found = error(
        api.call("list_threads", "{}", content_type=content_type), 415, "unsupported_media_type"
    )
    assert found["details"]["accepted"] == "application/json"


def test_json_in_utf_8_may_say_so(api):
    assert (
        api.call("query_people", "{}", content_type="application/json; charset=UTF-8").status_code
        == 200
    )


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, gzip"])
def test_a_compressed_body_is_415(api, coding):
    error(api.call("list_threads", "{}", Content_Encoding=coding), 415, "unsupported_media_type")


def test_an_oversized_body_is_413(api, settings):
    body = json.dumps({"inbox_id": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    found = error(api.call("list_threads", body), 413, "too_large")
    assert str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE) in found["details"]["accepted"]


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "options"])
def test_another_method_is_405(api, client, method):
    response = getattr(client, method)("/api/tools/list_threads", headers=api.headers())
    error(response, 405, "method_not_allowed")
    assert response["Allow"] == "POST"


@pytest.mark.parametrize(
    "name", ["make_tea", "list_threads/", "../admin", "a" * 3000, "list%20threads", "%00"]
)
def test_an_unknown_tool_is_404(api, name):
    error(api.call(name), 404, "not_found")


@pytest.mark.parametrize(
    "path", ["", "nothing", "v1/", "v1/nothing", "v2/inboxes", "schemas/nothing.json"]
)
def test_an_unknown_address_is_404(api, path):
    error(api.get(path), 404, "not_found")


def test_a_crash_is_500_without_its_words(api, monkeypatch, caplog):
    def crash(request):
        raise RuntimeError("swordfish")

    monkeypatch.setattr("agents.surfaces.rest.find_bearer_of", crash)
    response = api.call("query_people")
    error(response, 500, "internal")
    assert b"swordfish" not in response.content
    assert "swordfish" in caplog.text


def test_a_provider_s_refusal_is_502():
    response = ApiView().handle_exception(ToolError("provider_error", "550 no such user"))
    error(response, 502, "provider_error")


def test_no_other_site_may_read_the_answers(api):
    response = api.call("query_people", {}, Origin="https://evil.example")
    assert "Access-Control-Allow-Origin" not in response


def test_a_schema_is_served_to_anybody_under_its_id(client):
    response = client.get("/api/schemas/neuralmail/tools/list_threads.input.json")
    assert response.json() == REGISTRY.documents["neuralmail/tools/list_threads.input.json"]
    for schema_id in REGISTRY.documents:
        assert client.get(f"/api/schemas/{schema_id}").json()["$id"] == schema_id


def test_the_list_of_tools_has_self_contained_schemas(api):
    tools = {tool["name"]: tool for tool in api.get("tools").json()["tools"]}
    assert set(tools) == {tool.name for tool in REGISTRY}
    schema = tools["list_threads"]["input_schema"]
    Draft202012Validator(schema).validate({"inbox_id": "inb_1", "limit": 5})
    assert not Draft202012Validator(schema).is_valid({"inbox_id": ""})


@pytest.mark.parametrize(
    "address",
    ["x\r\nBcc: evil@example.net", "x\n\nbody swapped", "x\u2028Bcc: evil@example.net", "x\0"],
)
@pytest.mark.parametrize("field", ["thread_id", "idempotency_key", "to", "subject"])
def test_a_header_cannot_be_slipped_in_by_any_field(api, inbox, field, address):
    thread = factories.make_message(inbox).thread
    arguments = {
        "thread_id": thread.public_id,
        "body_or_draft_id": "Yes.",
        "idempotency_key": "k",
        field: address,
    }
    assert 400 <= api.call("send_reply", arguments).status_code < 500
    assert not Draft.objects.exists()


def test_a_name_given_twice_is_found_among_very_many(api):
    names = ",".join(f'"n{number}":1' for number in range(60_000))
    found = error(api.call("query_people", "{" + names + ',"z":1,"z":2}'), 400, "invalid_input")
    assert "'z' twice" in found["message"]
