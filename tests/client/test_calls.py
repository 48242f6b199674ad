"""Calls by the typed client: answers, refusals, keys, and what is sent again."""

import asyncio

import httpx
import pytest

from chancery_client import (
    AsyncChancery,
    Chancery,
    ChanceryError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
)


def account_of(chancery):
    return chancery.operations.account_list()[0]["account_id"]


def test_answers_are_those_of_the_tools(chancery):
    around = chancery.house.look_around()
    inbox = around["inboxes"][0]
    page = chancery.mail.list_threads(inbox_id=inbox["id"], limit=3)
    assert len(page["threads"]) == 3
    rest = chancery.mail.list_threads(inbox_id=inbox["id"], limit=3, cursor=page["next_cursor"])
    assert not {one["id"] for one in page["threads"]} & {one["id"] for one in rest["threads"]}
    assert chancery.get(f"threads/{page['threads'][0]['id']}/summary")
    assert chancery.concierge.query_people(limit=1)["people"]


def test_an_action_of_a_service_answers_with_its_data(chancery):
    made = chancery.services.google_tasks_service_create(title="Call the bank")
    assert made["task"]["title"] == "Call the bank"
    titles = [one["title"] for one in chancery.services.google_tasks_service_list()["tasks"]]
    assert "Call the bank" in titles


def test_what_is_left_out_is_not_null(chancery):
    """Null clears the time at which a to-do is due; what is left out stays."""
    due = "2030-01-01T10:00:00Z"
    made = chancery.services.google_tasks_service_create(title="Pay", due_at=due)
    task = made["task"]["id"]
    renamed = chancery.services.google_tasks_service_update(task_id=task, title="Pay it")
    assert renamed["task"]["due_at"].startswith("2030-01-01")
    cleared = chancery.services.google_tasks_service_update(task_id=task, due_at=None)
    assert "due_at" not in cleared["task"]


def test_verbs_are_called_by_name(chancery):
    found = chancery.call("list", {"resource": "emails", "parameters": {"account_id": account_of(chancery), "limit": 2}})  # fmt: skip
    assert len(found) == 2


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda it: it.mail.get_thread(thread_id="thr_nothere00"), NotFoundError, "not_found"),
        (lambda it: it.mail.get_thread(thread_id=7), InvalidInputError, "invalid_input"),
        (lambda it: it.services.google_tasks_service_delete(task_id="x"), NotFoundError, "not_found"),
        (lambda it: it.mesh.get_context(agent_name="Clerk", key="no"), NotFoundError, "KEY_NOT_FOUND"),
        (
            lambda it: it.mesh.get_context(agent_name="Somebody", key="no"),
            NotFoundError, "INVALID_AGENT",
        ),
    ],
)  # fmt: skip
def test_a_refusal_is_an_error_of_its_kind(chancery, call, kind, code):
    with pytest.raises(kind) as refused:
        call(chancery)
    assert refused.value.code == code
    assert refused.value.message
    assert isinstance(refused.value, ChanceryError)


def test_the_error_names_the_field_and_what_is_accepted(chancery):
    with pytest.raises(InvalidInputError) as refused:
        chancery.mail.list_threads(inbox_id="hello@kettlewheel.example", limit=0)
    (named,) = refused.value.details["errors"]
    assert named["pointer"] == "/limit"
    assert named["accepted"]


def test_an_unknown_token_is_said(url):
    with Chancery(url, "chy_wrong") as client, pytest.raises(UnauthenticatedError):
        client.house.look_around()


def test_each_call_has_a_key_of_its_own_and_may_be_given_one(chancery):
    draft = {"account_id": account_of(chancery), "to": "ada@example.org", "subject": "Hello"}
    first = chancery.operations.email_create_draft(**draft, body="One")
    second = chancery.operations.email_create_draft(**draft, body="One")
    assert first["id"] != second["id"]
    one = chancery.operations.email_create_draft(**draft, body="Two", idempotency_key="client-1")
    same = chancery.operations.email_create_draft(**draft, body="Two", idempotency_key="client-1")
    assert one["id"] == same["id"]
    with pytest.raises(ConflictError):
        chancery.operations.email_create_draft(**draft, body="Three", idempotency_key="client-1")


class Breaks(httpx.HTTPTransport):
    """Carries a request, and loses the answer the first times."""

    def __init__(self, times):
        super().__init__()
        self.left = times
        self.keys = []

    def handle_request(self, request):
        self.keys.append(request.headers.get("Idempotency-Key"))
        response = super().handle_request(request)
        if self.left:
            self.left -= 1
            response.close()
            raise httpx.ReadError("the line broke")
        return response


def broken(url, token, times, **more):
    carrier = Breaks(times)
    headers = {"Authorization": f"Bearer {token}"}
    http = httpx.Client(base_url=url, headers=headers, transport=carrier)
    return Chancery(http=http, **more), carrier


def test_a_call_whose_line_broke_is_sent_again_and_happens_once(chancery, url, token):
    client, carrier = broken(url, token, 2)
    title = "Once, though the line broke"
    client.services.google_tasks_service_create(title=title)
    assert len(carrier.keys) == 3
    assert len(set(carrier.keys)) == 1
    assert carrier.keys[0]
    tasks = chancery.services.google_tasks_service_list()["tasks"]
    assert [one["title"] for one in tasks].count(title) == 1


def test_a_line_that_stays_broken_is_told(url, token):
    client, carrier = broken(url, token, 9, retries=1)
    with pytest.raises(httpx.ReadError):
        client.house.look_around()
    assert len(carrier.keys) == 2
    assert carrier.keys[0] is None


def test_calls_are_awaited_side_by_side(url, token):
    async def ask():
        async with AsyncChancery(url, token) as client:
            around = await client.house.look_around()
            inbox = around["inboxes"][0]["id"]
            asked = (client.mail.list_threads(inbox_id=inbox, limit=n) for n in (1, 2, 3))
            pages = await asyncio.gather(*asked)
            with pytest.raises(NotFoundError):
                await client.mail.get_thread(thread_id="thr_nothere00")
            return [len(page["threads"]) for page in pages]

    assert asyncio.run(ask()) == [1, 2, 3]
