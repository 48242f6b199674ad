"""Tokens and time by account and day: set aside before, settled after, refused by a code."""

import threading
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.test import override_settings
from django.utils import timezone

from inbox.language_model.budgets import reserve, settle
from inbox.language_model.consulting import KEEP, consult, may_ask, remove_old_answers
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Passage, Prompt
from inbox.models import ModelAnswer, ModelSetting, ModelUse

PROMPT = Prompt("check", 3, "Say.", [Passage("S1", "Something.", "known")], most_tokens=100)


def code(account, *given):
    with pytest.raises(ModelError) as caught:
        reserve(account, *given)
    return caught.value.code


@pytest.mark.django_db
@override_settings(MODEL_TOKENS_A_DAY=1000, MODEL_SECONDS_A_DAY=100)
def test_what_is_set_aside_counts_until_it_is_settled(inbox):
    one = reserve(inbox.account, 600, 60)
    assert code(inbox.account, 600, 10) == "over_tokens"
    assert code(inbox.account, 100, 60) == "over_seconds"
    settle(one, tokens=50, milliseconds=900)
    reserve(inbox.account, 900, 90)
    use = ModelUse.objects.get()
    assert (use.tokens, use.milliseconds, use.questions) == (950, 90_900, 2)


@pytest.mark.django_db
@override_settings(MODEL_TOKENS_A_DAY=1000)
def test_the_next_day_begins_anew(inbox):
    reserve(inbox.account, 1000, 1)
    ModelUse.objects.update(day=timezone.now().date() - timedelta(days=1))
    reserve(inbox.account, 1000, 1)
    assert ModelUse.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@override_settings(MODEL_TOKENS_A_DAY=1000)
def test_of_many_at_once_no_more_are_let_through_than_the_budget_has(inbox):
    done, barrier = [], threading.Barrier(6)

    def run():
        barrier.wait()
        try:
            done.append(reserve(inbox.account, 300, 1))
        except ModelError as error:
            done.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(done), done.count("over_tokens")) == (6, 3)
    assert ModelUse.objects.get().tokens == 900


@pytest.mark.django_db(transaction=True)
def test_no_model_is_asked_within_a_transaction(inbox, machine):
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        consult(inbox.account, PROMPT, "apr_x")
    assert machine.asked == []


@pytest.mark.django_db
def test_what_was_said_is_kept_with_the_hash_of_the_question_and_counted(inbox, machine):
    machine.says('```json\n{"a": 1}\n```')
    consulted = consult(inbox.account, PROMPT, "apr_x")
    assert consulted.found == {"a": 1}
    row = ModelAnswer.objects.get()
    assert (row.prompt_sha256, row.prompt_version, row.about) == (PROMPT.sha256, 3, "apr_x")
    assert (row.input_tokens, row.output_tokens, row.model) == (700, 30, "openai:scripted")
    assert ModelUse.objects.get().tokens == 730


@pytest.mark.django_db
def test_a_server_that_counts_nothing_is_counted_by_the_letters(inbox, machine):
    machine.usage = False
    consult(inbox.account, PROMPT, "apr_x")
    assert ModelUse.objects.get().tokens == PROMPT.tokens


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "cost"), [(401, 0), (500, PROMPT.tokens + 100)])
def test_what_failed_costs_what_it_may_have_cost(inbox, machine, status, cost):
    machine.status = status
    with pytest.raises(ModelError):
        consult(inbox.account, PROMPT, "apr_x")
    assert ModelUse.objects.get().tokens == cost


@pytest.mark.django_db
def test_over_the_budget_nobody_is_asked_and_it_is_kept_why(inbox, machine):
    with override_settings(MODEL_TOKENS_A_DAY=0), pytest.raises(ModelError):
        consult(inbox.account, PROMPT, "apr_x")
    assert (machine.asked, ModelAnswer.objects.get().outcome) == ([], "over_tokens")


@pytest.mark.django_db
def test_without_a_model_the_database_is_not_even_asked(inbox, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert not may_ask(inbox.workspace_id, "check")


@pytest.mark.django_db
def test_a_task_is_done_only_where_the_owner_lets_it(inbox, machine):
    assert not may_ask(inbox.workspace_id, "check")
    ModelSetting.objects.create(workspace=inbox.workspace, tasks=["check"])
    assert may_ask(inbox.workspace_id, "check")
    assert not may_ask(inbox.workspace_id, "draft")


@pytest.mark.django_db
def test_answers_go_after_a_while(inbox, machine):
    consult(inbox.account, PROMPT, "apr_x")
    now = timezone.now()
    assert remove_old_answers(now + KEEP - timedelta(hours=1)) == 0
    assert remove_old_answers(now + KEEP + timedelta(hours=1)) == 1
