"""What policies want of whoever approves: two persons, a fresh sign-in, and no batch."""

from uuid import uuid4

import pytest

from agents.approval import lifecycle
from agents.approval.demands import kinds_of, read_demands
from agents.approval.due import check_due
from agents.approval.lifecycle import Batch
from agents.approval.status import ApprovalError
from agents.dispatching.dispatch import call
from agents.models import Approval, ApprovalState, Receipt
from inbox.models import Membership, ReplyPolicy, Role, Submission
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.agents.surfaces.test_deciding import Person, approving
from tests.agents.tools.calendars import ADA, desk  # noqa: F401 (a fixture)
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db


@pytest.fixture
def policy(workspace):
    """Save a rule of the workspace's policy, or of another by its name."""

    def policy(rule, name="House"):
        source = f"decisions:\n  - {{{rule}}}\n" if rule else "tone: formal\n"
        stored = ReplyPolicy.objects.filter(workspace=workspace, name=name).first()
        return save_version(
            ReplyPolicy, workspace=workspace, name=name, content=source, stored=stored
        )

    return policy


@pytest.fixture
def other(workspace):
    """A second reviewer."""
    return factories.make_person_user(workspace, name="omar")


@pytest.fixture
def reviewer_actor(reviewer):
    return factories.person_actor(reviewer)


def state(approval):
    return Approval.objects.get(pk=approval.pk).state


def refusal(do, *args, **named):
    with pytest.raises(ApprovalError) as refused:
        do(*args, **named)
    return refused.value


# -- two persons -----------------------------------------------------------------------------------
def test_what_two_have_to_approve_waits_after_the_first_and_leaves_after_the_second(
    policy, propose, approve, reviewer, other
):
    policy("kinds: [message], second_approver: true")
    approval = propose()
    assert approve(approval).state == ApprovalState.WAITING
    assert approval.first_approver == reviewer
    assert Submission.objects.get().state == "held"
    first = Receipt.objects.latest("pk")
    assert (first.tool, first.arguments) == (
        "approve_first", {"approval_id": approval.public_id, "sha256": approval.sha256},
    )  # fmt: skip
    assert approve(approval, other).state == ApprovalState.APPROVED
    assert approval.decided_by == other
    assert Submission.objects.get().state == "pending"
    said = Receipt.objects.get(tool="approve").reason
    assert said == "omar approved send_reply, after rhea"


def test_the_same_person_is_no_second_one(policy, propose, approve):
    policy("second_approver: true")
    approval = propose()
    approve(approval)
    error = refusal(approve, approval)
    assert (error.code, state(approval)) == ("not_allowed", "waiting")
    assert "second person" in error.message
    assert Submission.objects.get().state == "held"


@pytest.mark.parametrize("gone", ["role", "login", "membership"])
def test_a_first_word_counts_only_as_long_as_its_person_may_decide(
    policy, propose, approve, other, gone
):
    policy("second_approver: true")
    approval = propose()
    approve(approval)
    reviewer = approval.first_approver
    members = Membership.objects.filter(user=reviewer)
    if gone == "role":
        members.update(role=Role.VIEWER)
    elif gone == "membership":
        members.delete()
    else:
        reviewer.is_active = False
        reviewer.save()
    assert approve(approval, other).state == ApprovalState.WAITING
    assert approval.first_approver == other


def test_who_approved_first_may_approve_alone_once_no_policy_wants_two(policy, propose, approve):
    policy("second_approver: true")
    approval = propose()
    approve(approval)
    policy("")
    assert approve(approval).state == ApprovalState.APPROVED
    assert Receipt.objects.get(tool="approve").reason == "rhea approved send_reply"


def test_either_of_two_can_say_no(policy, propose, approve, other):
    policy("second_approver: true")
    approval = propose()
    approve(approval)
    lifecycle.reject(approval=approval, by=other, reason="No.")
    assert (state(approval), Submission.objects.get().state) == ("rejected", "rejected")


def test_who_edits_is_the_first_of_two_for_what_they_made(
    policy, propose, approve, reviewer, other
):
    policy("second_approver: true")
    approval = propose()
    approve(approval, other)
    draft = approval.submission.draft
    edited = lifecycle.edit_and_approve(
        approval=approval, by=reviewer, subject=draft.subject, body="Another text.", to=draft.to,
        cc=[], bcc=[],
    )  # fmt: skip
    assert (edited.state, edited.first_approver) == (ApprovalState.WAITING, reviewer)
    assert refusal(approve, edited, reviewer).code == "not_allowed"
    assert approve(edited, other).state == ApprovalState.APPROVED


def test_what_was_undone_wants_both_again(policy, propose, approve, reviewer, other):
    policy("second_approver: true")
    approval = propose()
    approve(approval)
    approve(approval, other)
    again = lifecycle.undo(approval=approval, by=other)
    assert (again.state, again.first_approver) == ("waiting", None)
    assert approve(again, reviewer).state == "waiting"


def test_calls_that_send_nothing_wait_for_two_as_well(policy, actor, message, approve, other):
    policy("kinds: [deletion], second_approver: true")
    ReplyPolicy.objects.filter(name="House").update(
        source="flows: {destroy: hold}\ndecisions:\n  - {kinds: [deletion], second_approver: true}"
    )
    with pytest.raises(Exception, match="waits for a person"):
        call(
            "email_delete",
            {"account_id": message.inbox.account.public_id, "email_id": message.public_id,
             "confirm": True}, actor,
        )  # fmt: skip
    approval = Approval.objects.get()
    approve(approval)
    message.refresh_from_db()
    assert (state(approval), message.deleted_at) == ("waiting", None)
    approve(approval, other)
    message.refresh_from_db()
    assert (state(approval), message.deleted_at is None) == ("approved", False)


