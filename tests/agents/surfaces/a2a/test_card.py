"""The card: what everybody may read of us, and what a bearer may call."""

import pytest
from a2a.types import a2a_pb2 as pb
from django.test import Client
from google.protobuf.json_format import ParseDict

from agents.operations.agents import create_token
from agents.surfaces.a2a.card import make_card
from agents.surfaces.a2a.skills import public_skills
from tests.agents.surfaces.a2a.conftest import A2A

pytestmark = pytest.mark.django_db(transaction=True)
CONCIERGE = {"classify_activity", "update_activities", "query_activities", "query_people"}
CARD = "/.well-known/agent-card.json"


def test_the_card_has_no_field_that_the_protocol_does_not_know():
    card = ParseDict(make_card(public_skills()), pb.AgentCard())
    assert {skill.id for skill in card.skills} == CONCIERGE
    (interface,) = card.supported_interfaces
    assert (interface.protocol_binding, interface.protocol_version) == ("JSONRPC", "1.0")
    assert interface.url.endswith("/a2a")
    assert card.security_schemes["token"].http_auth_security_scheme.scheme == "Bearer"
    assert card.capabilities.streaming
    assert not card.capabilities.push_notifications


def test_anybody_reads_the_card_and_may_keep_it_for_an_hour():
    response = Client().get(CARD)
    assert response.headers["Cache-Control"] == "public, max-age=3600"
    assert {skill["id"] for skill in response.json()["skills"]} == CONCIERGE
    again = Client().get(CARD, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_skill_names_the_scope_that_it_needs_and_what_it_does():
    skills = {skill["id"]: skill for skill in Client().get(CARD).json()["skills"]}
    needs = skills["update_activities"]["securityRequirements"]
    assert needs == [{"schemes": {"token": {"list": ["storage:write"]}}}]
    assert "a person may have to approve" in skills["update_activities"]["description"]
    assert '"skill": "query_activities"' in skills["query_activities"]["examples"][0]


def test_the_card_is_only_read():
    response = Client().post(CARD)
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


def test_the_extended_card_has_what_the_token_may_call_and_no_more(port, agent, settings):
    settings.BASE_URL = f"http://127.0.0.1:{port}"
    token = create_token(agent=agent, scopes={"storage:read"})[1]
    card = A2A(port, token).ask("get_extended_agent_card", pb.GetExtendedAgentCardRequest())
    named = {skill["id"] for skill in card["skills"]}
    assert "update_activities" not in named
    assert {"query_activities", "look_around"} <= named
    assert "You are Clerk." in card["description"]


def test_the_card_says_that_there_is_push_where_the_operator_named_a_host(settings):
    settings.A2A_PUSH_HOSTS = frozenset({"hooks.example.org"})
    assert Client().get(CARD).json()["capabilities"]["pushNotifications"] is True
