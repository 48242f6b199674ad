"""The page on which a person lets a client in, and what they and others may do with it."""

import re
from urllib.parse import urlsplit

import httpx
import pytest
from django.core.cache import cache
from oauth2_provider.models import Grant as Code

from agents.models import Agent, Connection, Receipt, Token
from agents.operations.agents import BASIC_SCOPES
from inbox.models import Role
from tests import factories
from tests.cases import in_one_test
from tests.project.oauth.browsing import Person, answer_in
from tests.project.oauth.clients import CALLBACK, Client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_came_before(transactional_db):
    cache.clear()


def answered(answer):
    assert answer.status_code == 302, answer.text
    return answer_in(answer.headers["location"])


# -- what the person decides -----------------------------------------------------------------------
def test_signing_in_leads_back_to_the_page_that_was_asked_for(signed_out, client_of_mcp):
    page = signed_out.open(client_of_mcp.address())
    assert page.url.path == "/admin/connect/"
    assert "Connect Scout" in page.text


def test_an_agent_of_the_clients_name_is_made_for_the_accounts_that_were_chosen(
    person, client_of_mcp, inbox, url
):
    other = factories.make_inbox(inbox.workspace, "second@lantern.example")
    told = answered(
        person.decide(client_of_mcp.address(), name="Scout at home", inboxes=str(other.pk))
    )
    assert told == {"code": told["code"], "state": "a-state", "iss": url}
    agent = Agent.objects.get()
    assert (agent.name, agent.created_by.username) == ("Scout at home", "rhea")
    assert [grant.account_id for grant in agent.grants.all()] == [other.account_id]
    # Until the client comes with its code there is no token of it.
    assert not Token.objects.exists()
    made, connected = Receipt.objects.order_by("pk")
    assert (made.tool, connected.tool) == ("create_agent", "connect_client")
    assert connected.actor_name == "rhea"
    assert connected.arguments == {
        "agent_id": agent.public_id, "client": "Scout", "address": f"{url}/mcp",
        "scopes": list(BASIC_SCOPES),
    }  # fmt: skip


def test_an_agent_that_is_there_keeps_its_accounts(person, client_of_mcp, agent, let_in):
    before = list(agent.grants.values_list("account_id", flat=True))
    answer = let_in(agent=str(agent.pk), inboxes=[])
    assert list(agent.grants.values_list("account_id", flat=True)) == before
    assert Agent.objects.count() == 1
    found = client_of_mcp.read(answer["access_token"]).json()["result"]["structuredContent"]
    assert found["you"]["name"] == "Clerk"


def test_the_person_may_give_less_than_was_asked_for_or_more(person, client_of_mcp, let_in):
    less = let_in(preset="custom", scopes=["inbox:read"], name="One")
    assert less["scope"] == "inbox:read"
    more = let_in(preset="everything", name="Two")
    assert "storage:destroy" in more["scope"].split()
    assert Token.objects.latest("pk").scopes == more["scope"].split()


def test_what_a_client_asks_for_is_proposed_and_what_is_unknown_passed_over(person, client_of_mcp):
    asked = "openid inbox:read offline_access calendar:destroy nonsense"
    page = person.open(client_of_mcp.address(scope=asked))
    ticked = re.findall(r'name="scopes" value="([^"]+)"[^>]*checked', page.text)
    assert ticked == ["calendar:destroy", "inbox:read"]
    basic = person.open(client_of_mcp.address(scope=" ".join(BASIC_SCOPES)))
    assert re.search(r'name="preset" value="mail"[^>]*checked', basic.text)


def test_a_no_goes_back_and_makes_nothing(person, client_of_mcp, url):
    told = answered(person.deny(client_of_mcp.address()))
    assert told == {"error": "access_denied", "state": "a-state", "iss": url}
    assert (Agent.objects.count(), Code.objects.count(), Connection.objects.count()) == (0, 0, 0)


