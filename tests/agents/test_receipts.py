"""The chain of receipts: what it covers, and that whoever touches it is found out."""

import io
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents import receipts
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Outcome, Receipt, ReceiptHead, StoredAnswer
from agents.receipts import ReceiptEntry
from inbox.actor import system_actor
from inbox.background.jobs import publish as publish_fact
from inbox.background.jobs import run_due
from inbox.models import Activity
from tests import factories
from tests.agents.admin.desk import make_activity
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db


@pytest.fixture
def five(workspace):
    """Five receipts."""
    actor = system_actor(workspace.pk, "Tester")
    for number in range(5):
        receipts.record(
            actor, ReceiptEntry(tool=f"action_{number}", arguments={"share": 0.25, "whole": 2.0})
        )
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
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(pk=five[2].pk).update(**{field: value})
    broken = only(workspace)
    assert (broken.seq, broken.receipt_id) == (3, five[2].public_id)


@pytest.mark.parametrize("field", ["opened_at", "closed_at"])
def test_a_changed_time_is_named(workspace, five, field):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(pk=five[2].pk).update(
            **{field: five[2].closed_at + timedelta(microseconds=1)}
        )
    assert only(workspace).seq == 3


def test_a_missing_receipt_is_named(workspace, five):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(pk=five[2].pk).delete()
    broken = only(workspace)
    assert (broken.seq, broken.problem) == (3, "receipt 3 is missing; 4 follows")


def test_a_cut_tail_is_named(workspace, five):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(seq__gt=3).delete()
    assert only(workspace).seq == 4


def test_everything_removed_is_found(workspace, five):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.all().delete()
    assert only(workspace).seq == 1


def test_reordered_receipts_are_found(workspace, five):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(pk=five[1].pk).update(seq=99)
        Receipt.objects.filter(pk=five[2].pk).update(seq=2)
        Receipt.objects.filter(pk=five[1].pk).update(seq=3)
    assert only(workspace).seq == 2


def test_a_receipt_put_in_with_a_good_hash_of_its_own_is_found(workspace, five):
    with without_triggers("agents_receipt", "agents_storedanswer"):
        forged = Receipt.objects.get(pk=five[2].pk)
        forged.tool = "forged"
        Receipt.objects.filter(pk=forged.pk).update(tool="forged", hash=receipts.hash_of(forged))
    assert only(workspace).seq == 4


def test_a_head_set_back_is_found(workspace, five):
    ReceiptHead.objects.update(seq=3, hash=five[2].hash)
    assert receipts.verify(workspace)
    ReceiptHead.objects.update(seq=5, hash="0" * 64)
    assert receipts.verify(workspace) == [
        receipts.BrokenLink(5, "", "the head does not name the last receipt")
    ]


def head_of(workspace):
    return ReceiptHead.objects.values_list("seq", "hash").get(workspace=workspace)


def test_the_database_moves_the_end_of_the_chain_with_its_receipts(workspace, five):
    actor = system_actor(workspace.pk, "Tester")
    assert head_of(workspace) == (5, five[-1].hash)
    opened = receipts.open_receipt(actor, ReceiptEntry(tool="begun"))
    assert head_of(workspace) == (5, five[-1].hash)
    receipts.record_many(actor, [ReceiptEntry(tool="one"), ReceiptEntry(tool="two")])
    assert head_of(workspace)[0] == 7
    receipts.close(opened, outcome=Outcome.OK)
    assert head_of(workspace) == (8, opened.hash)
    assert receipts.verify(workspace) == []


@pytest.mark.parametrize(("seq", "is_next"), [(6, False), (7, True), (4000, False)])
def test_a_receipt_put_in_beside_the_chain_leaves_its_end_and_is_found(
    workspace, five, seq, is_next
):
    forged = Receipt.objects.get(pk=five[-1].pk)
    forged.pk, forged.seq, forged.tool = None, seq, "forged"
    forged.prev_hash = five[-1].hash if is_next else "0" * 64
    forged.hash = receipts.hash_of(forged)
    forged.save(force_insert=True)
    assert head_of(workspace) == (5, five[-1].hash)
    assert receipts.verify(workspace)


