"""The review page: what it shows, and each of its actions."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from agents.approval.due import check_due
from agents.models import Approval, ApprovalState, Receipt
from agents.receipts import verify
from calendar_app.models import Event
from calendar_app.operations.sent import apply_sent
from inbox.models import Attachment, Draft, DraftStatus, Role, Submission, store_blob
from inbox.operations.drafts.writing import attach_to_draft, create_draft, revise_draft
from tests import factories
from tests.agents.admin.desk import BODY, propose

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """A reviewer, and a reply that waits."""
    lantern = factories.make_lantern()
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    asked = factories.make_message(lantern["inbox"], at=factories.NOON)
    approval = propose(lantern["actor"], asked.thread)
    return {**lantern, "reviewer": reviewer, "asked": asked, "approval": approval}


@pytest.fixture
def asked(own_rows, db):
    return own_rows["asked"]


@pytest.fixture
def approval(own_rows, db) -> Approval:
    return own_rows["approval"]


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client


def place(approval, action=""):
    return f"/admin/review/{approval.public_id}/" + (f"{action}/" if action else "")


def seen(approval):
    return {"sha256": approval.sha256}


def as_edited(approval, **changes):
    return {
        "to": "ada@customer.example",
        "subject": "Re: A question",
        "body": BODY,
        **seen(approval),
        **changes,
    }


# -- what it shows -----------------------------------------------------------------------------


def test_the_letter_is_shown_from_the_sealed_bytes_and_not_from_the_draft(browser, approval):
    check_due([approval])
    Draft.objects.update(
        subject="Other words", body="Quite other words", to=[{"email": "x@evil.example"}]
    )
    text = browser.get(place(approval)).content.decode()
    assert "The offer is attached to this letter." in text
    assert "Quite other words" not in text
    assert "x@evil.example" not in text
    assert approval.submission.sha256 in text


def test_the_page_says_who_proposed_it_and_why_it_waits(browser, approval):
    text = browser.get(place(approval)).content.decode()
    assert "Clerk" in text
    assert approval.reason in text
    assert "expires in" in text


def test_every_recipient_is_shown_with_the_hidden_ones_and_what_we_know_of_them(
    browser, actor, inbox, agent
):
    factories.make_person(inbox.workspace, sent_count=3, received_count=4, contact_count=7)
    asked = factories.make_message(inbox)
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), thread=asked.thread,
        to=["ada@customer.example"], bcc=["eve@customer.example", "ada@custorner.example"], subject="Re: A question", body=BODY,
    )  # fmt: skip
    approval = propose(actor, asked.thread, draft.public_id)
    found = browser.get(place(approval)).context["review"].message.recipients
    assert [(one.field, one.email, one.is_new) for one in found] == [
        ("To", "ada@customer.example", False),
        ("Bcc", "eve@customer.example", True),
        ("Bcc", "ada@custorner.example", True),
    ]
    assert [bool(one.imitates) for one in found] == [False, False, True]


def test_the_words_that_raised_a_flag_are_marked_in_the_letter(browser, approval):
    Approval.objects.update(
        marks=[],
        checks_due=False,
        risk_flags=[
            {
                "flag": "external_link",
                "reason": "It links away.",
                "excerpt": "offer  is ATTACHED",
                "source": None,
            }
        ],
    )
    text = browser.get(place(approval)).content.decode()
    assert "It links away." in text
    assert 'id="mark-1" href="#flag-1"' in text
    assert '<mark class="mark-flag" data-marks="flag-1">offer is attached</mark>' in text


def test_attachments_are_listed_with_their_hash_and_handed_out_as_downloads(
    browser, actor, asked, inbox
):
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), thread=asked.thread,
        to=["ada@customer.example"], subject="Re: A question", body=BODY,
    )  # fmt: skip
    attach_to_draft(
        draft=draft, filename="offer.html", content_type="text/html", content=b"<script>1</script>"
    )
    approval = propose(actor, asked.thread, draft.public_id)
    file = browser.get(place(approval)).context["review"].message.enclosures[0]
    assert (file.filename, file.size) == ("offer.html", 18)
    response = browser.get(place(approval, f"files/{file.position}"))
    assert response.content == b"<script>1</script>"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="offer.html"'
    assert response["Content-Security-Policy"].startswith("sandbox")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert browser.get(place(approval, "files/99")).status_code == 404


def test_the_sealed_source_is_byte_for_byte_what_would_leave(browser, approval):
    assert browser.get(place(approval, "source")).content == approval.submission.mime_bytes


def test_the_thread_stands_beside_the_letter_with_what_it_cites_marked(browser, approval, asked):
    factories.make_message(asked.inbox, thread=asked.thread, text="By the way …", at=factories.NOON)
    approval.submission.draft.cited.set([asked])
    readings = browser.get(place(approval)).context["review"].thread
    assert {(one.new, one.is_cited) for one in readings} == {
        ("Could you send me the offer by Friday?", True),
        ("By the way …", False),
    }


def test_what_came_with_a_message_of_the_thread_is_handed_out(browser, approval, asked):
    file = Attachment.objects.create(
        workspace=asked.workspace, message=asked, blob=store_blob(asked.workspace_id, b"%PDF"),
        position=0, content_type="application/pdf", filename="offer.pdf", size=4,
        received_at=asked.received_at,
    )  # fmt: skip
    text = browser.get(place(approval)).content.decode()
    assert f'href="/admin/attachments/{file.public_id}/"' in text
    assert "offer.pdf" in text


def test_a_page_is_read_in_the_same_queries_however_long_the_thread(
    browser, approval, asked, django_assert_max_num_queries
):
    factories.make_message(asked.inbox, thread=asked.thread, at=factories.NOON)
    browser.get(place(approval))
    with django_assert_max_num_queries(44) as few:
        browser.get(place(approval))
    for number in range(30):
        factories.make_message(
            asked.inbox, thread=asked.thread, text=f"{number}", at=factories.NOON
        )
    # What the draft cites is beyond those shown by now, and is read by itself with its files.
    with django_assert_max_num_queries(len(few.captured_queries) + 2):
        browser.get(place(approval))


# -- actions -------------------------------------------------------------------------------------


def test_what_is_approved_leaves_after_the_undo_window(browser, approval, reviewer):
    response = browser.post(place(approval, "approve"), seen(approval), follow=True)
    submission = Submission.objects.get()
    assert (submission.state, submission.approved_by) == ("pending", reviewer)
    text = response.content.decode()
    assert "Sending in" in text
    assert "data-countdown" in text
    assert place(approval, "undo") in text
    Submission.objects.update(state="sending", attempts=1)
    Submission.objects.update(state="pending", outcome="451 come back")
    assert "It has not been sent yet." in browser.get(place(approval)).content.decode()


def test_undo_takes_it_back_and_leads_to_what_waits_instead(browser, approval):
    browser.post(place(approval, "approve"), seen(approval))
    response = browser.post(place(approval, "undo"), follow=True)
    assert Submission.objects.order_by("id").first().state == "canceled"
    shown = response.context["review"].approval
    assert shown != approval
    assert shown.state == ApprovalState.WAITING
    assert "Undone before it was sent." in response.content.decode()


def test_another_hash_than_the_one_seen_decides_nothing(browser, approval):
    response = browser.post(place(approval, "approve"), {"sha256": "0" * 64})
    assert response.status_code == 409
    assert "Nothing was decided." in response.content.decode()
    assert Submission.objects.get().state == "held"


def test_a_page_that_is_stale_decides_nothing_and_says_what_changed(browser, approval):
    revise_draft(
        draft=approval.submission.draft, author_key="agent:1", author_name="Clerk", body="Other words",
    )  # fmt: skip
    response = browser.post(place(approval, "approve"), seen(approval))
    assert response.status_code == 409
    assert "changed in the draft: text" in response.content.decode()
    assert Submission.objects.get().state == "voided"


def test_what_drifted_is_told_before_anybody_decides_and_voids_nothing_by_looking(
    browser, approval, asked
):
    factories.make_message(asked.inbox, thread=asked.thread, at=timezone.now())
    response = browser.get(place(approval))
    assert "You can no longer decide this" in response.content.decode()
    assert "received after it was sealed" in response.content.decode()
    assert "approve-form" not in response.content.decode()
    approval.refresh_from_db()
    assert approval.state == ApprovalState.WAITING


ICS = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Customer//EN
METHOD:REQUEST
BEGIN:VEVENT
UID:theirs@customer.example
SEQUENCE:4
DTSTAMP:20260301T090000Z
DTSTART:20260305T090000Z
DTEND:20260305T100000Z
SUMMARY:Theirs
ORGANIZER:mailto:ada@customer.example
ATTENDEE:mailto:bo@other.example
END:VEVENT
END:VCALENDAR
""".replace(b"\n", b"\r\n")


