"""Who stands in for whom, what they may do, and what waits longer for them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.expiring import BEFORE, EXTENDED_BY, expire_due, extend_due
from agents.approval.status import ApprovalError
from agents.models import Absence, Approval, NoticeItem, NoticeKind, NoticeSettings, Receipt
from agents.notices.collecting import note_approval, note_extended, note_second
from agents.oversight.absences import come_back, go_away
from agents.oversight.delegates import read_teams
from inbox.errors import DomainError
from inbox.models import Membership, ReplyPolicy, Role, Submission
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db


@pytest.fixture
def omar(workspace):
    return factories.make_person_user(workspace, name="omar")


@pytest.fixture
def mara(workspace):
    return factories.make_person_user(workspace, name="mara")


def leave(user, delegate, days=7):
    until = timezone.now() + timedelta(days=days)
    place = Membership.objects.get(user=user)
    return go_away(membership=place, until=until, delegate_id=delegate.pk)


def told(user, *kinds):
    """Have somebody be told in the browser of these kinds."""
    return NoticeSettings.objects.create(user=user, by_browser=True, kinds=list(kinds))


def noted():
    rows = NoticeItem.objects.order_by("settings__user__username")
    return list(rows.values_list("settings__user__username", "kind"))


def second_wanted(workspace):
    save_version(
        ReplyPolicy, workspace=workspace, name="House", stored=None,
        content="decisions:\n  - {second_approver: true}\n",
    )  # fmt: skip


def ends_soon(approval):
    at = timezone.now() + BEFORE / 2
    Approval.objects.filter(pk=approval.pk).update(expires_at=at)
    Submission.objects.filter(pk=approval.submission_id).update(expires_at=at)
    return at


# -- going away -----------------------------------------------------------------------------------
def test_somebody_is_away_until_a_day_and_back_before_it_each_with_a_receipt(reviewer, omar):
    leave(reviewer, omar)
    (team,) = read_teams([reviewer.memberships.get().workspace_id]).values()
    assert team.delegate_of(reviewer.pk) == omar.pk
    assert come_back(membership=Membership.objects.get(user=reviewer))
    assert not come_back(membership=Membership.objects.get(user=reviewer))
    tools = Receipt.objects.order_by("pk").values_list("tool", flat=True)
    assert [tool for tool in tools if tool.startswith("member.")] == ["member.away", "member.back"]
    leave(reviewer, omar, days=1)
    assert not read_teams(
        [reviewer.memberships.get().workspace_id], timezone.now() + timedelta(days=2)
    )


@in_one_test("who", ["self", "viewer", "stranger", "left", "away"])
def test_only_somebody_else_who_decides_there_and_is_there_stands_in(reviewer, workspace, who):
    other = factories.make_person_user(workspace, name=f"x-{who}")
    membership = Membership.objects.get(user=other)
    if who == "viewer":
        Membership.objects.filter(pk=membership.pk).update(role=Role.VIEWER)
    elif who == "stranger":
        membership.workspace = factories.make_workspace("elsewhere")
        membership.save()
    elif who == "left":
        other.is_active = False
        other.save()
    elif who == "away":
        leave(other, reviewer)
    named = reviewer if who == "self" else other
    with pytest.raises(DomainError) as refused:
        leave(reviewer, named)
    assert refused.value.field == "delegate"


@in_one_test("days", [-1, 0, 400])
def test_away_is_from_now_on_and_for_a_year_at_most(reviewer, omar, days):
    with pytest.raises(DomainError) as refused:
        leave(reviewer, omar, days=days)
    assert refused.value.field == "until"
    assert not Absence.objects.exists()


# -- notices --------------------------------------------------------------------------------------
def test_what_somebody_away_would_be_told_of_is_told_to_their_delegate(reviewer, omar, propose):
    told(reviewer, NoticeKind.APPROVAL)
    told(omar)
    leave(reviewer, omar)
    note_approval({"approval_id": propose().pk})
    assert noted() == [("omar", "approval")]


def test_where_the_delegate_cannot_be_told_the_person_still_is(reviewer, omar, propose):
    told(reviewer, NoticeKind.APPROVAL)
    leave(reviewer, omar)
    note_approval({"approval_id": propose().pk})
    assert noted() == [("rhea", "approval")]


def test_a_delegates_delegate_is_told_where_both_are_away_and_a_circle_ends(
    reviewer, omar, mara, propose
):
    told(reviewer, NoticeKind.APPROVAL)
    told(mara)
    leave(reviewer, omar)
    leave(omar, mara)
    note_approval({"approval_id": propose().pk})
    assert noted() == [("mara", "approval")]
    Absence.objects.create(
        workspace=reviewer.memberships.get().workspace, user=mara, delegate=reviewer,
        since=timezone.now(), until=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    (team,) = read_teams([reviewer.memberships.get().workspace_id]).values()
    assert team.delegate_of(reviewer.pk) is None


def test_the_second_word_is_asked_of_a_delegate_but_never_of_who_said_the_first(
    reviewer, omar, mara, propose, approve
):
    second_wanted(Membership.objects.get(user=omar).workspace)
    for user in (reviewer, omar, mara):
        told(user, NoticeKind.APPROVAL)
    leave(mara, omar)
    leave(reviewer, omar)
    approval = propose()
    approve(approval, omar)
    note_second({"approval_id": approval.pk})
    assert noted() == [("mara", "second"), ("rhea", "second")]


# -- deciding -------------------------------------------------------------------------------------
def test_a_delegate_who_approved_first_or_proposed_is_no_second_one(
    reviewer, omar, propose, approve, workspace
):
    second_wanted(workspace)
    leave(reviewer, omar)
    approval = propose()
    approve(approval, omar)
    with pytest.raises(ApprovalError, match="a second person"):
        approve(approval, omar)
    own = propose(text="Another.", key="k2")
    Submission.objects.filter(pk=own.submission_id).update(proposed_by=f"person:{omar.pk}")
    with pytest.raises(ApprovalError) as refused:
        lifecycle.approve(approval=own, by=omar, sha256=own.sha256)
    assert refused.value.code == "not_allowed"
    assert set(Approval.objects.values_list("state", flat=True)) == {"waiting"}


# -- what ends ------------------------------------------------------------------------------------
def test_what_would_end_while_only_a_delegate_is_there_waits_a_day_longer_once(
    reviewer, omar, propose
):
    told(omar)
    leave(reviewer, omar)
    approval = propose()
    at = ends_soon(approval)
    assert extend_due() == 1
    approval.refresh_from_db()
    assert approval.expires_at == approval.submission.expires_at == at + EXTENDED_BY
    receipt = Receipt.objects.get(tool="extend")
    assert receipt.approval == approval.public_id
    assert receipt.reason.endswith("a day longer for omar")
    note_extended({"approval_id": approval.pk})
    assert noted() == [("omar", "expiring")]
    ends_soon(approval)
    assert extend_due() == 0
    assert expire_due(timezone.now() + BEFORE) == 1


@pytest.mark.parametrize(
    "there", ["nobody_away", "another", "delegate_gone", "delegate_proposed", "later"]
)
def test_it_ends_where_somebody_else_could_decide_or_no_delegate_can(
    reviewer, omar, propose, workspace, there
):
    approval = propose(text=f"{there}.", key=there)
    ends_soon(approval)
    if there != "nobody_away":
        leave(reviewer, omar)
    if there == "another":
        factories.make_person_user(workspace, name="nora")
    elif there == "delegate_gone":
        Membership.objects.filter(user=omar).update(role=Role.VIEWER)
    elif there == "delegate_proposed":
        Submission.objects.filter(pk=approval.submission_id).update(proposed_by=f"person:{omar.pk}")
    elif there == "later":
        Approval.objects.update(expires_at=timezone.now() + 2 * BEFORE)
    assert extend_due() == 0
    assert not Receipt.objects.filter(tool="extend").exists()


def test_an_absence_elsewhere_extends_nothing_here(reviewer, omar, propose):
    other = factories.make_workspace("elsewhere")
    for user in (reviewer, omar):
        Membership.objects.create(user=user, workspace=other, role=Role.REVIEWER)
    place = Membership.objects.get(user=reviewer, workspace=other)
    until = timezone.now() + timedelta(days=1)
    go_away(membership=place, until=until, delegate_id=omar.pk)
    ends_soon(propose())
    assert extend_due() == 0
