"""A person writes a mail in the browser: kept, sealed, looked at, sent, and taken back."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import strip_tags

from agents.models import Agent, Approval, Receipt
from inbox.models import Attachment, Draft, ReplyPolicy, Role, Submission, store_blob
from inbox.operations.activities.understanding import save_version
from inbox.operations.files import create_file
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(reviewer) -> Client:
    return browser_of(reviewer)


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def begin(browser, message):
    """Post the form that a kind of answer begins with; return the page that follows."""

    def begin(kind="answer", then="seal", of=message, **fields):
        shown = browser.get("/admin/write/", {"as": kind, "of": of.public_id})
        filled = {**shown.context["form"].initial, "body": "Dear Ada, yes."}
        sent = {**filled, "as": kind, "of": of.public_id, "then": then, **fields}
        return browser.post("/admin/write/", sent, follow=True)

    return begin


@pytest.fixture
def fresh(browser, inbox):
    """Post the form of a new mail."""

    def fresh(then="seal", **fields):
        sender = str(inbox.account.identities.get().pk)
        filled = {"sender": sender, "to": "bo@other.example", "subject": "Lamps", "body": "Hello."}
        return browser.post("/admin/write/", {**filled, "then": then, **fields}, follow=True)

    return fresh


def send(client, approval):
    seen = {"sha256": approval.sha256, "version": approval.submission.draft_version}
    return client.post(f"/admin/review/{approval.public_id}/approve/", seen, follow=True)


def test_an_answer_is_sealed_shown_with_its_flags_and_sent_by_who_wrote_it(
    begin, browser, reviewer, message
):
    page = begin()
    approval = Approval.objects.get()
    draft = approval.submission.draft
    assert page.redirect_chain[-1][0] == f"/admin/review/{approval.public_id}/"
    assert "Dear Ada, yes." in strip_tags(page.text)
    # The checks of an agent's draft are made of a person's, too.
    assert [flag["flag"] for flag in approval.risk_flags or read(approval)] == ["new_recipient"]
    assert (draft.thread, draft.in_reply_to) == (message.thread, message)
    assert (Submission.objects.get().state, draft.author) == ("held", f"person:{reviewer.pk}")
    assert "Next: " not in browser.get("/admin/").text
    sent = send(browser, approval)
    assert "Sending in" in sent.text
    submission = Submission.objects.get()
    assert (submission.state, submission.approved_by) == ("pending", reviewer)
    assert submission.approved_sha256 == approval.sha256
    done = list(Receipt.objects.order_by("pk").values_list("tool", "actor", "outcome"))
    who = f"person:{reviewer.pk}"
    assert done == [("email_send", who, "held"), ("approve", who, "ok"), ("email_send", who, "ok")]


def read(approval):
    approval.refresh_from_db()
    return approval.risk_flags


def test_within_the_undo_window_it_is_taken_back_and_waits_for_its_writer_alone(begin, browser):
    begin()
    approval = Approval.objects.get()
    send(browser, approval)
    page = browser.post(f"/admin/review/{approval.public_id}/undo/", follow=True)
    again = Approval.objects.latest("pk")
    assert (again.state, again.held_by) == ("waiting", "writer")
    assert "/withdraw/" in page.text
    assert Submission.objects.filter(state="pending").count() == 0
    page = browser.post(f"/admin/review/{again.public_id}/withdraw/", follow=True)
    draft = Draft.objects.get()
    assert page.redirect_chain[-1][0] == f"/admin/write/{draft.public_id}/"
    assert draft.status == "open"
    changed = {"to": "ada@customer.example", "body": "Dear Ada, no.", "then": "seal"}
    browser.post(f"/admin/write/{draft.public_id}/", changed)
    newest = Approval.objects.latest("pk")
    assert send(browser, newest).status_code == 200
    assert b"Dear Ada, no." in Submission.objects.get(state="pending").mime_bytes


def test_before_it_is_sent_nobody_else_decides_on_it_or_finds_it_in_the_queue(
    begin, workspace, browser
):
    begin()
    approval = Approval.objects.get()
    other = browser_of(factories.make_person_user(workspace, name="omar"))
    assert approval.public_id not in other.get("/admin/").text
    page = other.get(f"/admin/review/{approval.public_id}/")
    assert "has not sent it yet" in page.text
    assert "/approve/" not in page.text
    for action in ("approve", "reject", "undo", "withdraw", "release", "return"):
        fields = {"sha256": approval.sha256, "words": "no"}
        other.post(f"/admin/review/{approval.public_id}/{action}/", fields)
        approval.refresh_from_db()
        assert (approval.state, approval.held_by) == ("waiting", "writer"), action
    draft = approval.submission.draft
    assert other.get(f"/admin/write/{draft.public_id}/").status_code == 404
    assert Submission.objects.get().state == "held"
    # Nor does it count as an agent's anywhere.
    assert approval.agent.name not in other.get("/admin/agents/agent/").text


def test_where_a_policy_wants_two_it_waits_for_the_other_once_its_writer_sent_it(
    begin, workspace, browser, reviewer
):
    content = "decisions:\n  - {second_approver: true}\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=content, stored=None)
    begin()
    approval = Approval.objects.get()
    send(browser, approval)
    approval.refresh_from_db()
    assert (approval.state, approval.held_by, approval.first_approver) == ("waiting", "", reviewer)
    send(browser, approval)
    assert Submission.objects.get().state == "held"
    other = factories.make_person_user(workspace, name="omar")
    assert approval.public_id in browser_of(other).get("/admin/").text
    send(browser_of(other), approval)
    approval.refresh_from_db()
    assert (approval.state, approval.decided_by) == ("approved", other)
    assert Submission.objects.get().state == "pending"


def test_files_go_with_it_from_here_from_the_message_and_from_the_persons_machine(
    begin, browser, inbox, message, reviewer
):
    Attachment.objects.create(
        workspace=inbox.workspace, message=message, filename="plan.txt", content_type="text/plain",
        blob=store_blob(inbox.workspace_id, b"plan"), position=0, size=4,
        received_at=message.received_at,
    )  # fmt: skip
    actor = factories.person_actor(reviewer)
    node = create_file(actor=actor, account=inbox.account, path="/Offers/a.txt", content=b"offer")
    upload = SimpleUploadedFile("mine.csv", b"a;b")
    begin("forward", "keep", to="bo@other.example", stored=[str(node.pk)], uploads=[upload])
    draft = Draft.objects.get()
    names = list(draft.attachments.values_list("filename", flat=True))
    assert names == ["a.txt", "plan.txt", "mine.csv"]
    assert (draft.thread, draft.subject[:5]) == (None, "Fwd: ")
    more = SimpleUploadedFile("more.txt", b"more")
    fields = {"to": "bo@other.example", "body": "See these.", "kept": ["0", "2"], "uploads": [more]}
    browser.post(f"/admin/write/{draft.public_id}/", {**fields, "then": "seal"})
    approval = Approval.objects.get()
    sealed = [name for name, _kind, _hash in approval.submission.attachments]
    assert sealed == ["a.txt", "mine.csv", "more.txt"]
    assert approval.submission.envelope_to == ["bo@other.example"]


def test_what_cannot_be_taken_is_said_at_its_field_and_nothing_is_kept(fresh, begin):
    wrong = [
        ({"to": "no address"}, "to"),
        ({"cc": "a@b.example, ,x"}, "cc"),
        ({"subject": "x" * 2000}, "subject"),
        ({"sender": "999999"}, "sender"),
        ({"stored": ["999999"]}, "stored"),
        ({"body": "a\x00b"}, "body"),
        ({"uploads": [SimpleUploadedFile("a.txt", b"x" * (25 * 1024 * 1024 + 1))]}, "uploads"),
    ]
    for fields, named in wrong:
        page = fresh(**fields)
        assert page.status_code == 400, named
        assert page.context["form"].errors[named], named
    assert not Draft.objects.exists()
    # A mail to nobody is kept as a draft, and is not sealed.
    assert fresh(to="").context["form"].errors["to"] == ["Enter a recipient."]
    assert fresh(to="", then="keep").status_code == 200
    assert Draft.objects.get().status == "open"
    assert not Submission.objects.exists()


def test_what_a_policy_forbids_is_refused_with_the_text_kept(fresh, workspace):
    content = "recipients: {block: [other.example]}\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=content, stored=None)
    page = fresh(body="We guarantee it.")
    assert not Submission.objects.exists()
    assert "We guarantee it." in page.text
    assert list(page.context["messages"])


def test_only_who_decides_there_writes_and_only_from_what_is_theirs(workspace, message):
    reader = browser_of(factories.make_person_user(workspace, role=Role.VIEWER, name="rita"))
    assert reader.get("/admin/write/").status_code == 403
    assert "/admin/write/" not in reader.get(f"/admin/threads/{message.thread.public_id}/").text
    elsewhere = factories.make_workspace("other")
    stranger = browser_of(factories.make_person_user(elsewhere, name="sven"))
    place = {"as": "answer", "of": message.public_id}
    assert stranger.get("/admin/write/", place).status_code == 404
    sender = message.inbox.account.identities.get()
    form = {"sender": str(sender.pk), "to": "a@b.example", "subject": "x", "body": "y"}
    assert stranger.post("/admin/write/", form).status_code == 400
    assert not Draft.objects.exists()


def test_a_draft_is_kept_with_the_quoted_mail_found_again_and_thrown_away(begin, browser, message):
    begin(then="keep", quote="on")
    draft = Draft.objects.get()
    assert f"> {message.text.splitlines()[0]}".rstrip() in draft.body
    page = browser.get("/admin/write/")
    assert f"/admin/write/{draft.public_id}/" in page.text
    assert not Approval.objects.exists()
    assert not Agent.objects.filter(person__isnull=False).exists()
    browser.post(f"/admin/write/{draft.public_id}/discard/")
    draft.refresh_from_db()
    assert draft.deleted_at is not None
    assert browser.get(f"/admin/write/{draft.public_id}/").status_code == 404


def test_nobody_else_can_send_it_once_its_writer_may_not_decide_any_more(begin, browser, reviewer):
    begin()
    reviewer.memberships.update(role=Role.VIEWER)
    assert send(browser, Approval.objects.get()).status_code == 403
    assert Submission.objects.get().state == "held"
