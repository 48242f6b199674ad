"""Many at the same moment, over two processes of the web: one of them, or none, has its way."""

import json
from functools import partial

import pytest

from agents import receipts
from agents.dispatching.dispatch import call
from agents.models import Approval, Receipt
from agents.operations.agents import create_token, known_scopes
from inbox.background.jobs import run_due
from inbox.models import Account, Draft, Submission
from tests import factories
from tests.machines.webs import at_once, session_of, webs
from tests.servers import smtp_sink

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def site(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), webs(2) as running:
        yield running


@pytest.fixture
def sink(inbox):
    """A server that takes what the account sends, at once when it is released."""
    with smtp_sink() as (sink, port):
        settings = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        Account.objects.filter(pk=inbox.account_id).update(
            provider="imap_smtp", settings=settings, undo_seconds=0
        )
        yield sink


@pytest.fixture
def token(agent) -> str:
    return f"Bearer {create_token(agent=agent, scopes=known_scopes())[1]}"


def mail(inbox, number: int = 0) -> dict:
    return {
        "account_id": inbox.account.public_id, "to": ["ada@customer.example"],
        "subject": f"Offer {number}", "body": "Our offer.", "confirm": True,
    }  # fmt: skip


@pytest.fixture
def propose_mail(actor, inbox):
    def propose_mail(number: int = 0) -> Approval:
        return call("email_send", mail(inbox, number), actor).approval

    return propose_mail


def test_of_fifty_people_who_approve_at_once_one_does(site, sink, propose_mail, workspace):
    approval = propose_mail()
    people = [session_of(factories.make_person_user(workspace)) for _ in range(50)]
    answers = at_once(*(partial(site.approve, approval, session) for session in people))
    assert {answer.status for answer in answers} <= {200, 302, 409}
    assert Receipt.objects.filter(tool="approve").count() == 1
    assert receipts.verify(workspace) == []
    run_due()
    assert len(sink.taken) == 1
    assert set(Submission.objects.values_list("state", "attempts")) == {("sent", 1)}


def test_the_same_key_a_hundred_times_at_once_is_one_call(site, token, inbox, workspace):
    ask = partial(
        site.send_json, "POST", "/api/tools/email_send", mail(inbox), Authorization=token,
        Idempotency_Key="once",
    )  # fmt: skip
    answers = at_once(*[ask] * 100)
    whole = {answer.text for answer in answers if answer.status < 300}
    assert len(whole) <= 1
    others = {json.loads(answer.text)["code"] for answer in answers if answer.status > 299}
    assert others <= {"idempotency_in_progress", "approval_required"}
    assert Draft.objects.count() == Submission.objects.count() == Approval.objects.count() == 1
    assert receipts.verify(workspace) == []


@pytest.fixture
def edit(site, token):
    def edit(draft: Draft):
        """Return a call that changes the draft as it stands now."""
        path = f"/api/v1/drafts/{draft.public_id}"
        etag = site.call("GET", path, Authorization=token).etag
        return partial(
            site.send_json, "PATCH", path, {"body": "Other words."}, Authorization=token,
            If_Match=etag,
        )  # fmt: skip

    return edit


def test_an_edit_that_races_an_approval_changes_nothing_that_leaves(
    site, sink, edit, propose_mail, reviewer
):
    session = session_of(reviewer)
    for number in range(10):
        approval = propose_mail(number)
        submission = approval.submission
        change, approve = edit(submission.draft), partial(site.approve, approval, session)
        answers = at_once(*((change, approve) if number % 2 else (approve, change)))
        changed = answers[0 if number % 2 else 1].status == 200
        run_due()
        state = Submission.objects.get(pk=submission.pk).state
        arrived = [it.content for it in sink.taken if b"Offer %d\r\n" % number in it.content]
        # Where the edit came first, what the person saw never leaves.
        assert (state, changed) in {("sent", False), ("sent", True), ("voided", True)}
        assert arrived == ([submission.mime_bytes] if state == "sent" else [])
