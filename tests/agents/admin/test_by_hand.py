"""People mend and forget memories, cancel schedules, remove shared values and retry jobs."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.evidence.exposures import trace
from agents.evidence.refs import Ref
from agents.models import ContextEntry, Memory, Receipt, Schedule
from agents.operations.sharing.memories import save_memory
from inbox.background.jobs import enqueue
from inbox.models import Job, JobState, Role
from tests import factories

pytestmark = pytest.mark.django_db


def sign_in(workspace, role) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def reviewer(workspace) -> Client:
    return sign_in(workspace, Role.REVIEWER)


def page_of(row) -> str:
    return f"/admin/{row._meta.label_lower.replace('.', '/')}/{row.pk}/change/"


def test_a_memory_is_mended_and_is_the_person_s_own_words_from_then_on(reviewer, actor):
    memory, _ = save_memory(actor=actor, content="Ada pays in June")
    url = f"/admin/memories/{memory.public_id}/edit/"
    assert url in reviewer.get(page_of(memory)).content.decode()
    assert "Ada pays in June" in reviewer.get(url).content.decode()
    assert reviewer.post(url, {"seen": memory.sha256, "text": "Ada pays in May"}).status_code == 302
    stale = reviewer.post(url, {"seen": memory.sha256, "text": "Ada pays in July"})
    assert (
        stale.status_code,
        "It has changed since" in stale.content.decode(),
    ) == (409, True)
    memory.refresh_from_db()
    assert memory.content == "Ada pays in May"
    (traced,) = trace(memory.workspace_id, [Ref("mry", memory.pk)])
    assert traced.origin == "owner"
    assert Receipt.objects.get(tool="edit_memory").arguments == {"memory_id": memory.public_id}
    empty = reviewer.post(url, {"seen": memory.sha256, "text": " "})
    assert empty.status_code == 409


def test_a_memory_that_needs_review_is_reviewed_and_not_edited(reviewer, actor):
    memory, _ = save_memory(actor=actor, content="Ada pays in June")
    Memory.objects.update(waits=True)
    shown = reviewer.get(page_of(memory)).content.decode()
    assert f"/admin/noted/{memory.public_id}/" in shown
    url = f"/admin/memories/{memory.public_id}/edit/"
    assert url not in shown
    answer = reviewer.post(url, {"seen": memory.sha256, "text": "Ada pays in May"})
    assert "still needs review" in answer.content.decode()
    assert Memory.objects.get().content == "Ada pays in June"


def test_a_memory_is_forgotten_after_a_question(reviewer, actor):
    memory, _ = save_memory(actor=actor, content="Ada pays in June")
    url = f"/admin/memories/{memory.public_id}/forget/"
    assert "Forget this memory?" in reviewer.get(url).content.decode()
    assert Memory.objects.kept().exists()
    assert reviewer.post(url).status_code == 302
    assert not Memory.objects.kept().exists()
    assert Receipt.objects.filter(tool="delete_memory").count() == 1
    assert reviewer.get(url).status_code == 404


def test_a_schedule_is_canceled_until_it_has_begun(reviewer, actor):
    at = (timezone.now() + timedelta(days=1)).isoformat()
    call(
        "internal_scheduler_service",
        {"action": "create", "command": "Ring Ada", "trigger_at": at, "payload": {}}, actor,
    )  # fmt: skip
    schedule = Schedule.objects.get()
    url = f"/admin/schedules/{schedule.public_id}/cancel/"
    assert url in reviewer.get(page_of(schedule)).content.decode()
    assert "Ring Ada" in reviewer.get(url).content.decode()
    assert reviewer.post(url).status_code == 302
    assert Schedule.objects.get().state == "canceled"
    assert reviewer.post(url).status_code == 409
    assert Receipt.objects.filter(tool="cancel_schedule", actor__startswith="person").count() == 1


def test_a_shared_value_is_removed_and_its_readers_are_told(reviewer, workspace, actor):
    factories.make_agent(workspace, "Scout")
    call(
        "push_context",
        {"agent_name": "Clerk", "key": "prices", "value": [1], "subscribers": ["Scout"]}, actor,
    )  # fmt: skip
    entry = ContextEntry.objects.get()
    url = f"/admin/contexts/{entry.public_id}/remove/"
    assert url in reviewer.get(page_of(entry)).content.decode()
    assert "This cannot be undone." in reviewer.get(url).content.decode()
    answer = reviewer.post(url)
    assert (answer.status_code, answer.url) == (302, "/admin/agents/contextentry/")
    assert not ContextEntry.objects.exists()
    receipt = Receipt.objects.get(tool="remove_context")
    assert receipt.arguments == {"context_id": entry.public_id, "key": "prices"}


def test_a_failed_job_is_retried_unless_it_sends(workspace):
    owner, reviewer = sign_in(workspace, Role.OWNER), sign_in(workspace, Role.REVIEWER)
    for kind in ("agents.classify", "submission.send"):
        enqueue(kind, {}, workspace_id=workspace.pk)
    Job.objects.update(state=JobState.FAILED, attempts=8, finished_at=timezone.now(), error="x")
    safe, sends = Job.objects.order_by("pk")
    url = f"/admin/jobs/{safe.pk}/retry/"
    assert url in owner.get(page_of(safe)).content.decode()
    assert "/retry/" not in owner.get(page_of(sends)).content.decode()
    assert "/retry/" not in reviewer.get(page_of(safe)).content.decode()
    assert reviewer.post(url).status_code == 403
    assert owner.post(url).status_code == 302
    safe.refresh_from_db()
    assert (safe.state, safe.attempts, safe.error, safe.finished_at) == ("queued", 0, "", None)
    assert owner.post(url).status_code == 409
    assert owner.post(f"/admin/jobs/{sends.pk}/retry/").status_code == 409
    assert Receipt.objects.filter(tool="retry_job").count() == 1


def test_who_only_reads_or_is_of_another_workspace_changes_nothing(workspace, actor):
    memory, _ = save_memory(actor=actor, content="Ada pays in June")
    enqueue("agents.classify", {}, workspace_id=workspace.pk)
    job = Job.objects.get()
    viewer = sign_in(workspace, Role.VIEWER)
    foreigner = sign_in(factories.make_workspace("harbour"), Role.OWNER)
    place = f"/admin/memories/{memory.public_id}/"
    for url in (f"{place}edit/", f"{place}forget/", f"/admin/jobs/{job.pk}/retry/"):
        assert viewer.post(url).status_code == 403, url
        assert foreigner.post(url).status_code == 404, url
    assert place not in viewer.get(page_of(memory)).content.decode()
    assert Memory.objects.kept().exists()
