"""What an agent may do is chosen by a sentence; scope by scope, where somebody wants that."""

import pytest
from django.test import Client

from agents.admin.agent_presets import PRESETS, preset_of, scopes_of
from agents.models import Agent, Token
from agents.operations.agents import known_scopes
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(workspace):
    client = Client()
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    return client


def test_each_preset_is_the_one_before_and_more_and_the_last_is_all():
    mail, office, everything = (set(preset.scopes) for preset in PRESETS)
    assert mail < office < everything
    assert everything == set(known_scopes())
    assert {"inbox:read", "comms:send"} <= mail
    assert not {scope for scope in office if scope.endswith(":destroy")}


def test_a_token_is_known_by_its_preset_again():
    for preset in PRESETS:
        assert preset_of(reversed(scopes_of(preset.key, ()))) == preset
    assert preset_of(["inbox:read"]) is None


def add(owner, workspace, **given):
    return owner.post(
        "/admin/agents/agent/add/",
        {"workspace": workspace.pk, "name": "Scribe", "description": "", **given},
    )


def test_an_agent_is_made_by_a_preset_whatever_is_ticked_below(owner, workspace):
    page = owner.get("/admin/agents/agent/add/").content.decode()
    assert "Reads mail and drafts answers" in page
    answer = add(owner, workspace, preset="mail", scopes=["inbox:destroy"])
    assert answer.context["token_text"].startswith("chy_")
    assert Token.objects.get().scopes == PRESETS[0].scopes


def test_or_by_what_is_ticked(owner, workspace):
    add(owner, workspace, preset="custom", scopes=["inbox:read", "time:read"])
    assert Token.objects.get().scopes == ["inbox:read", "time:read"]


@pytest.mark.parametrize(
    "given",
    [{}, {"preset": "custom"}, {"preset": "root"}, {"scopes": ["root"]}],
    ids=["nothing", "nothing ticked", "no preset", "no scope"],
)
def test_what_may_do_nothing_or_what_is_unknown_is_not_made(owner, workspace, given):
    assert add(owner, workspace, **given).status_code == 200
    assert not Agent.objects.exists()


def test_another_token_is_made_by_a_preset_as_well(owner, agent):
    place = f"/admin/agents/agent/{agent.pk}"
    assert "calendar, contacts and files" in owner.get(f"{place}/change/").content.decode()
    owner.post(f"{place}/tokens/", {"preset": "office", "expires_at": ""})
    assert Token.objects.latest("pk").scopes == PRESETS[1].scopes
    owner.post(f"{place}/tokens/", {"preset": "custom", "expires_at": ""}, follow=True)
    assert Token.objects.latest("pk").scopes == PRESETS[1].scopes
