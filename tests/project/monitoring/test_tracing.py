"""Spans of calls, decisions and sends: what is in them, what is not, and where they hang together."""

import http.server
import logging
import shutil
import sys
import threading
import time
import urllib.request
from types import SimpleNamespace

import anyio
import httpx2
import pytest
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from agents.operations.agents import create_token
from agents.surfaces.handler import ApiHandler
from inbox.background.jobs import publish, run_due
from inbox.background.traces import collect_by, current_trace, span
from inbox.models import Account, Job
from project import apps
from project.asgi import pages
from project.middleware.requests import Requests
from project.monitoring.tracing import OpenTelemetry
from project.settings import BASE_DIR
from tests import factories
from tests.own_sessions import sessions_closed
from tests.project.asgi_calls import ask
from tests.sending_tools import hurry
from tests.servers import Peer, smtp_sink
from tests.up import SHOWN, StartedUp, clean_environment

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox)


@pytest.fixture
def propose(actor, inbox, message):
    """Propose a reply to the question, through the server at this port; return its approval."""

    def propose(port=0):
        settings = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        Account.objects.filter(pk=inbox.account_id).update(
            provider="imap_smtp" if port else "local", settings=settings, undo_seconds=0
        )
        arguments = {"thread_id": message.thread.public_id, "body_or_draft_id": "Here it is.",
                     "idempotency_key": "k"}  # fmt: skip
        return Approval.objects.get(pk=call("send_reply", arguments, actor).approval.pk)

    return propose


