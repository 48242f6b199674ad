"""Proposals over a quota: stored, held beside the queue until a person decides."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.status import ApprovalError
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, ApprovalState, HeldBy, QuotaUse, Receipt
from agents.operations.releasing import release, release_all
from agents.quotas.counting import purge_counts
from inbox.models import Membership, Role, Submission
from tests import factories
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue(client, reviewer):
    """Read the queue as the reviewer."""
    client.force_login(reviewer)
    return lambda **query: client.get(reverse("queue"), query).text


def held():
    return list(Approval.objects.over_quota().order_by("pk"))


def write(actor, inbox, to, number=0):
    mail = {
        "account_id": inbox.account.public_id, "to": to, "subject": f"News {number}",
        "body": "It is here.", "confirm": True,
    }  # fmt: skip
    return call("email_send", mail, actor)


def test_what_is_over_the_quota_is_sealed_and_held_and_says_so(
    actor, inbox, message, propose, queue
):
    save_policy(inbox.workspace, "{what: proposals, most: 2, within: 5m}")
    for number in range(2):
        propose(text=f"Number {number}.", key=f"k{number}")
    answer = call(
        "send_reply",
        {"thread_id": message.thread.public_id, "body_or_draft_id": "Three.", "idempotency_key": "k2"},
        actor,
    )  # fmt: skip
    approval = answer.approval
    assert answer.result["status"] == "queued"
    (said,) = answer.remarks
    assert said == approval.reason
    assert said.startswith("Held by a quota: 2 proposals from this agent within 5 minutes.")
    assert (approval.state, approval.held_by) == (ApprovalState.WAITING, HeldBy.AGENT)
    assert approval.sha256 == approval.submission.sha256
    assert Receipt.objects.get(pk=approval.receipt_id).reason == said
    assert [one.public_id in queue(tab="waiting") for one in Approval.objects.order_by("pk")] == [
        True, True, False,
    ]  # fmt: skip
    assert approval.public_id in queue(tab="waiting", held="yes")
    for tab in ("needs-you", "waiting"):
        assert "Held by a quota: <strong>1</strong> from " in queue(tab=tab)


def test_it_may_be_decided_where_it_is(propose, inbox, approve, reviewer):
    save_policy(inbox.workspace, "{what: proposals, most: 0, within: 5m}")
    one, other = propose(key="a"), propose(text="Another.", key="b")
    approve(one)
    assert Submission.objects.get(pk=one.submission_id).state == "pending"
    lifecycle.reject(approval=other, by=reviewer, reason="No.")
    assert held() == []


def test_what_follows_goes_behind_what_is_held_until_a_person_lets_go(
    propose, inbox, agent, reviewer
):
    save_policy(inbox.workspace, "{what: proposals, most: 1, within: 60s}")
    first, over = propose(key="a"), propose(text="Over.", key="b")
    later = timezone.now() + timedelta(minutes=10)
    with patch.object(timezone, "now", lambda: later):
        behind = propose(text="Behind.", key="c")
        assert "Held by a quota, like earlier proposals from this agent" in behind.reason
        assert held() == [over, behind]
        assert release_all(agent=agent, by=reviewer) == 2
        assert held() == []
        assert propose(text="Free.", key="d").held_by == ""
    receipts = Receipt.objects.filter(tool="release")
    assert set(receipts.values_list("approval", flat=True)) == {over.public_id, behind.public_id}
    assert first.held_by == ""


def test_accounts_and_recipients_have_quotas_of_their_own(actor, inbox, workspace):
    save_policy(
        workspace,
        "{what: proposals, per: recipient, most: 1, within: 24h}\n"
        "{what: proposals, per: account, most: 3, within: 30d}",
    )
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    sent = [
        write(actor, inbox, ["ada@customer.example"], 0),
        write(other, inbox, ["Ada@Customer.example", "bo@customer.example"], 1),
        write(other, inbox, ["cy@customer.example"], 2),
        write(actor, inbox, ["bo@customer.example", "di@customer.example"], 3),
        write(actor, inbox, ["ed@customer.example"], 4),
    ]  # fmt: skip
    whose = [Approval.objects.get(pk=answer.approval.pk).held_by for answer in sent]
    # The second was held, so that it counts for nobody.
    assert whose == ["", HeldBy.RECIPIENT, "", "", HeldBy.ACCOUNT]
    assert all(answer.result["status"] == "queued" for answer in sent)
    assert "customer.example" not in str(list(QuotaUse.objects.values_list("subject", "parts")))


def test_only_who_decides_lets_go_and_only_of_what_waits(propose, inbox, reviewer, client):
    save_policy(inbox.workspace, "{what: proposals, most: 0, within: 5m}")
    approval = propose()
    viewer = factories.make_person_user(inbox.workspace, role=Role.VIEWER)
    with pytest.raises(ApprovalError, match="decide"):
        release(approval=approval, by=viewer)
    stranger = factories.make_person_user(factories.make_workspace())
    for user, status in ((viewer, 403), (stranger, 404)):
        client.force_login(user)
        posted = client.post(
            reverse("queue-held"), {"agent": approval.agent.public_id, "do": "release"}
        )
        assert posted.status_code == status
    assert held() == [approval]
    client.force_login(reviewer)
    page = client.get(reverse("review", args=[approval.public_id])).text
    address = reverse("review-release", args=[approval.public_id])
    assert address in page
    client.post(address)
    approval.refresh_from_db()
    assert (approval.state, approval.held_by) == (ApprovalState.WAITING, "")
    assert address not in client.get(reverse("review", args=[approval.public_id])).text
    lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    with pytest.raises(ApprovalError, match="already"):
        release(approval=approval, by=reviewer)


def test_all_that_is_held_of_an_agent_is_rejected_at_once(propose, inbox, reviewer, client):
    save_policy(inbox.workspace, "{what: proposals, most: 1, within: 5m}")
    kept, *rest = [propose(text=f"Number {n}.", key=f"k{n}") for n in range(4)]
    client.force_login(reviewer)
    shown = client.get(reverse("queue"), {"tab": "waiting", "held": "yes"}).text
    assert "Reject all" in shown
    address, agent = reverse("queue-held"), kept.agent.public_id
    assert client.post(address, {"agent": agent, "do": "nothing"}).status_code == 400
    after = client.post(address, {"agent": agent, "do": "reject"}, follow=True).text
    assert "3 proposals were rejected." in after
    states = dict(Approval.objects.values_list("pk", "state"))
    assert states == {kept.pk: "waiting", **{one.pk: "rejected" for one in rest}}
    assert {one.note for one in Approval.objects.filter(pk__in=[it.pk for it in rest])} == {
        "rejected by rhea together with everything held by a quota"
    }


def test_the_same_proposal_again_counts_once_and_too_many_are_refused(propose, inbox, settings):
    settings.APPROVALS_PER_AGENT = 1
    save_policy(inbox.workspace, "{what: proposals, most: 1, within: 5m}")
    assert propose(key="a").pk == propose(key="b").pk
    (use,) = QuotaUse.objects.all()
    assert sum(use.parts.values()) == 1
    with pytest.raises(ToolError, match="1 proposals of this agent wait"):
        propose(text="Another.", key="c")


def test_counts_of_which_nothing_counts_any_more_are_removed(propose):
    propose()
    assert QuotaUse.objects.exists()
    assert purge_counts(timezone.now() + timedelta(days=32)) == 0
    assert purge_counts(timezone.now() + timedelta(days=33)) == QuotaUse.objects.count() + 2
    assert not QuotaUse.objects.exists()


def test_without_a_policy_of_its_own_a_hundred_pass_within_five_minutes(propose, inbox):
    approval = propose()
    QuotaUse.objects.filter(per="agent", what="proposals").update(
        parts={str(int(timezone.now().timestamp() * 12 // 300)): 100}
    )
    assert propose(text="Another.", key="b").held_by == HeldBy.AGENT
    assert approval.held_by == ""
    assert Membership.objects.count() == 0
