"""Each read asks for its workspace by itself: a row that says it is another's is found by none.

A read often stands behind another that has asked already, and what it would let out is then nowhere to
be seen, until somebody changes the one in front of it. So each is made here by itself, first with the row
and then with the row's workspace exchanged, as after a bad repair.
"""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone

from agents.admin.activities.queries import read_related, read_sender
from agents.admin.agent_queries import read_accounts, read_decided, read_waiting
from agents.admin.files.queries import read_messages_with_file
from agents.admin.queue.batch import read_batch
from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.positions import (
    find_places,
    place_of_activity,
    place_of_approval,
    unsettled,
)
from agents.admin.queue.queries import read_rows
from agents.admin.review.queries import read_review
from agents.admin.review.returned_mail import read_delivery_reports
from agents.admin.review.stale import read_changes_asked_for, read_changes_since
from agents.approval.answered import find_answered
from agents.approval.lifecycle import approve
from agents.dispatching.dispatch import call
from agents.dispatching.rows import find_promised, get_inbox_of
from agents.errors import ToolError
from agents.evidence.known import own_addresses
from agents.models import Agent, AgentMessage, Approval, Memory, Presence
from agents.operations.asking import agents_for
from agents.operations.presence import find_others
from agents.operations.stopping import approved_of
from agents.recall.searching import search_memories
from agents.resources.mail.messages import OneMessage, read_message
from agents.tools.mail.email_rows import get_attachment
from inbox.admin.messages.layout import read_thread
from inbox.models import (
    Activity,
    Correction,
    DeliveryReport,
    Draft,
    FileNode,
    Inbox,
    Mailbox,
    Membership,
    Message,
    PersonEmail,
    ReplyPolicy,
)
from inbox.search.files import find_files
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.furnishing import one_world
from tests.agents.furnishing.calendar import make_event
from tests.agents.test_isolation import answer

pytestmark = pytest.mark.django_db
ANY = QueueCriteria()
LETTER = {"to": ["ada@walnut.example"], "subject": "Yes", "body": "Yes."}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(one_world)


def one(row):
    """The row, as rows that can be changed at once."""
    return type(row).objects.filter(pk=row.pk)


def person(it):
    return factories.person_actor(it.rows["owner"])


def viewer(it):
    return viewer_of_user(it.rows["owner"])


def activity(it):
    """The item, read anew with its message."""
    return Activity.objects.select_related("message").get(pk=it.rows["activity"].pk)


def first(it):
    """The approval that waits, read anew with what it would send."""
    return Approval.objects.select_related("submission").get(pk=it.rows["approval"].pk)


def second(it):
    """A later approval of the same agent."""
    return call("send_reply", it.calls["send_reply"], it.actor).approval


def found(read):
    """What a read finds; None where it says that there is nothing."""
    try:
        return read()
    except (ToolError, ObjectDoesNotExist):
        return None


def answered(it, name, **arguments):
    """The answer of a call; None where it is refused, but for a person's approval."""
    said = answer(name, it.calls.get(name, {}) | arguments, it.actor)
    return None if said.get("code", "approval_required") != "approval_required" else said


def checked(it, **arguments):
    """What the policy says of a message; None where something that is named is not there."""
    said = answer("policy_check", arguments, it.actor)
    return None if "code" in said else said


# -- what is set up before ---------------------------------------------------------------------------
def asked(it):
    requests = AgentMessage.objects.filter(workspace=it.workspace)
    requests.update(activity=it.rows["activity"])
    return [requests]


def decided(it):
    approvals = Approval.objects.filter(agent=it.agents[0])
    approvals.update(state="rejected", decided_by=it.rows["owner"])
    return [approvals]


def shared(it):
    submission = call("file_share", it.calls["file_share"], it.actor).approval.submission
    return [one(submission)]


def approved(it):
    approve(approval=first(it), by=it.rows["owner"], sha256=first(it).sha256)
    return [one(first(it))]


def of_unknown_fate(it):
    approved(it)
    for state in ("sending", "unknown"):
        one(first(it).submission).update(state=state)
    return [one(first(it).submission)]


def settled_by_a_person(it):
    of_unknown_fate(it)
    return [Approval.objects.all()]


def about_items(it):
    one(first(it)).update(submission=None)
    first(it).activities.set([it.rows["activity"]])
    return [one(it.rows["activity"])]


