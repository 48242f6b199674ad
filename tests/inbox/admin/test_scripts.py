"""Which of Django's scripts a list and a form bring along: none that nothing on them uses."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client

from agents.models import Token, WebhookEndpoint
from inbox.models import Role, Workspace
from tests import factories
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db
# What is written with jQuery, and what needs what is.
HEAVY = {"jquery", "jquery.init", "RelatedObjectLookups", "inlines", "prepopulate", "prepopulate_init", "urlify", "xregexp"}  # fmt: skip


@pytest.fixture
def owner(workspace) -> Client:
    client = Client()
    user = factories.make_person_user(workspace, Role.OWNER)
    # Django's own tables are for those who operate it.
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    client.force_login(User.objects.get(pk=user.pk))
    return client


def scripts_of(response) -> set[str]:
    """Return the names of a page's scripts, without folder and hash."""
    assert response.status_code == 200
    found = re.findall(r'<script[^>]* src="([^"]+)"', response.content.decode())
    return {re.sub(r"(\.min)?(\.[0-9a-f]{12})?\.js$", "", it.rsplit("/", 1)[1]) for it in found}


def place_of(model, page: str = "") -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/{page}"


@in_one_test("model", sorted(admin.site._registry, key=str))
def test_no_list_has_jquery(owner, model):
    response = owner.get(place_of(model), follow=True)
    assert not scripts_of(response) & HEAVY


def test_a_list_whose_rows_are_ticked_has_what_ticks_them(owner):
    assert "actions" in scripts_of(owner.get(place_of(User)))


@in_one_test("model", [Workspace, WebhookEndpoint])
def test_a_form_of_ours_has_no_jquery(owner, workspace, model):
    pages = {Workspace: f"{workspace.pk}/change/", WebhookEndpoint: "add/"}
    found = scripts_of(owner.get(place_of(model, pages[model])))
    assert "pages" in found
    assert not found & HEAVY


@in_one_test("model", [User, Group])
def test_a_form_with_something_that_opens_beside_it_has_jquery(owner, model):
    assert {"jquery", "RelatedObjectLookups"} <= scripts_of(owner.get(place_of(model, "add/")))


@in_one_test("name", ["raw_id_fields", "autocomplete_fields"])
def test_a_form_with_keys_that_are_searched_has_jquery(name):
    made = type("Rows", (type(admin.site.get_model_admin(Token)),), {name: ("agent",)})
    assert "jquery" in str(made(Token, admin.site).media)
