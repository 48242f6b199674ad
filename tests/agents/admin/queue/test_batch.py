"""Several items at once: all in full, each decided by itself, what is flagged left alone."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.admin.queue.batch import WHY_ALONE
from agents.admin.queue.flagging import HEADER_BYTES, mark_rows
from agents.approval.lifecycle import approve
from agents.dispatching import dispatch
from agents.errors import ToolError
from agents.exchange.folders import write_file
from agents.models import Agent, Approval, Grant, Receipt
from agents.receipts import verify
from inbox.models import Activity, Draft, PersonEmail, Role, Submission
from inbox.operations.files import create_file
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import BODY, make_activity, propose
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db
KNOWN = "bo@customer.example"
FLAG = {"flag": "external_link", "reason": "It links elsewhere.", "excerpt": "", "source": None}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """Three letters that wait, to somebody whom we wrote to before, and two activities."""
    lantern = factories.make_lantern()
    inbox = lantern["inbox"]
    factories.make_person(inbox.workspace, sent_count=2)
    for n in range(3):
        thread = factories.make_message(inbox, subject=f"Letter {n}").thread
        propose(lantern["actor"], thread, f"{BODY} {n}.")
    Approval.objects.update(checks_due=False, risk_flags=[])
    return {
        **lantern,
        "reviewer": factories.make_person_user(lantern["workspace"], name="rhea"),
        "letters": list(Approval.objects.order_by("pk")),
        "came_in": [
            make_activity(factories.make_message(inbox, subject=f"In {n}")) for n in range(2)
        ],
    }


@pytest.fixture
def letters(own_rows, db):
    return own_rows["letters"]


@pytest.fixture
def came_in(own_rows, db):
    return own_rows["came_in"]


@pytest.fixture
def browser(client, reviewer):
    client.force_login(reviewer)
    return client


def look(browser, *items, **query):
    return browser.get("/admin/queue/batch/", {"item": [i.public_id for i in items], **query})


def post(browser, action, *items, **data):
    names = [item.public_id for item in items]
    return browser.post(f"/admin/queue/batch/{action}/", {"item": names, **data})


def hashes(*approvals):
    return {f"sha256-{one.public_id}": one.sha256 for one in approvals}


def states(approvals):
    return [Approval.objects.get(pk=one.pk).state for one in approvals]


def flag(approval):
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[FLAG])


# -- what it shows -------------------------------------------------------------------------------
def test_every_item_is_shown_in_full_from_its_sealed_bytes(browser, letters, came_in):
    Draft.objects.update(subject="Not this", body="Not this")
    text = look(browser, *letters, *came_in).content.decode()
    for number, letter in enumerate(letters):
        assert f"Re: Letter {number}" in text
        assert f"Lantern {number}." in text
        assert letter.sha256 in text
    assert "Not this" not in text
    assert came_in[1].message.text.split("\n")[0] in text
    assert "ada@customer.example" in text


def test_what_a_call_would_change_is_shown_too(browser, actor, came_in):
    from_agent = {"activity_ids": [came_in[0].public_id], "updates": {"status": "archived"}}
    approval = held(actor, "update_activities", from_agent)
    text = look(browser, approval).content.decode()
    assert "<del>" in text
    assert "archived" in text


def test_what_a_call_would_change_is_told_in_the_readers_language(browser, actor, came_in):
    from_agent = {"activity_ids": [came_in[0].public_id], "updates": {"status": "archived"}}
    approval = held(actor, "update_activities", from_agent)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    text = look(browser, approval).content.decode()
    table = text.partition('<table class="changes">')[2].partition("</table>")[0]
    assert "archiviert" in table
    assert "vorgelegt" in table
    assert "archived" not in text


def held(actor, tool, arguments):
    with pytest.raises(ToolError):
        dispatch.call(tool, arguments, actor)
    return Approval.objects.get(tool=tool)


def test_a_flagged_one_is_shown_and_leads_to_its_own_page(browser, letters):
    flag(letters[1])
    response = look(browser, *letters, **{"in": "tab=waiting"})
    text = response.content.decode()
    assert "It links elsewhere." in text
    assert f'name="sha256-{letters[1].public_id}"' not in text
    assert f'name="sha256-{letters[0].public_id}"' in text
    assert response.context["approvable"] == 2
    assert f"/admin/review/{letters[1].public_id}/?in=tab%3Dwaiting" in text


def test_more_than_fifty_are_refused_clearly(browser, inbox):
    message = factories.make_message(inbox)
    Activity.objects.bulk_create(
        Activity(workspace=inbox.workspace, source="note", source_id=f"n{n}", status="surfaced", created_at=message.received_at)
        for n in range(51)
    )  # fmt: skip
    rows = list(Activity.objects.filter(source="note"))
    for response in (look(browser, *rows), post(browser, "dismiss", *rows)):
        assert response.status_code == 400
        assert "51 items; at most 50" in response.content.decode()
    assert not Activity.objects.filter(status="archived").exists()
    assert look(browser, *rows[:50]).status_code == 200


def test_what_is_not_there_or_not_ones_own_is_not_shown(browser, client, letters):
    assert browser.get("/admin/queue/batch/", {"item": ["apr_x", "act_y"]}).status_code == 404
    assert look(browser).status_code == 200
    text = browser.get("/admin/queue/batch/", {"item": [letters[0].public_id, "act_y"]})
    assert text.context["gone"] == 1
    stranger = factories.make_person_user(factories.make_workspace(), name="sam")
    client.force_login(stranger)
    assert look(client, *letters).status_code == 404
    assert post(client, "approve", *letters, **hashes(*letters)).status_code == 404


# -- approving -----------------------------------------------------------------------------------
def test_all_are_approved_each_with_its_own_receipt(browser, letters, workspace, reviewer):
    response = post(browser, "approve", *letters, **hashes(*letters))
    assert response.context["done"] == 3
    assert states(letters) == ["approved"] * 3
    assert set(Submission.objects.values_list("state", flat=True)) == {"pending"}
    mine = Receipt.objects.filter(actor=f"person:{reviewer.pk}", tool="approve")
    assert {row.approval for row in mine} == {one.public_id for one in letters}
    assert verify(workspace) == []


def test_a_flagged_one_is_not_approved_even_if_forged(browser, letters):
    flag(letters[1])
    response = post(browser, "approve", *letters, **hashes(*letters))
    assert states(letters) == ["approved", "waiting", "approved"]
    assert (response.context["done"], response.context["failed"]) == (2, 1)
    assert "it is flagged" in response.content.decode()


def test_a_letter_that_looks_odd_itself_is_not_approved_in_a_batch(browser, letters):
    odd = letters[0]
    PersonEmail.objects.update(sent_count=0)
    factories.make_person(odd.workspace, "ada@custorner.example", sent_count=3)
    post(browser, "approve", odd, **hashes(odd))
    assert states([odd]) == ["waiting"]


def test_a_mark_at_an_address_flags_a_letter_in_the_queue_in_a_batch_and_when_approving(
    client, reviewer, letters, settings
):
    settings.FRESH_MINUTES = 0
    client.force_login(reviewer)
    review = f"/admin/review/{letters[0].public_id}/approve/"
    assert look(client, *letters).context["approvable"] == 3
    rows = client.get("/admin/?tab=waiting").context["page"].rows
    assert {row.flags for row in rows} == {()}
    # A stranger's card was removed since: nobody ever wrote to this address.
    PersonEmail.objects.update(sent_count=0)
    page = look(client, *letters)
    assert "never written to" in page.content.decode()
    assert (page.context["approvable"], page.context["alone"]) == (0, 3)
    assert "it goes to someone new" in page.content.decode()
    rows = client.get("/admin/?tab=waiting").context["page"].rows
    assert {row.flags for row in rows} == {("new_recipient",)}
    post(client, "approve", *letters, **hashes(*letters))
    answer = client.post(review, {"sha256": letters[0].sha256})
    assert "Confirm your identity" in answer.content.decode()
    assert states(letters) == ["waiting"] * 3
    body = {"decision": "approve", "sha256": letters[0].sha256}
    api = f"/api/v1/approvals/{letters[0].public_id}/decision"
    answer = client.post(api, body, content_type="application/json")
    assert answer.json()["code"] == "fresh_login_required"
    assert states(letters) == ["waiting"] * 3


def test_a_long_list_of_recipients_is_marked_though_its_header_is_cut(
    client, reviewer, letters, inbox
):
    letter = letters[0].submission
    many = [f"guest{n}@{'long' * 12}.example" for n in range(400)]
    for email in many:
        factories.make_person(inbox.workspace, email, sent_count=1)
    mime = letter.mime_bytes.replace(b"To: ", f"To: {', '.join(many)}, ".encode(), 1)
    row = Approval(pk=1, workspace=inbox.workspace, submission=letter, state="waiting")
    letter.mime, letter.envelope_to = mime, [*letter.envelope_to, *many]
    row.head, row.odd, row.proof = mime[:HEADER_BYTES], [], ""
    actor = viewer_of_user(reviewer).actor
    mark_rows(actor, [row])
    assert row.codes == ()
    letter.envelope_to = [*letter.envelope_to, "nobody@new.example"]
    mark_rows(actor, [row])
    assert row.codes == ("new_recipient",)


def send(inbox, file):
    return {"to": [KNOWN], "subject": "The offer", "body": "Here it is.", "confirm": True,
            "attachments": [file.name]}  # fmt: skip


def share(inbox, file):
    return {"file_id": file.public_id, "to": [KNOWN]}


def invite(inbox, file):
    return {"subject": "Call", "attendees": [KNOWN], "start": "2099-03-02T12:00:00Z",
            "end": "2099-03-02T13:00:00Z"}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        ("email_send", send, "attachment"),
        ("file_share", share, "share"),
        ("calendar_create_event", invite, "meeting"),
    ],
)
def test_what_says_more_than_its_words_is_left_out_with_its_reason(
    browser, inbox, actor, letters, case
):
    tool, arguments, reason = case
    factories.make_person(inbox.workspace, KNOWN, sent_count=2)
    account = inbox.account
    file = create_file(actor=actor, account=account, path="/ada.txt", content=b"1200 EUR")
    write_file(actor, file.name, b"1200 EUR")
    dispatch.call(tool, {"account_id": account.public_id, **arguments(inbox, file)}, actor, "once")
    approval = Approval.objects.get(tool=tool)
    Approval.objects.filter(pk=approval.pk).update(checks_due=False, risk_flags=[])
    page = look(browser, letters[0], approval)
    text = page.content.decode()
    [(_, _), (item, _)] = page.context["rows"]
    assert reason in item.why_alone
    assert str(WHY_ALONE[reason]) in text
    assert f'name="sha256-{approval.public_id}"' not in text
    assert "1 was left out" in text
    response = post(browser, "approve", letters[0], approval, **hashes(letters[0], approval))
    assert states([letters[0], approval]) == ["approved", "waiting"]
    assert str(WHY_ALONE[reason]) in response.content.decode()


def test_the_mail_that_a_letter_answers_stands_beside_it(browser, letters):
    text = look(browser, *letters).content.decode()
    for letter in letters:
        message = letter.submission.draft.in_reply_to
        place = f'id="{letter.public_id}-{message.public_id}"'
        assert text.count(place) == 1
        # All of it is read before the box that says so.
        assert text.index(place) < text.index(f'name="sha256-{letter.public_id}"')
    assert text.count("The mail it answers") == 3


def test_one_that_went_stale_leaves_the_others_approved(browser, letters, inbox):
    factories.make_message(inbox, thread=letters[1].submission.thread, at=timezone.now())
    Approval.objects.filter(pk=letters[2].pk).update(
        expires_at=timezone.now() - timedelta(minutes=1)
    )
    response = post(browser, "approve", *letters, **hashes(*letters))
    assert states(letters) == ["approved", "voided", "expired"]
    text = response.content.decode()
    assert "No longer valid:" in text
    assert "It has expired without a decision" in text
    assert (response.context["done"], response.context["failed"]) == (1, 2)


def test_without_the_hash_of_what_was_shown_nothing_is_approved(browser, letters):
    post(browser, "approve", *letters)
    post(browser, "approve", *letters, **{f"sha256-{letters[0].public_id}": "0" * 64})
    assert states(letters) == ["waiting"] * 3


def test_what_was_not_read_to_its_end_is_not_approved(browser, letters):
    text = look(browser, *letters).content.decode()
    for letter in letters:
        box = re.search(rf'<input[^>]*name="sha256-{letter.public_id}"[^>]*>', text)
        assert box is not None
        assert 'type="checkbox"' in box[0]
        assert f'value="{letter.sha256}"' in box[0]
        assert " checked" not in box[0]
        # The box stands where the letter ends.
        assert text.index("Shown from the sealed message") < box.start()
    response = post(browser, "approve", *letters, **hashes(letters[1]))
    assert states(letters) == ["waiting", "approved", "waiting"]
    assert (response.context["done"], response.context["failed"]) == (1, 0)
    assert [item.approval for item in response.context["unread"]] == [letters[0], letters[2]]
    text = response.content.decode()
    assert "2 have not been read to the end yet:" in text
    assert text.count(f'href="#item-{letters[0].public_id}"') == 1
    response = post(browser, "approve", letters[0], letters[2])
    assert response.status_code == 400
    assert "Select what you have read to the end" in response.content.decode()


def test_the_key_of_a_batch_approves_nothing_anywhere_else(browser, letters, came_in):
    key = 'data-key="Shift+B"'
    assert look(browser, *letters).content.decode().count(key) == 1
    places = ["", f"review/{letters[0].public_id}/", f"activities/{came_in[0].public_id}/"]
    for place in places:
        assert key not in browser.get(f"/admin/{place}").content.decode()
    assert 'data-key="Shift+A"' not in look(browser, *letters).content.decode()


def test_enter_in_a_box_approves_nothing(browser, letters):
    text = look(browser, *letters).content.decode()
    form = text[text.index("data-batch") :]
    first = re.search(r"<button[^>]*>", form)
    assert first is not None
    assert "disabled" in first[0]


# -- taking back ---------------------------------------------------------------------------------
def undo(browser, response):
    batch = response.context["together"].batch_id
    return browser.post("/admin/queue/batch/undo/", {"batch": str(batch), "in": "tab=waiting"})


def test_one_undo_takes_back_all_that_was_approved_together(browser, letters, workspace, reviewer):
    response = post(browser, "approve", *letters, **hashes(*letters))
    assert "Undo all 3" in response.content.decode()
    again = undo(browser, response)
    assert states(letters) == ["canceled"] * 3
    waiting = Approval.objects.filter(state="waiting")
    assert waiting.count() == 3
    assert (again.context["done"], again.context["failed"]) == (3, 0)
    assert again.content.decode().count("It needs approval again") == 3
    assert set(Submission.objects.values_list("state", flat=True)) == {"canceled", "held"}
    receipt = Receipt.objects.get(tool="undo_batch")
    assert len(receipt.arguments["approval_ids"]) == 3
    assert verify(workspace) == []


def test_the_longest_undo_window_among_them_is_that_of_all(browser, letters, workspace, actor):
    slow = factories.make_inbox(workspace, "slow@lantern.example", undo_seconds=3600)
    Grant.objects.create(agent=Agent.objects.get(pk=actor.id), account=slow.account)
    thread = factories.make_message(slow, subject="Slow").thread
    last = propose(factories.agent_actor(Agent.objects.get(pk=actor.id)), thread)
    Approval.objects.update(checks_due=False, risk_flags=[])
    before = timezone.now()
    post(browser, "approve", *letters, last, **hashes(*letters, last))
    times = Submission.objects.filter(state="pending").values_list("send_at", flat=True)
    assert len(times) == 4
    assert min(times) >= before + timedelta(seconds=3600)


def test_alone_each_has_its_own_undo_window(browser, letters):
    before = timezone.now()
    approve(approval=letters[0], by=User.objects.get(username="rhea"), sha256=letters[0].sha256)
    sent_at = Submission.objects.get(state="pending").send_at
    assert before < sent_at < before + timedelta(seconds=60)


def test_what_has_left_already_is_said_plainly_and_the_others_come_back(browser, letters):
    response = post(browser, "approve", *letters, **hashes(*letters))
    gone = Submission.objects.filter(pk=letters[1].submission_id)
    gone.update(send_at=timezone.now() - timedelta(seconds=1))
    again = undo(browser, response)
    assert states(letters) == ["canceled", "approved", "canceled"]
    assert (again.context["done"], again.context["failed"]) == (2, 1)
    assert "can no longer be stopped" in again.content.decode()


def test_a_call_that_sends_nothing_is_done_at_once_and_says_so(browser, actor, came_in, letters):
    wanted = {"activity_ids": [came_in[0].public_id], "updates": {"status": "archived"}}
    call = held(actor, "update_activities", wanted)
    response = post(browser, "approve", letters[0], call, **hashes(letters[0], call))
    assert "Undo" in response.content.decode()
    again = undo(browser, response)
    assert states([letters[0], call]) == ["canceled", "approved"]
    assert "It was done right away and cannot be undone" in again.content.decode()


def test_one_that_was_undone_by_itself_is_left_out_of_the_undo_of_all(browser, letters):
    response = post(browser, "approve", *letters, **hashes(*letters))
    browser.post(f"/admin/review/{letters[0].public_id}/undo/")
    assert undo(browser, response).context["done"] == 2
    assert states(letters) == ["canceled"] * 3
    assert undo(browser, response).context["done"] == 0


def test_a_batch_of_others_cannot_be_taken_back(browser, client, letters, workspace):
    response = post(browser, "approve", *letters, **hashes(*letters))
    place = f"/admin/queue/batch/{response.context['together'].batch_id}/state/"
    stranger = factories.make_person_user(factories.make_workspace(), name="sam")
    client.force_login(stranger)
    assert undo(client, response).status_code == 404
    assert client.get(place).status_code == 404
    client.force_login(factories.make_person_user(workspace, role=Role.VIEWER, name="vera"))
    assert undo(client, response).status_code == 403
    for batch in ("", "x", "00000000-0000-0000-0000-000000000000"):
        client.force_login(User.objects.get(username="rhea"))
        answer = client.post("/admin/queue/batch/undo/", {"batch": batch})
        assert answer.status_code == 404
    assert states(letters) == ["approved"] * 3
    assert client.get("/admin/queue/batch/undo/").status_code == 405


def test_the_queue_says_what_was_approved_together_and_takes_it_back(browser, letters):
    response = post(browser, "approve", *letters, **hashes(*letters))
    back = response.context["back_url"]
    text = browser.get(back).content.decode()
    assert "3 approved together" in text
    assert "Undo all 3" in text
    place = f"/admin/queue/batch/{response.context['together'].batch_id}/state/"
    assert browser.get(place).json() == {"state": "pending", "words": "3 are being sent."}
    Submission.objects.update(state="failed", outcome="refused")
    assert browser.get(place).json() == {"state": "mixed", "words": "3 were not sent."}
    assert "3 were not sent." in browser.get(back).content.decode()


def test_only_what_is_ticked_is_approved(browser, letters):
    post(browser, "approve", letters[0], **hashes(*letters))
    assert states(letters) == ["approved", "waiting", "waiting"]


def test_twice_approves_once(browser, letters):
    for _ in range(2):
        response = post(browser, "approve", *letters, **hashes(*letters))
    assert response.context["failed"] == 3
    assert Receipt.objects.filter(tool="approve").count() == 3


# -- the rest ------------------------------------------------------------------------------------
def test_what_came_in_is_dismissed_and_letters_are_left(browser, letters, came_in):
    response = post(browser, "dismiss", *letters, *came_in)
    assert response.context["done"] == 2
    assert set(Activity.objects.values_list("status", flat=True)) == {"archived"}
    assert states(letters) == ["waiting"] * 3
    assert Receipt.objects.filter(tool="update_activities").count() == 1


def test_all_are_put_off(browser, letters, came_in):
    response = post(browser, "snooze", *letters, *came_in, until="3h")
    assert response.context["done"] == 5
    assert not Approval.objects.filter(snoozed_until=None).exists()
    assert not Activity.objects.filter(snoozed_until=None).exists()


def test_what_expires_before_is_told_and_the_others_are_put_off(browser, letters):
    soon = timezone.now() + timedelta(hours=1)
    Approval.objects.filter(pk=letters[0].pk).update(expires_at=soon)
    response = post(browser, "snooze", *letters, until="3h")
    assert (response.context["done"], response.context["failed"]) == (2, 1)
    assert "It expires before that" in response.content.decode()


def test_for_no_time_at_all_nothing_is_put_off(browser, letters):
    assert post(browser, "snooze", *letters, until="never").status_code == 400
    assert not Approval.objects.exclude(snoozed_until=None).exists()


@pytest.mark.parametrize("action", ["approve", "dismiss", "snooze"])
def test_nothing_is_done_by_get_or_by_who_may_only_look(
    client, letters, came_in, workspace, action
):
    reader = factories.make_person_user(workspace, role=Role.VIEWER, name="vera")
    client.force_login(reader)
    assert look(client, *letters, *came_in).status_code == 200
    data = {**hashes(*letters), "until": "3h"}
    assert post(client, action, *letters, *came_in, **data).status_code == 403
    assert client.get(f"/admin/queue/batch/{action}/").status_code == 405
    assert states(letters) == ["waiting"] * 3


def test_marks_of_several_letters_are_told_apart_and_lead_to_their_flags(browser, letters):
    Approval.objects.update(
        checks_due=False, risk_flags=[{**FLAG, "excerpt": "holds until Friday"}]
    )
    text = look(browser, *letters).content.decode()
    for approval in letters:
        mine = f"{approval.public_id}-"
        assert f'id="{mine}mark-1" href="#{mine}flag-1"' in text
        assert text.count(f'id="{mine}flag-1"') == 1


def test_a_letter_more_costs_no_query_but_that_for_its_sealed_bytes(browser, inbox, actor, letters):
    with CaptureQueriesContext(connection) as few:
        look(browser, *letters)
    for n in range(4):
        thread = factories.make_message(inbox, sender=f"p{n}@customer.example").thread
        propose(actor, thread, f"{BODY} and {n}.")
    check_proposed()
    every = list(Approval.objects.all())
    with CaptureQueriesContext(connection) as many:
        look(browser, *every)
    assert len(many) <= len(few) + 4
