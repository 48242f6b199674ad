"""Calls at the same moment: of the last that a quota allows there is one."""

import threading

import pytest
from django.db import connections

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, QuotaUse
from inbox.models import Message
from tests import factories
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 6


def at_once(work):
    """Run `work(number)` in as many threads; return the codes of what they raised."""
    barrier, raised = threading.Barrier(AT_ONCE), []

    def run(number):
        try:
            barrier.wait()
            work(number)
        except ToolError as error:
            raised.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_no_two_are_both_the_last_that_is_allowed(actor, inbox):
    save_policy(
        inbox.workspace,
        "{what: deletions, most: 2, within: 5m}\n"
        "{what: proposals, per: recipient, most: 3, within: 5m}\n"
        "{what: reads, most: 4, within: 5m}",
    )
    other = factories.agent_actor(factories.make_agent(inbox.workspace, "Other", (inbox,)))
    account = {"account_id": inbox.account.public_id, "confirm": True}
    messages = [factories.make_message(inbox, text=f"Number {n}") for n in range(AT_ONCE)]

    def delete(number):
        named = {**account, "email_id": messages[number].public_id}
        call("email_delete", named, actor)

    def write(number):
        mail = {"to": ["ada@customer.example"], "subject": f"News {number}", "body": "Here."}
        call("email_send", {**account, **mail}, (actor, other)[number % 2])

    def read(number):
        call("get_thread", {"thread_id": messages[number].thread.public_id}, other)

    assert at_once(read) == ["approval_required"] * (AT_ONCE - 2)
    assert QuotaUse.objects.get(what="reads").amount == 4
    assert at_once(delete) == ["approval_required"] * (AT_ONCE - 2)
    assert Message.objects.filter(deleted_at=None).count() == AT_ONCE - 2
    assert at_once(write) == []
    assert Approval.objects.over_quota().count() == AT_ONCE - 3
