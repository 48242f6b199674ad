"""Whatever a list is filtered by and a form offers, nothing of another workspace is named there."""

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import BinaryField, CharField, EmailField, Field, JSONField, Model, TextField
from django.http import HttpRequest
from django.test import Client, RequestFactory

from agents.models import Agent, Token
from inbox.admin.base import WorkspaceAdmin
from inbox.models import Membership, Role
from tests import factories
from tests.agents.admin.desk import make_everything

pytestmark = pytest.mark.django_db

MARK = "zymurgy"
ADMINS = {
    model._meta.label_lower: model
    for model, made in admin.site._registry.items()
    if isinstance(made, WorkspaceAdmin)
}
each_list = pytest.mark.parametrize("model", ADMINS.values(), ids=ADMINS.keys())


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_both)


def make_both():
    """As much in a second workspace as in Lantern, marked wherever it has words of its own."""
    lantern = factories.make_lantern()
    owner = factories.make_person_user(lantern["workspace"], Role.OWNER, name="olga")
    make_everything(lantern["inbox"], lantern["actor"])
    place = factories.make_workspace(MARK)
    factories.make_person_user(place, Role.OWNER, name=f"{MARK}-olaf")
    other = factories.make_inbox(place, f"office@{MARK}.example")
    agent = factories.make_agent(place, f"{MARK} clerk", (other,))
    make_everything(other, factories.agent_actor(agent))
    for model in {field.related_model for made in ADMINS.values() for field in relations(made)}:
        mark(model, place)
    return {**lantern, "owner": owner, "theirs": place}


@pytest.fixture
def owner(own_rows, db) -> User:
    return own_rows["owner"]


@pytest.fixture
def client(owner) -> Client:
    made = Client()
    made.force_login(owner)
    return made


@pytest.fixture
def theirs(own_rows, db):
    return own_rows["theirs"]


def mark(model: type[Model], place: Model) -> None:
    """Put the mark into every text of the workspace's rows that the database lets us change."""
    if not any(field.name == "workspace" for field in model._meta.fields):
        return
    for row in model._default_manager.filter(workspace=place):
        for field in model._meta.concrete_fields:
            if isinstance(field, (CharField, TextField)) and not field.choices:
                at = f"@{MARK}.example" if isinstance(field, EmailField) else ""
                new = f"{MARK}{row.pk}{at}"[: field.max_length]
                try:
                    with transaction.atomic():
                        model._default_manager.filter(pk=row.pk).update(**{field.name: new})
                except DatabaseError:
                    continue


def relations(model: type[Model]) -> list[Field]:
    return [
        field for field in model._meta.get_fields() if field.is_relation and field.related_model
    ]


def paths(model: type[Model]) -> Iterator[str]:
    """Every relation of a model, and every column of the rows it leads to."""
    for field in relations(model):
        yield field.name
        for beyond in field.related_model._meta.concrete_fields:
            if not isinstance(beyond, (BinaryField, JSONField)) and not beyond.primary_key:
                yield f"{field.name}__{beyond.name}"


