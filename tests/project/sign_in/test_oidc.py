"""Signing in by a provider of identities, which runs beside the test: members, and nobody else."""

import time
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import NoticeSettings
from inbox.models import OutsideIdentity
from tests import factories
from tests.oidc_server import CLIENT, OTHER_KEY, SECRET, oidc_server

pytestmark = pytest.mark.django_db
BEGIN = "/admin/login/oidc/"


@pytest.fixture
def provider(settings, reviewer):
    with oidc_server() as server:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = server.url, CLIENT
        settings.OIDC_CLIENT_SECRET = SECRET
        User.objects.filter(pk=reviewer.pk).update(email="Rhea@Lantern.example")
        yield server


def leave(client: Client, place: str = BEGIN) -> dict[str, str]:
    """Begin, and return what the provider is asked."""
    answer = client.get(place)
    assert answer.status_code == 302, answer.content.decode()
    return {name: it[0] for name, it in parse_qs(urlsplit(answer["Location"]).query).items()}


def come(client: Client, provider, place: str = BEGIN, **changes: str):
    """Go there and back."""
    back = urlsplit(provider.authorize(leave(client, place)))
    query = {name: it[0] for name, it in parse_qs(back.query).items()}
    return client.get(back.path, {**query, **changes})


def words_of(answer) -> str:
    assert answer.status_code == 403
    return answer.content.decode()


def test_a_member_with_the_verified_address_comes_in_and_is_known_from_then_on(client, provider):
    assert 'href="/admin/login/oidc/' in client.get("/admin/login/").content.decode()
    answer = come(client, provider, f"{BEGIN}?next=/admin/me/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/me/")
    assert client.get("/admin/me/").context["user"].username == "rhea"
    # Another address there makes nobody else of them.
    provider.claims["email"] = "new@lantern.example"
    other = Client()
    come(other, provider)
    assert other.get("/admin/me/").context["user"].username == "rhea"


def test_what_is_asked_has_state_nonce_and_a_challenge_and_differs_each_time(client, provider):
    first, second = leave(client), leave(Client())
    assert first["response_type"] == "code"
    assert first["code_challenge_method"] == "S256"
    assert first["redirect_uri"].endswith("/admin/login/oidc/callback/")
    for name in ("state", "nonce", "code_challenge"):
        assert first[name] != second[name]


def test_an_address_confirmed_for_notices_does_and_the_user_info_too(client, provider, reviewer):
    User.objects.update(email="")
    NoticeSettings.objects.create(user=reviewer, mail_address="rhea@lantern.example")
    del provider.claims["email"], provider.claims["email_verified"]
    provider.userinfo = {"sub": "u-1", "email": "rhea@lantern.example", "email_verified": True}
    assert "No member here" in words_of(come(client, provider))
    NoticeSettings.objects.update(mail_confirmed_at="2026-01-01T00:00Z")
    assert come(client, provider).status_code == 302
    provider.userinfo["sub"] = "u-2"
    assert "s answer is for someone else" in words_of(come(client, provider))


def test_strangers_and_the_half_known_stay_out(client, provider, reviewer, workspace):
    provider.claims |= {"email": "eve@evil.example", "sub": "eve"}
    assert "No member here has your address" in words_of(come(client, provider))
    provider.claims |= {"email": "rhea@lantern.example", "email_verified": False}
    assert (
        "The provider has not verified your address, so you cannot be recognized here"
        in words_of(come(client, provider))
    )
    provider.claims["email_verified"] = True
    double = factories.make_person_user(workspace, name="double")
    User.objects.filter(pk=double.pk).update(email="rhea@lantern.example")
    assert "No member here" in words_of(come(client, provider))
    User.objects.filter(pk=double.pk).update(email="", is_active=True)
    OutsideIdentity.objects.create(user=reviewer, issuer=provider.url, subject="the-real-one")
    assert "Your address belongs to a member with a different account at the provider" in words_of(
        come(client, provider)
    )
    assert User.objects.count() == 2
    assert client.get("/admin/me/").status_code == 302


def test_whoever_may_come_in_no_more_does_not_by_the_provider_either(client, provider, reviewer):
    come(client, provider)
    User.objects.filter(pk=reviewer.pk).update(is_staff=False)
    other = Client()
    assert come(other, provider)["Location"] == "/admin/login/?refused=yes"
    assert (
        "Try again, or sign in with your name and password"
        in other.get("/admin/login/?refused=yes").content.decode()
    )


def test_an_answer_that_does_not_hold_is_refused(client, provider):
    cases = {
        "another nonce": {"changes": {"nonce": "old"}},
        "no nonce": {"changes": {"nonce": None}},
        "for another client": {"changes": {"aud": "another"}},
        "for two, given to another": {"changes": {"aud": [CLIENT, "x"], "azp": "x"}},
        "another issuer": {"changes": {"iss": "https://evil.example"}},
        "out of date": {"changes": {"exp": int(time.time()) - 600}},
        "another key": {"signs_with": OTHER_KEY},
        "no signature": {"algorithm": "none"},
        "signed by a shared secret": {"algorithm": "HS256", "signs_with": SECRET * 3},
    }
    plain = {"changes": {}, "signs_with": provider.signs_with, "algorithm": "RS256"}
    for name, lie in cases.items():
        for field, value in {**plain, **lie}.items():
            setattr(provider, field, value)
        assert come(client, provider).status_code == 403, name
        assert client.get("/admin/me/").status_code == 302, name


def test_an_answer_to_no_question_of_this_browser_is_refused(client, provider):
    assert "This answer does not belong to a sign-in from this browser" in words_of(
        come(client, provider, state="made-up")
    )
    assert "The answer comes from a different provider than the one asked" in words_of(
        come(client, provider, iss="https://evil.example")
    )
    assert "The provider did not sign you in" in words_of(
        come(client, provider, error="access_denied")
    )
    place = urlsplit(provider.authorize(leave(client)))
    assert Client().get(f"{place.path}?{place.query}").status_code == 403
    assert client.get(f"{place.path}?{place.query}").status_code == 302
    # And each does once.
    assert client.get(f"{place.path}?{place.query}").status_code == 403


def test_a_code_that_another_browser_asked_for_is_not_taken(client, provider):
    stolen = parse_qs(urlsplit(provider.authorize(leave(Client()))).query)["code"][0]
    assert "answers with an error" in words_of(come(client, provider, code=stolen))


def test_a_provider_that_is_away_or_is_another_is_said(client, provider, settings):
    settings.OIDC_ISSUER = f"{provider.url}/"
    assert "s name does not match CHANCERY_OIDC_ISSUER" in words_of(client.get(BEGIN))
    settings.OIDC_ISSUER = "http://127.0.0.1:1"
    assert "cannot be reached" in words_of(client.get(BEGIN))


def test_where_none_is_set_there_is_no_such_page(client, reviewer, settings):
    settings.OIDC_ISSUER = ""
    assert "oidc" not in client.get("/admin/login/").content.decode()
    for place in (BEGIN, f"{BEGIN}callback/"):
        assert client.get(place).status_code == 404
