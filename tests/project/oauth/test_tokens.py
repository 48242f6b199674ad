"""What a client has once it is let in: a token of an agent, for one address, until it is ended."""

import hashlib
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken
from oauth2_provider.models import Grant as Code

from agents.dispatching.actors import current_actor
from agents.errors import ToolError
from agents.models import Agent, Connection, Receipt, Token
from agents.operations.agents import BASIC_SCOPES, authenticate, create_token, identify
from agents.operations.granting import connections
from agents.operations.stopping import pause_agent, stop_agent
from tests import factories
from tests.cases import in_one_test
from tests.project.oauth.browsing import answer_in
from tests.project.oauth.clients import Client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_came_before(transactional_db):
    cache.clear()


def code_of(person, client, **changes):
    return answer_in(person.decide(client.address(**changes)).headers["location"])["code"]


def error_of(answer):
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


def test_the_answer_says_what_was_given(let_in, person, client_of_mcp):
    code = code_of(person, client_of_mcp)
    answer = client_of_mcp.exchange(code)
    told = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert told["access_token"].startswith("chy_")
    assert told["refresh_token"].startswith("chr_")
    assert (told["token_type"], told["expires_in"]) == ("Bearer", 3600)
    assert told["scope"].split() == list(BASIC_SCOPES)


def test_no_text_of_a_token_is_kept(let_in):
    told = let_in()
    texts = {told["access_token"], told["refresh_token"]}
    with database.cursor() as cursor:
        for model in (Token, Connection, AccessToken, RefreshToken, Receipt):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            kept = repr(cursor.fetchall())
            assert not [text for text in texts if text in kept], model
    assert Token.objects.get().digest == hashlib.sha256(told["access_token"].encode()).hexdigest()


def test_it_is_found_by_one_query_like_any_other(let_in, url):
    told = let_in()
    identify(told["access_token"], f"{url}/mcp")
    with CaptureQueriesContext(database) as asked:
        identify(told["access_token"], f"{url}/mcp/mail")
    assert len(asked) == 1


