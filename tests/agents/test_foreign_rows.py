"""What operations are given of another workspace does not exist for them, nor does what it knows."""

import re
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone

from agents.admin.evidence.policy import read_policy_seen
from agents.admin.files.queries import name_actors
from agents.admin.receipt_queries import read_link
from agents.approval.checks.risks import policy_of
from agents.approval.lifecycle import approve
from agents.approval.status import ApprovalError, check_person
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.evidence.known import imitable, know, own_addresses
from agents.models import Agent, Approval, Receipt, SampleCheck, Schedule
from agents.operations.batches import undo_batch
from agents.operations.cache.figures import find_entries, read_figures
from agents.operations.presence import find_others
from agents.operations.sample_checks import silent_activities
from agents.operations.schedules import MOST_PENDING
from agents.operations.setup.logins import open_desk
from agents.operations.sharing.memories import delete_memories, restore_memories
from agents.operations.snoozing import snooze_activity
from agents.operations.webhooks.event_log import events_after
from agents.receipts import ReceiptEntry, left_open, open_receipt, verify
from calendar_app.models import Event
from calendar_app.operations.todos import default_todo_list
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    ActivityChange,
    Correction,
    Draft,
    Membership,
    MirrorEntry,
    Person,
    PersonEmail,
    ReplyPolicy,
    Submission,
)
from inbox.operations.activities.activities import update_activities
from inbox.operations.activities.corrections import find_open
from inbox.operations.activities.history import undo_change
from inbox.operations.contacts.contacts import delete_contact, restore_contact
from inbox.operations.deletions import delete_draft, restore_draft
from inbox.operations.drafts.replying import plan_reply
from inbox.operations.drafts.writing import find_reply_draft
from inbox.operations.files import delete_file, find_folder, restore_file
from inbox.operations.mail.message_changes import delete_message
from inbox.operations.mail.storing import blob_rows
from inbox.operations.mail.thread_changes import set_thread_status
from inbox.operations.sending.submissions import propose_submission
from inbox.search.finding import search_messages
from inbox.search.passages import find_borrowed_passages
from inbox.trials.past import Scope, read_received, read_sent_messages
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.furnishing import two_worlds
from tests.agents.test_isolation import CANARY, answer, signed_in

pytestmark = pytest.mark.django_db
LATER = "2099-03-02T12:00:00Z"


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(two_worlds)


def of(model, world):
    return model.objects.filter(workspace=world.workspace).order_by("pk").first()


def deleted(row):
    """The row, deleted."""
    type(row).objects.filter(pk=row.pk).update(deleted_at=timezone.now())
    return row


