"""Flags as they are told: to agents in English with every item, to readers in their language."""

import pytest
from django.test import Client
from django.utils import translation

from agents.contracts import REGISTRY
from agents.contracts.flags import stored_shapes
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.flags import FLAGS, as_json, collect, found
from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db
PASSAGE = found(
    "content_from_other_thread", "passage", address="bob@partner.example", excerpt="seven turns"
)
LEFT_OUT = found("forbidden_phrase", "left_out", phrase="'for free'")


@pytest.fixture
def approval(actor, inbox):
    return propose(actor, factories.make_message(inbox).thread)


def raise_flags(*findings):
    Approval.objects.update(checks_due=False, risk_flags=as_json(collect(findings)))


def test_an_agent_is_told_every_item(actor, approval):
    new = [found("new_recipient", "new", excerpt=f"a{n}@x.example") for n in range(55)]
    raise_flags(*new, PASSAGE)
    told = call("get_approval", {"approval_id": approval.public_id}, actor).result["risk_flags"]
    assert [(flag["flag"], flag["count"], len(flag["items"])) for flag in told] == [
        ("content_from_other_thread", 1, 1), ("new_recipient", 55, 55),
    ]  # fmt: skip
    assert told[0]["reason"] == told[0]["items"][0]["reason"] == PASSAGE.english
    assert told[1]["items"][54]["excerpt"] == "a54@x.example"


def test_of_many_sentences_the_reason_says_how_many_more_there_are():
    links = [found("external_link", "host", host=f"h{n}.example") for n in range(9)]
    (shape,) = stored_shapes(as_json(collect(links)))
    assert shape.reason.endswith("It links to h2.example. And 6 more.")


def test_the_schema_names_every_flag():
    _, gives = REGISTRY.schemas_of("policy_check")
    assert set(find_enum(gives)) == set(FLAGS)


def find_enum(schema):
    if isinstance(schema, dict):
        if "flag" in (schema.get("properties") or {}):
            return schema["properties"]["flag"]["enum"]
        schema = list(schema.values())
    if isinstance(schema, list):
        return next((found for one in schema if (found := find_enum(one))), None)
    return None


@pytest.mark.parametrize(
    "place", ["/admin/?tab=waiting", "/admin/review/{}/", "/admin/queue/batch/?item={}"]
)
def test_a_german_page_says_every_flag_in_german(approval, reviewer, place):
    """Words of another conversation and a sentence that was left out stayed English."""
    raise_flags(PASSAGE, LEFT_OUT)
    browser = Client(headers={"accept-language": "de"})
    browser.force_login(reviewer)
    text = browser.get(place.format(approval.public_id), follow=True).content.decode()
    assert "Worte aus einer anderen Unterhaltung" in text
    assert "Diese Worte stehen in einer anderen Unterhaltung, mit bob@partner.example." in text
    assert not [one.english for one in (PASSAGE, LEFT_OUT) if one.english in text]


def test_what_is_told_to_an_agent_is_english_whatever_the_reader_speaks(actor, approval):
    raise_flags(PASSAGE)
    with translation.override("de"):
        told = call("get_approval", {"approval_id": approval.public_id}, actor).result
    assert told["risk_flags"][0]["reason"] == PASSAGE.english


def test_a_policy_asks_for_a_person_for_what_no_policy_raises(actor, inbox, workspace):
    """`required_when` took these names, and nothing ever came of it."""
    policy = save_version(
        ReplyPolicy,
        workspace=workspace,
        name="House",
        content="approval: {required_when: [hidden_text]}\n",
    )
    asked = factories.make_message(inbox, anomalies=["hidden_text"])
    wanted = {
        "thread_id": asked.thread.public_id, "policy_id": policy.public_id,
        "goal": "Say that the offer comes on Friday.",
    }  # fmt: skip
    drafted = call("draft_reply_with_policy", wanted, actor).result
    assert "hidden_text" in drafted["risk_flags"]
    assert drafted["needs_human_approval"] is True
