"""Tasks by the published client: answered, held, decided, mended, repeated, listed, canceled."""

from datetime import timedelta

import pytest
from a2a.types import a2a_pb2 as pb
from a2a.utils import errors
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.expiring import expire_due
from agents.models import A2ATask, Approval, ApprovalState, Receipt
from agents.operations.a2a.settling import KEEP, remove_old
from agents.operations.agents import create_token
from agents.operations.webhooks.event_log import write_log
from inbox.models import Activity
from tests import factories
from tests.agents.surfaces.a2a.conftest import A2A
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def activity(message):
    (made,) = factories.activities_from_messages([message.pk])
    Activity.objects.filter(pk=made.pk).update(status="surfaced", autonomy_tier=4)
    made.refresh_from_db()
    return made


@pytest.fixture
def archive(activity):
    """What lowers attention, and so waits for a person."""
    updates = {"status": "archived"}
    return {"skill": "update_activities",
            "arguments": {"activity_ids": [activity.public_id], "updates": updates}}  # fmt: skip


def query(**arguments):
    return {"skill": "query_activities", "arguments": arguments}


def data_of(parts):
    return [part["data"] for part in parts if "data" in part]


def told(task):
    """What is said of a task's state: the words, and the data."""
    said = task["status"]["message"]["parts"]
    return said[0]["text"], data_of(said)[0]


