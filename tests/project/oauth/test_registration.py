"""Clients that register themselves, and those that a metadata document tells of."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from oauth2_provider.models import Application

from project.oauth import registration
from project.oauth.names import clean_name
from project.oauth.redirects import BadRedirect, check_redirects
from tests.cases import in_one_test
from tests.project.oauth.browsing import answer_in
from tests.project.oauth.clients import CALLBACK, Client, Documents

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_came_before(transactional_db):
    cache.clear()


# -- by themselves -----------------------------------------------------------------------------------
def test_a_client_is_public_whatever_it_asks_for(url):
    client = Client(url)
    answer = client.register(token_endpoint_auth_method="client_secret_basic", scope="inbox:read")
    told = answer.json()
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert told.pop("client_id_issued_at") > 0
    assert told == {
        "client_id": client.id, "client_name": "Scout", "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }  # fmt: skip


@in_one_test(
    "uri",
    [
        "javascript:alert(1)", "javascript://x/%0aalert(1)", "data:text/html,x", "file:///etc/passwd",
        "vbscript:x", "blob:https://x/1", "http://evil.example/cb", "http://127.0.0.1.evil.example/",
        "http://10.0.0.1/cb", "https://user@evil.example/", "https://x.example/#fragment", "/cb", "",
        "https://", "https://ünï.example/", "https://x.example/a b", "https://x.example:99999/",
        "https://x.example/" + "x" * 500, "http:127.0.0.1", "https://x.example\\@evil.example/",
        "//evil.example/cb", "com.evil.app:/cb", None, 7, ["https://x.example/"],
    ],
)  # fmt: skip
def test_an_address_that_nobody_is_sent_to_is_refused(uri):
    with pytest.raises(BadRedirect):
        check_redirects([uri])


@in_one_test(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback", "http://127.0.0.1/cb", "http://[::1]:5/cb",
        "http://localhost:33418/", "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode://vscode.github-authentication/did-authenticate", "https://x.example:8443/cb?a=b",
    ],
)  # fmt: skip
def test_an_address_of_a_usual_client_will_do(uri):
    assert check_redirects([uri]) == [uri]


@in_one_test(
    ("given", "error"),
    [
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK] * 11}, "invalid_redirect_uri"),
        ({"redirect_uris": CALLBACK}, "invalid_redirect_uri"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"grant_types": "authorization_code"}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
        ({"logo_uri": "x" * 20_000}, "invalid_client_metadata"),
    ],
)
def test_what_cannot_be_had_is_refused_by_its_name(url, given, error):
    cache.clear()
    answer = Client(url).register(**given)
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert next(iter(given)) in answer.json()["error_description"] or "16384" in answer.text
    assert not Application.objects.exists()


@in_one_test("body", [b"", b"[]", b"{", b'{"a": NaN}', b'{"a":1,"a":2}', b"\xff"])
def test_what_is_no_object_is_refused(url, body):
    cache.clear()
    headers = {"Content-Type": "application/json"}
    answer = Client(url).web.post("/oauth/register", content=body, headers=headers)
    assert answer.status_code == 400
    assert not Application.objects.exists()


def test_too_many_from_one_address_are_refused(url, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "register_client": "2/h/ip"}
    assert [Client(url).register().status_code for _ in range(3)] == [201, 201, 429]


@in_one_test(
    ("given", "kept"),
    [
        ("Scout", "Scout"), ("  a\n\tb  ", "a b"), ("a\u202eb\u200bc", "a b c"), ("x" * 99, "x" * 60),
        ("\u2028", ""), (None, ""), (["Scout"], ""), ("<b>Claude</b>", "<b>Claude</b>"),
    ],
)  # fmt: skip
def test_a_name_is_a_line_that_can_be_seen(given, kept):
    assert clean_name(given) == kept


def test_clients_that_nobody_let_in_are_forgotten_and_others_kept(url, let_in, client_of_mcp):
    let_in()
    for _ in range(3):
        Client(url).register()
    registration.forget_unused()
    assert Application.objects.count() == 4
    Application.objects.update(created=timezone.now() - timedelta(days=2))
    registration.forget_unused()
    assert Application.objects.get().client_id == client_of_mcp.id


def test_of_very_many_the_oldest_go_first(url, monkeypatch):
    monkeypatch.setattr(registration, "MOST_UNUSED", 2)
    clients = [Client(url) for _ in range(4)]
    for client in clients:
        client.register()
    registration.forget_unused()
    kept = set(Application.objects.values_list("client_id", flat=True))
    assert kept == {client.id for client in clients[2:]}


# -- by a document -------------------------------------------------------------------------------------
@pytest.fixture
def client(url, metadata):
    client = Client(url)
    client.id = metadata.client_id
    return client


def test_a_document_is_read_once_while_it_counts(person, client, metadata):
    for _ in range(2):
        assert person.open(client.address()).status_code == 200
    assert metadata.asked == ["/client.json"]
    Application.objects.update(cimd_expires_at=timezone.now())
    metadata.changes["client_name"] = "Renamed"
    assert "Renamed" in person.open(client.address()).text
    assert metadata.asked == ["/client.json"] * 2


def test_one_that_cannot_be_read_any_more_counts_as_it_was(person, client, metadata):
    person.open(client.address())
    Application.objects.update(cimd_expires_at=timezone.now())
    metadata.status = 500
    assert person.open(client.address()).status_code == 200


@in_one_test(
    "wrong",
    [
        {"changes": {"client_id": "https://other.example/client.json"}},
        {"changes": {"client_id": None}},
        {"changes": {"redirect_uris": ["javascript:alert(1)"]}},
        {"changes": {"redirect_uris": [CALLBACK, "http://evil.example/"]}},
        {"changes": {"redirect_uris": None}},
        {"changes": {"redirect_uris": []}},
        {"changes": {"grant_types": ["client_credentials"]}},
        {"changes": {"grant_types": "authorization_code"}},
        {"changes": {"token_endpoint_auth_method": "client_secret_basic"}},
        {"changes": {"client_secret": "x"}},
        {"changes": {"padding": "x" * 17_000}},
        {"status": 404},
        {"status": 301, "headers": {"Location": "https://127.0.0.1/client.json"}},
        {"kind": "text/html"},
        {"body": b"{"},
        {"body": b"[]"},
        {"body": b"[" * 5000},
    ],
)
def test_a_document_that_will_not_do_makes_no_client(person, client, metadata, wrong):
    cache.clear()
    for name, value in {**vars(Documents()), **wrong, "url": metadata.url}.items():
        setattr(metadata, name, value)
    page = person.open(client.address())
    assert page.status_code == 400
    assert metadata.asked == ["/client.json"]
    assert not Application.objects.exists()


def test_one_that_comes_too_slowly_is_not_waited_for(person, client, metadata, monkeypatch):
    monkeypatch.setattr("project.oauth.documents.SECONDS", 0.3)
    metadata.pause = 3
    page = person.open(client.address())
    assert page.status_code == 400
    assert page.elapsed.total_seconds() < 2.5


@in_one_test(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f000001"]
)
def test_a_document_at_a_private_address_is_not_read(person, client, metadata, settings, host):
    cache.clear()
    settings.WEBHOOK_ALLOW = frozenset()
    place = metadata.url.replace("127.0.0.1", host)
    assert person.open(client.address(client_id=f"{place}/client.json")).status_code == 400
    assert metadata.asked == []
    assert not Application.objects.exists()


@in_one_test("place", ["http://127.0.0.1:9/client.json", "https://127.0.0.1", "x", ""])
def test_what_is_no_address_of_a_document_is_an_unknown_client(person, client, place):
    cache.clear()
    assert person.open(client.address(client_id=place)).status_code == 400


def test_nobody_without_a_session_has_this_server_call_anything(signed_out, client, metadata):
    page = signed_out.browser.get(client.address())
    assert page.headers["location"].startswith("/admin/login/")
    assert client.exchange("a-code").status_code in {400, 401}
    assert client.renew("a-text").status_code in {400, 401}
    assert client.leave("a-text").status_code in {400, 401}
    assert client.leave("a-text", response_type="code").status_code in {400, 401}
    assert metadata.asked == []


def test_a_code_of_a_document_s_client_gives_a_token(person, client, metadata):
    told = answer_in(person.decide(client.address()).headers["location"])
    assert client.read(client.exchange(told["code"]).json()["access_token"]).status_code == 200
    # The endpoint of tokens reads no document, though this one is old by then.
    assert metadata.asked == ["/client.json"]
