"""What an address tells a client that comes without a token."""

import re

import httpx
import pytest

from agents.operations.agents import BASIC_SCOPES
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db(transaction=True)
RESOURCE = "/.well-known/oauth-protected-resource"


@pytest.fixture
def web(url):
    with httpx.Client(base_url=url) as client:
        yield client


def challenge_of(answer):
    assert answer.status_code == 401
    return dict(re.findall(r'(\w+)="([^"]*)"', answer.headers["www-authenticate"]))


@pytest.mark.parametrize("path", ["/mcp", "/mcp/mail", "/mcp/unified", "/mcp/mail/mcp", "/mcp/"])
def test_a_refusal_leads_to_what_lets_one_in(web, url, path):
    told = challenge_of(web.post(path, json={}))
    assert told == {
        "realm": "chancery", "resource_metadata": f"{url}{RESOURCE}{path}",
        "scope": " ".join(BASIC_SCOPES),
    }  # fmt: skip
    found = web.get(told["resource_metadata"]).json()
    # Clients compare it with the address that they were given (RFC 9728, 3.3).
    assert found["resource"] == url + path
    assert found["authorization_servers"] == [url]
    assert found["bearer_methods_supported"] == ["header"]
    assert found["scopes_supported"] == list(BASIC_SCOPES)


def test_a_token_that_is_none_is_said_to_be_invalid(web):
    told = challenge_of(web.post("/mcp", json={}, headers={"Authorization": "Bearer chy_none"}))
    assert told["error"] == "invalid_token"


def test_without_a_path_it_is_told_of_mcp(web, url):
    assert web.get(RESOURCE).json()["resource"] == f"{url}/mcp"


def test_what_is_no_address_of_mcp_has_no_metadata(web):
    for path in ("/mcp/nonsense", "/mcpx", "/api/v1", "/mcp/mail/x", "/admin"):
        assert web.get(RESOURCE + path).status_code == 404, path
    assert "resource_metadata" not in challenge_of(web.post("/mcp/nonsense", json={}))


def test_the_server_is_described_where_clients_look(web, url):
    told = web.get("/.well-known/oauth-authorization-server")
    assert told.json() == {
        "issuer": url,
        "authorization_endpoint": f"{url}/admin/connect/",
        "token_endpoint": f"{url}/oauth/token",
        "revocation_endpoint": f"{url}/oauth/revoke",
        "registration_endpoint": f"{url}/oauth/register",
        "scopes_supported": told.json()["scopes_supported"],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }
    assert {"inbox:read", "storage:destroy"} <= set(told.json()["scopes_supported"])
    assert web.get("/.well-known/openid-configuration").json() == told.json()


def test_under_another_name_it_is_another_issuer(port):
    """A client that came by this name is sent to no other one."""
    told = httpx.get(f"http://localhost:{port}/.well-known/oauth-authorization-server").json()
    assert told["issuer"] == f"http://localhost:{port}"


def test_a_host_that_is_none_of_ours_is_told_nothing(web):
    for path in (RESOURCE, "/.well-known/oauth-authorization-server"):
        answer = web.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 400
        assert "evil.example" not in answer.text


@in_one_test(
    "path", [RESOURCE, "/.well-known/oauth-authorization-server", "/oauth/token", "/oauth/register"]
)
def test_a_page_of_another_origin_may_ask(web, path):
    asked = {"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"}
    answer = web.options(path, headers=asked)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")
    assert "mcp-protocol-version" in answer.headers["access-control-allow-headers"]


@in_one_test("path", ["/oauth/token", "/oauth/register", "/oauth/revoke"])
def test_another_method_is_refused_with_the_one_that_is_not(web, path):
    answer = web.get(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