def test_what_was_written_is_read_again_the_same(workspace):
    odd = {
        "big": 1e16, "small": 1.5e-07, "minus": -0.0, "many": 2**60, "text": "ü\u2028\"\\", "none": None,
        "deep": [{"b": 1, "a": [True, 1.25]}], "long": "x" * 201, "nul": "a\0b", "half": "\ud800",
    }  # fmt: skip
    receipts.record(
        system_actor(workspace.pk, "Tester"), ReceiptEntry(tool="odd", arguments=odd, result=odd)
    )
    assert receipts.verify(workspace) == []
    stored = Receipt.objects.get()
    assert stored.arguments["long"] == {"sha256": stored.arguments["long"]["sha256"], "length": 201}


def test_many_at_once_are_chained_in_few_queries(workspace, django_assert_max_num_queries):
    actor = system_actor(workspace.pk, "Tester")
    receipts.record(actor, ReceiptEntry(tool="first"))
    with django_assert_max_num_queries(12):
        receipts.record_many(
            actor, [ReceiptEntry(tool=f"action_{number}") for number in range(200)]
        )
    assert receipts.verify(workspace) == []


def test_the_chains_of_two_workspaces_are_apart(workspace, five):
    other = factories.make_workspace("other")
    receipts.record(system_actor(other.pk, "Tester"), ReceiptEntry(tool="alone"))
    assert Receipt.objects.get(workspace=other).seq == 1
    assert receipts.verify(other) == receipts.verify(workspace) == []


def test_an_open_receipt_is_closed_once(workspace):
    receipt = receipts.open_receipt(system_actor(workspace.pk, "Tester"), ReceiptEntry(tool="slow"))
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
    with without_triggers("agents_receipt", "agents_storedanswer"):
        Receipt.objects.filter(pk=five[1].pk).update(reason="tidied up")
    out, error, code = run_command()
    assert code == 1
    assert f"lantern: broken at 2 ({five[1].public_id}): its content is not what was written" in out
    assert "lantern" in error


def test_the_command_lists_what_was_left_open(workspace, monkeypatch):
    tester = system_actor(workspace.pk, "Tester")
    receipt = receipts.open_receipt(tester, ReceiptEntry(tool="slow"))
    closed = receipts.record(tester, ReceiptEntry(tool="quick"))
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: later)
    out, _, code = run_command()
    assert code == 0
    assert receipt.public_id in out
    assert closed.public_id not in out


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
    entry = ReceiptEntry(tool="read", arguments={"id": token, token: [f"Bearer {token}!"]})
    receipts.record(system_actor(workspace.pk, "Tester"), entry)
    kept = Receipt.objects.get()
    assert kept.arguments == {"id": "chy_…", "chy_…": ["Bearer chy_…!"]}
    assert receipts.verify(workspace) == []


# -- stored answers --------------------------------------------------------------------------------
@pytest.fixture
def answered(actor, message):
    """Three closed receipts, of which the first two have a stored answer."""
    activity = make_activity(message, status="processed")
    for ids, key in (([activity.public_id], "k0"), ([], "k1"), ([], None)):
        arguments = {"activity_ids": ids, "updates": {"status": "surfaced"}}
        call("update_activities", arguments, actor, key)
    return list(Receipt.objects.order_by("seq"))


def run_sql(statement, *values):
    with without_triggers("agents_receipt", "agents_storedanswer"), connection.cursor() as cursor:
        cursor.execute(statement, values)


def swap_answers(one, other):
    first, second = one.answer.answer, other.answer.answer
    run_sql("UPDATE agents_storedanswer SET answer = %s WHERE receipt_id = %s", second, one.pk)
    run_sql("UPDATE agents_storedanswer SET answer = %s WHERE receipt_id = %s", first, other.pk)


TAMPERING = {
    "changed": lambda a, b, c: run_sql(
        "UPDATE agents_storedanswer SET answer = %s WHERE receipt_id = %s",
        a.answer.answer.replace("1", "2"), a.pk,
    ),
    "changed by a space": lambda a, b, c: run_sql(
        "UPDATE agents_storedanswer SET answer = answer || ' ' WHERE receipt_id = %s", a.pk
    ),
    "removed": lambda a, b, c: run_sql(
        "DELETE FROM agents_storedanswer WHERE receipt_id = %s", a.pk
    ),
    "put in": lambda a, b, c: run_sql(
        "INSERT INTO agents_storedanswer (receipt_id, answer) VALUES (%s, '{}')", c.pk
    ),
    "moved": lambda a, b, c: run_sql(
        "UPDATE agents_storedanswer SET receipt_id = %s WHERE receipt_id = %s", c.pk, a.pk
    ),
    "swapped": lambda a, b, c: swap_answers(a, b),
}  # fmt: skip


