"""What is held: told as such, and waited for until a person has decided."""

import asyncio
import threading
import time
import uuid

import httpx
import pytest

from chancery_client import AsyncChancery, Chancery, Held, NotDecidedError


def letter():
    """Return one like no other: a reply would be void once another one has left in its thread."""
    return {
        "account_id": "hello@kettlewheel.example", "to": "ada@example.org", "confirm": True,
        "subject": f"Tomorrow {uuid.uuid4().hex[:8]}", "body": "You hear from us tomorrow.",
    }  # fmt: skip


def propose(client):
    return client.operations.email_send(**letter())


def later(person, held, answer):
    """Have a person decide in a moment; `join` waits for it."""

    def decide():
        time.sleep(0.7)
        person.answer(held.approval_id, [answer])

    running = threading.Thread(target=decide)
    running.start()
    return running


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ({"type": "accept", "args": None}, "approved"),
        ({"type": "ignore", "args": None}, "rejected"),
        ({"type": "response", "args": "Name the day."}, "returned"),
    ],
)
def test_it_is_waited_for_what_a_person_decides(chancery, person, answer, state):
    held = propose(chancery)
    assert isinstance(held, Held)
    assert held.review_url.endswith(f"/admin/review/{held.approval_id}/")
    assert held.answer["status"] == "queued"
    assert chancery.house.get_approval(approval_id=held.approval_id)["state"] == "waiting"
    deciding = later(person, held, answer)
    decided = chancery.wait_for_decision(held, timeout=60)
    deciding.join()
    assert (decided["state"], decided["approval_id"]) == (state, held.approval_id)
    if state == "returned":
        assert decided["feedback"] == "Name the day."


def test_what_a_person_edited_is_what_was_decided(chancery, person):
    held = propose(chancery)
    action = person.read_interrupt(held.approval_id)["action_request"]
    edited = {**action, "args": {**action["args"], "body": "You hear from us on Monday."}}
    deciding = later(person, held, {"type": "edit", "args": edited})
    decided = chancery.wait_for_decision(held.approval_id, timeout=60)
    deciding.join()
    assert decided["state"] == "approved"
    assert decided["approval_id"] != held.approval_id


def test_a_reply_is_held_by_its_own_key(chancery, thread):
    given = {"thread_id": thread, "body_or_draft_id": "You hear from us tomorrow."}
    held = chancery.mail.send_reply(**given, idempotency_key="reply-1")
    assert isinstance(held, Held)
    again = chancery.mail.send_reply(**given, idempotency_key="reply-1")
    by_name = chancery.call("send_reply", {**given, "idempotency_key": "reply-1"})
    assert held == again == by_name


def test_where_nobody_decides_it_says_so_in_time(chancery):
    held = propose(chancery)
    started = time.monotonic()
    with pytest.raises(NotDecidedError) as late:
        chancery.wait_for_decision(held, timeout=1)
    assert 1 <= time.monotonic() - started < 20
    assert late.value.approval_id == held.approval_id
    assert isinstance(late.value, TimeoutError)


def test_a_change_without_an_answer_of_its_own_is_held_as_well(chancery):
    waiting = chancery.concierge.query_activities(status="surfaced", limit=1)["activities"]
    held = chancery.concierge.update_activities(
        activity_ids=[waiting[0]["id"]], updates={"status": "archived"}
    )
    assert isinstance(held, Held)
    assert held.answer is None
    assert chancery.house.get_approval(approval_id=held.approval_id)["state"] == "waiting"


def test_what_has_left_is_no_longer_held(chancery, person):
    given = {**letter(), "idempotency_key": uuid.uuid4().hex}
    held = chancery.operations.email_send(**given)
    person.answer(held.approval_id, [{"type": "accept", "args": None}])
    deadline = time.monotonic() + 120
    while isinstance(chancery.operations.email_send(**given), Held):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert chancery.operations.email_send(**given)["status"] == "sent"


def test_it_is_awaited_while_other_things_go_on(url, token, person):
    async def work():
        async with AsyncChancery(url, token) as client:
            held = await client.operations.email_send(**letter())
            waited = asyncio.create_task(client.wait_for_decision(held, timeout=60))
            around = await client.house.look_around()
            deciding = later(person, held, {"type": "accept", "args": None})
            decided = await waited
            deciding.join()
            return around, decided

    around, decided = asyncio.run(work())
    assert around["inboxes"]
    assert decided["state"] == "approved"


class Flaky(httpx.HTTPTransport):
    """Refuses every other request, as a server does that starts anew."""

    asked = 0

    def handle_request(self, request):
        self.asked += 1
        if self.asked % 2:
            raise httpx.ConnectError("nobody answers")
        return super().handle_request(request)


def test_a_server_that_starts_anew_is_waited_for(chancery, url, token, person):
    held = propose(chancery)
    headers = {"Authorization": f"Bearer {token}"}
    carrier = Flaky()
    client = Chancery(
        http=httpx.Client(base_url=url, headers=headers, transport=carrier), retries=0
    )
    deciding = later(person, held, {"type": "accept", "args": None})
    assert client.wait_for_decision(held, timeout=60)["state"] == "approved"
    deciding.join()
    assert carrier.asked >= 2
