"""The pages say what a policy wants of whoever approves, and hold them to it."""

import pytest

from agents.models import Approval
from inbox.models import PersonEmail, ReplyPolicy
from inbox.operations.activities.understanding import save_version
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(workspace, propose):
    """A reply to somebody known waits, under a policy's rule."""

    def waiting(rule):
        save_version(
            ReplyPolicy, workspace=workspace, name="House", stored=None,
            content=f"decisions:\n  - {{{rule}}}\n",
        )  # fmt: skip
        approval = propose()
        to = approval.submission.draft.to[0]["email"]
        if not PersonEmail.objects.filter(email=to).exists():
            factories.make_person(workspace, sent_count=2)
        Approval.objects.update(checks_due=False, risk_flags=[])
        approval.refresh_from_db()
        return approval

    return waiting


def page(client, user, approval):
    client.force_login(user)
    return client.get(f"/admin/review/{approval.public_id}/").content.decode()


def post(client, approval, **extra):
    data = {"sha256": approval.sha256, **extra}
    return client.post(f"/admin/review/{approval.public_id}/approve/", data)


def test_the_page_of_two_says_so_to_the_first_and_names_them_to_the_second(
    client, reviewer, waiting, workspace
):
    approval = waiting("second_approver: true")
    shown = page(client, reviewer, approval)
    assert "<strong>Two people</strong> must approve it." in shown
    assert "Required by the policy" in shown
    assert "it waits for a second person" in shown
    assert post(client, approval).status_code == 302
    other = factories.make_person_user(workspace, name="omar")
    shown = page(client, other, approval)
    assert "<strong>One of two:</strong>" in shown
    assert "rhea" in shown
    assert " (1 of 2)" in client.get("/admin/").content.decode()
    assert post(client, approval).status_code == 302
    approval.refresh_from_db()
    assert (approval.state, approval.decided_by) == ("approved", other)


def test_the_first_cannot_be_the_second_on_the_page_either(client, reviewer, waiting):
    approval = waiting("second_approver: true")
    client.force_login(reviewer)
    post(client, approval)
    answer = post(client, approval)
    assert answer.status_code == 409
    assert "it needs a second person" in answer.content.decode()


def test_what_wants_a_fresh_sign_in_asks_for_it_and_goes_on(client, reviewer, waiting):
    approval = waiting("fresh_sign_in: true")
    assert "The approver must confirm their identity again" in page(client, reviewer, approval)
    session = client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    asked = post(client, approval)
    assert asked.templates[0].name == "chancery/sign_in/fresh_login.html"
    assert "The policy House requires you to confirm" in asked.content.decode()
    approval.refresh_from_db()
    assert approval.state == "waiting"


def test_without_a_rule_a_stale_sign_in_will_do(client, reviewer, waiting):
    approval = waiting("kinds: [meeting], fresh_sign_in: true")
    assert "Required by the policy" not in page(client, reviewer, approval)
    session = client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    assert post(client, approval).status_code == 302
    approval.refresh_from_db()
    assert approval.state == "approved"


def test_a_batch_leaves_alone_what_a_policy_has_decided_by_itself(client, reviewer, waiting):
    approval = waiting("batch: never")
    assert "not as part of a batch" in page(client, reviewer, approval)
    shown = client.get("/admin/queue/batch/", {"item": approval.public_id}).content.decode()
    assert "required by a policy" in shown
    assert "1 was left out. Open it on its own page to see why and decide." in shown
    assert "Read to the end" not in shown
    name = f"sha256-{approval.public_id}"
    answer = client.post(
        "/admin/queue/batch/approve/", {"item": approval.public_id, name: approval.sha256}
    )
    assert answer.status_code == 400
    approval.refresh_from_db()
    assert approval.state == "waiting"