@in_one_test(
    ("given", "words"),
    [
        ({"name": ""}, "An agent needs a name."),
        ({"name": "person:7"}, "Only people have such names."),
        ({"name": "Clerk"}, "already exists"),
        ({"agent": "999"}, "999"),
        ({"preset": "custom", "scopes": []}, "Choose what it can do."),
        ({"preset": "custom", "scopes": ["admin:everything"]}, "admin:everything"),
        ({"inboxes": "999"}, "999"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_made(person, client_of_mcp, agent, given, words):
    cache.clear()
    page = person.decide(client_of_mcp.address(), **given)
    assert page.status_code == 400
    assert words in page.text
    assert (Agent.objects.count(), Code.objects.count(), Connection.objects.count()) == (1, 0, 0)


# -- who may ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", [Role.REVIEWER, Role.VIEWER])
def test_who_makes_no_agents_lets_no_client_in(url, workspace, client_of_mcp, role):
    factories.make_person_user(workspace, role, name="cora")
    page = Person(url, "cora").open(client_of_mcp.address())
    assert page.status_code == 403


def test_an_agent_or_inbox_of_another_workspace_is_not_offered_and_not_taken(
    person, client_of_mcp, workspace
):
    other = factories.make_workspace("walnut")
    inbox = factories.make_inbox(other, "office@walnut.example")
    foreign = factories.make_agent(other, "Foreign", (inbox,))
    page = person.open(client_of_mcp.address())
    assert "walnut" not in page.text
    assert "Foreign" not in page.text
    for given in ({"agent": str(foreign.pk)}, {"inboxes": str(inbox.pk)}):
        assert person.decide(client_of_mcp.address(), **given).status_code == 400
    assert person.decide(client_of_mcp.address(workspace=other.pk)).status_code == 302
    assert Agent.objects.latest("pk").workspace == workspace


def test_who_owns_several_workspaces_chooses_one(person, owner, client_of_mcp, workspace):
    second = factories.make_workspace("walnut")
    owner.memberships.create(workspace=second, role=Role.OWNER)
    page = person.open(client_of_mcp.address())
    assert "Which of your workspaces is it for?" in page.text
    links = re.findall(r'href="(\?[^"]*workspace=\d+)"', page.text)
    assert len(links) == 2
    answered(person.decide(client_of_mcp.address(workspace=second.pk), inboxes=[]))
    assert Agent.objects.get().workspace == second


# -- what others would have the page do ----------------------------------------------------------------
def test_a_form_of_another_site_lets_nobody_in(person, client_of_mcp):
    page = person.open(client_of_mcp.address())
    for given in ({}, {"csrfmiddlewaretoken": "x" * 64}):
        answer = person.browser.post(page.url, data={"allow": "yes", **given})
        assert answer.status_code == 403
    assert not Agent.objects.exists()


def test_the_page_stands_in_no_frame_and_is_kept_by_nobody(person, client_of_mcp):
    page = person.open(client_of_mcp.address())
    assert page.headers["x-frame-options"] == "DENY"
    rules = dict(
        rule.strip().split(" ", 1) for rule in page.headers["content-security-policy"].split(";")
    )
    assert rules["frame-ancestors"] == "'none'"
    # The form may lead on to this client, and to nobody else.
    assert set(rules["form-action"].split()) == {"'self'", "http://127.0.0.1:33418"}
    assert "no-store" in page.headers["cache-control"]
    assert page.headers["referrer-policy"] == "same-origin"


def test_what_a_client_says_of_itself_stays_text(person, url):
    client = Client(url)
    client.register(client_name="<script>alert(1)</script>\u202eevil")
    page = person.open(client.address())
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "\u202e" not in page.text
    assert "not verified" in page.text


def test_only_what_is_registered_is_gone_back_to(person, client_of_mcp):
    for redirect in (
        "https://evil.example/", "http://127.0.0.1:33418/other", "http://127.0.0.1:33418/callback?x=1",
        "http://127.0.0.1:33418/callback/", "http://127.0.0.2:33418/callback",
        "http://127.0.0.1:33418@evil.example/callback", "javascript:alert(1)", "//evil.example",
    ):  # fmt: skip
        page = person.open(client_of_mcp.address(redirect_uri=redirect))
        assert page.status_code == 400, redirect
        assert "evil.example" not in page.headers.get("location", "")
        assert "Let the program know" not in page.text


def test_any_port_of_this_machine_will_do(person, client_of_mcp):
    """A program takes the port that is free when it starts (RFC 8252, 7.3)."""
    elsewhere = CALLBACK.replace("33418", "50123")
    answer = person.decide(client_of_mcp.address(redirect_uri=elsewhere))
    assert answer.headers["location"].startswith(f"{elsewhere}?code=")
    client_of_mcp.redirect = elsewhere
    code = answered(answer)["code"]
    assert client_of_mcp.exchange(code).status_code == 200


def test_a_program_with_a_scheme_of_its_own_is_gone_back_to(person, url):
    client = Client(url, redirect="cursor://anysphere.cursor-mcp/oauth/callback")
    client.register()
    answer = person.decide(client.address())
    assert answer.headers["location"].startswith(f"{client.redirect}?code=")
    assert client.exchange(answered(answer)["code"]).status_code == 200


@in_one_test(
    ("changes", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "S512"}, "invalid_request"),
        ({"response_type": "token"}, "unauthorized_client"),
        ({"response_type": "code token"}, "unauthorized_client"),
        ({"response_type": None}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": "/mcp"}, "invalid_target"),
        ({"resource": "{url}/api"}, "invalid_target"),
        ({"resource": "{url}/mcp/nonsense"}, "invalid_target"),
        ({"resource": "{url}@evil.example/mcp"}, "invalid_target"),
        ({"resource": ["{url}/mcp", "{url}/mcp/mail"]}, "invalid_target"),
    ],
)
def test_nobody_is_sent_anywhere_by_what_is_wrong(person, client_of_mcp, url, changes, error):
    """The person is told, and may tell the program; no address leads on by itself (RFC 9700, 4.11)."""
    cache.clear()
    filled = {
        name: [each.replace("{url}", url) for each in it] if isinstance(it, list)
        else it and it.replace("{url}", url)
        for name, it in changes.items()
    }  # fmt: skip
    page = person.open(client_of_mcp.address(**filled))
    assert page.status_code == 400
    assert "location" not in page.headers
    back = re.search(r'href="(http://127\.0\.0\.1:33418[^"]*)"', page.text)[1].replace("&amp;", "&")
    told = answer_in(back)
    assert (told["error"], told["state"], told["iss"]) == (error, "a-state", url)
    assert (Agent.objects.count(), Code.objects.count()) == (0, 0)


def test_what_is_wrong_is_wrong_when_the_form_is_sent_as_well(person, client_of_mcp):
    page = person.open(client_of_mcp.address())
    weaker = str(page.url).replace("S256", "plain")
    given = {"allow": "yes", "agent": "new", "name": "Scout", "preset": "mail"}
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
    headers = {"Referer": str(page.url)}
    answer = person.browser.post(
        weaker, data={"csrfmiddlewaretoken": token, **given}, headers=headers
    )
    assert answer.status_code == 400
    # What the form says of the request counts for nothing.
    told = {
        **given,
        "redirect_uri": "https://evil.example/",
        "client_id": "x",
        "scope": "inbox:read",
    }
    answer = person.browser.post(
        page.url, data={"csrfmiddlewaretoken": token, **told}, headers=headers
    )
    assert urlsplit(answer.headers["location"]).netloc == "127.0.0.1:33418"


def test_a_parameter_that_is_there_twice_is_refused(person, client_of_mcp):
    twice = client_of_mcp.address() + "&redirect_uri=https%3A%2F%2Fevil.example%2F"
    assert person.open(twice).status_code == 400


def test_an_old_client_that_names_no_resource_means_mcp(person, client_of_mcp, url):
    code = answered(person.decide(client_of_mcp.address(resource=None)))["code"]
    assert client_of_mcp.exchange(code, resource=None).status_code == 200
    assert Token.objects.get().audience == f"{url}/mcp"


def test_one_person_cannot_have_very_many_read(person, client_of_mcp, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "authorize_client": "1/m/user"}
    statuses = [person.open(client_of_mcp.address()).status_code for _ in range(2)]
    assert statuses == [200, 429]


def test_no_page_says_which_clients_there_are(url, client_of_mcp):
    """Without a session every address leads to signing in, whoever asks."""
    for changes in ({}, {"client_id": "nobody"}, {"redirect_uri": "https://evil.example/"}):
        answer = httpx.get(client_of_mcp.address(**changes))
        assert answer.status_code == 302
        assert answer.headers["location"].startswith("/admin/login/?next=/admin/connect/")