def changelist(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def asked_by(user: User, place: str = "/admin/", **data: str) -> HttpRequest:
    request = RequestFactory().get(place, data)
    request.user = user
    return request


def named_by_django(model: type[Model], path: str, user: User) -> bool:
    """Whether Django's own filter would name the other workspace."""
    field = get_fields_from_path(model, path)[-1]
    made = admin.site.get_model_admin(model)
    spec = admin.FieldListFilter.create(field, asked_by(user), {}, model, made, field_path=path)
    return any(MARK in str(one).lower() for one in getattr(spec, "lookup_choices", ()))


def offered(model: type[Model], user: User) -> str:
    """All that the filters of a list offer."""
    changes = admin.site.get_model_admin(model).get_changelist_instance(asked_by(user))
    return str([list(spec.choices(changes)) for spec in changes.filter_specs]).lower()


def install(monkeypatch, model: type[Model], **options) -> None:
    for name, value in options.items():
        monkeypatch.setattr(type(admin.site.get_model_admin(model)), name, value)


@each_list
def test_no_filter_of_a_list_names_what_another_workspace_has(
    theirs, client, owner, model, monkeypatch
):
    every = tuple(paths(model))
    assert any(named_by_django(model, path, owner) for path in every)
    install(monkeypatch, model, list_filter=every)
    found = offered(model, owner)
    assert MARK not in found
    response = client.get(changelist(model))
    assert response.status_code in {200, 302}
    assert MARK not in response.content.decode().lower()
    if "cl" in (response.context or ()):
        assert response.context["cl"].has_filters


def test_a_filter_offers_what_is_ones_own(theirs, inbox, client, monkeypatch):
    factories.make_agent(inbox.workspace, "Lantern scribe", (inbox,))
    install(monkeypatch, Token, list_filter=("agent", "agent__name"))
    text = client.get(changelist(Token)).content.decode()
    for name in ("Clerk", "Lantern scribe"):
        assert text.count(f">{name}</a>") >= 2


@pytest.mark.parametrize(
    "written",
    [
        ("agent", admin.RelatedFieldListFilter),
        ["agent", admin.RelatedOnlyFieldListFilter],
        ("agent__name", admin.AllValuesFieldListFilter),
        ("agent", type("OfOnesOwn", (admin.RelatedFieldListFilter,), {})),
    ],
    ids=["related", "only related", "values", "of one's own"],
)
def test_nor_does_one_that_is_written_out(theirs, inbox, owner, monkeypatch, written):
    factories.make_agent(inbox.workspace, "Lantern scribe", (inbox,))
    install(monkeypatch, Token, list_filter=(written,))
    found = offered(Token, owner)
    assert "lantern scribe" in found
    assert MARK not in found


def test_a_filter_does_not_name_what_ones_own_row_points_to_by_mistake(
    theirs, owner, workspace, monkeypatch
):
    assert Token.objects.filter(workspace=workspace).update(
        agent=Agent.objects.get(workspace=theirs)
    )
    install(monkeypatch, Token, list_filter=("agent", "agent__name"))
    assert MARK not in offered(Token, owner)


def test_a_filter_by_the_key_of_another_workspace_finds_nothing(
    theirs, workspace, client, monkeypatch
):
    factories.make_agent(workspace, "Lantern scribe")
    install(monkeypatch, Token, list_filter=("agent",))
    foreign = Agent.objects.get(workspace=theirs)
    response = client.get(changelist(Token), {"agent__id__exact": foreign.pk})
    assert response.context["cl"].result_count == 0
    assert MARK not in response.content.decode().lower()


def test_who_shares_one_workspace_does_not_show_their_others(theirs, owner, workspace, monkeypatch):
    shared = User.objects.get(username=f"{MARK}-olaf")
    shared.username = "olaf"
    shared.save()
    Membership.objects.create(user=shared, workspace=workspace, role=Role.REVIEWER)
    Agent.objects.update(created_by=shared)
    path = "created_by__memberships__workspace"
    install(monkeypatch, Agent, list_filter=("created_by", path, f"{path}__name"))
    found = offered(Agent, owner)
    assert "olaf" in found
    assert MARK not in found


# -- forms -----------------------------------------------------------------------------------------
@each_list
def test_no_form_offers_what_another_workspace_has(theirs, owner, model, monkeypatch):
    here = admin.site.get_model_admin(model)
    for field in model._meta.get_fields():
        if field.is_relation and not field.auto_created and field.related_model:
            made = here.formfield_for_dbfield(field, asked_by(owner))
            assert MARK not in str(list(getattr(made, "choices", ()))).lower(), field.name


def test_what_completes_a_field_knows_nothing_of_another_workspace(
    theirs, owner, client, monkeypatch
):
    install(monkeypatch, Token, autocomplete_fields=("agent",))
    install(monkeypatch, Agent, ordering=("name",))
    asked = {"app_label": "agents", "model_name": "token", "field_name": "agent", "term": ""}
    text = client.get("/admin/autocomplete/", asked).content.decode().lower()
    assert "clerk" in text
    assert MARK not in text


def test_a_key_typed_by_hand_is_named_only_where_it_is_on_offer(theirs, inbox, owner, monkeypatch):
    install(monkeypatch, Token, raw_id_fields=("agent",))
    field = admin.site.get_model_admin(Token).formfield_for_dbfield(
        Token._meta.get_field("agent"), asked_by(owner)
    )
    mine, foreign = Agent.objects.get(name="Clerk"), Agent.objects.get(workspace=theirs)
    assert "Clerk" in field.widget.render("agent", mine.pk)
    for key in (foreign.pk, "x", 2**70, None):
        assert MARK not in field.widget.render("agent", key).lower()
