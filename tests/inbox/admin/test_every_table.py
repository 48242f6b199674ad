"""The list and the form of every table: who sees them, and who may change what."""

import pytest
from django.contrib import admin
from django.test import Client

from inbox.models import Role
from tests import factories
from tests.agents.admin.desk import make_everything
from tests.cases import in_one_test, taken_back
from tests.inbox.admin.test_admin import sign_in

pytestmark = pytest.mark.django_db

MODELS = sorted(
    (model._meta.label_lower, model) for model in admin.site._registry if model._meta.app_label in {"inbox", "agents", "calendar_app"}
)  # fmt: skip


def each_model(test):
    """Try it with every table, as it was made."""
    return in_one_test("model", [model for _, model in MODELS])(taken_back(test))


@pytest.fixture(scope="module")
def made_once(make_once):
    """Make at least one row of every kind, in the workspace Lantern."""
    return make_once(make_rows)


def make_rows():
    lantern = factories.make_lantern()
    make_everything(lantern["inbox"], lantern["actor"])
    factories.make_person_user(lantern["workspace"])
    viewer = factories.make_person_user(lantern["workspace"], Role.VIEWER)
    stranger = factories.make_person_user(factories.make_workspace(), Role.OWNER)
    return {**lantern, "viewer": viewer, "stranger": stranger}


@pytest.fixture
def viewer(own_rows, db) -> Client:
    return sign_in(own_rows["viewer"])


@pytest.fixture
def stranger(own_rows, db) -> Client:
    return sign_in(own_rows["stranger"])


def lists(model) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


@each_model
def test_a_member_may_look_at_every_list_and_search_it(viewer, model):
    assert viewer.get(lists(model), follow=True).status_code == 200
    assert viewer.get(lists(model), {"q": "ada"}, follow=True).status_code == 200


@each_model
def test_a_viewer_adds_changes_and_removes_nothing(viewer, model):
    assert viewer.get(f"{lists(model)}add/").status_code == 403
    for row in model._default_manager.all()[:1]:
        response = viewer.post(f"{lists(model)}{row.pk}/change/", {"name": "mine"})
        assert response.status_code in {302, 403}
        assert viewer.post(f"{lists(model)}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        row.refresh_from_db()


@each_model
def test_a_row_of_another_workspace_is_not_there(stranger, model):
    for row in model._default_manager.all()[:1]:
        response = stranger.get(f"{lists(model)}{row.pk}/change/")
        assert response.status_code == 302
        assert response["Location"] in {"/admin/", "/admin/corrections/", "/admin/learned/"}


@each_model
def test_a_row_can_be_looked_at(viewer, model):
    assert model._default_manager.exists()
    for row in model._default_manager.all()[:1]:
        assert viewer.get(f"{lists(model)}{row.pk}/change/", follow=True).status_code == 200
