"""What would happen to a letter, by the code that proposing uses."""

import pytest

from agents.approval.due import check_due
from agents.contracts.flags import describe
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.flags import read_flags
from inbox.models import Draft, ReplyPolicy
from inbox.operations.drafts.writing import draft_reply
from tests import factories

pytestmark = pytest.mark.django_db
POLICY = """
forbidden_phrases:
  - phrase: guarantee
    block: true
    reason: We promise nothing.
required_disclosures:
  - en: Prices are without VAT.
    de: Preise ohne MwSt.
"""


@pytest.fixture
def policy(workspace):
    return ReplyPolicy.objects.create(workspace=workspace, name="House", source=POLICY)


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox)


def check(actor, **arguments):
    return call("policy_check", arguments, actor).result


def test_a_reply_is_judged_as_it_would_be_when_proposed(actor, message):
    body = "My card is 4111 1111 1111 1111, see https://odd.example/x"
    thread_id = message.thread.public_id
    checked = check(actor, thread_id=thread_id, body=body)
    arguments = {"thread_id": thread_id, "body_or_draft_id": body, "idempotency_key": "k"}
    proposed = call("send_reply", arguments, actor).approval
    check_due([proposed])
    assert {flag["flag"] for flag in checked["risk_flags"]} >= {
        "contains_sensitive_data", "external_link",
    }  # fmt: skip
    assert [flag["reason"] for flag in checked["risk_flags"]] == [
        describe(flag) for flag in read_flags(proposed.risk_flags)
    ]
    assert (checked["outcome"], checked["asks_a_person"]) == ("held", True)


def test_a_forbidden_phrase_would_block_it(actor, message, policy):
    checked = check(actor, thread_id=message.thread.public_id, body="We guarantee it.")
    assert (checked["outcome"], checked["asks_a_person"]) == ("blocked", False)
    assert checked["reasons"] == ["We promise nothing."]
    assert (checked["policy_id"], checked["policy_version"]) == (policy.public_id, policy.version)


@pytest.mark.parametrize(
    ("body", "added"),
    [
        ("Thank you for the question, the offer is with you.", ["Prices are without VAT."]),
        ("Vielen Dank für die Frage, das Angebot ist bei Ihnen.", ["Preise ohne MwSt."]),
        ("Here it is. Prices are without VAT.", []),
    ],
)
def test_what_is_missing_is_named_in_the_language_of_the_text(actor, policy, message, body, added):
    assert check(actor, thread_id=message.thread.public_id, body=body)["to_add"] == added


def test_a_new_letter_is_checked_by_its_recipients(actor):
    checked = check(actor, to=["new@somewhere.example"], subject="Offer", body="Hello")
    assert [flag["flag"] for flag in checked["risk_flags"]] == ["new_recipient"]


def test_another_policy_may_be_tried(actor, workspace, message, policy):
    free = ReplyPolicy.objects.create(workspace=workspace, name="Free", source="tone: formal")
    asked = {"thread_id": message.thread.public_id, "body": "We guarantee it."}
    assert check(actor, **asked, policy_id=free.public_id)["outcome"] == "held"


def test_a_stored_draft_is_checked_by_its_id(actor, message, policy):
    draft = draft_reply(actor=actor, thread=message.thread, body="We guarantee it.", policy=policy)
    assert check(actor, draft_id=draft.public_id)["outcome"] == "blocked"


def test_it_stores_nothing(actor, message):
    check(actor, thread_id=message.thread.public_id, body="Hello")
    assert not Draft.objects.exists()
    assert not Approval.objects.exists()


def test_another_agent_s_draft_does_not_exist(actor, workspace, inbox, message):
    other = factories.agent_actor(factories.make_agent(workspace, inboxes=(inbox,)))
    draft = draft_reply(actor=other, thread=message.thread, body="Secret.")
    with pytest.raises(ToolError) as caught:
        check(actor, draft_id=draft.public_id)
    assert (caught.value.code, caught.value.details) == ("not_found", {"pointer": "/draft_id"})


def test_who_may_not_send_is_told_so(agent, message):
    actor = factories.agent_actor(agent, frozenset({"policy:read"}))
    checked = check(actor, thread_id=message.thread.public_id, body="Hello")
    assert (checked["outcome"], checked["asks_a_person"]) == ("refused", False)
    assert "comms:send" in checked["reasons"][0]


def test_from_a_paused_inbox_nothing_would_leave(actor, inbox, message):
    inbox.status = "paused"
    inbox.save()
    checked = check(actor, thread_id=message.thread.public_id, body="Hello")
    assert checked["outcome"] == "refused"
    assert "paused" in checked["reasons"][0]


@pytest.mark.parametrize(
    "fields", [{}, {"body": "x"}, {"draft_id": "drf_x", "body": "x"}, {"thread_id": "thr_x"}]
)
def test_it_takes_one_of_three_forms(actor, fields):
    with pytest.raises(ToolError) as caught:
        check(actor, **fields)
    assert caught.value.code == "invalid_input"
    assert "draft_id, or thread_id and body" in caught.value.message
