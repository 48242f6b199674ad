"""The demo from the browser: filled by a job, and its scripted agent at work by ordinary calls."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from agents.admin.agent_presets import PRESETS
from agents.models import Agent, Approval, Memory, Receipt, Token
from agents.operations.agents import create_agent
from agents.operations.setup.demo import FILL, begin_demo, read_filling
from agents.operations.setup.demo_agent import is_at_work, start_work
from agents.receipts import verify
from inbox.background.jobs import enqueue, run_due
from inbox.errors import DomainError
from inbox.models import FileNode, Inbox, Job, Message, Submission
from inbox.viewer import viewer_of_user

CUSTOMERS = {
    "ops@nightline-couriers.example", "sofia@pedalverket.example", "derek@pughandsons.example",
    "priya@wheelhouse.example", "anke@radwerk-brandt.example",
}  # fmt: skip


pytestmark = pytest.mark.django_db


def make_rows():
    """A demo that was begun and filled, and what was said of it before and after."""
    ada = User.objects.create_superuser("ada", password="wax, ribbon and a ring")
    workspace = begin_demo(owner=ada, by=viewer_of_user(ada).actor)
    before = read_filling(workspace)
    run_due()
    return {"ada": ada, "workspace": workspace, "said": (before, read_filling(workspace))}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_agent(workspace, scopes):
    inboxes = Inbox.objects.filter(workspace=workspace)
    return create_agent(workspace=workspace, name="Clerk", scopes=scopes, inboxes=inboxes)[0]


def test_a_job_brings_the_mail_and_the_office_and_says_how_far_it_is(own_rows, workspace):
    before, filling = own_rows["said"]
    assert before.messages == 0
    assert not before.is_done
    assert filling.messages == Message.objects.count() > 45
    assert (filling.is_done, filling.is_failed) == (True, False)
    assert FileNode.objects.exists()
    assert not Agent.objects.exists()
    ada = own_rows["ada"]
    with pytest.raises(DomainError) as second:
        begin_demo(owner=ada, by=viewer_of_user(ada).actor)
    assert second.value.code == "conflict"


def test_what_cannot_be_brought_in_is_said(db, workspace):
    FileNode.objects.all().delete()
    Job.objects.filter(kind=FILL).delete()
    enqueue(FILL, {"inbox_id": 0}, workspace_id=workspace.pk, key=f"{FILL}:{workspace.pk}")
    while Job.objects.filter(kind=FILL, state="queued").update(run_at=timezone.now()):
        run_due()
    assert read_filling(workspace).is_failed


def test_the_agent_works_by_ordinary_calls_with_receipts_and_no_proposal_twice(workspace):
    agent = make_agent(workspace, PRESETS[2].scopes)
    start_work(agent)
    start_work(agent)
    assert is_at_work(agent)
    run_due()
    assert not is_at_work(agent)
    told = Submission.objects.values_list("envelope_to", flat=True)
    assert {address for addresses in told for address in addresses} > CUSTOMERS
    approvals = Approval.objects.count()
    assert approvals == Submission.objects.count() == 7
    mine = Receipt.objects.filter(actor=f"agent:{agent.pk}")
    assert mine.first().tool == "look_around"
    assert mine.filter(outcome="held").count() == approvals
    assert Memory.objects.count() == 4
    start_work(agent)
    run_due()
    assert (Approval.objects.count(), Memory.objects.count()) == (approvals, 4)
    assert verify(workspace) == []


def test_with_the_smallest_preset_it_proposes_as_well(workspace):
    agent = make_agent(workspace, PRESETS[0].scopes)
    start_work(agent)
    run_due()
    assert Approval.objects.filter(agent=agent).count() == 7


def test_without_a_token_it_is_refused_like_anybody(workspace):
    agent = make_agent(workspace, ["inbox:read"])
    Token.objects.all().delete()
    start_work(agent)
    run_due()
    assert not Approval.objects.exists()
    assert Receipt.objects.filter(actor=f"agent:{agent.pk}", outcome="error").exists()
