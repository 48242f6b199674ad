"""Every page that a browser is shown has a strict policy, and keeps it: no inline code, no inline style."""

from html.parser import HTMLParser
from uuid import uuid4

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, reverse
from django.urls.converters import UUIDConverter

from agents.admin.urls import urlpatterns as agent_pages
from inbox.admin.urls import urlpatterns as inbox_pages
from inbox.models import Attachment, Role
from inbox.operations.files import create_file
from tests import factories
from tests.agents.admin.desk import make_desk, make_shared
from tests.cases import in_one_test, taken_back

pytestmark = pytest.mark.django_db

MODELS = sorted(
    (model._meta.label_lower, model)
    for model in admin.site._registry
    if model._meta.app_label in {"inbox", "agents", "calendar_app"}
)
STRICT = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
}
LOCKED = "sandbox; default-src 'none'"


class Reader(HTMLParser):
    """Collects what a strict policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        inline = tag == "style" or (tag == "script" and "src" not in given)
        if inline and given.get("type") != "application/json":
            self.refused.append(f"<{tag}>")
        for name, value in attrs:
            words = (value or "").strip().lower()
            if name == "style" or name.startswith("on"):
                self.refused.append(f"{tag} {name}={value}")
            if name in {"src", "href", "action", "formaction"} and words.startswith("javascript:"):
                self.refused.append(f"{tag} {name}={value}")
            if name == "src" and words.startswith(("http:", "https:", "//")):
                self.refused.append(f"{tag} {name}={value}")


def check(response, place: str) -> None:
    policy = response.headers.get("Content-Security-Policy", "")
    rules = {rule.strip() for rule in policy.split(";")}
    assert policy.startswith(LOCKED) or rules >= STRICT, f"{place}: {policy!r}"
    assert "unsafe" not in policy, place
    if response.headers.get("Content-Type", "").startswith("text/html"):
        reader = Reader()
        reader.feed(response.content.decode())
        assert reader.refused == [], place


@pytest.fixture(scope="module")
def made_once(make_once):
    """Make at least one row of most kinds."""
    return make_once(make_most)


def make_most():
    lantern = factories.make_lantern()
    inbox, actor = lantern["inbox"], lantern["actor"]
    made = make_desk(inbox, actor)
    make_shared(actor)
    message = factories.make_message(inbox, html="<p>x</p>", anomalies=["hidden_text"])
    attached = Attachment.objects.create(
        workspace=inbox.workspace, message=message, blob=message.blob, position=0, filename="a.exe",
        content_type="image/png", size=8, received_at=message.received_at,
    )  # fmt: skip
    person = factories.make_person(inbox.workspace)
    file = create_file(actor=actor, account=inbox.account, path="/a.txt", content=b"x")
    rows = [*made.values(), message, message.thread, attached, person, file]
    return {**lantern, "made": rows}


@pytest.fixture
def made(own_rows, db):
    return own_rows["made"]


@pytest.fixture
def owner(workspace) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(factories.make_person_user(workspace, Role.OWNER))
    return client


@in_one_test("model", [model for _, model in MODELS])
@taken_back
def test_lists_and_forms_keep_the_policy(owner, made, model):
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    places = [base, f"{base}?q=x", f"{base}add/"]
    places += [f"{base}{row.pk}/change/" for row in model._default_manager.all()[:1]]
    for place in places:
        check(owner.get(place, follow=True), place)


@in_one_test("pattern", [*agent_pages, *inbox_pages])
@taken_back
def test_our_own_pages_and_downloads_keep_the_policy(owner, made, pattern: URLPattern):
    for place in addresses(pattern, made):
        response = owner.get(place)
        check(response, place)
        assert response.status_code < 500, place


def addresses(pattern: URLPattern, made: list) -> list[str]:
    """Return where a page may be, for every row that there is: elsewhere it is an error page."""
    converters = pattern.pattern.converters
    if not converters:
        return [reverse(str(pattern.name))]
    others = {
        name: uuid4() if isinstance(it, UUIDConverter) else 1 for name, it in converters.items()
    }
    return [
        reverse(str(pattern.name), kwargs=others | ({"public_id": row.public_id} if "public_id" in others else {}))
        for row in made
        if hasattr(row, "public_id")
    ]  # fmt: skip


def test_errors_keep_the_policy(owner, made, monkeypatch):
    stranger, anonymous = Client(enforce_csrf_checks=True), Client()
    stranger.force_login(factories.make_person_user(factories.make_workspace(), Role.VIEWER))
    thread = f"/admin/threads/{made[0].thread.public_id}/"
    for client, method, place, status in (
        (owner, "get", "/admin/nothing/", 404),
        (stranger, "get", thread, 404),
        (stranger, "get", "/admin/inbox/person/import/", 403),
        (stranger, "post", "/admin/logout/", 403),
        (owner, "post", thread, 405),
        (anonymous, "get", "/admin/login/", 200),
        (anonymous, "get", thread, 302),
        (anonymous, "get", "/nothing", 404),
    ):
        response = getattr(client, method)(place)
        assert response.status_code == status, place
        check(response, place)
    monkeypatch.setattr("inbox.admin.messages.views.read_thread", None)
    failed = owner.get(thread)
    assert failed.status_code == 500
    check(failed, "a failure")
