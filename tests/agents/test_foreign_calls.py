"""What another workspace has is not found by an id, not counted, and not taken for the first of one's own.

Unlike where a call runs through every check (test_isolation), each read is made here by itself. Where
only a row that hangs on ours would be found, one does, as after a bad repair.
"""

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from agents.admin.agent_queries import read_calls
from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.job_handlers import record_raised
from agents.models import Agent, DeviceFlow, Receipt, ReceiptHead, StoredAnswer
from agents.operations.agents import create_token, known_scopes
from agents.operations.granting.device_flows import MOST_PENDING, complete_flow, start_flow
from agents.operations.sharing.memories import save_memory
from agents.quotas.counting import add
from agents.quotas.deletions import find_brake, lock_deletions
from agents.recall.searching import search_memories
from agents.receipts import ReceiptEntry, open_receipt, record, verify
from agents.resources.control.interrupts import OneApproval, read_interrupt
from agents.resources.file_content import find_content
from agents.resources.mail.submissions import find_mime
from agents.resources.vcards import find_card
from agents.surfaces.deciding import find_approval
from inbox.actor import system_actor
from tests import factories
from tests.agents.furnishing import two_worlds
from tests.agents.test_isolation import CANARY

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(two_worlds)


FOUND = {
    "the bytes of a file": lambda actor, it: find_content(actor, it.rows["file"].public_id),
    "sealed bytes": lambda actor, it: find_mime(
        actor, it.rows["approval"].submission.public_id
    ),
    "a card": lambda actor, it: find_card(actor, it.rows["contact"].public_id),
    "an interrupt": lambda actor, it: read_interrupt(
        replace(actor, id=it.actor.id), OneApproval(approval_id=it.rows["approval"].public_id)
    ),
    "what is decided": lambda actor, it: find_approval(
        replace(actor, id=it.actor.id), it.rows["approval"].public_id
    ),
}  # fmt: skip


@pytest.mark.parametrize("find", FOUND.values(), ids=FOUND.keys())
def test_an_id_of_another_workspace_finds_nothing(ours, theirs, find):
    assert find(theirs.actor, theirs)
    with pytest.raises(ToolError) as caught:
        find(ours.actor, theirs)
    assert caught.value.code == "not_found"


def test_who_one_is_names_the_granted_inboxes_alone(ours, theirs):
    factories.make_inbox(ours.workspace, "walnut@elsewhere.example")
    _, token = create_token(agent=ours.agents[0], scopes=known_scopes())
    told = Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/me").json()
    assert [it["address"] for it in told["inboxes"]] == [ours.inbox.address]


def test_a_request_for_an_account_is_its_workspaces(ours, theirs):
    flow, code = start_flow(actor=ours.actor)
    assert complete_flow(actor=ours.actor, device_code=code) is None
    DeviceFlow.objects.filter(pk=flow.pk).update(workspace=theirs.workspace)
    with pytest.raises(ToolError) as caught:
        complete_flow(actor=ours.actor, device_code=code)
    assert caught.value.code == "not_found"


def test_requests_of_another_workspace_fill_no_bound(ours, theirs):
    # One waits already.
    for _ in range(MOST_PENDING - 1):
        start_flow(actor=theirs.actor)
    DeviceFlow.objects.filter(workspace=theirs.workspace).update(agent=ours.agents[0])
    assert start_flow(actor=ours.actor)


def test_only_calls_in_its_workspace_are_what_an_agent_did(ours, theirs):
    misplaced = replace(ours.actor, workspace_ids=(theirs.workspace.pk,))
    record(misplaced, ReceiptEntry(tool=f"read_{CANARY}"))
    days, _ = read_calls(ours.agents[0])
    assert days
    assert CANARY not in str(days)


def test_the_same_receipt_in_another_workspace_does_not_stand_for_ours(ours, theirs):
    item = ours.rows["activity"]
    key = f"activity.raised:{item.pk}:surfaced"
    record(system_actor(theirs.workspace.pk, "Rules"), ReceiptEntry(tool="x", idempotency_key=key))
    said = {"activity_id": item.pk, "status": "surfaced", "by": "Rules", "reason": "[]"}
    for _ in range(2):
        record_raised(said)
    assert Receipt.objects.filter(workspace=ours.workspace, idempotency_key=key).count() == 1


def test_the_same_words_of_another_agent_are_another_memory(ours, theirs):
    text = "The plum is ripe."
    for actor in (theirs.actor, ours.actors[1], ours.actor):
        assert save_memory(actor=actor, content=text)[1]
    assert not save_memory(actor=ours.actor, content=text)[1]


def test_how_rare_a_word_is_depends_on_ones_own_memories(ours, theirs):
    save_memory(actor=ours.actor, content="The walnut is sold.")
    before = [
        (it.memory.pk, it.score)
        for it in search_memories(actor=ours.actor, query="walnut ada", limit=9)
    ]
    assert len({score for _, score in before}) > 1
    for number in range(40):
        save_memory(actor=theirs.actor, content=f"Number {number} is another.")
    after = search_memories(actor=ours.actor, query="walnut ada", limit=9)
    assert [(it.memory.pk, it.score) for it in after] == before


def test_an_answer_put_to_an_open_receipt_breaks_the_chain_of_its_workspace(ours, theirs):
    open_ = open_receipt(theirs.actor, ReceiptEntry(tool="read_me"))
    StoredAnswer.objects.create(receipt=open_, answer="{}")
    assert verify(theirs.workspace)
    assert verify(ours.workspace) == []


def test_the_command_says_of_each_chain_where_it_ends(ours, theirs, capsys):
    call_command("verify_receipts")
    told = capsys.readouterr().out
    for head in ReceiptHead.objects.select_related("workspace"):
        assert f"{head.workspace.slug}: {head.seq} receipts hold, the last {head.hash}" in told


def test_an_agent_gets_the_only_inbox_of_its_workspace_although_others_have_some(ours, theirs):
    call_command("create_agent", "Porter", workspace=ours.workspace.slug)
    granted = Agent.objects.get(name="Porter").grants.values_list("account_id", flat=True)
    assert list(granted) == [ours.account.pk]


def test_looking_around_names_ones_own_workspace(ours, theirs):
    told = call("look_around", {}, ours.actor).result
    assert ours.workspace.slug in str(told)
    assert f"'{theirs.workspace.slug}'" not in str(told)


def test_an_agent_that_is_put_elsewhere_is_told_nothing_of_there(ours, theirs):
    _, token = create_token(agent=ours.agents[0], scopes=known_scopes())
    Agent.objects.filter(pk=ours.agents[0].pk).update(workspace=theirs.workspace, name="Porter")
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})
    assert theirs.workspace.slug not in client.get("/api/v1/me").text


def test_what_was_deleted_in_another_workspace_counts_nothing_here(ours, theirs, settings):
    settings.DELETIONS_BEFORE_A_PERSON = 1
    tool = REGISTRY.tool("email_delete")
    with transaction.atomic():
        add(lock_deletions(tool, replace(ours.actor, workspace_ids=(theirs.workspace.pk,)), {}))
        assert find_brake(lock_deletions(tool, ours.actor, {})) is None
        add(lock_deletions(tool, ours.actor, {}))
        assert find_brake(lock_deletions(tool, ours.actor, {})) is not None
