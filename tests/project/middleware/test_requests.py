"""Ids, times and lines of requests."""

import logging

import pytest

from agents.surfaces.handler import ApiHandler
from inbox.background import jobs
from inbox.background.request_ids import current_request_id
from inbox.models import Job
from project.middleware.requests import Requests
from project.monitoring.metrics import REGISTRY
from tests.project.asgi_calls import ask


async def served(scope, receive, send):
    body = current_request_id().encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
    await send({"type": "http.response.body", "body": body})


def test_a_request_gets_an_id_that_its_answer_tells():
    first, second = ask(Requests(served), "/"), ask(Requests(served), "/")
    assert first.headers["x-request-id"] == first.body.decode()
    assert len(first.body) == 32
    assert first.body != second.body
    assert first.headers["x"] == "y"
    assert current_request_id() == ""


def test_the_id_of_a_proxy_is_taken_over():
    assert ask(Requests(served), "/", x_request_id="web-1.a_7").body == b"web-1.a_7"


@pytest.mark.parametrize("given", ["", "a b", "a\nlevel=ERROR", '"}{', "é", "a" * 65])
def test_one_that_is_not_plain_is_replaced(given):
    assert len(ask(Requests(served), "/", x_request_id=given).body) == 32


@pytest.mark.django_db
def test_requests_are_counted_by_what_was_served():
    def count(surface, status):
        labels = {"surface": surface, "status": status}
        return REGISTRY.get_sample_value("chancery_request_seconds_count", labels) or 0

    paths = {
        "/api/tools/list_threads": "tools", "/api/v1/me": "rest", "/mcp/mail": "mcp",
        "/static/x.css": "static", "/metrics": "operating", "/admin/": "pages", "/apis": "pages",
    }  # fmt: skip
    for path, surface in paths.items():
        before = count(surface, "200")
        ask(Requests(served), path)
        assert count(surface, "200") == before + 1


def test_the_log_has_a_line_without_the_query_and_none_for_probes(caplog):
    caplog.set_level(logging.INFO, "chancery.requests")
    ask(Requests(served), "/api/v1/messages\n")
    ask(Requests(served), "/health/live")
    [record] = caplog.records
    assert record.getMessage() == "GET /api/v1/messages\\n 200"
    assert (record.surface, record.status) == ("rest", 200)
    assert record.milliseconds >= 0


def test_no_line_is_made_where_nobody_wants_it(caplog):
    caplog.set_level(logging.WARNING, "chancery.requests")
    ask(Requests(served), "/")
    assert caplog.records == []


@pytest.mark.django_db(transaction=True)
def test_a_call_of_the_api_hands_its_id_to_the_jobs_it_causes(monkeypatch):
    def answer(self, scope, body):
        jobs.enqueue("note", {})
        start = {"type": "http.response.start", "status": 200, "headers": []}
        return start, {"type": "http.response.body", "body": b""}

    monkeypatch.setattr("agents.surfaces.handler._Views.answer", answer)
    ask(Requests(ApiHandler(served)), "/api/v1/me", x_request_id="web-1")
    assert Job.objects.get().request_id == "web-1"
