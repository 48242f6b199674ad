"""An agent is stopped while two workers send what it has under way."""

import threading

import pytest
from django.db import connections

from agents.models import Approval
from agents.operations.stopping import stop_agent
from agents.receipts import verify
from inbox.background.jobs import run_due
from inbox.models import Account, Submission
from tests import factories
from tests.agents.admin.desk import propose
from tests.agents.admin.test_stopping import approve

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("seed", range(3))
def test_with_a_worker_at_work_each_mail_has_left_or_is_stopped(
    seed, agent, inbox, reviewer, settings
):
    actor = factories.agent_actor(agent)
    Account.objects.update(undo_seconds=0)
    for number in range(6):
        made = propose(actor, factories.make_message(inbox, subject=f"Matter {number}").thread)
        if number < 4:
            approve(made, reviewer)
    barrier, troubles, counted = threading.Barrier(3), [], []

    def at_once(work):
        try:
            barrier.wait()
            work()
        except Exception as error:  # noqa: BLE001
            troubles.append(error)
        finally:
            connections.close_all()

    def stop():
        counted.append(stop_agent(agent=agent, by=reviewer))

    threads = [threading.Thread(target=at_once, args=(work,)) for work in (run_due, run_due, stop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    run_due()
    stopped = counted[0]
    delivered = [path for path in settings.LOCAL_MAIL_DIR.rglob("new/*") if path.is_file()]
    states = list(Submission.objects.values_list("state", flat=True))
    assert states.count("sent") == len(delivered) == 4 - stopped.mails
    assert stopped.leaving + stopped.gone <= len(delivered)
    assert states.count("canceled") == stopped.mails
    assert states.count("rejected") == stopped.proposals == 2
    assert len(states) == 6
    canceled = Approval.objects.filter(state="canceled", submission__state="canceled").count()
    assert canceled == stopped.mails
    assert verify(agent.workspace) == []
