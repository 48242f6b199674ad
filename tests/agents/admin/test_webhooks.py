"""Webhooks in the admin: owners set them up, and a secret is shown once."""

import re

import pytest

from agents.models import Receipt, WebhookDelivery, WebhookEndpoint
from agents.operations.webhooks import endpoints
from tests import factories

pytestmark = pytest.mark.django_db
LIST = "/admin/agents/webhookendpoint/"
URL = "https://hooks.example.com/chancery"


@pytest.fixture
def olga(client, workspace):
    """An owner, signed in."""
    user = factories.make_person_user(workspace, "owner", "olga")
    client.force_login(user)
    return user


@pytest.fixture
def endpoint(workspace, olga):
    person = factories.person_actor(olga)
    return endpoints.create_webhook(workspace=workspace, by=person, url=URL, facts=[])[0]


def add(client, workspace, **given):
    fields = {"workspace": workspace.pk, "url": URL, "description": "", **given}
    return client.post(f"{LIST}add/", fields)


def test_an_owner_makes_one_and_sees_its_secret_once(client, olga, workspace):
    answer = add(client, workspace, facts=["approval.created", "submission.sent"])
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", answer.content.decode())[0]
    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.facts == ["approval.created", "submission.sent"]
    assert Receipt.objects.get(tool="create_webhook").actor == f"person:{olga.pk}"
    for page in (LIST, f"{LIST}{endpoint.pk}/change/"):
        assert secret not in client.get(page).content.decode()


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "nonsense", "https://u@x.example/"])
def test_a_bad_address_is_said_at_its_field(client, olga, workspace, url):
    answer = add(client, workspace, url=url)
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors["url"]
    assert not WebhookEndpoint.objects.exists()


def test_it_is_changed_with_a_receipt(client, olga, endpoint):
    place = f"{LIST}{endpoint.pk}/change/"
    client.post(place, {"url": f"{URL}/2", "description": "The bot", "facts": ["todo.created"]})
    endpoint.refresh_from_db()
    assert (endpoint.url, endpoint.description, endpoint.facts) == (
        f"{URL}/2", "The bot", ["todo.created"],
    )  # fmt: skip
    assert Receipt.objects.filter(tool="change_webhook").count() == 1


def test_its_secret_is_changed_and_shown_once(client, olga, endpoint):
    before = bytes(endpoint.secret)
    answer = client.post(f"{LIST}{endpoint.pk}/rotate/")
    assert "whsec_" in answer.content.decode()
    endpoint.refresh_from_db()
    assert bytes(endpoint.previous_secret) == before != bytes(endpoint.secret)


def test_it_is_switched_off_and_on(client, olga, endpoint):
    for to in ("off", "on"):
        client.post(f"{LIST}{endpoint.pk}/switch/", {"to": to})
        endpoint.refresh_from_db()
        assert endpoint.is_enabled is (to == "on")


def test_it_is_removed_with_its_deliveries_and_a_receipt(client, olga, endpoint):
    WebhookDelivery.objects.create(
        workspace=endpoint.workspace, endpoint=endpoint, fact="todo.created", payload={}
    )
    client.post(f"{LIST}{endpoint.pk}/delete/", {"post": "yes"})
    assert not WebhookEndpoint.objects.exists()
    assert Receipt.objects.filter(tool="remove_webhook").count() == 1


def test_the_page_shows_deliveries_and_hides_what_an_endpoint_says_in_tags(client, olga, endpoint):
    WebhookDelivery.objects.create(
        workspace=endpoint.workspace, endpoint=endpoint, fact="todo.created", payload={},
        last_status=500, last_answer="<script>alert(1)</script>", attempts=3,
    )  # fmt: skip
    page = client.get(f"{LIST}{endpoint.pk}/change/").content.decode()
    assert "HTTP 500" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("role", ["reviewer", "viewer"])
def test_who_is_no_owner_may_only_look(client, workspace, endpoint, role):
    client.force_login(factories.make_person_user(workspace, role))
    assert client.get(f"{LIST}{endpoint.pk}/change/").status_code == 200
    assert add(client, workspace).status_code == 403
    for action in ("rotate", "switch", "delete"):
        assert client.post(f"{LIST}{endpoint.pk}/{action}/", {"post": "yes"}).status_code == 403
    assert WebhookEndpoint.objects.get().is_enabled


def test_another_workspace_does_not_see_it(client, endpoint):
    client.force_login(factories.make_person_user(factories.make_workspace(), "owner"))
    assert URL not in client.get(LIST).content.decode()
    for action in ("rotate", "switch"):
        assert client.post(f"{LIST}{endpoint.pk}/{action}/").status_code == 404


def test_nothing_is_done_by_get(client, olga, endpoint):
    for action in ("rotate", "switch"):
        assert client.get(f"{LIST}{endpoint.pk}/{action}/").status_code == 405