def replaced(it):
    later = second(it)
    one(first(it)).update(replaced_by=later)
    return [one(later)]


def sent_back(it):
    one(first(it)).update(replaced_by=second(it), state="returned", note="Shorter.")
    return [one(first(it))]


def further_address(it):
    return [
        PersonEmail.objects.filter(
            pk=PersonEmail.objects.create(
                workspace=it.workspace, person=it.rows["contact"], email="second@plum.example",
                position=1,
            ).pk
        )
    ]  # fmt: skip


def named_file(it):
    message = it.rows["attachment"].message
    one(message).update(text="See there.", subject="It", from_name="", from_email="a@b.example")
    return [one(it.rows["attachment"])]


def taken_time(it):
    start = datetime.fromisoformat(it.calls["find_free_slots"]["start"]) + timedelta(hours=1)
    make_event(it.rows["calendar"], "Busy", dtstart=start, dtend=start + timedelta(hours=1))
    return [one(it.account)]


def free_from(it):
    window = {name: it.calls["find_free_slots"][name] for name in ("start", "end")}
    slots = call("find_free_slots", {**window, "duration_minutes": 30}, it.actor).result["slots"]
    return slots[0]["start"] > "2026-03-02T09:00:00Z"


def places(it):
    return find_places(person(it), QueueCriteria(kind="approval"), timezone.now(), 50)


