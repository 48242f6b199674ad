"""What a review page reads beside the sealed bytes is of the proposal's own workspace.

Rows of another one are hung on ours here, as after a bad repair, or their reader belongs to both: each
test has one that would be found if the read did not ask for its workspace.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agents.admin.evidence.calendar.proposal import read_proposal
from agents.admin.evidence.kept_files import read_kept_files
from agents.admin.evidence.policy import read_policy_seen
from agents.admin.evidence.reading_history import read_reading_history
from agents.admin.evidence.recipients import read_known
from agents.admin.evidence.references import name_ids
from agents.admin.evidence.sources import NEWEST_BESIDE, read_sources
from agents.admin.evidence.versions import read_editions
from agents.admin.queue.batch import find_approvals, read_batch
from agents.admin.queue.criteria import QueueCriteria
from agents.dispatching.dispatch import call
from agents.models import Approval
from agents.receipts import ReceiptEntry, record
from calendar_app.models import Event
from inbox.models import Attachment, FileNode, FileVersion, Message, Submission, store_blob
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.furnishing import two_worlds
from tests.agents.furnishing.calendar import make_event

pytestmark = pytest.mark.django_db
CANARY = "canary"


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(two_worlds)


@pytest.fixture
def reader(ours):
    """Who decides in our workspace."""
    return factories.person_actor(ours.rows["owner"])


@pytest.fixture
def reader_of_both(reader, theirs):
    return replace(reader, workspace_ids=(*reader.workspace_ids, theirs.workspace.pk))


def proposed(world, name="send_reply", **arguments):
    """The approval of a call that waits for a person."""
    return call(name, world.calls[name] | arguments, world.actor).approval


def test_only_calls_of_its_workspace_are_what_the_agent_read(ours, theirs, reader):
    call("get_thread", ours.calls["get_thread"], ours.actor)
    misplaced = replace(ours.actor, workspace_ids=(theirs.workspace.pk,))
    record(misplaced, ReceiptEntry(tool="get_thread", arguments={"query": CANARY}))
    history = read_reading_history(reader, proposed(ours))
    read = {it.receipt.workspace_id for it in (*history.recent, *history.earlier)}
    assert read == {ours.workspace.pk}


def test_only_a_proposal_of_its_workspace_is_the_one_before(ours, theirs, reader):
    approval = proposed(ours)
    before = read_reading_history(reader, approval).since
    assert before is not None
    moment = approval.created_at - timedelta(microseconds=1)
    Approval.objects.filter(pk=theirs.rows["approval"].pk).update(
        agent=ours.agents[0], created_at=moment
    )
    assert read_reading_history(reader, approval).since == before


def test_only_a_file_of_its_workspace_is_what_goes_along(ours, theirs, reader):
    approval = proposed(ours, "file_share")
    ((sha256, found),) = read_kept_files(reader, [approval])[approval.pk].items()
    own, foreign = found.file.blob, store_blob(theirs.workspace.pk, found.file.blob.read())
    versions = FileVersion.objects.filter(blob__sha256=sha256, file__account=ours.account)
    versions.update(blob=foreign)
    assert read_kept_files(reader, [approval]) == {approval.pk: {}}, "the bytes are theirs"
    versions.update(blob=own)
    FileNode.objects.filter(account=ours.account).update(workspace=theirs.workspace)
    assert read_kept_files(reader, [approval]) == {approval.pk: {}}, "the files are theirs"


def test_a_link_to_hosts_of_another_workspace_is_external(ours, reader_of_both):
    submission = ours.rows["approval"].submission
    for host, count in (("walnut.example", 0), (f"{CANARY}.example", 1)):
        seen = read_policy_seen(reader_of_both, submission, f"See https://{host}/offer for it.")
        assert len([it for it in seen.findings if it.flag == "external_link"]) == count


def test_what_another_workspace_knows_of_a_recipient_is_not_shown(ours, theirs, reader_of_both):
    email = theirs.rows["contact"].email
    for world, found in ((ours, set()), (theirs, {email})):
        known = read_known(reader_of_both, world.workspace.pk, frozenset({email}))
        assert set(known.addresses) == found


def test_an_id_of_another_workspace_has_no_name(ours, theirs, reader):
    names = {
        world.word: [
            world.rows[name].public_id for name in ("message", "activity", "event", "file")
        ] for world in (ours, theirs)
    }  # fmt: skip
    assert len(name_ids(reader, names["walnut"])) == 4
    assert name_ids(reader, names[CANARY]) == {}


def test_a_message_of_another_workspace_is_no_source(ours, theirs, reader):
    submission, flagged = ours.rows["approval"].submission, theirs.rows["message"].public_id
    assert read_sources(reader, submission, [flagged]).elsewhere == ()
    theirs_sees = factories.person_actor(theirs.rows["owner"])
    assert read_sources(theirs_sees, submission, [flagged]).elsewhere


def test_a_file_of_another_workspace_is_none_of_a_source(ours, theirs, reader):
    submission = ours.rows["approval"].submission
    elsewhere = factories.make_message(ours.inbox)
    Attachment.objects.filter(pk=theirs.rows["attachment"].pk).update(message=elsewhere)
    (reading,) = read_sources(reader, submission, [elsewhere.public_id]).elsewhere
    assert reading.message == elsewhere
    assert reading.attachments == ()


def test_what_is_older_in_a_thread_is_of_its_workspace(ours, theirs, reader):
    thread = ours.rows["message"].thread
    for _ in range(NEWEST_BESIDE):
        factories.make_message(ours.inbox, thread=thread)
    Message.objects.filter(pk=theirs.rows["message"].pk).update(
        thread=thread, received_at=ours.rows["message"].received_at
    )
    older = read_sources(reader, ours.rows["approval"].submission, []).older
    assert {it.workspace_id for it in older} == {ours.workspace.pk}


def test_only_seals_of_its_workspace_say_what_went_along_with_a_version(ours, theirs, reader):
    approval = ours.rows["approval"]
    draft = approval.submission.draft
    later = draft.versions.get()
    later.pk, later.version = None, 2
    later.save()
    foreign = Submission.objects.filter(workspace=theirs.workspace)
    foreign.update(state="canceled")
    foreign.filter(pk=theirs.rows["approval"].submission_id).update(draft=draft, draft_version=2)
    assert [it.attachments for it in read_editions(reader, approval)] == [(), None]


def test_only_drafts_of_its_workspace_are_earlier_versions(ours, theirs, reader):
    approval, other = ours.rows["approval"], theirs.rows["approval"]
    Approval.objects.filter(pk=other.pk).update(
        agent=approval.agent, replaced_by=approval, created_at=approval.created_at
    )
    Submission.objects.filter(pk=other.submission_id).update(thread=approval.submission.thread)
    assert {it.row.draft_id for it in read_editions(reader, approval)} == {
        approval.submission.draft_id
    }


def test_only_meetings_of_its_workspace_stand_beside_a_proposed_one(ours, theirs, reader):
    submission = proposed(ours, "calendar_create_event").submission
    start = datetime(2026, 3, 2, 10, tzinfo=UTC)
    end = start + timedelta(hours=1)
    event = make_event(ours.rows["calendar"], "Ours", dtstart=start, dtend=end)
    assert not read_proposal(reader, submission).is_alone
    Event.objects.filter(pk=event.pk).update(workspace=theirs.workspace)
    assert read_proposal(reader, submission).is_alone


def test_of_another_workspace_nothing_stands_in_a_batch(ours, theirs):
    viewer = viewer_of_user(ours.rows["owner"])
    named = [
        [world.rows[name].public_id for name in ("approval", "activity")]
        for world in (ours, theirs)
    ]  # fmt: skip
    assert len(read_batch(viewer, named[0], QueueCriteria())) == 2
    assert read_batch(viewer, named[1], QueueCriteria()) == []


def test_what_a_call_of_a_batch_would_change_is_of_its_workspace(ours, theirs):
    viewer, approval = viewer_of_user(ours.rows["owner"]), ours.rows["approval"]
    approval.activities.set([ours.rows["activity"], theirs.rows["activity"]])
    (found,) = find_approvals(viewer, [approval.public_id])
    assert found.touched == [ours.rows["activity"]]


def test_a_file_of_another_workspace_is_none_of_a_batchs_message(ours, theirs):
    viewer, activity = viewer_of_user(ours.rows["owner"]), ours.rows["activity"]
    Attachment.objects.filter(pk=theirs.rows["attachment"].pk).update(message=activity.message)
    (item,) = read_batch(viewer, [activity.public_id], QueueCriteria())
    assert item.reading.message == activity.message
    assert item.reading.attachments == ()
