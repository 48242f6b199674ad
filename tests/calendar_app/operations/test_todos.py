"""Making, changing, deleting and restoring todos."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import (
    create_todo,
    default_todo_list,
    delete_todo,
    purge_todos,
    restore_todo,
    update_todo,
)
from inbox.errors import DomainError
from inbox.operations.purging import KEPT_FOR

pytestmark = pytest.mark.django_db


@pytest.fixture
def todo_list(workspace):
    return default_todo_list(workspace_id=workspace.pk)


@pytest.fixture
def make(actor, todo_list):
    def make(summary, parent=None, **fields):
        return create_todo(
            actor=actor, todo_list=todo_list, summary=summary, parent=parent, **fields
        )

    return make


def kept():
    return set(Todo.objects.kept().values_list("summary", flat=True))


def test_a_workspace_has_one_default_list(workspace, todo_list):
    assert default_todo_list(workspace_id=workspace.pk) == todo_list
    with pytest.raises(IntegrityError), transaction.atomic():
        TodoList.objects.create(workspace=workspace, name="Other", is_default=True)


def test_todos_are_added_at_the_end(make):
    assert [make(name).position for name in ("one", "two", "three")] == [0, 1, 2]


def test_a_parent_is_of_the_same_list(workspace, actor, make):
    other = TodoList.objects.create(workspace=workspace, name="Other")
    with pytest.raises(DomainError) as caught:
        create_todo(actor=actor, todo_list=other, summary="x", parent=make("elsewhere"))
    assert (caught.value.code, caught.value.field) == ("invalid_input", "parent")


def test_a_parent_that_was_deleted_meanwhile_is_refused(make):
    parent = make("gone")
    delete_todo(todo=parent)
    with pytest.raises(DomainError) as caught:
        make("child", parent=parent)
    assert caught.value.code == "conflict"


def test_a_todo_is_never_its_own_parent(make):
    todo = make("snake")
    with pytest.raises(IntegrityError), transaction.atomic():
        Todo.objects.filter(pk=todo.pk).update(parent=todo)


def test_completing_records_when_and_reopening_forgets_it(make):
    todo = update_todo(todo=make("write"), changes={"status": "completed"})
    first = todo.completed_at
    assert abs(timezone.now() - first) < timedelta(minutes=1)
    assert update_todo(todo=todo, changes={"starred": True}).completed_at == first
    assert update_todo(todo=todo, changes={"status": "needs-action"}).completed_at is None


def test_what_was_deleted_meanwhile_cannot_be_changed(make):
    todo = make("gone")
    delete_todo(todo=todo)
    with pytest.raises(DomainError) as caught:
        update_todo(todo=todo, changes={"summary": "back"})
    assert caught.value.code == "conflict"


def test_those_under_a_todo_go_with_it_and_come_back_with_it(make):
    move = make("move house")
    pack = make("pack", parent=move)
    books = make("books", parent=pack)
    make("something else")
    assert delete_todo(todo=move) == [move.pk, pack.pk, books.pk]
    assert kept() == {"something else"}
    assert set(restore_todo(todo=move)) == {move.pk, pack.pk, books.pk}
    assert Todo.objects.get(pk=books.pk).parent_id == pack.pk


def test_what_was_deleted_before_its_parent_does_not_come_back_with_it(make):
    move = make("move house")
    pack = make("pack", parent=move)
    delete_todo(todo=pack)
    delete_todo(todo=move)
    restore_todo(todo=move)
    assert kept() == {"move house"}


def test_a_part_restored_alone_comes_back_at_the_top_level(make):
    move = make("move house")
    pack = make("pack", parent=move)
    delete_todo(todo=move)
    restore_todo(todo=pack)
    assert kept() == {"pack"}
    assert Todo.objects.get(pk=pack.pk).parent is None


def test_restoring_what_is_there_changes_nothing(make):
    assert restore_todo(todo=make("here")) == []


def test_a_long_chain_is_deleted_restored_and_purged(make, todo_list):
    top = parent = make("0")
    for number in range(1, 1500):
        parent = Todo(
            workspace=todo_list.workspace, list=todo_list, uid=str(number), summary="x",
            parent=parent, created_by="agent:1",
        )  # fmt: skip
        Todo.objects.bulk_create([parent])
    assert len(delete_todo(todo=top)) == 1500
    assert len(restore_todo(todo=top)) == 1500
    delete_todo(todo=top)
    assert purge_todos(timezone.now() + KEPT_FOR + timedelta(minutes=1)) == 1500


def test_only_what_was_deleted_thirty_days_ago_is_purged(make):
    delete_todo(todo=make("gone"))
    make("kept")
    assert purge_todos(timezone.now() + KEPT_FOR - timedelta(minutes=1)) == 0
    assert purge_todos(timezone.now() + KEPT_FOR + timedelta(minutes=1)) == 1
    assert kept() == {"kept"}