# -- a code ------------------------------------------------------------------------------------------
@in_one_test(
    ("changes", "error"),
    [
        ({"code_verifier": "x" * 50}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "short"}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:1/callback"}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"code": "another"}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, "unsupported_grant_type"),
        ({"grant_type": None}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_bound_to_its_request(person, client_of_mcp, changes, error):
    cache.clear()
    Token.objects.all().delete()
    code = code_of(person, client_of_mcp)
    answer = client_of_mcp.exchange(**{"code": code, **changes})
    assert error_of(answer) == error
    assert not Token.objects.exists()
    # What somebody else tried in vain, its own client still may.
    assert client_of_mcp.exchange(code).status_code == 200


def test_a_code_of_another_client_gives_nothing(person, client_of_mcp, url):
    code = code_of(person, client_of_mcp)
    other = Client(url)
    other.register()
    other.verifier = client_of_mcp.verifier
    assert error_of(other.exchange(code)) == "invalid_grant"
    assert not Token.objects.exists()


def test_a_code_that_is_used_twice_ends_what_it_gave(person, client_of_mcp):
    code = code_of(person, client_of_mcp)
    told = client_of_mcp.exchange(code).json()
    assert client_of_mcp.read(told["access_token"]).status_code == 200
    assert error_of(client_of_mcp.exchange(code)) == "invalid_grant"
    assert client_of_mcp.read(told["access_token"]).status_code == 401
    assert error_of(client_of_mcp.renew(told["refresh_token"])) == "invalid_grant"
    receipt = Receipt.objects.get(tool="revoke_token")
    assert "Scout" in receipt.reason


def test_an_old_code_gives_nothing(person, client_of_mcp):
    code = code_of(person, client_of_mcp)
    Code.objects.update(expires=timezone.now())
    assert error_of(client_of_mcp.exchange(code)) == "invalid_grant"


def test_what_was_promised_and_never_claimed_is_thrown_away(person, client_of_mcp, let_in):
    let_in(name="Kept")
    code_of(person, client_of_mcp)
    Connection.objects.update(created_at=timezone.now() - timedelta(hours=2))
    connections.forget_unclaimed()
    assert Connection.objects.get().agent.name == "Kept"


# -- where it opens ----------------------------------------------------------------------------------
def test_a_token_opens_its_address_and_what_is_below_it(person, client_of_mcp, url):
    client_of_mcp.resource = f"{url}/mcp/mail"
    token = client_of_mcp.exchange(code_of(person, client_of_mcp)).json()["access_token"]
    found = {
        path: client_of_mcp.read(token, path).status_code
        for path in ("/mcp/mail", "/mcp/mail/", "/mcp/mail/mcp", "/mcp", "/mcp/mesh", "/mcp/mailx")
    }
    assert found == {
        "/mcp/mail": 200, "/mcp/mail/": 200, "/mcp/mail/mcp": 200, "/mcp": 401, "/mcp/mesh": 401,
        "/mcp/mailx": 401,
    }  # fmt: skip


def test_a_token_for_mcp_opens_every_profile_and_not_the_api(let_in, client_of_mcp, port):
    token = let_in()["access_token"]
    assert client_of_mcp.read(token, "/mcp/mesh").status_code == 200
    headers = {"Authorization": f"Bearer {token}"}
    for path in ("/api/v1/threads", "/api/v1/events/stream", "/api/v1/exchange/"):
        assert client_of_mcp.web.get(path, headers=headers).status_code == 401, path
    # The same server by another name is another resource (RFC 8707).
    elsewhere = Client(f"http://localhost:{port}")
    assert elsewhere.read(token).status_code == 401


def test_a_token_that_somebody_made_opens_everything_as_before(client_of_mcp, agent):
    text = create_token(agent=agent, scopes=["inbox:read"])[1]
    assert client_of_mcp.read(text).status_code == 200
    assert client_of_mcp.web.get(
        "/api/v1/threads", headers={"Authorization": f"Bearer {text}"}
    ).status_code == 200  # fmt: skip
    assert authenticate(text).name == "Clerk"


def test_a_token_sees_its_own_workspace_alone(let_in, client_of_mcp):
    other = factories.make_workspace("walnut")
    foreign = factories.make_message(factories.make_inbox(other, "office@walnut.example"))
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_thread", "arguments": {"thread_id": foreign.thread.public_id}},
    }  # fmt: skip
    token = let_in()["access_token"]
    result = client_of_mcp.ask(token, call, "/mcp/mail").json()["result"]
    assert result["isError"]
    assert "not_found" in result["content"][0]["text"]


def test_a_call_beyond_its_scopes_says_which_one_it_lacks(let_in, client_of_mcp, url, inbox):
    token = let_in()["access_token"]
    arguments = {
        "account_id": inbox.account.public_id, "confirm": True,
        "contact_id": factories.make_person(inbox.workspace).public_id,
    }  # fmt: skip
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "contact_delete", "arguments": arguments},
    }  # fmt: skip
    answer = client_of_mcp.ask(token, call, "/mcp/individual")
    assert answer.status_code == 403
    challenge = answer.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert (
        f'resource_metadata="{url}/.well-known/oauth-protected-resource/mcp/individual"'
        in challenge
    )
    assert 'scope="storage:destroy"' in challenge
    # It was refused as ever, with a receipt.
    assert answer.json()["result"]["isError"]
    assert Receipt.objects.latest("pk").error_code == "permission_denied"


def test_the_list_of_tools_is_narrowed_by_its_scopes_and_no_refusal(let_in, client_of_mcp):
    token = let_in(preset="custom", scopes=["memory:read"])["access_token"]
    answer = client_of_mcp.ask(
        token, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "/mcp/mail"
    )
    assert answer.status_code == 200
    names = {tool["name"] for tool in answer.json()["result"]["tools"]}
    assert "look_around" in names
    assert "send_reply" not in names


# -- for how long -----------------------------------------------------------------------------------
def test_a_token_is_renewed_by_a_text_that_is_used_once(let_in, client_of_mcp):
    first = let_in()
    second = client_of_mcp.renew(first["refresh_token"]).json()
    assert client_of_mcp.read(first["access_token"]).status_code == 401
    assert client_of_mcp.read(second["access_token"]).status_code == 200
    third = client_of_mcp.renew(second["refresh_token"]).json()
    assert (Token.objects.count(), Connection.objects.count()) == (1, 1)
    # Somebody has a copy: neither it nor the client goes on.
    assert error_of(client_of_mcp.renew(first["refresh_token"])) == "invalid_grant"
    assert client_of_mcp.read(third["access_token"]).status_code == 401
    assert error_of(client_of_mcp.renew(third["refresh_token"])) == "invalid_grant"
    assert Receipt.objects.filter(tool="revoke_token").count() == 1


