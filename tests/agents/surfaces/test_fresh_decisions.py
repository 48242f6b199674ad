"""What wants a fresh login wants it however it is decided."""

import json

import pytest

from agents.models import Approval
from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.agents.surfaces.test_deciding import Person, approving

pytestmark = pytest.mark.django_db
FLAG = {"flag": "new_recipient", "reason": "Nobody wrote to them.", "excerpt": "", "source": None}


@pytest.fixture
def stale(reviewer):
    person = Person(reviewer)
    session = person.client.session
    session["signed_in_freshly_at"] = 1.0
    session.save()
    return person


@pytest.fixture
def flagged(propose):
    approval = propose()
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[FLAG])
    approval.refresh_from_db()
    return approval


def state_of(approval):
    return Approval.objects.get(pk=approval.pk).state


def test_over_rest_flagged_mail_is_approved_by_a_fresh_login_only(stale, flagged, reviewer):
    answer = stale.decide(flagged, approving(flagged))
    assert (answer.status_code, answer.json()["code"]) == (403, "fresh_login_required")
    assert flagged.public_id in answer.json()["details"]["review_url"]
    assert state_of(flagged) == "waiting"
    assert Person(reviewer).decide(flagged, approving(flagged)).status_code == 200


def test_over_rest_what_a_policy_wants_it_of_is_approved_by_a_fresh_login_only(
    stale, propose, reviewer, workspace
):
    rule = "decisions:\n  - {kinds: [message], fresh_sign_in: true}\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=rule, stored=None)
    approval = propose()
    Approval.objects.update(checks_due=False, risk_flags=[])
    factories.make_person(workspace, sent_count=2)
    answer = stale.decide(approval, approving(approval))
    assert (answer.status_code, answer.json()["code"]) == (403, "fresh_login_required")
    assert Person(reviewer).decide(approval, approving(approval)).status_code == 200


def test_over_rest_an_edit_wants_one_always(stale, propose):
    approval = propose()
    Approval.objects.update(checks_due=False, risk_flags=[])
    edit = {"decision": "edit", "sha256": approval.sha256, "to": ["new@elsewhere.example"]}
    assert stale.decide(approval, edit).json()["code"] == "fresh_login_required"
    assert (state_of(approval), Approval.objects.count()) == ("waiting", 1)


def test_saying_no_wants_none(stale, flagged):
    answer = stale.decide(flagged, {"decision": "reject", "reason": "No."})
    assert (answer.status_code, state_of(flagged)) == (200, "rejected")


def test_an_interrupt_is_accepted_by_a_fresh_login_only(stale, flagged):
    url = f"/api/v1/approvals/{flagged.public_id}/interrupt"
    etag = stale.client.get(url)["ETag"]
    answer = stale.client.post(
        url, json.dumps([{"type": "accept", "args": None}]), content_type="application/json",
        headers={"If-Match": etag, "X-CSRFToken": "t" * 32},
    )  # fmt: skip
    assert (answer.status_code, answer.json()["code"]) == (403, "fresh_login_required")
    assert state_of(flagged) == "waiting"


def test_an_edit_that_raises_flags_wants_one_on_its_page(stale, propose):
    approval = propose()
    Approval.objects.update(checks_due=False, risk_flags=[])
    letter = {
        "sha256": approval.sha256, "to": "new@elsewhere.example", "cc": "", "bcc": "",
        "subject": "Re: A question", "body": "Dear Ada", "csrfmiddlewaretoken": "t" * 32,
    }  # fmt: skip
    url = f"/admin/review/{approval.public_id}/edit/"
    answer = stale.client.post(url, letter)
    assert answer.templates[0].name == "chancery/sign_in/fresh_login.html"
    assert (state_of(approval), Approval.objects.count()) == ("waiting", 1)
    back = stale.client.post(url, {**letter, "again_back": "1"})
    assert "chancery/review/review.html" in [one.name for one in back.templates]
    assert (state_of(approval), Approval.objects.count()) == ("waiting", 1)