@pytest.fixture
def spans():
    """What was collected: `spans()` by name, in the order in which they ended."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    collect_by(OpenTelemetry(provider))
    yield exporter.get_finished_spans
    collect_by(None)


def named(spans, name):
    (found,) = [one for one in spans() if one.name == name]
    return found


def ids(context):
    return context.trace_id, context.span_id


@pytest.mark.django_db
def test_a_call_is_a_span_by_the_conventions_and_says_nothing_of_what_was_said(
    spans, actor, agent, message
):
    arguments = {"inbox_id": message.inbox.public_id, "query": "question secret-word"}
    answer = call("search_inbox", arguments, actor, "call_abc")
    made = named(spans, "execute_tool search_inbox")
    assert (made.kind, made.status.status_code) == (SpanKind.INTERNAL, StatusCode.UNSET)
    assert dict(made.attributes) == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search_inbox",
        "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "call_abc",
        "gen_ai.agent.id": agent.public_id, "gen_ai.agent.name": "Clerk",
        "chancery.outcome": "ok", "chancery.receipt.id": answer.receipt_id,
    }  # fmt: skip
    assert "secret-word" not in made.to_json()


@pytest.mark.django_db
def test_a_refused_call_fails_by_its_code_and_quotes_nothing(spans, actor):
    with pytest.raises(ToolError):
        call("list_threads", {"inbox_id": "secret-word"}, actor)
    made = named(spans, "execute_tool list_threads")
    assert made.status.status_code == StatusCode.ERROR
    assert made.attributes["error.type"] == "not_found"
    assert not made.events
    assert "secret-word" not in made.to_json()


@pytest.mark.django_db
def test_what_waits_decided_and_sent_hang_together(spans, propose, reviewer):
    with smtp_sink() as (sink, port):
        approval = propose(port)
        proposed = named(spans, "execute_tool send_reply")
        lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
        run_due()
    assert proposed.attributes["chancery.outcome"] == "held"
    assert proposed.attributes["chancery.approval.id"] == approval.public_id
    decided = named(spans, "decide send_reply")
    assert [ids(link.context) for link in decided.links] == [ids(proposed.context)]
    assert decided.attributes["chancery.approval.state"] == "approved"
    resumed = [one for one in spans() if one.name == "execute_tool send_reply"][-1]
    assert ids(resumed.parent) == ids(decided.context)
    assert len(sink.taken) == 1
    sent = named(spans, "send mail")
    # A worker did it, at another time, by a job of the decision's.
    assert (sent.context.trace_id, sent.kind) == (decided.context.trace_id, SpanKind.CLIENT)
    assert "customer.example" not in "".join(one.to_json() for one in spans())


@pytest.mark.django_db
def test_a_send_that_fails_says_of_which_kind(spans, propose, reviewer):
    with Peer(RCPT="554 not from you, secret-word") as peer:
        approval = propose(peer.port)
        lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
        hurry()
        run_due()
    sent = named(spans, "send mail")
    assert (sent.status.status_code, sent.attributes["error.type"]) == (
        StatusCode.ERROR, "permanent",
    )  # fmt: skip
    assert "secret-word" not in sent.to_json()


@pytest.mark.django_db
def test_a_held_call_that_answers_with_an_error_has_not_failed(spans, actor, message):
    (activity,) = factories.activities_from_messages([message.pk])
    type(activity).objects.update(status="surfaced", autonomy_tier=4)
    updates = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError):
        call("update_activities", updates, actor)
    made = named(spans, "execute_tool update_activities")
    assert made.status.status_code == StatusCode.UNSET
    assert made.attributes["chancery.outcome"] == "held"
    assert made.attributes["chancery.approval.id"].startswith("apr_")


@pytest.mark.django_db
def test_a_rejection_is_a_span_too_and_one_that_cannot_be_fails(spans, propose, reviewer):
    approval = propose()
    lifecycle.reject(approval=approval, by=reviewer, reason="secret-word")
    assert named(spans, "decide send_reply").attributes["chancery.approval.state"] == "rejected"
    with pytest.raises(lifecycle.ApprovalError):
        lifecycle.reject(approval=approval, by=reviewer, reason="secret-word")
    again = spans()[-1]
    assert (again.name, again.attributes["error.type"]) == ("decide send_reply", "not_waiting")
    assert "secret-word" not in "".join(one.to_json() for one in spans())


@pytest.mark.django_db(transaction=True)
def test_a_request_goes_on_with_the_trace_of_who_asks(spans, agent):
    token = create_token(agent=agent, scopes={"inbox:read"})[1]
    for parent, expected in ((PARENT, TRACE), ("junk", None), ("00-" + "0" * 32 + "-x-01", None)):
        with sessions_closed():
            # Its own threads: those of the application may have other tests' connections.
            served = Requests(ApiHandler(pages))
            answer = ask(
                served, "/api/tools/look_around", method="POST", host="localhost",
                authorization=f"Bearer {token}", traceparent=parent, tracestate="a=b",
            )  # fmt: skip
        assert answer.status == 200
        made = spans()[-1]
        assert made.name == "execute_tool look_around"
        found = f"{made.context.trace_id:032x}"
        assert (found == TRACE) == (expected is not None), parent


@pytest.mark.django_db
def test_a_job_goes_on_with_the_trace_of_its_cause(spans, message):
    with span("cause", {}):
        publish(
            "message.received", {"message_ids": [message.pk]}, workspace_id=message.workspace_id
        )
        cause = current_trace()
    assert set(Job.objects.values_list("trace_parent", flat=True)) == {cause}


@pytest.mark.django_db
def test_where_nobody_collects_nothing_is_kept_of_it(actor, propose):
    assert current_trace() == ""
    assert propose().trace_parent == ""
    assert set(Job.objects.values_list("trace_parent", flat=True)) == {""}


def test_nothing_of_opentelemetry_is_loaded_unless_it_is_wanted(at_start):
    assert "project.asgi" in at_start.modules
    assert [name for name in at_start.modules if name.startswith("opentelemetry")] == []


def test_a_set_up_without_the_packages_works_on_and_says_so(monkeypatch, caplog, settings):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "project.monitoring.tracing")
    with caplog.at_level(logging.WARNING):
        apps._collect_spans()
    assert "chancery[otel]" in caplog.text


class Receiver:
    """A real receiver of OTLP over HTTP on loopback."""

    def __init__(self):
        self.spans = []
        receiver = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                asked = ExportTraceServiceRequest.FromString(body)
                for resource in asked.resource_spans:
                    about = {it.key: it.value.string_value for it in resource.resource.attributes}
                    for scope in resource.scope_spans:
                        receiver.spans += [
                            SimpleNamespace(span=one, about=about, path=self.path)
                            for one in scope.spans
                        ]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args):
                """Keep quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def wait_for(self, name):
        """Return the spans of this name, once there is one."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = [one for one in self.spans if one.span.name == name]
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"no span {name!r} among {[one.span.name for one in self.spans]}")


def test_a_server_sends_what_agents_do_by_rest_and_mcp_to_a_collector(demo_folder, tmp_path):
    receiver = Receiver()
    shutil.copytree(demo_folder, tmp_path, dirs_exist_ok=True)
    # What is loaded with the apps is what is tried: no fork of one that has them already.
    up = StartedUp(
        [sys.executable, "manage.py", "up", "--port", "0"], cwd=BASE_DIR,
        env={**clean_environment(), "CHANCERY_VAR": str(tmp_path), "OTEL_BSP_SCHEDULE_DELAY": "50",
             "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url},
    )  # fmt: skip
    up.shown = (tmp_path / SHOWN).read_text()
    url, token = up.wait_until_ready(180), up.secret("token")
    request = urllib.request.Request(
        f"{url}/api/tools/look_around", data=b"{}",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                 "traceparent": PARENT},
    )  # fmt: skip
    urllib.request.urlopen(request, timeout=30).read()
    (by_rest,) = receiver.wait_for("execute_tool look_around")
    assert (by_rest.span.trace_id.hex(), by_rest.path) == (TRACE, "/v1/traces")
    assert by_rest.about["service.name"] == "chancery"

    async def by_mcp():
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as carrier:
            server = streamable_http_client(f"{url}/mcp", http_client=carrier)
            async with McpClient(server, mode="legacy", cache=None) as client:
                meta = {"traceparent": PARENT.replace("0af7", "1bf7")}
                await client.call_tool("get_approval", {"approval_id": "apr_x"}, meta=meta)

    anyio.run(by_mcp)
    (ran,) = receiver.wait_for("execute_tool get_approval")
    (came,) = receiver.wait_for("tools/call get_approval")
    assert ran.span.trace_id.hex() == TRACE.replace("0af7", "1bf7")
    assert ran.span.parent_span_id == came.span.span_id
    assert up.stop()[0] == 0
    receiver.server.shutdown()
    receiver.server.server_close()