# -- what is read ------------------------------------------------------------------------------------
READS = {
    "the address that sent": (
        lambda it: [PersonEmail.objects.filter(email=activity(it).sender)],
        lambda it: read_sender(person(it), activity(it)).address,
    ),
    "corrections of who sent": (
        lambda it: [Correction.objects.all(), one(it.rows["message"])],
        lambda it: read_sender(person(it), activity(it)).corrections,
    ),
    "requests for a draft": (asked, lambda it: read_related(person(it), activity(it)).asked),
    "proposals about an item": (
        lambda it: [Approval.objects.all()],
        lambda it: read_related(person(it), activity(it)).waiting,
    ),
    "what waits of an agent": (
        lambda it: [Approval.objects.all()], lambda it: read_waiting(it.agents[0])[0],
    ),
    "how an agent's proposals ended": (decided, lambda it: read_decided(it.agents[0]).rejected),
    "accounts of an agent": (lambda it: [one(it.account)], lambda it: read_accounts(it.agents[0])),
    "agents that may be asked": (
        lambda it: [Agent.objects.all()], lambda it: agents_for(activity(it)),
    ),
    "mails with a file": (
        shared, lambda it: read_messages_with_file(viewer(it), it.rows["file"]),
    ),
    "mails of unknown fate": (of_unknown_fate, lambda it: unsettled(person(it))),
    "places of the queue": (lambda it: [Approval.objects.all()], places),
    "places of what is to be settled": (settled_by_a_person, places),
    "what a call would change": (
        about_items, lambda it: read_review(viewer(it), first(it)).changes,
    ),
    "what came back": (
        lambda it: [DeliveryReport.objects.all()],
        lambda it: read_delivery_reports(person(it), first(it).submission),
    ),
    "what took its place": (replaced, lambda it: read_changes_since(viewer(it), first(it))),
    "what was asked for": (
        sent_back,
        lambda it: read_changes_asked_for(viewer(it), first(it).replaced_by),
    ),
    "what is on its way": (approved, lambda it: list(approved_of(it.agents[0]))),
    "who else looks": (
        lambda it: [Presence.objects.all()],
        lambda it: find_others(actor=replace(person(it), id=0), item=it.rows["approval"]),
    ),
    "addresses of members": (
        lambda it: [Membership.objects.all()],
        lambda it: it.rows["owner"].email in own_addresses(person(it), it.workspace.pk),
    ),
    "the inbox of an account": (
        lambda it: [Inbox.objects.all()], lambda it: found(lambda: get_inbox_of(it.account)),
    ),
    "a message that will be": (
        lambda it: [one(first(it).submission)],
        lambda it: find_promised(it.actor, it.rows["approval"].submission.message_public_id),
    ),
    "a message": (
        lambda it: [one(it.rows["message"])],
        lambda it: found(
            lambda: read_message(it.actor, OneMessage(message_id=it.rows["message"].public_id))
        ),
    ),
    "memories": (
        lambda it: [Memory.objects.all()],
        lambda it: search_memories(actor=it.actor, query="walnut", limit=5),
    ),
    "files by words": (
        lambda it: [FileNode.objects.all()],
        lambda it: find_files(actor=it.actor, accounts=[it.account], query="walnut"),
    ),
    "accounts that are mirrored": (
        lambda it: [one(it.account)],
        lambda it: answered(it, "cache_get_stats")["accounts"],
    ),
    "the account of a calendar that none names": (
        lambda it: [one(it.account)], lambda it: answered(it, "google_calendar_service.list"),
    ),
    "the account that is busy": (taken_time, free_from),
    "a contact": (
        lambda it: [one(it.rows["contact"])], lambda it: answered(it, "contact_get"),
    ),
    "threads under a label": (
        lambda it: [Mailbox.objects.filter(name="walnut")],
        lambda it: answered(it, "list_threads", label="walnut")["threads"],
    ),
    "a draft": (
        lambda it: [Draft.objects.all()],
        lambda it: answered(it, "email_get", email_id=it.rows["written_draft"]),
    ),
    "a file of a mail": (
        lambda it: [one(it.rows["attachment"])], lambda it: answered(it, "email_get_attachment"),
    ),
    "a file of a message": (
        lambda it: [one(it.rows["attachment"])],
        lambda it: found(
            lambda: get_attachment(
                it.actor, it.rows["attachment"].message, it.rows["attachment"].public_id
            )
        ),
    ),
    "the account beside a name": (
        lambda it: [one(it.account)],
        lambda it: answer(
            "email_list",
            {"account_id": it.account.public_id, "folder_id": "nowhere"},
            it.actor,
        )["details"]["pointer"] == "/folder_id",
    ),
    "approvals of the queue": (
        lambda it: [Approval.objects.all()],
        lambda it: read_rows(viewer(it), ANY, [place_of_approval(first(it), ANY, factories.NOON)]),
    ),
    "items of the queue": (
        lambda it: [one(it.rows["activity"])],
        lambda it: read_rows(
            viewer(it), ANY, [place_of_activity(activity(it), ANY, factories.NOON)]
        ),
    ),
    "the item that a proposal answers": (
        lambda it: [one(it.rows["activity"])],
        lambda it: find_answered(person(it), [activity(it).message_id]),
    ),
    "the message beside what answers it": (
        lambda it: [Message.objects.all()],
        lambda it: read_batch(viewer(it), [first(it).public_id], ANY)[0].answered,
    ),
    "the item of a message in a thread": (
        lambda it: [one(it.rows["activity"])],
        lambda it: [
            shown for shown in read_thread(person(it), it.rows["message"].thread, newest=9)
            if shown.activity
        ],
    ),
    "the policy that a call names": (
        lambda it: [ReplyPolicy.objects.all()],
        lambda it: checked(it, policy_id=ReplyPolicy.objects.first().public_id, **LETTER),
    ),
    "a draft that is checked": (
        lambda it: [Draft.objects.all()],
        lambda it: checked(it, draft_id=it.rows["written_draft"]),
    ),
    "who has an address": (
        lambda it: [PersonEmail.objects.all()],
        lambda it: answered(it, "query_people", search=None, email="kept@walnut.example")["people"],
    ),
    "who has a further address": (
        further_address, lambda it: answered(it, "query_people", search="second@plum")["people"],
    ),
    "mail in the inboxes of an account": (
        lambda it: [Inbox.objects.all()],
        lambda it: answered(it, "search_unified", entity_types=["message"])["message"],
    ),
    "the inbox that invites": (
        lambda it: [Inbox.objects.all()], lambda it: answered(it, "calendar_create_event", subject=str(timezone.now())),
    ),
    "what a name may stand for": (
        lambda it: [one(it.account)],
        lambda it: it.account.address in str(
            answer("email_list", {"account_id": "nobody"}, it.actor)
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "read"), READS.values(), ids=READS.keys())
def test_a_row_that_is_another_workspaces_is_not_found(ours, own_rows, rows, read):
    misplaced = rows(ours)
    assert read(ours)
    for each in misplaced:
        assert each.update(workspace=own_rows["elsewhere"])
    assert not read(ours)