def test_a_calendar_file_that_is_only_enclosed_can_be_sent_on(browser, actor, asked, inbox):
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), thread=asked.thread,
        to=["ada@customer.example"], subject="Re: A question", body=BODY,
    )  # fmt: skip
    attach_to_draft(draft=draft, filename="i.ics", content_type="text/calendar", content=ICS)
    approval = propose(actor, asked.thread, draft.public_id)
    assert browser.get(place(approval)).context["review"].drift == ()
    assert browser.get(place(approval, "state")).json()["changes"] == []
    browser.post(place(approval, "approve"), seen(approval))
    for state in ("sending", "sent"):
        Submission.objects.filter(pk=approval.submission_id).update(state=state)
    apply_sent(submission_id=approval.submission_id)
    assert not Event.objects.exists()


def test_who_asks_where_it_stands_does_not_read_the_sealed_bytes(browser, approval):
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(place(approval, "state")).json()["state"] == "waiting"
        browser.post(place(approval, "presence"))
    assert not [one["sql"] for one in asked.captured_queries if '"mime"' in one["sql"]]


def test_edit_and_approve_seals_a_version_of_its_own_and_keeps_both(browser, approval, reviewer):
    response = browser.post(
        place(approval, "edit"), as_edited(approval, body="Dear Ada,\r\n\r\nshorter.", cc="Bo <bo@customer.example>"), follow=True,
    )  # fmt: skip
    old, new = Submission.objects.order_by("id")
    assert (old.state, new.state) == ("voided", "pending")
    assert new.envelope_to == ["ada@customer.example", "bo@customer.example"]
    assert b"shorter." in new.mime_bytes
    assert response.context["review"].approval == new.approval
    assert response.context["review"].versions[0].by_person


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"to": ""}, "This field is required."),
        ({"to": "nobody at all"}, "address"),
        ({"to": "x\r\nBcc: evil@other.example"}, "line breaks"),
        ({"to": "ada@customer.example (evil@other.example)"}, "is not clearly a single address"),
        ({"body": ""}, "This field is required."),
        ({"subject": "two\nlines"}, "line breaks"),
    ],
)
def test_an_edit_that_cannot_be_sealed_says_why_and_keeps_what_was_written(
    browser, approval, changes, words
):
    response = browser.post(
        place(approval, "edit"), as_edited(approval, cc="kept@customer.example", **changes)
    )
    assert response.status_code in {400, 409}
    text = response.content.decode()
    assert words in text
    assert "kept@customer.example" in text
    assert Submission.objects.get().state == "held"


