"""The chain of receipts: what it covers, and that whoever touches it is found out."""

import io
import re
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from agents import receipts
from agents.dispatch import call
from agents.models import Receipt, ReceiptHead
from agents.receipts import Deed
from inbox.actor import system_actor
from inbox.jobs import publish as publish_fact
from inbox.jobs import run_due
from inbox.models import Activity
from tests import factories

pytestmark = pytest.mark.django_db


@contextmanager
def without_triggers():
    """Put aside what the database refuses, as one who owns it could."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'agents_receipt%'"
            )
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
            yield
            for _, create in triggers:
                cursor.execute(create)
        else:
            cursor.execute("SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = DEFAULT")


@pytest.fixture
def five(workspace):
    """Five receipts."""
    actor = system_actor(workspace.pk, "Tester")
    for number in range(5):
        receipts.record(actor, Deed(tool=f"deed_{number}", arguments={"share": 0.25, "whole": 2.0}))
    return list(Receipt.objects.order_by("seq"))


def only(workspace):
    (broken,) = receipts.verify(workspace)
    return broken


def test_an_untouched_chain_holds(workspace, five):
    assert receipts.verify(workspace) == []
    assert [receipt.seq for receipt in five] == [1, 2, 3, 4, 5]
    assert five[3].prev_hash == five[2].hash


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tool", "another"), ("arguments", {"share": 0.26}), ("actor", "agent:9"), ("actor_name", "Nobody"),
        ("reason", "because"), ("outcome", "error"), ("decision", "deny"), ("approval", "apr_x"), ("result", {"a": 1}),
        ("error_code", "x"), ("arguments_sha256", "0" * 64), ("idempotency_key", "k"),
    ],
)  # fmt: skip
def test_a_changed_receipt_is_named(workspace, five, field, value):
    with without_triggers():
        Receipt.objects.filter(pk=five[2].pk).update(**{field: value})
    broken = only(workspace)
    assert (broken.seq, broken.receipt_id) == (3, five[2].public_id)


@pytest.mark.parametrize("field", ["opened_at", "closed_at"])
def test_a_changed_time_is_named(workspace, five, field):
    with without_triggers():
        Receipt.objects.filter(pk=five[2].pk).update(
            **{field: five[2].closed_at + timedelta(microseconds=1)}
        )
    assert only(workspace).seq == 3


def test_a_missing_receipt_is_named(workspace, five):
    with without_triggers():
        Receipt.objects.filter(pk=five[2].pk).delete()
    broken = only(workspace)
    assert (broken.seq, broken.problem) == (3, "receipt 3 is missing; 4 follows")


def test_a_cut_tail_is_named(workspace, five):
    with without_triggers():
        Receipt.objects.filter(seq__gt=3).delete()
    assert only(workspace).seq == 4


def test_everything_removed_is_found(workspace, five):
    with without_triggers():
        Receipt.objects.all().delete()
    assert only(workspace).seq == 1


def test_reordered_receipts_are_found(workspace, five):
    with without_triggers():
        Receipt.objects.filter(pk=five[1].pk).update(seq=99)
        Receipt.objects.filter(pk=five[2].pk).update(seq=2)
        Receipt.objects.filter(pk=five[1].pk).update(seq=3)
    assert only(workspace).seq == 2


def test_a_receipt_put_in_with_a_good_hash_of_its_own_is_found(workspace, five):
    with without_triggers():
        forged = Receipt.objects.get(pk=five[2].pk)
        forged.tool = "forged"
        Receipt.objects.filter(pk=forged.pk).update(tool="forged", hash=receipts.hash_of(forged))
    assert only(workspace).seq == 4


def test_a_head_set_back_is_found(workspace, five):
    ReceiptHead.objects.update(seq=3, hash=five[2].hash)
    assert receipts.verify(workspace)


def test_what_was_written_is_read_again_the_same(workspace):
    odd = {
        "big": 1e16, "small": 1.5e-07, "minus": -0.0, "many": 2**60, "text": "ü\u2028\"\\", "none": None,
        "deep": [{"b": 1, "a": [True, 1.25]}], "long": "x" * 201, "nul": "a\0b", "half": "\ud800",
    }  # fmt: skip
    receipts.record(
        system_actor(workspace.pk, "Tester"), Deed(tool="odd", arguments=odd, result=odd)
    )
    assert receipts.verify(workspace) == []
    stored = Receipt.objects.get()
    assert stored.arguments["long"] == {"sha256": stored.arguments["long"]["sha256"], "length": 201}


def test_many_at_once_are_chained_in_few_queries(workspace, django_assert_max_num_queries):
    actor = system_actor(workspace.pk, "Tester")
    receipts.record(actor, Deed(tool="first"))
    with django_assert_max_num_queries(12):
        receipts.record_many(actor, [Deed(tool=f"deed_{number}") for number in range(200)])
    assert receipts.verify(workspace) == []


def test_the_chains_of_two_workspaces_are_apart(workspace, five):
    other = factories.make_workspace("other")
    receipts.record(system_actor(other.pk, "Tester"), Deed(tool="alone"))
    assert Receipt.objects.get(workspace=other).seq == 1
    assert receipts.verify(other) == receipts.verify(workspace) == []


def test_an_open_receipt_is_closed_once(workspace):
    receipt = receipts.open_receipt(system_actor(workspace.pk, "Tester"), Deed(tool="slow"))
    again = Receipt.objects.get(pk=receipt.pk)
    receipts.close(receipt, outcome="ok")
    with pytest.raises(receipts.AlreadyClosed):
        receipts.close(again, outcome="error")
    assert receipts.verify(workspace) == []


def run_command():
    out = io.StringIO()
    try:
        call_command("verify_receipts", stdout=out)
    except CommandError as error:
        return out.getvalue(), str(error), error.returncode
    return out.getvalue(), "", 0


def test_the_command_prints_how_long_each_chain_is(workspace, five):
    out, _, code = run_command()
    assert code == 0
    assert re.search(r"lantern: 5 receipts hold, the last [0-9a-f]{64}", out)


def test_the_command_names_the_first_broken_link_and_fails(workspace, five):
    with without_triggers():
        Receipt.objects.filter(pk=five[1].pk).update(reason="tidied up")
    out, error, code = run_command()
    assert code == 1
    assert f"lantern: broken at 2 ({five[1].public_id}): its content is not what was written" in out
    assert "lantern" in error


def test_the_command_lists_what_was_left_open(workspace, monkeypatch):
    receipt = receipts.open_receipt(system_actor(workspace.pk, "Tester"), Deed(tool="slow"))
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: later)
    out, _, code = run_command()
    assert code == 0
    assert receipt.public_id in out


def test_what_comes_in_is_classified_with_a_receipt_that_says_why(inbox, workspace):
    message = factories.make_message(inbox)
    from_domain = {"message_ids": [message.pk]}
    publish(from_domain, workspace)
    run_due()
    activity = Activity.objects.get()
    receipt = Receipt.objects.get()
    assert (receipt.actor, receipt.tool, receipt.reason) == (
        "system:0",
        "classify_activity",
        activity.reasoning,
    )
    assert receipt.result["status"] == activity.status
    publish(from_domain, workspace)
    run_due()
    assert Receipt.objects.count() == 1


def publish(payload, workspace):
    publish_fact("message.received", payload, workspace_id=workspace.pk)


def test_a_classification_asked_for_says_why_in_its_receipt(actor):
    arguments = {
        "activity_id": "act_none",
        "title": "Urgent",
        "content": "Please pay the invoice by Friday.",
    }
    answer = call("classify_activity", arguments, actor).result
    assert Receipt.objects.get().reason == answer["reasoning"]


def test_a_token_among_the_arguments_is_not_kept(workspace):
    token = f"chy_{'a' * 43}"
    deed = Deed(tool="read", arguments={"id": token, token: [f"Bearer {token}!"]})
    receipts.record(system_actor(workspace.pk, "Tester"), deed)
    kept = Receipt.objects.get()
    assert kept.arguments == {"id": "chy_…", "chy_…": ["Bearer chy_…!"]}
    assert receipts.verify(workspace) == []
