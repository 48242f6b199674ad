"""What waits is checked once: by a worker right afterwards, or for whoever looks before."""

import pytest

from agents.approval import lifecycle
from agents.approval.checking import check_message
from agents.approval.due import check_due
from agents.dispatching.dispatch import call
from agents.evidence.exposures import window
from agents.models import Approval, HeldBy
from inbox.background import jobs
from inbox.models import Draft
from inbox.operations.drafts.writing import revise_draft
from tests import factories
from tests.agents.surfaces.test_deciding import Person, approving

pytestmark = pytest.mark.django_db
HIDDEN = "The offer\u200b is over 512 EUR."


def flags(approval):
    check_due([approval])
    return {one["flag"] for one in approval.risk_flags}


def test_a_proposal_waits_unchecked_and_a_worker_checks_it(propose):
    approval = propose(HIDDEN)
    assert (approval.checks_due, approval.risk_flags, approval.marks) == (True, [], [])
    jobs.run_due()
    approval.refresh_from_db()
    assert not approval.checks_due
    assert {"hidden_text", "new_recipient"} <= {one["flag"] for one in approval.risk_flags}
    assert [one["excerpt"] for one in approval.marks] == ["512 EUR"]


def test_what_was_checked_is_not_checked_again(propose, django_assert_num_queries):
    approval = propose(HIDDEN)
    check_due([approval])
    Approval.objects.update(risk_flags=[])
    check_message({"approval_id": approval.pk})
    approval.refresh_from_db()
    assert approval.risk_flags == []
    with django_assert_num_queries(0):
        check_due([approval])


def test_what_a_quota_holds_is_checked_once_somebody_looks(propose, actor):
    approval = propose(HIDDEN)
    Approval.objects.update(held_by=HeldBy.AGENT)
    jobs.run_due()
    assert Approval.objects.get().checks_due
    told = call("get_approval", {"approval_id": approval.public_id}, actor).result
    assert "hidden_text" in {one["flag"] for one in told["risk_flags"]}


def test_the_sealed_words_are_checked_whatever_the_agent_makes_of_its_draft(propose, actor):
    approval = propose(HIDDEN)
    draft = Draft.objects.get()
    revise_draft(
        draft=draft, author_key=actor.key, author_name=actor.name, subject=draft.subject,
        body="All is well.", to=draft.to, cc=[], bcc=[],
    )  # fmt: skip
    assert "hidden_text" in flags(approval)
    assert [one["excerpt"] for one in approval.marks] == ["512 EUR"]


def test_only_what_was_proposed_before_makes_it_the_same(propose):
    first, again = propose(HIDDEN), propose(HIDDEN.replace(" is", "  is"), key="k2")
    assert "same_as" not in flags(first)
    assert "same_as" in flags(again)


def test_only_what_was_shown_before_counts(propose, actor, inbox):
    approval = propose()
    stranger = factories.make_message(inbox, sender="eve@odd.example", text="Pay to IBAN 4711.")
    call("get_thread", {"thread_id": stranger.thread.public_id}, actor)
    assert {one.object_id for one in window(actor) if one.kind == "msg"} == {stranger.pk}
    assert window(actor, approval) == []


def test_who_decides_before_the_worker_has_it_checked_first(propose, reviewer):
    person, approval = Person(reviewer), propose(HIDDEN)
    session = person.client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    answer = person.decide(approval, approving(approval))
    assert (answer.status_code, answer.json()["code"]) == (403, "fresh_login_required")
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    approved = Approval.objects.get()
    assert (approved.state, approved.checks_due) == ("approved", False)
    assert "hidden_text" in {one["flag"] for one in approved.risk_flags}


def test_a_message_that_a_person_takes_back_is_checked_anew(propose, approve, reviewer):
    approval = approve(propose(HIDDEN))
    new = lifecycle.undo(approval=approval, by=reviewer)
    assert "hidden_text" in flags(new)
