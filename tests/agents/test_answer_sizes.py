"""How long answers get: texts share a budget, and what is long says how to ask for less."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agents.contracts import REGISTRY, RESOURCES, Effect
from agents.dispatching.answers import LONG_ANSWER, ways_to_less
from agents.dispatching.dispatch import call
from agents.tools.budget import MOST_HTML, MOST_TEXT, cut, fair_cut
from inbox.models import Activity, Mailbox
from tests import factories


@given(st.lists(st.integers(0, 10_000)), st.integers(1, 50_000))
def test_what_is_cut_fits_and_no_character_is_wasted(lengths, most):
    longest = fair_cut(lengths, most)
    kept = [min(length, longest) for length in lengths]
    if most >= len(lengths):
        assert sum(kept) <= most
    more = [min(length, longest + 1) for length in lengths]
    assert kept == lengths or sum(more) > most or longest == 1


def test_short_ones_leave_their_share_to_the_long_ones():
    assert fair_cut([10, 10, 1000], 120) == 100
    assert fair_cut([5, 6], 100) == 6
    assert fair_cut([]) == 1
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"


LISTS = [
    tool
    for registry in (REGISTRY, RESOURCES)
    for tool in registry.tools
    if tool.effect is Effect.READ
]


def may_be_long(tool):
    """Answers that hold lists, or texts that others wrote."""
    return '"array"' in json.dumps(tool.output_schema) and tool.arguments.model_fields


def test_every_reading_tool_with_a_list_says_how_to_ask_for_less():
    silent = {tool.name for tool in LISTS if may_be_long(tool) and not ways_to_less(tool.arguments)}
    # One thing by its id, whole; the lists in these are of people or of values of a few words.
    for name in silent:
        fields = {tool.name: tool for tool in LISTS}[name].arguments.model_fields
        assert not {"limit", "top_k"} & set(fields), name
    assert not silent & {
        tool.name for tool in LISTS if "list" in tool.name or "search" in tool.name
    }


@pytest.fixture
def received(inbox):
    """Make a message in the inbox's folder."""
    folder = Mailbox.objects.get(inbox=inbox, role="inbox")

    def received(**fields):
        message = factories.make_message(inbox, **fields)
        message.mailboxes.add(folder)
        return message

    return received


@pytest.mark.django_db
class TestTexts:
    def test_a_list_of_long_emails_keeps_to_the_budget(self, received, inbox, actor):
        for number in range(12):
            received(subject=f"No. {number}", text=f"{number} " + "word " * 4000)
        received(subject="Short", text="Only this.")
        asked = {"account_id": inbox.account.public_id, "limit": 50}
        answer = call("email_list", asked, actor)
        bodies = {one["subject"]: one["body"] for one in answer.result}
        assert sum(len(body["content"]) for body in bodies.values()) <= MOST_TEXT
        assert bodies["Short"] == {"content": "Only this.", "contentType": "text"}
        assert bodies["No. 3"]["truncated"] is True
        assert (
            bodies["No. 3"]["total_length"] == 20_002 - 0
            or bodies["No. 3"]["total_length"] > 20_000
        )
        few = call("email_list", asked | {"limit": 2}, actor).result
        assert len(few[1]["body"]["content"]) > len(bodies["No. 3"]["content"])

    def test_a_long_conversation_is_cut_and_says_where_the_rest_is(self, inbox, actor):
        first = factories.make_message(
            inbox, subject="Long", text="a" * 30_000, html="<p>x</p>" * 9000
        )
        for _ in range(3):
            factories.make_message(
                inbox, subject="Re: Long", text="b" * 30_000, thread=first.thread
            )
        answer = call("get_thread", {"thread_id": first.thread.public_id}, actor)
        messages = answer.result["messages"]
        assert sum(len(one["text"]) for one in messages) <= MOST_TEXT
        assert all("html" not in one for one in messages)
        assert len(json.dumps(messages)) < MOST_TEXT + MOST_HTML
        said = " ".join(answer.remarks)
        assert "HTML is left out" in said
        assert "Texts are cut at" in said
        whole = call("read_message", {"message_id": first.public_id}, actor, None, RESOURCES)
        assert len(whole.result["text"]) == 30_000
        assert whole.result["html"]

    def test_one_that_is_short_is_whole_and_says_nothing(self, message, actor):
        answer = call("get_thread", {"thread_id": message.thread.public_id}, actor)
        assert answer.result["messages"][0]["text"] == message.text
        assert answer.remarks == ()

    def test_a_long_list_of_activities_is_cut_with_a_word(self, message, actor):
        now = timezone.now()
        for number in range(30):
            Activity.objects.create(
                workspace=message.workspace, message=message, source="note", source_id=str(number), title="x",
                content="c" * 5000, created_at=now - timedelta(minutes=number),
                status="surfaced",
            )  # fmt: skip
        answer = call("query_activities", {"limit": 30}, actor)
        shown = [len(one["content"]) for one in answer.result["activities"]]
        assert sum(shown) <= MOST_TEXT
        assert any("Contents are cut" in said for said in answer.remarks)

    def test_a_long_answer_says_how_long_and_how_to_ask_for_less(self, received, inbox, actor):
        for number in range(110):
            received(subject=f"{number} " + "subject " * 30, text="x")
        asked = {"account_id": inbox.account.public_id, "limit": 200, "include_body": False}
        answer = call("email_list", asked, actor)
        assert len(answer.json) > LONG_ANSWER
        assert f"{len(answer.json):,} characters" in answer.remarks[0]
        assert "a smaller limit" in answer.remarks[0]
        assert call("email_list", asked | {"limit": 5}, actor).remarks == ()
