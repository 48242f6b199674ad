"""Calendars of a provider, connected by signing in there, kept in step, and parted from again."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from calendar_app.models import Event
from inbox.accounts.credentials import decrypt_tokens
from inbox.models import RemoteSource, Role
from tests import factories
from tests.inbox.admin.accounts.signing_in import begin, come_back, register
from tests.inbox.syncing.collections.sources import sync
from tests.machines.authorization_server import CLIENT, SECRET, authorization_server, decide
from tests.machines.graph.server import graph_server

pytestmark = pytest.mark.django_db
ADDRESS = "mira@lantern.example"
CALENDARS = "https://graph.microsoft.com/Calendars.ReadWrite"


@pytest.fixture
def server(settings):
    with authorization_server() as script:
        script.scopes = {CALENDARS}
        script.issuer_path = "/common/v2.0"
        script.about = {"revocation_endpoint": None}
        script.lies = {"preferred_username": ADDRESS, "email_verified": None}
        register(settings, script)
        settings.MICROSOFT_LOGIN = script.url
        settings.MICROSOFT_CLIENT_ID, settings.MICROSOFT_CLIENT_SECRET = CLIENT, SECRET
        yield script


@pytest.fixture
def graph(settings, server):
    with graph_server() as standing_in:
        standing_in.issuer = server
        settings.MICROSOFT_API = standing_in.url
        standing_in.add_account(ADDRESS)
        yield standing_in


@pytest.fixture
def owner(inbox, client):
    client.force_login(factories.make_person_user(inbox.workspace, Role.OWNER))
    return client


def ask(owner, inbox, *, kinds=("calendars",), **more):
    """Press the button on the page where servers are connected."""
    return begin(
        owner, "microsoft", purpose="source", account=inbox.account_id, kinds=kinds, **more
    )


@pytest.fixture
def source(owner, inbox, graph):
    page = come_back(owner, decide(ask(owner, inbox), address=ADDRESS))
    assert page.status_code == 302, page.content.decode()
    return RemoteSource.objects.get()


def words_of(page):
    """What a page says, without marks around names."""
    return re.sub(r"</?bdi>", "", page.content.decode())


def page_of(source):
    return reverse("source", args=[source.public_id])


def test_calendars_come_in_by_signing_in(owner, inbox, server, graph):
    place = reverse("source-add", args=[inbox.account_id])
    shown = owner.get(place).content.decode()
    assert "Sign in with Microsoft" in shown
    # A form that has nothing to type has no page.
    assert "?provider=graph" not in shown
    where = ask(owner, inbox)
    asked = dict(parse_qsl(urlsplit(where).query))
    assert CALENDARS in asked["scope"]
    assert "outlook" not in asked["scope"]
    page = come_back(owner, decide(where, address=ADDRESS))
    source = RemoteSource.objects.get()
    assert page["Location"] == page_of(source)
    shown = owner.get(page["Location"]).content.decode()
    assert "Choose what to sync" in shown
    assert re.search(r"Allowed</dt>\s*<dd>calendars</dd>", shown)
    assert source.name == f"Microsoft ({ADDRESS})"
    assert source.settings["oauth_scope"].split() == [CALENDARS, "offline_access"]
    # What is there later waits for a person.
    made = graph.add_calendar(graph.boxes[ADDRESS], "Band")
    owner.post(page_of(source), {"action": "sync"})
    sync(source)
    taken = dict(source.collections.values_list("name", "is_taken"))
    assert taken == {"Calendar": True, made.name: False}


def test_a_token_that_runs_out_is_renewed_and_one_that_ended_asks_for_the_person(
    owner, inbox, server, graph, source
):
    sync(source)
    before = decrypt_tokens(RemoteSource.objects.get().secret)
    [grant] = server.grants
    # It is not taken before its time: another comes in its place, and the sync goes on.
    grant.access.clear()
    source = sync(source)
    assert (source.failures, source.status) == (0, "current")
    assert decrypt_tokens(source.secret).access.reveal() != before.access.reveal()
    grant.ended = True
    source = sync(source)
    assert source.status == "refused"
    shown = owner.get(page_of(source)).content.decode()
    assert "Sign in again under" in shown
    again = ask(owner, inbox, source=source.public_id)
    page = come_back(owner, decide(again, address=ADDRESS))
    assert page["Location"] == page_of(source)
    assert RemoteSource.objects.count() == 1
    assert sync(source).status == "current"


def test_nobody_else_signs_in_again_and_the_same_address_is_connected_once(
    owner, inbox, server, graph, source
):
    before = bytes(source.secret)
    server.lies["preferred_username"] = "other@lantern.example"
    where = ask(owner, inbox, source=source.public_id)
    page = come_back(owner, decide(where, address=ADDRESS))
    assert page.status_code == 400
    assert "You signed in as" in page.content.decode()
    server.lies["preferred_username"] = ADDRESS
    page = come_back(owner, decide(ask(owner, inbox), address=ADDRESS))
    assert page.status_code == 400
    assert f"{ADDRESS} is already connected" in words_of(page)
    source.refresh_from_db()
    assert bytes(source.secret) == before


def test_what_was_not_allowed_and_what_cannot_be_read_changes_nothing(owner, inbox, server, graph):
    page = come_back(owner, decide(ask(owner, inbox), "refuse", ADDRESS))
    assert page.status_code == 400
    graph.order(503)
    page = come_back(owner, decide(ask(owner, inbox), address=ADDRESS))
    assert page.status_code == 400
    assert "cannot answer right now" in page.content.decode()
    assert reverse("source-add", args=[inbox.account_id]) in page.content.decode()
    assert not RemoteSource.objects.exists()


def test_at_least_one_thing_has_to_be_allowed(owner, inbox, graph):
    page = owner.post(
        "/admin/inbox/account/sign-in/microsoft/",
        {"purpose": "source", "account": inbox.account_id, "kinds": ["mail"]},
    )
    assert page.status_code == 400
    assert "Select at least one" in page.content.decode()


def test_who_does_not_manage_signs_in_to_nothing(client, inbox, graph, source):
    client.force_login(factories.make_person_user(inbox.workspace, Role.REVIEWER))
    fields = {"purpose": "source", "account": inbox.account_id, "kinds": ["calendars"]}
    assert client.post("/admin/inbox/account/sign-in/microsoft/", fields).status_code == 403
    fields["source"] = source.public_id
    assert client.post("/admin/inbox/account/sign-in/microsoft/", fields).status_code == 403


def test_parting_has_the_tokens_revoked_where_the_provider_can(owner, inbox, server, source):
    server.about = {}
    source.settings["oauth_revocation_url"] = f"{server.url}/revoke"
    source.save()
    sync(source)
    page = owner.post(page_of(source), {"action": "disconnect"})
    shown = owner.get(page["Location"]).content.decode()
    assert "Microsoft has revoked the access" in shown
    assert server.grants[0].ended
    assert not RemoteSource.objects.exists()
    assert not Event.objects.kept().exists()


def test_parting_says_where_to_remove_what_cannot_be_revoked(owner, source):
    page = owner.post(page_of(source), {"action": "disconnect"})
    shown = owner.get(page["Location"]).content.decode()
    assert "Microsoft cannot be told to revoke the access" in shown


def test_an_hour_alone_is_not_kept(owner, inbox, server, graph):
    server.gives_refresh = False
    page = come_back(owner, decide(ask(owner, inbox), address=ADDRESS))
    assert page.status_code == 400
    assert "no refresh token" in page.content.decode()
    assert not RemoteSource.objects.exists()
