"""Two workspaces: nothing of one is ever seen from the other, by any tool or resource."""

import copy
import json

import pytest

from agents.contracts import REGISTRY, RESOURCES
from agents.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, Receipt
from inbox import ids
from inbox.models import Activity, ExtractionSchema, Person, ReplyPolicy, Taxonomy
from inbox.operations.activities import activities_from_messages
from inbox.operations.understanding import ensure_defaults
from tests import factories

pytestmark = pytest.mark.django_db
CANARY = "canary"
NAMES = [("tool", found.name) for found in REGISTRY] + [
    ("resource", found.name) for found in RESOURCES
]
each = pytest.mark.parametrize(("kind", "name"), NAMES, ids=[name for _, name in NAMES])


def furnish(slug, word):
    """Make a workspace with something of everything; return its actor and ids by argument."""
    workspace = factories.make_workspace(slug)
    ensure_defaults(workspace)
    inbox = factories.make_inbox(workspace, f"office@{word}.example")
    agent = factories.make_agent(workspace, "Clerk", (inbox,))
    actor = factories.agent_actor(agent)
    message = factories.make_message(
        inbox,
        sender=f"ada@{word}.example",
        subject=f"About the {word}",
        text=f"Is the {word} for sale?",
    )
    Person.objects.create(
        workspace=workspace, email=f"ada@{word}.example", fn=word, first_contact_at=message.received_at,
        last_contact_at=message.received_at, received_count=1, contact_count=1,
    )  # fmt: skip
    (activity,) = activities_from_messages([message.pk])
    reply = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": f"The {word} is.",
        "idempotency_key": "first",
    }
    approval = call("send_reply", reply, actor).approval
    return actor, {
        "inbox_id": inbox.public_id, "thread_id": message.thread.public_id, "message_id": message.public_id,
        "taxonomy_id": Taxonomy.objects.get(workspace=workspace).public_id,
        "schema_id": ExtractionSchema.objects.filter(workspace=workspace).first().public_id,
        "policy_id": ReplyPolicy.objects.get(workspace=workspace).public_id,
        "activity_id": activity.public_id, "activity_ids": [activity.public_id], "approval_id": approval.public_id,
        "body_or_draft_id": approval.submission.draft.public_id, "query": word, "goal": "Thank them.", "title": "x",
        "content": "y", "idempotency_key": "second", "updates": {"status": "surfaced"},
    }  # fmt: skip


@pytest.fixture
def ours(db):
    return furnish("ours", "walnut")


@pytest.fixture
def theirs(db):
    return furnish("theirs", CANARY)


def registry_of(kind):
    return REGISTRY if kind == "tool" else RESOURCES


def arguments_for(kind, name, values):
    """The required arguments of a tool, taken from what a workspace has."""
    found = registry_of(kind).find(name)
    return {field: copy.deepcopy(values[field]) for field in found.input_schema.get("required", [])}


def answer(kind, name, arguments, actor):
    try:
        return call(name, arguments, actor, None, registry_of(kind)).result
    except ToolError as error:
        return error.as_json()


@each
def test_no_answer_holds_anything_of_another_workspace(ours, theirs, kind, name):
    actor, _ = ours
    _, foreign = theirs
    arguments = arguments_for(kind, name, {**foreign, "query": "sale"})
    arguments.pop("body_or_draft_id", None) and arguments.update(body_or_draft_id="Hello.")
    shown = json.dumps(answer(kind, name, arguments, actor))
    assert CANARY not in shown


@each
def test_foreign_absent_and_malformed_ids_answer_alike(ours, theirs, kind, name):
    actor, mine = ours
    _, foreign = theirs
    base = arguments_for(kind, name, mine)
    for field in [field for field in base if field.endswith("_id") and field != "body_or_draft_id"]:
        prefix = foreign[field].partition("_")[0]
        spellings = [
            foreign[field],
            ids.encode(prefix, 10**9),
            ids.encode(prefix, 0, 10**9),
            f"{prefix}_",
            "x",
            "💌",
        ]
        answers = [answer(kind, name, {**base, field: one}, actor) for one in spellings]
        assert all(one == answers[0] for one in answers), field
        if name != "classify_activity":
            assert (answers[0]["code"], answers[0]["details"]["pointer"]) == (
                "not_found",
                f"/{field}",
            )


def test_foreign_activities_do_not_exist(ours, theirs):
    actor, mine = ours
    _, foreign = theirs
    arguments = {
        "activity_ids": [mine["activity_id"], foreign["activity_id"]],
        "updates": {"status": "archived"},
    }
    with pytest.raises(ToolError) as caught:
        call("update_activities", arguments, actor)
    assert (caught.value.code, caught.value.details["pointer"]) == ("not_found", "/activity_ids/1")
    assert not Activity.objects.filter(status="archived").exists()


def test_a_foreign_draft_s_id_does_not_exist(ours, theirs):
    actor, mine = ours
    _, foreign = theirs
    for text in (foreign["body_or_draft_id"], "drf_none"):
        arguments = {
            "thread_id": mine["thread_id"],
            "body_or_draft_id": text,
            "idempotency_key": text,
        }
        assert answer("tool", "send_reply", arguments, actor)["code"] == "not_found"
    assert Approval.objects.count() == 2


def test_receipts_stay_in_their_workspace(ours, theirs):
    actor, mine = ours
    before = Receipt.objects.exclude(workspace_id=actor.workspace_id).count()
    call("get_thread", {"thread_id": mine["thread_id"]}, actor)
    assert Receipt.objects.exclude(workspace_id=actor.workspace_id).count() == before