def test_over_rest_the_first_of_two_is_told_that_it_waits_on(policy, propose, reviewer):
    policy("second_approver: true")
    approval = propose()
    answer = Person(reviewer).decide(approval, approving(approval)).json()
    assert (answer["state"], answer["first_approved_at"] is not None) == ("waiting", True)


# -- which policy ----------------------------------------------------------------------------------
def test_a_draft_s_own_policy_adds_to_the_workspace_s_first_and_takes_nothing_away(
    policy, propose, reviewer_actor
):
    policy("second_approver: true")
    own = policy("fresh_sign_in: true", "Own")
    policy("batch: never", "Nobody's")
    approval = propose()
    approval.submission.draft.policy = own
    found = read_demands(reviewer_actor, [approval])[approval.pk]
    assert (found.second, found.fresh, found.policies) == (True, True, ("Own", "House"))


def test_what_no_rule_is_about_wants_nothing(policy, propose, reviewer_actor):
    approval = propose()
    assert not read_demands(reviewer_actor, [approval])[approval.pk].alone
    policy("kinds: [meeting], second_approver: true")
    assert not read_demands(reviewer_actor, [approval])[approval.pk].alone
    policy("when: [{amount_over: 100}], batch: never")
    assert not read_demands(reviewer_actor, [approval])[approval.pk].alone
    approval.submission.draft.body = "That makes 348 EUR."
    assert read_demands(reviewer_actor, [approval])[approval.pk].alone


def test_what_was_not_checked_yet_is_checked_before_a_rule_asks_for_its_flags(
    policy, propose, reviewer_actor
):
    policy("when: [new_recipient], second_approver: true")
    approval = propose()
    assert (approval.checks_due, approval.risk_flags) == (True, [])
    assert read_demands(reviewer_actor, [approval])[approval.pk].second


def test_a_policy_that_cannot_be_read_any_more_allows_no_batch(policy, propose, reviewer_actor):
    approval = propose()
    check_due([approval])
    policy("")
    ReplyPolicy.objects.update(source="decisions: 3")
    assert read_demands(reviewer_actor, [approval])[approval.pk].alone


def test_of_another_workspace_s_policy_nothing_counts(propose, reviewer_actor):
    elsewhere = factories.make_workspace("elsewhere")
    save_version(
        ReplyPolicy, workspace=elsewhere, name="Theirs",
        content="decisions:\n  - {second_approver: true}", stored=None,
    )  # fmt: skip
    approval = propose()
    assert not read_demands(reviewer_actor, [approval])[approval.pk].alone


def test_policies_of_many_are_read_in_one_query(
    policy, propose, reviewer_actor, django_assert_num_queries
):
    policy("batch: never")
    propose()
    check_proposed()
    rows = list(Approval.objects.select_related("submission__draft")) * 5
    with django_assert_num_queries(1):
        read_demands(reviewer_actor, rows)


def test_kinds_tell_messages_meetings_shares_and_deletions_apart(desk, propose):  # noqa: F811
    letter = propose()
    assert kinds_of(letter) == {"message"}
    letter.submission.draft.calendar = "BEGIN:VCALENDAR"
    assert kinds_of(letter) == {"meeting"}
    desk.create(attendees=[ADA], start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    assert kinds_of(Approval.objects.exclude(pk=letter.pk).get()) == {"meeting"}
    kinds = {"calendar_delete_event": {"meeting", "deletion"}, "email_delete": {"deletion"},
             "file_share": {"share"}, "update_activities": {"change"}, "explain_origin": {"reading"},
             "gone_by_now": {"change"}}  # fmt: skip
    assert {name: kinds_of(Approval(tool=name)) for name in kinds} == kinds


# -- batches, and who it is ------------------------------------------------------------------------
@pytest.mark.parametrize("wanted", ["batch: never", "second_approver: true", "fresh_sign_in: true"])
def test_what_a_policy_wants_anything_of_is_never_approved_in_a_batch(
    policy, propose, reviewer, wanted
):
    policy(wanted)
    approval = propose()
    error = refusal(
        lifecycle.approve, approval=approval, by=reviewer, sha256=approval.sha256,
        batch=Batch(uuid4(), 0),
    )  # fmt: skip
    assert (error.code, state(approval)) == ("not_allowed", "waiting")
    assert "The policy House" in error.message


def test_an_edit_without_a_fresh_sign_in_is_refused_where_a_policy_wants_one(
    policy, propose, reviewer
):
    policy("fresh_sign_in: true")
    approval = propose()
    Approval.objects.update(checks_due=False, risk_flags=[])
    draft = approval.submission.draft
    letter = {"subject": draft.subject, "body": "Short.", "to": draft.to, "cc": [], "bcc": []}
    factories.make_person(approval.workspace, sent_count=2)
    error = refusal(
        lifecycle.edit_and_approve, approval=approval, by=reviewer, may_raise_flags=False, **letter
    )
    assert (error.code, state(approval)) == ("flagged", "waiting")
    done = lifecycle.edit_and_approve(approval=approval, by=reviewer, **letter)
    assert done.state == ApprovalState.APPROVED