def test_rejecting_asks_for_a_reason_and_keeps_it(browser, approval):
    assert browser.post(place(approval, "reject"), {"words": "  "}).status_code == 400
    assert Submission.objects.get().state == "held"
    response = browser.post(place(approval, "reject"), {"words": "Wrong customer."}, follow=True)
    assert "Wrong customer." in response.content.decode()
    assert Submission.objects.get().state == "rejected"


def test_sending_back_gives_the_agent_the_feedback(browser, approval):
    assert browser.post(place(approval, "return"), {}).status_code == 400
    browser.post(place(approval, "return"), {"words": "Be shorter."})
    draft = Draft.objects.get()
    assert (draft.status, draft.feedback) == (DraftStatus.RETURNED, "Be shorter.")


def test_a_letter_of_unknown_fate_asks_a_person(browser, approval, reviewer):
    browser.post(place(approval, "approve"), seen(approval))
    Submission.objects.update(state="sending")
    Submission.objects.update(state="unknown")
    assert "It arrived" in browser.get(place(approval)).content.decode()
    assert browser.post(place(approval, "settle"), {"arrived": "perhaps"}).status_code == 400
    browser.post(place(approval, "settle"), {"arrived": "yes"})
    assert Submission.objects.get().state == "sent"
    assert Receipt.objects.filter(tool="settle", actor=f"person:{reviewer.pk}").exists()
    assert browser.post(place(approval, "settle"), {"arrived": "no"}).status_code == 409
    assert verify(approval.workspace) == []


def test_what_expired_says_so_and_cannot_be_decided(browser, approval):
    Approval.objects.update(expires_at=factories.NOON)
    assert "It has expired." in browser.get(place(approval)).content.decode()
    assert browser.post(place(approval, "approve"), seen(approval)).status_code == 409
    assert Submission.objects.get().state == "expired"


def test_what_was_decided_cannot_be_decided_again(browser, approval):
    browser.post(place(approval, "reject"), {"words": "No."})
    assert browser.post(place(approval, "approve"), seen(approval)).status_code == 409
    assert Submission.objects.get().state == "rejected"


