"""Signing in at a provider, asked of a strict server without any page or row of ours."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.oauth import TokenEndpoint, renew
from inbox.providers.sign_in import device
from inbox.providers.sign_in.asking import ask
from inbox.providers.sign_in.authorization import (
    authorization_url,
    exchange,
    make_question,
    read_redirect,
)
from inbox.providers.sign_in.client import Client
from inbox.providers.sign_in.declared import GOOGLE, MICROSOFT, openid
from inbox.providers.sign_in.device import Waiting
from inbox.providers.sign_in.discovery import AuthorizationServer, discover
from inbox.providers.sign_in.failures import SignInError
from inbox.providers.sign_in.id_tokens import address_of, verify
from inbox.providers.sign_in.tokens import revoke
from tests.cases import in_one_test
from tests.machines.authorization_server import (
    BROWSER,
    CLIENT,
    SECRET,
    authorization_server,
    decide,
    enter_code,
)

BACK = "https://chancery.example/back/"
SCOPES = frozenset({"openid", "email", "https://mail.example/"})
OURS = Client(CLIENT, Secret(SECRET))


@pytest.fixture
def server():
    with authorization_server(redirects={BACK}) as script:
        yield script


def grant(server, about=None):
    """Go through all of it as a person who allows what is asked."""
    about = about or discover(server.issuer, "Lantern ID")
    question = make_question(BACK)
    back = decide(authorization_url(about, CLIENT, question, sorted(SCOPES), {}))
    code = read_redirect(about, question, dict(parse_qsl(urlsplit(back).query)))
    granted = exchange(about, OURS, question=question, code=code, scopes=SCOPES, more={})
    return about, question, code, granted


def test_it_is_known_who_signed_in_and_the_tokens_are_good(server):
    about, question, __, granted = grant(server)
    claims = verify(about, CLIENT, granted.id_token, nonce=question.nonce)
    assert address_of(about, granted, claims, ("email",)) == "mira@lantern.example"
    assert server.is_good(granted.tokens.access.reveal())
    assert granted.scopes == SCOPES
    assert (
        timedelta(minutes=59) < granted.tokens.expires_at - datetime.now(UTC) <= timedelta(hours=1)
    )


@in_one_test("way", ["client_secret_post", "client_secret_basic"])
def test_the_secret_is_shown_as_the_server_wants_it(way):
    with authorization_server(redirects={BACK}, client_auth=way) as server:
        about, __, __, granted = grant(server)
        url, auth = about.token_url, about.client_auth
        again = renew(TokenEndpoint(url, CLIENT, "", auth), granted.tokens)
        assert again.refresh.reveal() != granted.tokens.refresh.reveal()
        assert revoke(about.revocation_url, OURS, auth, again.refresh, "refresh_token")
        assert server.grants[0].ended


def test_a_code_or_refresh_token_that_comes_twice_ends_the_grant(server):
    about, question, code, granted = grant(server)
    with pytest.raises(SignInError, match="no longer accepts"):
        exchange(about, OURS, question=question, code=code, scopes=SCOPES, more={})
    assert not server.is_good(granted.tokens.access.reveal())


def test_another_verifier_gets_nothing(server):
    about = discover(server.issuer, "Lantern ID")
    question, other = make_question(BACK), make_question(BACK)
    back = decide(authorization_url(about, CLIENT, question, sorted(SCOPES), {}))
    code = dict(parse_qsl(urlsplit(back).query))["code"]
    with pytest.raises(SignInError, match="no longer accepts"):
        exchange(about, OURS, question=other, code=code, scopes=SCOPES, more={})


def test_what_the_id_token_leaves_out_is_asked_for(server):
    server.lies = {"email": None, "email_verified": None}
    about, question, __, granted = grant(server)
    claims = verify(about, CLIENT, granted.id_token, nonce=question.nonce)
    assert "email" not in claims
    assert address_of(about, granted, claims, ("email",)) == "mira@lantern.example"
    with pytest.raises(SignInError, match="is for someone else"):
        address_of(about, granted, claims | {"sub": "another"}, ("email",))


@in_one_test("token", ["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "x" * 40_000])
def test_what_is_no_id_token_is_refused(token):
    with authorization_server() as server, pytest.raises(SignInError):
        verify(discover(server.issuer, "Lantern ID"), CLIENT, token, nonce=None)


def test_an_answer_has_to_name_its_server_where_that_says_it_does(server):
    about, question = discover(server.issuer, "Lantern ID"), make_question(BACK)
    given = {"state": question.state, "code": "c"}
    with pytest.raises(SignInError, match="different provider"):
        read_redirect(about, question, given)
    assert read_redirect(about, question, given | {"iss": server.issuer}) == "c"
    with pytest.raises(SignInError, match="does not belong"):
        read_redirect(about, question, given | {"state": "é"})


def test_a_name_with_tenants_is_that_of_a_tenant_alone():
    tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    about = AuthorizationServer("M", "https://login.example/{tenantid}/v2.0", "", "")
    assert about.is_issuer(f"https://login.example/{tenant}/v2.0", tenant)
    assert about.is_issuer(f"https://login.example/{tenant}/v2.0")
    for name in (
        "https://login.example/{tenantid}/v2.0",
        "https://login.example//v2.0",
        "",
        f"https://login.example/{tenant}/x/v2.0",
        f"https://evil.example/{tenant}/v2.0",
    ):
        assert not about.is_issuer(name)
    assert not about.is_issuer(f"https://login.example/{tenant}/v2.0", "another")


def test_a_server_without_openid_discovery_is_found_by_rfc_8414(server):
    server.issuer_path = "/realms/office"
    server.faults["/realms/office/.well-known/openid-configuration"] += [404, 404]
    assert discover(server.issuer, "Lantern ID").token_url == f"{server.url}/token"
    server.faults["/.well-known/oauth-authorization-server/realms/office"].append(404)
    with pytest.raises(SignInError, match="refuses the sign-in"):
        discover(server.issuer, "Lantern ID")


@in_one_test(
    "about",
    [
        {"token_endpoint": "http://tokens.example/"}, {"authorization_endpoint": ""},
        {"jwks_uri": "file:///etc/passwd"}, {"issuer": "https://other.example"},
        {"revocation_endpoint": "https://a@b.example/"},
    ],
)  # fmt: skip
def test_addresses_that_tokens_do_not_go_to_are_refused(about):
    with authorization_server(about=about) as server, pytest.raises(SignInError):
        discover(server.issuer, "Lantern ID")


def test_an_answer_that_does_not_end_is_not_read_to_its_end(server):
    server.about["scopes_supported"] = ["x" * 70_000]
    with pytest.raises(httpx.ReadTimeout):
        ask("GET", f"{server.url}/.well-known/openid-configuration")


def test_a_device_waits_and_gets_its_tokens_once(server):
    server.interval = 0
    about = discover(server.issuer, "Lantern ID")
    code = device.start(about, OURS, sorted(SCOPES))
    assert device.poll(about, OURS, code, SCOPES) == Waiting(code.pause)
    enter_code(server, code.user_code)
    granted = device.poll(about, OURS, code, SCOPES)
    assert not isinstance(granted, Waiting)
    assert verify(about, CLIENT, granted.id_token, nonce=None)["email"] == server.address
    with pytest.raises(SignInError, match="no longer accepts"):
        device.poll(about, OURS, code, SCOPES)


def test_the_server_is_as_strict_as_it_says(server):
    about, question = discover(server.issuer, "Lantern ID"), make_question(BACK)
    good = authorization_url(about, CLIENT, question, sorted(SCOPES), {})
    assert BROWSER.get(good).status_code == 200
    for bad in (
        good + "&surprise=1", good + "&state=again", good.replace("S256", "plain"),
        good.replace("chancery.example", "evil.example"), good.replace("mail.example", "all.example"),
    ):  # fmt: skip
        assert BROWSER.get(bad).status_code == 400
    assert BROWSER.get(about.token_url).status_code == 404
    assert BROWSER.post(about.token_url, data={"client_id": CLIENT}).status_code == 401


def test_kinds_are_granted_by_their_scopes():
    mail = GOOGLE.scopes["mail"]
    assert GOOGLE.granted_kinds([*mail, "HTTPS://WWW.googleapis.com/auth/tasks"]) == [
        "mail",
        "todos",
    ]
    assert GOOGLE.refused_kinds(["mail", "files"], mail) == ["files"]
    assert MICROSOFT.refused_kinds(["mail"], MICROSOFT.scopes["mail"][:1]) == ["mail"]
    assert openid("X", "").refused_kinds(["mail"], []) == []
