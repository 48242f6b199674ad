import pytest

from inbox.background import jobs
from inbox.background.request_ids import current_request_id, for_request
from inbox.models import Job


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(jobs, "_HANDLERS", {})


def test_there_is_none_outside_of_a_request():
    with for_request("a1"):
        assert current_request_id() == "a1"
    assert current_request_id() == ""


@pytest.mark.django_db
def test_a_job_is_done_for_the_request_that_caused_it_and_so_are_those_it_causes(workspace):
    heard = []

    def first(payload):
        heard.append(current_request_id())
        jobs.enqueue_many("second", [{}], workspace_id=workspace.pk)

    jobs.handler("first")(first)
    jobs.handler("second")(lambda payload: heard.append(current_request_id()))
    with for_request("a1"):
        jobs.enqueue("first", {})
    jobs.enqueue("second", {})
    jobs.run_due()
    assert sorted(heard) == ["", "a1", "a1"]
    assert current_request_id() == ""
    assert Job.objects.exclude(request_id="a1").count() == 1
