"""Where a text came from is read in its workspace: a row that says it is another's vouches for nothing.

As in tests/agents/test_each_read.py: what is found with a row is not found with its workspace exchanged.
"""

from dataclasses import replace

import pytest
from django.utils import timezone

from agents.admin.evidence.reading_history import read_reading_history
from agents.dispatching.dispatch import call
from agents.evidence.exposures import note_written, shown_since_proposal, trace, window
from agents.evidence.refs import Ref
from agents.evidence.texts import read_texts
from agents.models import AgentMessage, Approval, Exposure, Provenance, Receipt
from agents.operations.asking import ask_for_draft
from agents.receipts import ReceiptEntry, record
from inbox.models import Message, PersonEmail
from tests.agents.furnishing import one_world
from tests.agents.test_each_read import one, person

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(one_world)


def traced(it, kind, row):
    return trace(it.workspace.pk, [Ref(kind, row.pk)])


def origin(it, kind, row):
    (found,) = traced(it, kind, row)
    return found.origin


def exposed(it):
    """A text that the third agent was shown, which has done nothing else."""
    made = Exposure.objects.create(
        workspace=it.workspace, agent=it.agents[2], receipt=Receipt.objects.earliest("pk"),
        kind="msg", object_id=it.rows["message"].pk, origin="stranger", at=timezone.now(),
    )  # fmt: skip
    return [one(made)]


def proposed_since(it):
    exposed(it)
    approvals = one(it.rows["approval"])
    approvals.update(agent=it.agents[2])
    return [approvals]


def read_and_judged(it):
    call("get_thread", it.calls["get_thread"], it.actor)
    window(it.actor)
    return [Exposure.objects.all()]


def was_shown_strange(it):
    approval = Approval.objects.get(pk=it.rows["approval"].pk)
    approval.receipt_id = Receipt.objects.latest("pk").pk + 1
    approval.created_at = timezone.now()
    history = read_reading_history(person(it), approval)
    return any(read.is_strange for read in (*history.recent, *history.earlier))


def noted(it, origin="stranger", derived_from=()):
    made = Provenance.objects.create(
        workspace=it.workspace, kind="mry", object_id=it.rows["memory"].pk, origin=origin,
        author=it.actor.key, receipt=Receipt.objects.earliest("pk"), written_at=timezone.now(),
        derived_from=list(derived_from),
    )  # fmt: skip
    return [one(made)]


def written_again(it):
    """What a memory was made of that the third agent, which has read nothing, writes anew."""
    note_written(it.actors[2], Receipt.objects.earliest("pk"), [Ref("mry", it.rows["memory"].pk)])
    return Provenance.objects.get(kind="mry", object_id=it.rows["memory"].pk).derived_from


def said_by_a_person(it):
    owner, item = it.rows["owner"], it.rows["activity"]
    return [one(ask_for_draft(activity=item, agent=it.agents[0], by=owner, wish="Agree."))]


def written_to(it):
    emails = PersonEmail.objects.filter(person=it.rows["contact"])
    emails.update(sent_count=1)
    return [emails]


READS = {
    "messages of a thread": (
        lambda it: [Message.objects.all()],
        lambda it: any(found.via for found in traced(it, "thr", it.rows["message"].thread)),
    ),
    "the message of an item": (
        lambda it: [one(it.rows["activity"])],
        lambda it: any(found.via for found in traced(it, "act", it.rows["activity"])),
    ),
    "the message of a file": (
        lambda it: [one(it.rows["attachment"])],
        lambda it: any(found.via for found in traced(it, "att", it.rows["attachment"])),
    ),
    "an event": (
        lambda it: [one(it.rows["event"])],
        lambda it: origin(it, "evt", it.rows["event"]) == "owner",
    ),
    "a card": (written_to, lambda it: origin(it, "per", it.rows["contact"]) == "known"),
    "what a person told an agent": (
        said_by_a_person,
        lambda it: origin(it, "agm", AgentMessage.objects.latest("pk")) == "owner",
    ),
    "what was noted of a memory": (
        noted, lambda it: origin(it, "mry", it.rows["memory"]) == "stranger",
    ),
    "what was noted of what is written again": (
        lambda it: noted(it, "agent", [it.rows["message"].public_id]), written_again,
    ),
    "what an agent was shown": (exposed, lambda it: window(it.actors[2])),
    "what it has proposed since": (
        proposed_since, lambda it: not shown_since_proposal(it.actors[2]),
    ),
    "what a receipt showed": (read_and_judged, was_shown_strange),
    "texts": (
        lambda it: [one(it.rows["message"])],
        lambda it: read_texts(it.workspace.pk, [Ref("msg", it.rows["message"].pk)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "read"), READS.values(), ids=READS.keys())
def test_a_row_that_is_another_workspaces_vouches_for_nothing(ours, own_rows, rows, read):
    misplaced = rows(ours)
    assert read(ours)
    for each in misplaced:
        assert each.update(workspace=own_rows["elsewhere"])
    assert not read(ours)


def test_a_receipt_of_another_workspace_is_not_judged(ours, own_rows):
    misplaced = replace(ours.actors[2], workspace_ids=(own_rows["elsewhere"].pk,))
    shown = (ours.rows["message"].public_id,)
    record(misplaced, ReceiptEntry(tool="get_thread", shown=shown))
    assert window(ours.actors[2]) == []
    assert not Exposure.objects.filter(agent=ours.agents[2]).exists()


def test_what_another_agent_or_workspace_was_shown_is_not_seen(ours, own_rows):
    (rows,) = exposed(ours)
    assert Exposure.objects.visible_to(ours.actors[2]).exists()
    rows.update(workspace=own_rows["elsewhere"])
    assert not Exposure.objects.visible_to(ours.actors[2]).exists()
