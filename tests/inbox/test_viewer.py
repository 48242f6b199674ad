"""Who looks, and what they may do where."""

import pytest
from django.contrib.auth.models import AnonymousUser

from inbox.models import Role
from inbox.viewer import viewer_of_user
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("role", "decides", "manages"),
    [(Role.OWNER, True, True), (Role.REVIEWER, True, False), (Role.VIEWER, False, False)],
)
def test_the_role_says_what_a_person_may_do(workspace, role, decides, manages):
    viewer = viewer_of_user(factories.make_person_user(workspace, role))
    assert (viewer.may_decide(workspace.pk), viewer.may_manage(workspace.pk)) == (decides, manages)
    assert viewer.managed == ([workspace.pk] if manages else [])


def test_an_owner_here_is_nobody_there(workspace):
    elsewhere = factories.make_workspace()
    viewer = viewer_of_user(factories.make_person_user(workspace, Role.OWNER))
    assert not viewer.is_member(elsewhere.pk)
    assert not viewer.may_decide(elsewhere.pk)


def test_a_superuser_belongs_where_they_were_made_a_member_only(workspace, admin_user):
    viewer = viewer_of_user(admin_user)
    assert not viewer.is_member(None)
    assert viewer.actor.workspace_ids == ()


def test_nobody_is_in_no_workspace(workspace):
    assert viewer_of_user(AnonymousUser()).actor.workspace_ids == ()