CHANGES = {
    "a draft deleted": lambda actor, it: delete_draft(actor=actor, draft=of(Draft, it)),
    "a draft brought back": lambda actor, it: restore_draft(
        actor=actor, draft=deleted(of(Draft, it))
    ),
    "a draft proposed": lambda actor, it: propose_submission(actor=actor, draft=of(Draft, it)),
    "a file deleted": lambda actor, it: delete_file(actor=actor, file=it.rows["file"]),
    "a file brought back": lambda actor, it: restore_file(
        actor=actor, file=deleted(it.rows["file"])
    ),
    "a folder found": lambda actor, it: find_folder(
        actor=actor, account=it.account, path=f"/{it.word}", field="path"
    ),
    "a message deleted": lambda actor, it: delete_message(actor=actor, message=it.rows["message"]),
    "a thread closed": lambda actor, it: set_thread_status(
        actor=actor, thread=it.rows["message"].thread, status="closed"
    ),
    "a thread answered": lambda actor, it: plan_reply(actor, it.rows["message"].thread),
    "a change undone": lambda actor, it: undo_change(actor=actor, change=of(ActivityChange, it)),
    "somebody deleted": lambda actor, it: delete_contact(actor=actor, person=it.rows["contact"]),
    "somebody brought back": lambda actor, it: restore_contact(
        actor=actor, person=deleted(it.rows["contact"])
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_is_another_workspaces_is_not_changed(ours, theirs, change):
    person = factories.person_actor(ours.rows["owner"])
    # An agent of the same number would have made what their agent made.
    for actor in (ours.actor, person, replace(ours.actor, id=theirs.actor.id)):
        with pytest.raises((DomainError, ToolError, ObjectDoesNotExist)):
            change(actor, theirs)


def test_an_item_of_another_workspace_is_not_moved(ours, theirs):
    items = [theirs.rows["activity"]]
    person = factories.person_actor(ours.rows["owner"])
    assert not update_activities(actor=person, activities=items, status="archived")
    assert of(Activity, theirs).status != "archived"


def test_of_another_workspaces_drafts_none_is_taken_for_the_answer(ours, theirs):
    thread = theirs.rows["message"].thread
    wanted = {"thread": thread, "body_or_draft_id": f"The {CANARY} is sold."}
    assert find_reply_draft(actor=theirs.actor, **wanted) is not None
    same_key = replace(ours.actor, id=theirs.actor.id)
    assert find_reply_draft(actor=same_key, **wanted) is None


def test_of_another_workspaces_mail_nothing_is_found(ours, theirs):
    wanted = {"inbox": theirs.inbox, "query": CANARY}
    assert search_messages(actor=theirs.actor, **wanted)
    assert search_messages(actor=ours.actor, **wanted) == []


def test_a_passage_of_another_workspaces_mail_is_nobodys(ours, theirs):
    text = "Nine blue herons flew over the frozen lake before dawn on Friday."
    factories.make_message(theirs.inbox, sender="eve@customer.example", text=text)
    wanted = {"body": text, "recipients": ["bo@customer.example"], "thread_id": None}
    assert find_borrowed_passages(actor=theirs.actor, **wanted)
    assert find_borrowed_passages(actor=ours.actor, **wanted) == []


def test_the_same_bytes_are_a_row_of_each_workspace(ours, theirs):
    sizes = {"a" * 64: 1}
    keys = [blob_rows(world.workspace.pk, sizes) for world in (ours, theirs, ours)]
    assert keys[0] == keys[2] != keys[1]


def test_past_mail_is_that_of_one_workspace(ours, theirs):
    both = replace(
        factories.person_actor(ours.rows["owner"]),
        workspace_ids=(ours.workspace.pk, theirs.workspace.pk),
    )
    scope = Scope(actor=both.within(ours.workspace.pk))
    sent, received = read_sent_messages(scope), read_received(scope)
    assert sent
    assert received
    assert CANARY not in f"{sent} {[it.subject for it in received]}"


def test_whom_another_workspace_knows_is_nobody_here(ours, theirs):
    emails = [f"kept@{CANARY}.example", theirs.inbox.address]
    PersonEmail.objects.filter(email=emails[0]).update(sent_count=3, contact_count=10)
    guest, place = "gus@customer.example", theirs.workspace.pk
    meeting = of(Event, theirs)
    Event.objects.filter(pk=meeting.pk).update(by_person=True, organizer=theirs.inbox.address)
    meeting.attendees.create(email=guest)
    both = replace(
        factories.person_actor(ours.rows["owner"]), workspace_ids=(ours.workspace.pk, place)
    )
    assert set(know(both, place, [*emails, guest])) == {*emails, guest}
    assert know(both, ours.workspace.pk, [*emails, guest]) == {}
    own = own_addresses(both, ours.workspace.pk) | {theirs.inbox.address}
    assert not {emails[0], guest} & set(imitable(both, ours.workspace.pk, own=own))


def test_open_items_and_corrections_of_another_workspace_stay_as_they_are(ours, theirs):
    sender = theirs.rows["message"].from_email
    wanted = Correction(workspace=ours.workspace, scope="sender", value=sender, route="note")
    assert find_open(wanted).count() == 0


def test_a_list_of_to_dos_is_its_workspaces(ours, theirs):
    lists = [default_todo_list(workspace_id=it.workspace.pk) for it in (ours, theirs)]
    assert [it.workspace for it in lists] == [ours.workspace, theirs.workspace]


def test_who_decides_elsewhere_decides_nothing_here(ours, theirs):
    elsewhere = theirs.rows["owner"]
    with pytest.raises(ApprovalError):
        check_person(ours.rows["approval"], elsewhere)
    with pytest.raises(DomainError):
        snooze_activity(
            activity=ours.rows["activity"], by=elsewhere, until=timezone.now() + timedelta(hours=1)
        )


def test_the_same_key_in_two_workspaces_is_two_calls(ours, theirs):
    both = replace(
        factories.person_actor(ours.rows["owner"]),
        workspace_ids=(ours.workspace.pk, theirs.workspace.pk),
    )
    calls = {}
    for world in (theirs, ours):
        item = {
            "activity_ids": [world.rows["activity"].public_id],
            "updates": {"status": "archived"},
        }
        actor = both.within(world.workspace.pk)
        calls[world.word] = call("update_activities", item, actor, idempotency_key="monday")
    assert calls["walnut"].result["updated_count"] == 1
    again = call(
        "update_activities", item, both.within(ours.workspace.pk), idempotency_key="monday"
    )
    assert calls["walnut"].receipt_id in str(Receipt.objects.latest("pk").reason)
    assert again.replayed
    assert Receipt.objects.filter(idempotency_key="monday").count() == 2


def test_the_same_key_of_context_in_two_workspaces_is_two_entries(ours, theirs):
    for world in (ours, theirs):
        call(
            "push_context", {"agent_name": "Clerk", "key": "plan", "value": world.word}, world.actor
        )
    for world in (ours, theirs):
        found = call("get_context", {"agent_name": "Clerk", "key": "plan"}, world.actor)
        assert found.result["value"] == world.word


def test_a_key_of_another_workspace_is_none(ours):
    with pytest.raises(ToolError) as caught:
        call("get_context", {"agent_name": "Clerk", "key": f"{CANARY}_open"}, ours.actor)
    assert caught.value.code == "not_found"


def test_an_agent_of_another_workspace_is_none(ours, theirs):
    Agent.objects.filter(pk=theirs.agents[2].pk).update(name="Sexton")
    told = {"from_agent": "Clerk", "to_agent": "Sexton", "message": "Hello."}
    for call_of in (told, {**told, "from_agent": "Sexton", "to_agent": "Scout"}):
        with pytest.raises(ToolError) as caught:
            call("send_message_to_agent", call_of, ours.actor)
        assert caught.value.code != "permission_denied"


def test_what_waits_in_another_workspace_fills_no_bound(ours, theirs, settings):
    settings.APPROVALS_PER_AGENT = 1
    thread = ours.rows["message"].thread.public_id
    reply = {"thread_id": thread, "body_or_draft_id": "Yes.", "idempotency_key": "y"}
    assert call("send_reply", reply, ours.actors[1]).approval is not None
    made = Schedule(
        workspace=theirs.workspace, agent=theirs.agents[0], trigger_at=factories.NOON,
        command="Wait.",
    )  # fmt: skip
    Schedule.objects.bulk_create(copy(made) for _ in range(MOST_PENDING))
    assert call(
        "internal_scheduler_service", {"action": "create", "command": "Ask.", "trigger_at": LATER},
        ours.actor,
    )  # fmt: skip


def test_figures_and_entries_of_the_mirror_are_the_actors(ours, theirs):
    assert set(read_figures(ours.actor)) == {ours.account.pk}
    MirrorEntry.objects.update(cached_at=timezone.now())
    found = MirrorEntry.objects.filter(pk__in=find_entries(ours.actor, "*", None))
    assert {it.workspace_id for it in found} == {ours.workspace.pk}


def test_silent_items_and_who_looks_are_those_of_the_workspace(ours, theirs):
    owner = factories.person_actor(ours.rows["owner"])
    Activity.objects.update(autonomy_tier=1, confidence=0.99, option_framing=None)
    now = timezone.now()
    silent = silent_activities(actor=owner, begins=now - timedelta(days=9999), ends=now)
    assert {it.workspace_id for it in silent} == {ours.workspace.pk}
    assert find_others(actor=owner, item=theirs.rows["approval"]) == []


def test_the_log_of_events_is_read_for_one_workspace(ours, theirs):
    assert {it.workspace_id for it in events_after(0, workspace=ours.workspace.pk)} == {
        ours.workspace.pk
    }


def test_each_chain_of_receipts_holds_by_itself(ours, theirs):
    assert verify(ours.workspace) == verify(theirs.workspace) == []
    open_receipt(factories.person_actor(theirs.rows["owner"]), ReceiptEntry(tool="read_me"))
    assert not left_open(ours.workspace, timezone.now() + timedelta(hours=1))


def test_a_workspace_gets_its_first_agent_although_others_have_some():
    inbox = factories.make_inbox(factories.make_workspace("empty"), "office@empty.example")
    assert open_desk(inbox=inbox) is not None


def test_a_batch_of_another_workspace_is_none(ours, theirs):
    batch = uuid4()
    Approval.objects.filter(workspace=theirs.workspace).update(batch=batch)
    owner = ours.rows["owner"]
    actor = factories.person_actor(owner)
    assert undo_batch(batch_id=batch, by=owner, actor=actor) == []


def test_memories_of_another_workspace_are_neither_deleted_nor_brought_back(ours, theirs):
    owner = factories.person_actor(ours.rows["owner"])
    memory = theirs.rows["memory"]
    assert delete_memories(actor=owner, memories=[memory]) == 0
    assert restore_memories(actor=owner, memories=[deleted(memory)]) == 0


def test_the_policy_that_holds_is_the_workspaces_own(ours, theirs):
    for world in (ours, theirs):
        row, _ = policy_of(world.actor, Draft(workspace=world.workspace))
        assert row.workspace == world.workspace


def both_of(ours, theirs):
    """The viewer that a member of both is."""
    owner = ours.rows["owner"]
    Membership.objects.get_or_create(user=owner, workspace=theirs.workspace, role="owner")
    return viewer_of_user(owner)


def test_who_acted_elsewhere_has_no_name_here(ours, theirs):
    keys = [f"agent:{theirs.agents[0].pk}", f"person:{theirs.rows['owner'].pk}"]
    assert name_actors(viewer_of_user(ours.rows["owner"]), keys) == {}
    assert set(name_actors(viewer_of_user(theirs.rows["owner"]), keys)) == set(keys)


def test_a_link_of_the_chain_is_beside_those_of_its_workspace(ours, theirs):
    for world in (ours, theirs):
        link = read_link(Receipt.objects.get(workspace=world.workspace, seq=2))
        beside = {it.workspace_id for it in (link.before, link.after)}
        assert beside == {world.workspace.pk}
        assert link.before_holds
        assert link.after_holds


def test_a_message_is_held_against_the_policy_of_its_own_workspace(ours, theirs):
    viewer = both_of(ours, theirs)
    for world in (ours, theirs):
        seen = read_policy_seen(viewer.actor, world.rows["approval"].submission, "Yes.")
        assert seen.url.endswith(f"/{of(ReplyPolicy, world).pk}/change/")


def test_a_draft_of_another_workspace_is_not_checked(ours, theirs):
    draft = of(Draft, theirs).public_id
    assert "draft_id" not in answer(
        "policy_check", {"draft_id": of(Draft, ours).public_id}, ours.actor
    )
    assert answer("policy_check", {"draft_id": draft}, ours.actor)["code"] == "not_found"


def test_whether_another_workspace_is_free_is_not_said(ours, theirs):
    window = {name: ours.calls["calendar_check_availability"][name] for name in ("start", "end")}
    start = datetime.fromisoformat(window["start"])
    Event.objects.filter(pk=of(Event, theirs).pk).update(
        dtstart=start, dtend=start + timedelta(hours=1), last_end=start + timedelta(hours=1)
    )
    asked = {"account_id": ours.account.public_id, **window}
    said = [
        answer("calendar_check_availability", {**asked, "attendees": [email]}, ours.actor)
        for email in (theirs.account.address, f"nobody@{CANARY}.example")
    ]
    for one in said:
        # Of our own time alone, by the clock.
        assert [known.pop("asOf", "") != "" for known in one["value"]] == [True, False]
    assert str(said[0]).replace(theirs.account.address, "…") == str(said[1]).replace(
        f"nobody@{CANARY}.example", "…"
    )


COUNTING = ("/admin/", "/admin/oversight/", "/admin/queue/", "/admin/receipts/")


def test_what_pages_count_is_in_ones_own_workspace(ours, theirs):
    client = signed_in(ours)
    before = [said_by(client, place) for place in COUNTING]
    Activity.objects.update(
        autonomy_tier=1, confidence=0.99, option_framing=None, status="quarantined"
    )
    alone = [said_by(client, place) for place in COUNTING]
    for number in range(3):
        message = factories.make_message(theirs.inbox, sender=f"eve{number}@customer.example")
        factories.activities_from_messages([message.pk])
        reply = {"body_or_draft_id": "Yes.", "idempotency_key": f"more{number}"}
        thread = {"thread_id": message.thread.public_id}
        call("send_reply", {**thread, **reply}, theirs.actors[1])
    factories.make_agent(theirs.workspace, "One more")
    judge_and_send(theirs)
    assert answer("get_thread", {"thread_id": "thr_none"}, theirs.actor)["code"] == "not_found"
    Submission.objects.filter(workspace=theirs.workspace).update(outcome={"code": "undone"})
    assert [said_by(client, place) for place in COUNTING] == alone != before


def judge_and_send(world):
    """What came in came now and is judged as a sample, and a proposal is approved and leaves."""
    now, owner = timezone.now(), world.rows["owner"]
    items = Activity.objects.filter(workspace=world.workspace)
    items.update(created_at=now)
    for item in items.filter(sample_check=None):
        SampleCheck.objects.create(
            workspace=world.workspace, activity=item, verdict="right", autonomy_tier=1,
            checked_by=owner, checked_at=now,
        )  # fmt: skip
    approval = world.rows["approval"]
    approve(approval=approval, by=owner, sha256=approval.sha256)
    for state in ("sending", "sent"):
        Submission.objects.filter(pk=approval.submission_id).update(state=state, finished_at=now)


def said_by(client, place):
    """What a page says, without what is another each time."""
    text = client.get(place).content.decode()
    return re.sub(r'(nonce|value|content|src|href)="[^"]*"', "", text)


def test_a_member_of_another_workspace_is_not_changed_by_way_of_ones_own(ours, theirs):
    client = signed_in(ours)
    foreign = Membership.objects.get(user=theirs.rows["owner"])
    for action in ("role", "remove", "password"):
        place = f"/admin/members/{ours.workspace.pk}/{foreign.pk}/{action}/"
        assert client.post(place, {"role": "viewer"}).status_code == 404
    assert Membership.objects.get(pk=foreign.pk).role == foreign.role


def test_of_two_workspaces_a_page_of_somebody_shows_the_mail_of_theirs(ours, theirs):
    message = factories.make_message(
        theirs.inbox, sender=ours.rows["message"].from_email, subject=f"About the {CANARY}"
    )
    both_of(ours, theirs)
    person = Person.objects.get(workspace=ours.workspace, email=message.from_email)
    text = signed_in(ours).get(f"/admin/people/{person.public_id}/").content.decode()
    assert ours.rows["message"].subject in text
    assert CANARY not in re.sub(r"<option.*?</option>", "", text)
