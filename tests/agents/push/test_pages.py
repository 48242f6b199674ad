"""A browser is subscribed and removed on the page of notices; the pages can be installed."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client

from agents.models import PushSubscription
from agents.push.encryption import from_text, point_of, read_point, to_text
from agents.push.vapid import public_key
from tests import factories

pytestmark = pytest.mark.django_db
PLACE = "/admin/me/notices/push/"
PAGE = "/admin/me/notices/"


def given(**more: str) -> dict[str, str]:
    key = point_of(ec.generate_private_key(ec.SECP256R1()).public_key())
    made = {"key": to_text(key), "auth": to_text(b"0123456789abcdef")}
    return {"endpoint": "https://push.example/1", **made, **more}


def test_a_browser_is_subscribed_listed_and_removed_by_its_person_alone(
    client, reviewer, workspace
):
    client.force_login(reviewer)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    added = client.post(PLACE, given(), headers={"User-Agent": agent})
    assert added.json() == {"subscribed": True}
    text = client.get(PAGE).content.decode()
    assert "Firefox on Linux" in text
    assert public_key() in text
    assert "push.example" not in text
    other = Client()
    other.force_login(factories.make_person_user(workspace, name="otto"))
    row = PushSubscription.objects.get()
    assert other.post(f"{PLACE}{row.pk}/remove/").status_code == 404
    assert client.get(f"{PLACE}{row.pk}/remove/").status_code == 405
    assert client.post(f"{PLACE}{row.pk}/remove/").status_code == 302
    assert not PushSubscription.objects.exists()


def test_what_is_no_subscription_is_refused_in_words(client, reviewer):
    client.force_login(reviewer)
    for change in ({"endpoint": "http://10.0.0.1/"}, {"key": "x"}, {"auth": ""}):
        refused = client.post(PLACE, given(**change))
        assert refused.status_code == 400
        assert refused.json()["error"]
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(reviewer)
    assert strict.post(PLACE, given()).status_code == 403
    assert Client().post(PLACE, given()).status_code == 302


def test_our_own_key_is_one_point_and_the_same_each_time(settings):
    first = public_key()
    read_point(from_text(first))
    assert public_key() == first
    settings.SECRET_KEY = "another"
    assert public_key() != first


def test_the_pages_can_be_installed_and_the_worker_keeps_nothing(client, reviewer):
    told = json.loads(client.get("/admin/manifest.webmanifest").content)
    assert (told["start_url"], told["scope"], told["display"]) == (
        "/admin/",
        "/admin/",
        "standalone",
    )
    assert {icon["sizes"] for icon in told["icons"]} == {"192x192", "512x512"}
    for icon in told["icons"]:
        picture = client.get(icon["src"])
        body = b"".join(picture.streaming_content) if picture.streaming else picture.content
        assert body.startswith(b"\x89PNG")
    worker = client.get("/admin/service-worker.js")
    assert worker["Content-Type"] == "text/javascript"
    assert worker["Cache-Control"] == "no-cache"
    script = worker.content.decode()
    for word in ("caches", "fetch", "indexedDB"):
        assert word not in script
    assert 'rel="manifest"' in client.get("/admin/login/").content.decode()