def test_a_token_that_expired_opens_nothing_and_is_renewed(let_in, client_of_mcp):
    told = let_in()
    Token.objects.update(renew_at=timezone.now())
    answer = client_of_mcp.read(told["access_token"])
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert client_of_mcp.renew(told["refresh_token"]).status_code == 200


def test_who_stays_away_too_long_signs_in_anew(let_in, client_of_mcp):
    told = let_in()
    Token.objects.update(expires_at=timezone.now(), renew_at=timezone.now())
    assert error_of(client_of_mcp.renew(told["refresh_token"])) == "invalid_grant"
    assert Token.objects.get().revoked_at is None


def test_renewing_gives_no_other_scopes_or_address(let_in, client_of_mcp, url):
    told = let_in()
    wider = client_of_mcp.renew(told["refresh_token"], scope="inbox:read storage:destroy")
    assert error_of(wider) == "invalid_scope"
    elsewhere = client_of_mcp.renew(told["refresh_token"], resource=f"{url}/mcp/mail")
    assert error_of(elsewhere) == "invalid_target"
    narrower = client_of_mcp.renew(told["refresh_token"], scope="inbox:read").json()
    assert narrower["scope"] == "inbox:read"
    assert Token.objects.get().scopes == ["inbox:read"]


def test_another_client_renews_nothing(let_in, client_of_mcp, url):
    told = let_in()
    other = Client(url)
    other.register()
    assert error_of(other.renew(told["refresh_token"])) == "invalid_grant"
    assert client_of_mcp.renew(told["refresh_token"]).status_code == 200


# -- how it ends --------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_client_ends_its_own_token_and_no_other(let_in, client_of_mcp, url, kind):
    told = let_in()
    other = Client(url)
    other.register()
    assert other.leave(told[kind]).status_code == 200
    assert client_of_mcp.read(told["access_token"]).status_code == 200
    assert client_of_mcp.leave(told[kind]).status_code == 200
    assert client_of_mcp.read(told["access_token"]).status_code == 401
    assert error_of(client_of_mcp.renew(told["refresh_token"])) == "invalid_grant"
    receipt = Receipt.objects.get(tool="revoke_token")
    assert receipt.reason == "Scout signed out of Scout"
    assert client_of_mcp.leave("nonsense").status_code == 200


def test_an_owner_sees_it_with_the_other_tokens_and_ends_it_there(let_in, client_of_mcp, person):
    told, token = let_in(), Token.objects.get()
    page = person.open(f"/admin/agents/agent/{token.agent_id}/change/")
    assert "signed in by <bdi>Scout</bdi>" in page.text
    place = f"/admin/agents/agent/{token.agent_id}/tokens/{token.pk}/revoke/"
    form = {"csrfmiddlewaretoken": person.browser.cookies["csrftoken"]}
    answer = person.browser.post(place, data=form, headers={"Referer": str(page.url)})
    assert answer.status_code == 302
    assert client_of_mcp.read(told["access_token"]).status_code == 401
    assert error_of(client_of_mcp.renew(told["refresh_token"])) == "invalid_grant"


def test_an_agent_that_is_paused_or_stopped_does_nothing_by_it(let_in, client_of_mcp, owner):
    told, agent = let_in(), Agent.objects.get()
    pause_agent(agent=agent, by=owner)
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_threads", "arguments": {"inbox_id": "office@lantern.example"}},
    }  # fmt: skip
    result = client_of_mcp.ask(told["access_token"], call, "/mcp/mail").json()["result"]
    assert result["isError"]
    assert "paused" in result["content"][0]["text"]
    stop_agent(agent=agent, by=owner, revoke=True)
    assert client_of_mcp.read(told["access_token"]).status_code == 401
    assert error_of(client_of_mcp.renew(told["refresh_token"])) == "invalid_grant"


def test_what_is_due_runs_by_it_though_its_text_is_to_be_renewed(let_in):
    let_in()
    Token.objects.update(renew_at=timezone.now())
    assert current_actor(Agent.objects.get()).scopes == frozenset(BASIC_SCOPES)


def test_a_token_used_elsewhere_is_refused_in_words(let_in, url):
    told = let_in()
    with pytest.raises(ToolError, match="another address"):
        identify(told["access_token"], f"{url}/mcpx")
    with pytest.raises(ToolError, match="another address"):
        identify(told["access_token"])