def test_after_deciding_the_next_one_is_at_hand(browser, approval, actor, inbox):
    other = propose(actor, factories.make_message(inbox, subject="Something else").thread)
    response = browser.post(place(approval, "approve"), seen(approval), follow=True)
    assert response.context["queue_path"].next.url == place(other)


def test_what_answers_a_form_leads_on_to_the_page_itself(browser, actor, asked, approval):
    Approval.objects.update(checks_due=False, risk_flags=[])
    edit = as_edited(approval, body="Shorter.")
    preview = browser.post(place(approval, "preview"), edit).content.decode()
    assert re.search(rf'<a class="button" href="{place(approval)}">\s*Show what changed', preview)
    browser.post(place(approval, "edit"), edit)
    newest = Approval.objects.latest("pk")
    refused = browser.post(place(newest, "approve"), {**seen(newest), "in": "tab=waiting"})
    text = refused.content.decode()
    assert refused.status_code == 409
    assert f'data-then="{place(newest)}?in=tab%3Dwaiting"' in text
    assert f'action="{place(newest)}#versions"' in text


def test_what_was_put_off_says_so_and_can_be_woken(browser, approval):
    assert "End snooze" not in browser.get(place(approval)).content.decode()
    browser.post(place(approval, "snooze"), {"until": "3h"})
    text = browser.get(place(approval)).content.decode()
    assert "Snoozed until" in text
    assert f'action="{place(approval, "wake")}"' in text
    browser.post(place(approval, "wake"))
    assert "End snooze" not in browser.get(place(approval)).content.decode()


@pytest.mark.parametrize(
    ("state", "words"),
    [("sending", "Sending…"), ("sent", "Sent."), ("failed", "It was not sent.")],
)
def test_the_line_about_what_was_decided_says_what_became_of_it(browser, approval, state, words):
    browser.post(place(approval, "approve"), seen(approval))
    Submission.objects.update(state="sending")
    Submission.objects.update(state=state)
    text = browser.get("/admin/", {"before": approval.public_id}).content.decode()
    line = text[text.index('<aside class="just') : text.index("</aside>")]
    assert words in line
    assert ("data-countdown" in line) is (state == "sending")


# -- who may -----------------------------------------------------------------------------------

ACTIONS = ["approve", "edit", "reject", "return", "undo", "settle"]


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_done_by_get(browser, approval, action):
    assert browser.get(place(approval, action)).status_code == 405


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_done_without_the_form_s_token(approval, reviewer, action):
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    answer = {**as_edited(approval), "words": "x", "arrived": "yes"}
    assert client.post(place(approval, action), answer).status_code == 403
    assert Submission.objects.get().state == "held"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_viewer_reads_and_decides_nothing(approval, workspace, action):
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.VIEWER))
    text = client.get(place(approval)).content.decode()
    # Whatever of it is marked.
    assert "to this letter. It holds until Friday" in strip_tags(text)
    assert 'class="decide"' not in text
    answer = {**as_edited(approval), "words": "x", "arrived": "yes"}
    assert client.post(place(approval, action), answer).status_code == 403
    assert Submission.objects.get().state == "held"


@pytest.mark.parametrize("action", ["", "state", "source", "files/0", *ACTIONS])
def test_a_foreign_approval_is_not_there(approval, action):
    client = Client()
    client.force_login(factories.make_person_user(factories.make_workspace()))
    answer = {**as_edited(approval), "words": "x", "arrived": "yes"}
    is_action = action in ACTIONS
    response = (
        client.post(place(approval, action), answer)
        if is_action
        else client.get(place(approval, action))
    )
    assert response.status_code == 404


@pytest.mark.parametrize("public_id", ["apr_nothing", "act_7TMumwyHeh", "x", "apr_" + "9" * 70])
def test_an_id_that_is_none_is_not_found(browser, public_id):
    assert browser.get(f"/admin/review/{public_id}/").status_code == 404


def test_every_page_carries_the_strict_policy(browser, approval):
    policy = browser.get(place(approval))["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def queue_reads(captured):
    """The statements that look for what stands before or after a place of the queue."""
    return [one["sql"] for one in captured if re.search(r'"place_at" [<>]', one["sql"])]


@pytest.mark.parametrize(("then", "reads"), [({}, False), ({"then": "next"}, True)])
def test_approving_looks_for_what_comes_next_only_when_asked(browser, approval, then, reads):
    with CaptureQueriesContext(connection) as asked:
        assert (
            browser.post(place(approval, "approve"), {**seen(approval), **then}).status_code == 302
        )
    assert bool(queue_reads(asked.captured_queries)) == reads
