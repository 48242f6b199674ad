"""Todos in the admin."""

import pytest
from django.test import Client

from calendar_app.models import Todo
from calendar_app.operations.todos import create_todo, default_todo_list, delete_todo
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db
LIST = "/admin/calendar_app/todo/"


@pytest.fixture
def deleted(workspace, actor):
    todo_list = default_todo_list(workspace_id=workspace.pk)
    todo = create_todo(actor=actor, todo_list=todo_list, summary="Feed <b>the cat</b>")
    create_todo(actor=actor, todo_list=todo_list, summary="Buy food", parent=todo)
    create_todo(actor=actor, todo_list=todo_list, summary="Sleep")
    delete_todo(todo=todo)
    return todo


def sign_in(workspace, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def restore(client, todo):
    chosen = {"action": "restore_chosen", "_selected_action": [todo.pk]}
    return client.post(f"{LIST}?deleted=yes", chosen)


def test_deleted_ones_stand_in_a_list_of_their_own(workspace, deleted):
    client = sign_in(workspace, Role.VIEWER)
    assert "Sleep" in (page := client.get(LIST).content.decode())
    assert "Buy food" not in page
    assert "Feed &lt;b&gt;the cat" in (page := client.get(f"{LIST}?deleted=yes").content.decode())
    assert "Sleep" not in page


@pytest.mark.parametrize(("role", "is_restored"), [("owner", 3), ("reviewer", 3), ("viewer", 1)])
def test_those_who_decide_restore(workspace, deleted, role, is_restored):
    restore(sign_in(workspace, role), deleted)
    assert Todo.objects.kept().count() == is_restored


def test_a_stranger_cannot_restore(deleted):
    restore(sign_in(factories.make_workspace(), Role.OWNER), deleted)
    assert Todo.objects.kept().count() == 1


def test_a_viewer_here_who_is_owner_elsewhere_cannot_restore_here(workspace, deleted):
    client = sign_in(workspace, Role.VIEWER)
    user = workspace.memberships.get().user
    factories.make_workspace().memberships.create(user=user, role=Role.OWNER)
    restore(client, deleted)
    assert Todo.objects.kept().count() == 1