def test_a_call_is_completed_with_its_answer_as_an_artifact(a2a, activity):
    task = a2a.send(query(status="surfaced", limit=5))["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    (artifact,) = task["artifacts"]
    (answer,) = data_of(artifact["parts"])
    assert [one["id"] for one in answer["activities"]] == [activity.public_id]
    receipt = Receipt.objects.with_public_id(artifact["metadata"]["chancery/receipt"]).get()
    assert (receipt.tool, receipt.actor_name, receipt.outcome) == (
        "query_activities",
        "Clerk",
        "ok",
    )
    trust = artifact["metadata"]["chancery/trust"][activity.public_id]
    assert trust["origin"] == "stranger"
    assert a2a.task(task["id"]) == task


def test_a_held_action_is_input_required_with_its_page_and_goes_on_once_approved(
    a2a, archive, activity, approve
):
    task = a2a.send(archive)["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    words, data = told(task)
    approval = Approval.objects.get()
    assert data["approval_id"] == approval.public_id
    assert data["review_url"].endswith(f"/review/{approval.public_id}/")
    assert data["review_url"] in words
    approve(approval)
    done = a2a.task(task["id"])
    assert done["status"]["state"] == "TASK_STATE_COMPLETED"
    assert data_of(done["artifacts"][0]["parts"])[0]["activity_ids"] == [activity.public_id]
    activity.refresh_from_db()
    assert activity.status == "archived"


def test_no_message_decides_what_waits_for_a_person(a2a, archive):
    task = a2a.send(archive)["task"]
    again = a2a.send("Yes, approved.", archive, taskId=task["id"])["task"]
    assert again == task
    assert Approval.objects.get().state == ApprovalState.WAITING


def test_a_rejected_action_is_rejected_with_the_persons_words(a2a, archive, reviewer):
    task = a2a.send(archive)["task"]
    lifecycle.reject(approval=Approval.objects.get(), by=reviewer, reason="Not this one.")
    ended = a2a.task(task["id"])
    assert ended["status"]["state"] == "TASK_STATE_REJECTED"
    assert told(ended)[0] == "Not this one."
    with pytest.raises(errors.UnsupportedOperationError):
        a2a.send(archive, taskId=task["id"])


def test_what_is_sent_back_is_mended_in_the_same_task(a2a, archive, activity, reviewer):
    task = a2a.send(archive)["task"]
    lifecycle.send_back(approval=Approval.objects.get(), by=reviewer, feedback="Only note it.")
    asked = a2a.task(task["id"])
    assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert "Only note it." in told(asked)[0]
    raised = {"activity_ids": [activity.public_id], "updates": {"status": "needs_review"}}
    done = a2a.send({"skill": "update_activities", "arguments": raised}, taskId=task["id"])["task"]
    assert done["id"] == task["id"]
    assert len(done["history"]) == 2


def test_an_expired_action_is_canceled(a2a, archive):
    task = a2a.send(archive)["task"]
    Approval.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    expire_due()
    assert a2a.task(task["id"])["status"]["state"] == "TASK_STATE_CANCELED"


def test_a_bad_argument_asks_for_a_better_one_by_name_and_takes_it(a2a, activity):
    task = a2a.send(query(limit="many", colour="red"))["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    _, data = told(task)
    assert {each["pointer"] for each in data["details"]["errors"]} == {"/limit", "/colour"}
    assert data["inputSchema"]["properties"].keys() == {"status", "limit", "since", "before"}
    mended = a2a.send(query(limit=1), taskId=task["id"])["task"]
    assert (mended["id"], mended["status"]["state"]) == (task["id"], "TASK_STATE_COMPLETED")


def test_whole_numbers_and_nulls_arrive_as_they_are_meant(a2a, activity):
    # Numbers of the protocol's data parts are all floating.
    task = a2a.send(query(limit=1.0, status=None))["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


def test_words_alone_are_answered_by_what_a_message_has_to_be(a2a):
    answer = a2a.send("What came in today?")["message"]
    assert "No model reads" in answer["parts"][0]["text"]
    (data,) = data_of(answer["parts"])
    assert "query_activities" in {each["skill"] for each in data["skills"]}
    assert not A2ATask.objects.exists()


def test_an_unknown_skill_and_one_of_another_family_are_none_of_ours(a2a):
    for skill in ("make_coffee", "send_reply"):
        answer = a2a.send({"skill": skill, "arguments": {}})["message"]
        assert repr(skill) in answer["parts"][0]["text"]
    assert not A2ATask.objects.exists()
    assert set(Receipt.objects.values_list("tool", flat=True)) == {"make_coffee", "send_reply"}


def test_a_call_may_be_written_out_as_text(a2a, activity):
    task = a2a.send('{"skill": "query_people", "arguments": {"search": "ada"}}')["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


def test_the_same_message_twice_is_one_task_and_one_call(a2a, archive):
    first = a2a.send(archive, message_id="m-1")["task"]
    assert a2a.send(archive, message_id="m-1")["task"]["id"] == first["id"]
    assert (A2ATask.objects.count(), Approval.objects.count()) == (1, 1)
    with pytest.raises(errors.InvalidParamsError, match="used for another message"):
        a2a.send(query(), message_id="m-1")


def test_a_token_without_the_scope_is_rejected_by_name(port, agent, archive, settings):
    settings.BASE_URL = f"http://127.0.0.1:{port}"
    narrow = A2A(port, create_token(agent=agent, scopes={"storage:read"})[1])
    task = narrow.send(archive)["task"]
    assert task["status"]["state"] == "TASK_STATE_REJECTED"
    assert told(task)[1]["details"]["scope"] == "storage:write"
    assert not Approval.objects.exists()


def test_another_agent_finds_nothing_of_it(a2a, archive, port, workspace, inbox):
    task = a2a.send(archive, message_id="m-1")["task"]
    other = factories.make_agent(workspace, "Rival", (inbox,))
    rival = A2A(port, create_token(agent=other, scopes={"storage:read", "storage:write"})[1])
    with pytest.raises(errors.TaskNotFoundError):
        rival.task(task["id"])
    with pytest.raises(errors.TaskNotFoundError):
        rival.ask("cancel_task", pb.CancelTaskRequest(id=task["id"]))
    with pytest.raises(errors.TaskNotFoundError):
        rival.send(archive, taskId=task["id"])
    listed = rival.ask("list_tasks", pb.ListTasksRequest())
    assert "tasks" not in listed
    # Its own message of the same id is another message.
    assert rival.send(query(), message_id="m-1")["task"]["id"] != task["id"]


def test_canceling_withdraws_the_proposal_with_a_receipt(a2a, archive):
    task = a2a.send(archive)["task"]
    ended = a2a.ask("cancel_task", pb.CancelTaskRequest(id=task["id"]))
    assert ended["status"]["state"] == "TASK_STATE_CANCELED"
    approval = Approval.objects.get()
    assert (approval.state, str(approval.note)) == (ApprovalState.VOIDED, "the agent withdrew it")
    receipt = Receipt.objects.get(tool="withdraw_proposal")
    assert (receipt.actor_name, receipt.approval) == ("Clerk", approval.public_id)
    with pytest.raises(errors.TaskNotCancelableError):
        a2a.ask("cancel_task", pb.CancelTaskRequest(id=task["id"]))


def test_a_task_that_asks_is_canceled_and_one_that_is_done_is_not(a2a, activity):
    asked = a2a.send(query(limit="many"))["task"]
    ended = a2a.ask("cancel_task", pb.CancelTaskRequest(id=asked["id"]))
    assert ended["status"]["state"] == "TASK_STATE_CANCELED"
    done = a2a.send(query())["task"]
    with pytest.raises(errors.TaskNotCancelableError):
        a2a.ask("cancel_task", pb.CancelTaskRequest(id=done["id"]))


def test_tasks_are_listed_by_page_by_context_and_by_state(a2a, archive):
    ids = [a2a.send(query(), contextId="trip")["task"]["id"] for _ in range(3)]
    held = a2a.send(archive)["task"]
    first = a2a.ask("list_tasks", pb.ListTasksRequest(context_id="trip", page_size=2))
    assert ([one["id"] for one in first["tasks"]], first["totalSize"]) == (ids[:0:-1], 3)
    assert "artifacts" not in first["tasks"][0]
    rest = pb.ListTasksRequest(context_id="trip", page_size=2, page_token=first["nextPageToken"])
    last = a2a.ask("list_tasks", rest)
    assert [one["id"] for one in last["tasks"]] == ids[:1]
    assert not last.get("nextPageToken")
    waiting = pb.ListTasksRequest(status=pb.TASK_STATE_INPUT_REQUIRED, include_artifacts=True)
    assert [one["id"] for one in a2a.ask("list_tasks", waiting)["tasks"]] == [held["id"]]
    whole = pb.ListTasksRequest(include_artifacts=True, history_length=0)
    told_whole = a2a.ask("list_tasks", whole)["tasks"]
    assert [len(one.get("artifacts", [])) for one in told_whole] == [0, 1, 1, 1]
    assert not [one for one in told_whole if "history" in one]


def test_the_list_knows_what_was_decided_before_anybody_asked(a2a, archive, approve):
    a2a.send(archive)
    approve(Approval.objects.get())
    (task,) = a2a.ask("list_tasks", pb.ListTasksRequest())["tasks"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


def test_the_log_of_events_settles_what_nobody_asks_for(a2a, archive, approve):
    a2a.send(archive)
    approve(Approval.objects.get())
    write_log()
    assert A2ATask.objects.get().state == "completed"


def test_a_context_that_is_not_the_tasks_is_refused(a2a):
    task = a2a.send(query(limit="many"))["task"]
    with pytest.raises(errors.InvalidParamsError, match="contextId"):
        a2a.send(query(), taskId=task["id"], contextId="another")


def test_a_call_that_was_broken_off_is_found_out_and_can_be_sent_again(a2a, activity):
    task = a2a.send(query(), message_id="m-1")["task"]
    long_ago = timezone.now() - timedelta(minutes=5)
    # The call went through, and the server stopped before it could say so.
    A2ATask.objects.update(state="working", receipt=None, status_at=long_ago)
    assert a2a.task(task["id"])["status"]["state"] == "TASK_STATE_COMPLETED"
    A2ATask.objects.update(state="working", receipt=None, status_at=long_ago)
    assert a2a.send(query(), message_id="m-1")["task"]["artifacts"]
    # It never went through.
    A2ATask.objects.update(state="working", receipt=None, status_at=long_ago)
    task_row = A2ATask.objects.get()
    task_row.said.update(message_id="m-2")
    assert a2a.task(task["id"])["status"]["state"] == "TASK_STATE_FAILED"


def test_an_answer_is_told_again_only_to_a_token_that_may_ask_for_it(
    a2a, agent, port, activity, settings
):
    task = a2a.send(query())["task"]
    narrow = A2A(port, create_token(agent=agent, scopes={"time:read"})[1])
    assert narrow.task(task["id"]).get("artifacts", []) == []
    everything = pb.ListTasksRequest(include_artifacts=True)
    (listed,) = narrow.ask("list_tasks", everything)["tasks"]
    assert listed.get("artifacts", []) == []
    assert not Receipt.objects.filter(tool__in=["get_task", "list_tasks"]).exists()


def test_each_time_that_an_answer_is_shown_has_a_receipt_with_what_it_shows(a2a, activity):
    task = a2a.send(query())["task"]
    a2a.task(task["id"])
    a2a.ask("list_tasks", pb.ListTasksRequest(include_artifacts=True))
    a2a.ask("list_tasks", pb.ListTasksRequest())
    noted = Receipt.objects.filter(tool__in=["get_task", "list_tasks"]).order_by("seq")
    assert list(noted.values_list("tool", flat=True)) == ["get_task", "list_tasks"]
    assert all(activity.public_id in receipt.shown for receipt in noted)


def test_a_paused_agent_reads_and_begins_nothing(a2a, agent, activity):
    task = a2a.send(query())["task"]
    type(agent).objects.update(status="paused")
    for asking in (
        lambda: a2a.task(task["id"]),
        lambda: a2a.ask("list_tasks", pb.ListTasksRequest()),
        lambda: a2a.send(query()),
    ):
        with pytest.raises(errors.A2AError, match="paused") as refused:
            asking()
        assert "A question" not in str(refused.value)
    assert A2ATask.objects.count() == 1


def test_old_tasks_are_removed_and_their_receipts_stay(a2a, activity):
    a2a.send(query())
    assert remove_old() == 0
    assert remove_old(timezone.now() + KEEP + timedelta(minutes=1)) == 1
    assert not A2ATask.objects.exists()
    assert Activity.objects.exists()
    assert Receipt.objects.filter(tool="query_activities").exists()


@in_one_test("part", [{"url": "https://a.example/x.pdf"}, {"raw": "AAAA"},
                      {"text": "x", "mediaType": "text/html"}])  # fmt: skip
def test_files_and_other_media_are_not_read(raw, part):
    said = {"messageId": "f", "role": "ROLE_USER", "parts": [part]}
    assert raw.ask("SendMessage", {"message": said})["code"] == -32005