@pytest.mark.parametrize("how", TAMPERING)
def test_a_stored_answer_that_was_touched_is_named_by_its_receipt(workspace, answered, how):
    assert [bool(receipt.answer_sha256) for receipt in answered] == [True, True, False]
    assert receipts.verify(workspace) == []
    TAMPERING[how](*answered)
    broken = only(workspace)
    assert broken.receipt_id == answered[2 if how == "put in" else 0].public_id
    out, _, code = run_command()
    assert code == 1
    assert f"({broken.receipt_id})" in out
    assert "answer" in out


def test_a_stored_answer_that_was_touched_is_not_given_again(answered, actor):
    arguments = {
        "activity_ids": [Activity.objects.get().public_id],
        "updates": {"status": "surfaced"},
    }
    assert call("update_activities", arguments, actor, "k0").json == answered[0].answer.answer
    for how in ("changed", "removed"):
        TAMPERING[how](*answered)
        with pytest.raises(ToolError) as caught:
            call("update_activities", arguments, actor, "k0")
        assert caught.value.code == "internal"


def test_an_answer_put_to_a_call_that_is_still_open_is_named(workspace, actor):
    opened = receipts.open_receipt(actor, ReceiptEntry(tool="slow", idempotency_key="k"))
    run_sql("INSERT INTO agents_storedanswer (receipt_id, answer) VALUES (%s, '{}')", opened.pk)
    broken = only(workspace)
    assert broken.receipt_id == opened.public_id
    assert "broken at an open receipt" in run_command()[0]


@pytest.mark.parametrize("statement", ["UPDATE agents_storedanswer SET answer = '{}'", "DELETE FROM agents_storedanswer"])  # fmt: skip
def test_the_database_refuses_to_change_or_remove_a_stored_answer(answered, statement):
    words = "a stored answer is never changed or removed"
    with (
        pytest.raises(IntegrityError, match=words),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert StoredAnswer.objects.count() == 2


# What each column of a closed receipt could be changed to; a new column has to be added here.
CHANGED = {
    "seq": "77", "actor": "'x'", "actor_name": "'x'", "tool": "'x'", "arguments": "'{\"x\": 1}'",
    "arguments_sha256": "'x'", "idempotency_key": "'x'", "decision": "'deny'", "reason": "'x'", "reasons": "'[1]'", "approval": "'x'",
    "outcome": "'error'", "error_code": "'x'", "result": "'{\"x\": 1}'", "answer_sha256": "'x'", "prev_hash": "'x'",
    "hash": "'x'", "shown": "'[1]'", "opened_at": "'2020-01-01 00:00:00+00:00'", "closed_at": "'2020-01-01 00:00:00+00:00'",
}  # fmt: skip


@pytest.mark.parametrize("column", CHANGED)
def test_no_column_of_a_receipt_is_outside_the_chain(workspace, answered, column):
    run_sql(
        f"UPDATE agents_receipt SET {column} = {CHANGED[column]} WHERE id = %s",
        answered[0].pk,
    )
    assert only(workspace)


def test_every_column_is_tried():
    columns = {field.column for field in Receipt._meta.concrete_fields}
    # The key and the workspace are tried by their own tests: rows that are missing or moved.
    assert columns - set(CHANGED) == {"id", "workspace_id"}
    assert {field.column for field in StoredAnswer._meta.concrete_fields} == {
        "receipt_id",
        "answer",
    }


def test_a_receipt_moved_to_another_workspace_is_found(workspace, five):
    other = factories.make_workspace("other")
    run_sql("UPDATE agents_receipt SET workspace_id = %s WHERE id = %s", other.pk, five[2].pk)
    assert receipts.verify(workspace)
    assert receipts.verify(other)


def test_a_chain_is_in_the_order_in_which_calls_ended(workspace, actor):
    first, second = (
        receipts.open_receipt(actor, ReceiptEntry(tool=name)) for name in ("one", "two")
    )
    receipts.close(second, outcome=Outcome.OK)
    receipts.close(first, outcome=Outcome.OK)
    assert (second.seq, first.seq, first.prev_hash) == (1, 2, second.hash)
    assert receipts.verify(workspace) == []
