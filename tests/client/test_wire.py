"""What the client makes of answers, whoever gave them: Chancery, or a proxy in between."""

import httpx
import pytest

from chancery_client import ChanceryError, Held, NotFoundError, ProviderError, RateLimitedError
from chancery_client.wire import OMITTED, ask, pause_before_retry, read_answer, read_proposal

LINK = '<http://127.0.0.1/admin/review/apr_1/>; rel="approval"'
WAITS = {"Chancery-Approval": "apr_1", "Link": LINK}


def answer(status, body, **headers):
    if isinstance(body, str):
        return httpx.Response(status, text=body, headers=headers)
    return httpx.Response(status, json=body, headers=headers)


def house(code, **details):
    return {"code": code, "message": "No.", "details": details}


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        (answer(404, house("not_found")), NotFoundError, "not_found"),
        (answer(429, house("rate_limited", retry_after=7)), RateLimitedError, "rate_limited"),
        (answer(502, house("provider_error")), ProviderError, "provider_error"),
        (answer(500, house("internal")), ChanceryError, "internal"),
        (answer(418, house("something_new")), ChanceryError, "something_new"),
        (answer(502, "<html>Bad gateway</html>"), ProviderError, "internal"),
        (answer(500, ""), ChanceryError, "internal"),
        (answer(404, []), NotFoundError, "internal"),
        (answer(404, {"error": "No.", "error_code": "KEY_NOT_FOUND"}), NotFoundError, "KEY_NOT_FOUND"),
        (
            answer(404, {"status": "error", "data": {"code": "not_found"}, "message": "No."}),
            NotFoundError, "not_found",
        ),
    ],
)  # fmt: skip
def test_each_refusal_is_read_in_its_shape(given, kind, code):
    with pytest.raises(ChanceryError) as refused:
        read_answer("tool", given)
    assert type(refused.value) is kind
    assert refused.value.code == code
    assert refused.value.status == given.status_code
    assert isinstance(refused.value.details, dict)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (answer(429, house("rate_limited", retry_after=7)), 7),
        (answer(429, "slow down", **{"Retry-After": "3"}), 3),
        (answer(429, "slow down"), 1),
    ],
)
def test_it_is_told_when_to_go_on(given, seconds):
    with pytest.raises(RateLimitedError) as refused:
        read_answer("tool", given)
    assert refused.value.retry_after == seconds


def test_what_is_held_is_told_by_its_headers():
    queued = {"status": "queued", "message_id": "msg_1"}
    url = "http://127.0.0.1/admin/review/apr_1/"
    assert read_proposal("tool", answer(200, queued, **WAITS)) == Held("apr_1", url, queued)
    refused = answer(403, house("approval_required"), **WAITS)
    assert read_proposal("tool", refused) == Held("apr_1", url)
    sent = {"status": "sent", "message_id": "msg_1"}
    assert read_proposal("tool", answer(200, sent, **WAITS)) == sent
    assert read_proposal("tool", answer(200, queued)) == queued
    with pytest.raises(ChanceryError):
        read_proposal("tool", answer(403, house("permission_denied")))


def test_what_was_left_out_is_not_sent_and_null_is():
    request = ask("service.update", {"a": None, "b": OMITTED, "c": []}, "key-1")
    assert request.path == "/api/tools/service"
    assert request.body == {"action": "update", "a": None, "c": []}
    assert request.headers == {"Idempotency-Key": "key-1"}
    assert ask("tool", {}).headers == {}


@pytest.mark.parametrize(
    ("response", "is_repeated"),
    [
        (None, True),
        (answer(503, "<html>"), True),
        (answer(502, house("provider_error")), False),
        (answer(500, house("internal")), False),
        (answer(429, house("rate_limited")), False),
        (answer(200, {}), False),
    ],
)
def test_only_what_a_proxy_or_a_broken_line_lost_is_sent_again(response, is_repeated):
    pauses = [pause_before_retry(attempt, response) for attempt in (0, 1, 2)]
    assert pauses == ([0.25, 0.5, 1.0] if is_repeated else [None] * 3)
