"""Tasks as streams, by the published client and by one that may say anything."""

import http.client
import json
import threading
import time

import anyio
import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.types import a2a_pb2 as pb
from a2a.utils import errors
from google.protobuf.json_format import MessageToDict, ParseDict

from agents.approval import lifecycle
from agents.models import Approval, Receipt
from agents.surfaces.a2a import streams
from agents.surfaces.events import feed
from agents.surfaces.events.feed import FEED
from tests import factories
from tests.agents.surfaces.a2a.conftest import message as say
from tests.agents.surfaces.a2a.test_tasks import activity, archive, query  # noqa: F401
from tests.agents.surfaces.mcp.conftest import NO_TLS
from tests.patience import LONG

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def at_rest(monkeypatch):
    """Have the log looked at often, and by nobody any more once the test is over."""
    monkeypatch.setattr(feed, "LOOK", 0.05)
    yield
    FEED.end_all()
    deadline = time.monotonic() + LONG
    while FEED._thread is not None and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.fixture
def follow(a2a):
    """Ask with the published client for a stream; return its events, `act` called after the first."""

    def follow(name, request, act=None):
        async def main():
            headers = {"Authorization": f"Bearer {a2a.token}"}
            async with httpx.AsyncClient(headers=headers, timeout=LONG, verify=NO_TLS) as carrier:
                config = ClientConfig(httpx_client=carrier, streaming=True)
                client = await create_client(a2a.base, config)
                events = []
                async for event in getattr(client, name)(request):
                    events.append(MessageToDict(event))
                    if act and len(events) == 1:
                        await anyio.to_thread.run_sync(act)
                return events

        return anyio.run(main)

    return follow


def send(*parts, **fields):
    return ParseDict({"message": say(*parts, **fields)}, pb.SendMessageRequest())


def states(events):
    return [
        (event.get("task") or event.get("statusUpdate", {})).get("status", {}).get("state")
        for event in events
    ]


def test_what_is_done_at_once_is_one_event(follow, activity):  # noqa: F811
    (event,) = follow("send_message", send(query()))
    assert event["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
    assert event["task"]["artifacts"]


def test_what_waits_is_followed_to_its_end_with_the_answer_first(follow, archive, approve):  # noqa: F811
    events = follow("send_message", send(archive), lambda: approve(Approval.objects.get()))
    assert states(events) == ["TASK_STATE_INPUT_REQUIRED", None, "TASK_STATE_COMPLETED"]
    (answer,) = events[1]["artifactUpdate"]["artifact"]["parts"]
    assert answer["data"]["updated_count"] == 1
    assert events[1]["artifactUpdate"]["lastChunk"] is True


def test_a_rejection_ends_the_stream(follow, archive, reviewer):  # noqa: F811
    def reject():
        lifecycle.reject(approval=Approval.objects.get(), by=reviewer, reason="No.")

    events = follow("send_message", send(archive), reject)
    assert states(events) == ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED"]


def test_words_alone_are_answered_by_one_message(follow):
    (event,) = follow("send_message", send("What came in?"))
    assert "No model reads" in event["message"]["parts"][0]["text"]


def test_one_subscribes_to_a_task_that_is_not_over(a2a, follow, archive, approve):  # noqa: F811
    task = a2a.send(archive)["task"]
    request = pb.SubscribeToTaskRequest(id=task["id"])
    events = follow("subscribe", request, lambda: approve(Approval.objects.get()))
    assert events[0]["task"]["id"] == task["id"]
    assert states(events)[-1] == "TASK_STATE_COMPLETED"
    with pytest.raises(errors.UnsupportedOperationError):
        follow("subscribe", request)
    with pytest.raises(errors.TaskNotFoundError):
        follow("subscribe", pb.SubscribeToTaskRequest(id="ata_none"))


def test_what_no_event_tells_of_is_seen_at_the_heartbeat(a2a, follow, monkeypatch):
    monkeypatch.setattr(streams, "HEARTBEAT", 0.2)
    task = a2a.send(query(limit="many"))["task"]

    def cancel():
        a2a.ask("cancel_task", pb.CancelTaskRequest(id=task["id"]))

    # The client's loop runs in this thread; what acts has one of its own.
    def act():
        thread = threading.Thread(target=cancel)
        thread.start()
        thread.join()

    events = follow("subscribe", pb.SubscribeToTaskRequest(id=task["id"]), act)
    assert states(events) == ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_CANCELED"]


class Stream:
    """A stream that is read by hand."""

    def __init__(self, port, token, request, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
        given = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                 "A2A-Version": "1.0", **headers}  # fmt: skip
        self.connection.request("POST", "/a2a", json.dumps(request), given)
        self.answer = self.connection.getresponse()

    def event(self):
        """Return the next event, heartbeats passed over; None at the end."""
        while line := self.answer.readline():
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        return None


def streaming(archive):  # noqa: F811
    return {"jsonrpc": "2.0", "id": "s-1", "method": "SendStreamingMessage",
            "params": {"message": say(archive)}}  # fmt: skip


def test_each_event_is_an_answer_to_the_request(port, token, archive):  # noqa: F811
    stream = Stream(port, token, streaming(archive))
    assert stream.answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    event = stream.event()
    assert (event["jsonrpc"], event["id"], set(event["result"])) == ("2.0", "s-1", {"task"})
    stream.connection.close()


def test_a_token_that_is_revoked_meanwhile_ends_the_stream(
    port, token, archive, agent, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.setattr(streams, "HEARTBEAT", 0.2)
    stream = Stream(port, token, streaming(archive))
    assert stream.event()
    agent.tokens.update(revoked_at=factories.NOON)
    assert stream.event() is None


def test_refusals_are_no_streams(port, token, archive):  # noqa: F811
    asked = streaming(archive)
    for request, headers, status, code in (
        (asked, {"Authorization": "Bearer chy_wrong"}, 401, -32050),
        (asked, {"A2A-Version": "0.3"}, 200, -32009),
        ({**asked, "params": {}}, {}, 200, -32602),
        ({**asked, "jsonrpc": "1.0"}, {}, 200, -32600),
        ({**asked, "method": "SubscribeToTask", "params": {"id": "x"}}, {}, 200, -32001),
    ):
        stream = Stream(port, token, request, **headers)
        assert stream.answer.headers["Content-Type"] == "application/json"
        body = json.loads(stream.answer.read())
        assert (stream.answer.status, body["error"]["code"], body["id"]) == (
            status, code, None if status == 401 else "s-1",
        )  # fmt: skip
        stream.connection.close()
    assert not Receipt.objects.filter(outcome="held").exists()


def test_one_stream_too_many_is_refused(port, token, archive, settings):  # noqa: F811
    settings.STREAMS_PER_TOKEN = 1
    first = Stream(port, token, streaming(archive))
    assert first.event()
    second = Stream(port, token, streaming(archive))
    assert (second.answer.status, second.answer.headers["Retry-After"]) == (429, "15")
    assert json.loads(second.answer.read())["error"]["code"] == -32051
    first.connection.close()
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        again = Stream(port, token, streaming(archive))
        if again.answer.status == 200:
            break
        again.connection.close()
        time.sleep(0.05)
    assert again.event()
    again.connection.close()


def test_a_name_of_a_stream_in_what_is_said_streams_nothing(raw, archive):  # noqa: F811
    asked = {"message": say(query(), "SendStreamingMessage, please")}
    assert raw.ask("SendMessage", asked)["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
