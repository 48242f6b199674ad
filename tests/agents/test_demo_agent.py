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
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import FileNode, Inbox, Job, Message, Submission
from inbox.viewer import viewer_of_user

CUSTOMERS = {
    "ops@nightline-couriers.example", "sofia@pedalverket.example", "derek@pughandsons.example",
    "priya@wheelhouse.example", "anke@radwerk-brandt.example",
}  # fmt: skip


@pytest.fixture
def ada(transactional_db):
    return User.objects.create_superuser("ada", password="wax, ribbon and a ring")


@pytest.fixture
def workspace(ada):
    return begin_demo(owner=ada, by=viewer_of_user(ada).actor)


def make_agent(workspace, scopes):
    inboxes = Inbox.objects.filter(workspace=workspace)
    return create_agent(workspace=workspace, name="Clerk", scopes=scopes, inboxes=inboxes)[0]


def test_a_job_brings_the_mail_and_the_office_and_says_how_far_it_is(workspace, ada):
    assert read_filling(workspace).messages == 0
    assert not read_filling(workspace).is_done
    run_due()
    filling = read_filling(workspace)
    assert filling.messages == Message.objects.count() > 45
    assert (filling.is_done, filling.is_failed) == (True, False)
    assert FileNode.objects.exists()
    assert not Agent.objects.exists()
    with pytest.raises(DomainError) as second:
        begin_demo(owner=ada, by=viewer_of_user(ada).actor)
    assert second.value.code == "conflict"


def test_what_cannot_be_brought_in_is_said(workspace):
    Job.objects.filter(kind=FILL).update(payload={"inbox_id": 0})
    while Job.objects.filter(kind=FILL, state="queued").update(run_at=timezone.now()):
        run_due()
    assert read_filling(workspace).is_failed


def test_the_agent_works_by_ordinary_calls_with_receipts_and_no_proposal_twice(workspace):
    run_due()
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
    run_due()
    agent = make_agent(workspace, PRESETS[0].scopes)
    start_work(agent)
    run_due()
    assert Approval.objects.filter(agent=agent).count() == 7


def test_without_a_token_it_is_refused_like_anybody(workspace):
    run_due()
    agent = make_agent(workspace, ["inbox:read"])
    Token.objects.all().delete()
    start_work(agent)
    run_due()
    assert not Approval.objects.exists()
    assert Receipt.objects.filter(actor=f"agent:{agent.pk}", outcome="error").exists()
