"""The SDK's client, which knows nothing but an address, up to its first read."""

import ssl

import anyio
import httpx2
import pytest
from mcp import Client as SdkClient
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from agents.models import Connection, Receipt, Token
from agents.operations.agents import BASIC_SCOPES
from tests.patience import LONG
from tests.project.oauth.browsing import answer_in
from tests.project.oauth.clients import CALLBACK

pytestmark = pytest.mark.django_db(transaction=True)


class Kept:
    """What the client keeps of itself: nothing, to begin with."""

    tokens = client = context = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Counted(httpx2.AsyncHTTPTransport):
    """Keeps what was asked over the network, in order."""

    def __init__(self):
        super().__init__(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        self.asked = []

    async def handle_async_request(self, request):
        answer = await super().handle_async_request(request)
        what = request.headers.get("mcp-method", request.method)
        self.asked.append((what, request.url.path, answer.status_code))
        return answer


def connect(address, person, kept, work, document=None):
    """Return what `work(client)` returns, and what was asked: by a client that has only `address`."""
    carried, brought = Counted(), {}

    async def open_browser(where):
        answer = await anyio.to_thread.run_sync(person.decide, where)
        brought.update(answer_in(answer.headers["location"]))

    async def wait_for_answer():
        return AuthorizationCodeResult(**brought)

    async def main():
        provider = OAuthClientProvider(
            address, OAuthClientMetadata(redirect_uris=[CALLBACK], client_name="Scout"), kept,
            open_browser, wait_for_answer, client_metadata_url=document,
        )  # fmt: skip
        kept.context = provider.context
        async with httpx2.AsyncClient(auth=provider, transport=carried, timeout=LONG) as web:
            server = streamable_http_client(address, http_client=web)
            async with SdkClient(server, mode="2026-07-28", cache=None) as client:
                return await work(client)

    return anyio.run(main), carried.asked


async def look_around(client):
    return await client.call_tool("look_around", {})


def test_four_round_trips_come_before_the_first_read(url, person, metadata):
    """The refused read, two documents and the token; the read itself is the fifth."""
    answer, asked = connect(f"{url}/mcp", person, Kept(), look_around, metadata.client_id)
    assert answer.structured_content["you"]["name"] == "Scout"
    assert asked[:5] == [
        ("tools/call", "/mcp", 401),
        ("GET", "/.well-known/oauth-protected-resource/mcp", 200),
        ("GET", "/.well-known/oauth-authorization-server", 200),
        ("POST", "/oauth/token", 200),
        ("tools/call", "/mcp", 200),
    ]
    assert metadata.asked == ["/client.json"]
    connection = Connection.objects.get()
    assert (connection.client_name, connection.person.username) == ("Scout", "rhea")
    assert f"https://{connection.host}" == metadata.url
    assert list(Receipt.objects.order_by("pk").values_list("tool", flat=True)) == [
        "create_agent", "connect_client", "look_around",
    ]  # fmt: skip


def test_a_client_without_a_document_registers_itself_first(url, person):
    answer, asked = connect(f"{url}/mcp/mail", person, Kept(), look_around)
    assert answer.structured_content["you"]["name"] == "Scout"
    assert [path for _, path, _ in asked[:6]] == [
        "/mcp/mail", "/.well-known/oauth-protected-resource/mcp/mail",
        "/.well-known/oauth-authorization-server", "/oauth/register", "/oauth/token", "/mcp/mail",
    ]  # fmt: skip
    assert Token.objects.get().audience == f"{url}/mcp/mail"


def test_a_client_renews_what_expired_without_its_person(url, person):
    kept, texts = Kept(), []

    async def stay_away(client):
        await look_around(client)
        texts.append(kept.tokens)
        kept.context.token_expiry_time = 1.0
        return await look_around(client)

    answer, asked = connect(f"{url}/mcp", person, kept, stay_away)
    assert answer.structured_content["you"]["name"] == "Scout"
    assert [path for _, path, _ in asked].count("/oauth/token") == 2
    assert kept.tokens.access_token != texts[0].access_token
    assert kept.tokens.refresh_token != texts[0].refresh_token
    assert (Token.objects.count(), Connection.objects.count()) == (1, 1)


def test_a_call_beyond_its_scopes_has_the_person_asked_for_more(url, person):
    async def delete(client):
        return await client.call_tool(
            "delete", {"resource": "contact", "parameters": {"contact_id": "x", "confirm": True}}
        )

    kept, asked_for = Kept(), []
    connect(f"{url}/mcp", person, kept, look_around)
    decide = person.decide

    def extend(where):
        asked_for.append(where)
        return decide(where)

    person.decide = extend
    _answer, asked = connect(f"{url}/mcp", person, kept, delete)
    assert asked[0] == ("tools/call", "/mcp", 403)
    assert len(asked_for) == 1
    assert "storage%3Adestroy" in asked_for[0]
    assert Token.objects.latest("pk").scopes == sorted({*BASIC_SCOPES, "storage:destroy"})
