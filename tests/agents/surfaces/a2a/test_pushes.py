"""What is pushed of a task: only to hosts of the operator's, how it stands, with the proof given."""

import json
from datetime import timedelta

import pytest
from a2a.types import a2a_pb2 as pb
from a2a.utils import errors
from django.utils import timezone
from google.protobuf.json_format import ParseDict

from agents.models import A2APush, Agent, Approval, Receipt
from agents.operations.a2a.settling import KEEP, remove_old
from agents.operations.webhooks.event_log import write_log
from inbox.background.jobs import run_due
from inbox.models import Job
from tests.agents.events.test_webhooks import Listener
from tests.agents.surfaces.a2a.test_tasks import activity, archive, query  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hook(settings):
    """A real server at an address that the operator allows."""
    settings.WEBHOOK_ALLOW = settings.A2A_PUSH_HOSTS = frozenset({"127.0.0.1"})
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


def config(url, **fields):
    proof = {"scheme": "Bearer", "credentials": "s3cret"}
    return {"url": url, "token": "tok-1", "authentication": proof, **fields}


def carry(due=False):
    """Run the pushes; with `due`, as if the time of the next try had come."""
    Job.objects.exclude(kind="a2a.push").delete()
    if due:
        Job.objects.filter(state="queued").update(run_at=timezone.now())
    run_due()


def test_what_becomes_of_a_held_action_is_pushed_with_the_proof(a2a, archive, approve, hook):  # noqa: F811
    asked = {"taskPushNotificationConfig": config(hook.url)}
    task = a2a.send(archive, configuration=asked)["task"]
    carry()
    approve(Approval.objects.get())
    write_log()
    carry()
    told = [body["statusUpdate"] for body in hook.bodies]
    assert [one["status"]["state"] for one in told] == [
        "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"
    ]  # fmt: skip
    assert {one["taskId"] for one in told} == {task["id"]}
    headers = {name.lower(): value for name, value in hook.got[0][0].items()}
    assert headers["authorization"] == "Bearer s3cret"
    assert headers["x-a2a-notification-token"] == "tok-1"
    assert headers["content-type"] == "application/a2a+json"
    for body in hook.bodies:
        ParseDict(body, pb.StreamResponse())


def test_no_answer_is_pushed_only_that_there_is_one(a2a, activity, hook):  # noqa: F811
    asked = {"taskPushNotificationConfig": config(hook.url)}
    task = a2a.send(query(), configuration=asked)["task"]
    assert activity.title in json.dumps(task["artifacts"])
    carry()
    (body,) = hook.bodies
    assert set(body["statusUpdate"]) == {"taskId", "contextId", "status"}
    assert activity.title not in json.dumps(body)


def test_what_does_not_arrive_is_pushed_again(a2a, hook):
    hook.status = 503
    a2a.send(query(), configuration={"taskPushNotificationConfig": config(hook.url)})
    carry()
    hook.status = 204
    carry(due=True)
    carry(due=True)
    assert len(hook.got) == 2


def test_the_address_leads_only_where_the_operator_allows_it(a2a, hook, settings):
    task = a2a.send(query(limit="many"))["task"]
    for url in ("https://evil.example/x", "http://localhost:1/x", "https://10.0.0.1/x",
                "ftp://127.0.0.1/x", "https://user@127.0.0.1/"):  # fmt: skip
        with pytest.raises(errors.InvalidParamsError, match="url"):
            create(a2a, task, url)
    assert not A2APush.objects.exists()
    create(a2a, task, hook.url)
    # The operator has thought better of it.
    settings.A2A_PUSH_HOSTS = frozenset({"other.example"})
    a2a.ask("cancel_task", pb.CancelTaskRequest(id=task["id"]))
    carry()
    assert hook.got == []


def create(a2a, task, url, **fields):
    request = ParseDict(config(url, taskId=task["id"], **fields), pb.TaskPushNotificationConfig())
    return a2a.ask("create_task_push_notification_config", request)


def test_configs_are_made_read_listed_and_removed_with_receipts(a2a, hook):
    task = a2a.send(query(limit="many"))["task"]
    made = create(a2a, task, hook.url, id="mine")
    assert made == {"id": "mine", "taskId": task["id"], "url": hook.url}
    named = {"task_id": task["id"], "id": "mine"}
    read = pb.GetTaskPushNotificationConfigRequest(**named)
    assert a2a.ask("get_task_push_notification_config", read) == made
    create(a2a, task, hook.url)
    listed = pb.ListTaskPushNotificationConfigsRequest(task_id=task["id"])
    assert len(a2a.ask("list_task_push_notification_configs", listed)["configs"]) == 2

    async def remove(client):
        request = pb.DeleteTaskPushNotificationConfigRequest(**named)
        await client.delete_task_push_notification_config(request)
        await client.delete_task_push_notification_config(request)

    a2a.run(remove)
    with pytest.raises(errors.TaskNotFoundError):
        a2a.ask("get_task_push_notification_config", read)
    tools = list(Receipt.objects.filter(tool__endswith="_push").values_list("tool", flat=True))
    assert sorted(tools) == ["create_push", "create_push", "remove_push"]


def test_what_proves_us_is_encrypted_and_in_no_receipt(a2a, hook):
    create(a2a, a2a.send(query(limit="many"))["task"], hook.url)
    assert b"s3cret" not in bytes(A2APush.objects.get().secret)
    assert "s3cret" not in str(list(Receipt.objects.values()))


def test_a_task_has_few_addresses(a2a, hook):
    task = a2a.send(query(limit="many"))["task"]
    for place in range(10):
        create(a2a, task, hook.url, id=f"push-{place}")
    create(a2a, task, hook.url, id="push-0")
    with pytest.raises(errors.InvalidParamsError, match="10 such addresses"):
        create(a2a, task, hook.url, id="one-more")


def test_a_header_cannot_be_written_into_a_token(raw, a2a, hook):
    task = a2a.send(query(limit="many"))["task"]
    for broken in ({"token": "a\r\nX-Evil: 1"}, {"authentication": {"scheme": "B x\n"}},
                   {"authentication": {"scheme": "Bearer", "credentials": "a\nb"}}):  # fmt: skip
        asked = {"taskId": task["id"], "url": hook.url, **broken}
        assert raw.ask("CreateTaskPushNotificationConfig", asked)["code"] == -32602
    assert not A2APush.objects.exists()


def test_nothing_of_a_stopped_agent_is_pushed(a2a, hook):
    a2a.send(query(), configuration={"taskPushNotificationConfig": config(hook.url)})
    Agent.objects.update(status="paused")
    carry()
    assert hook.got == []


def test_where_no_host_is_named_push_is_refused_and_nothing_begun(a2a, raw):
    asked = {"taskPushNotificationConfig": config("https://hooks.example.org/x")}
    with pytest.raises(errors.PushNotificationNotSupportedError):
        a2a.send(query(), configuration=asked)
    assert not Receipt.objects.filter(tool="query_activities").exists()
    for method in ("Create", "Get", "Delete"):
        answer = raw.ask(f"{method}TaskPushNotificationConfig", {"taskId": "x", "id": "y"})
        assert answer["code"] == -32003
    assert raw.ask("ListTaskPushNotificationConfigs", {"taskId": "x"})["code"] == -32003


def test_removing_what_is_old_takes_its_addresses_along(a2a, hook):
    a2a.send(query(), configuration={"taskPushNotificationConfig": config(hook.url)})
    remove_old(timezone.now() + KEEP + timedelta(minutes=1))
    assert not A2APush.objects.exists()
    carry()
    assert hook.got == []
