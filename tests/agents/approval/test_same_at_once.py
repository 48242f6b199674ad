"""The same proposal by several at once is one: each commits, as real callers do."""

import threading

import pytest
from django.db import connection, connections

from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.models import Submission
from tests.agents.approval.test_same_proposal import letter, reply

__all__ = ["letter", "reply"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("tools", [("email_send",) * 4, ("email_reply", "send_reply") * 2])
def test_four_at_once_make_one_approval(actor, letter, reply, tools):
    started, found = threading.Barrier(4), []

    def propose(place, name):
        started.wait(timeout=10)
        try:
            one = (
                call(name, letter, actor, f"k{place}") if name == "email_send"
                else reply(name, actor, key=f"k{place}")
            )  # fmt: skip
            found.append(one.approval.public_id)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=propose, args=one) for one in enumerate(tools)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == [Approval.objects.get().public_id] * 4
    assert Submission.objects.count() == 1
    assert connection.vendor in {"sqlite", "postgresql"}
