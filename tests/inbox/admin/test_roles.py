"""Every address of the admin, asked by everybody: who may see it, and who may do what it does."""

import re

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from inbox.models import Role
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk

pytestmark = pytest.mark.django_db
# What anybody does for themselves, whatever their role.
OWN = (
    "admin/queue/filters/",
    "admin/login/",
    "admin/logout/",
    "admin/me/",
    "admin/password_change/",
    "admin/jsi18n/",
)


def routes(patterns=None, before=""):
    """Every route below /admin/, as it is declared."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        elif isinstance(one, URLPattern) and route.startswith("admin/"):
            yield route


ROUTES = sorted(set(routes()))


def make_rows():
    """A desk, and what stands in the places of the addresses' parameters."""
    lantern = factories.make_lantern()
    made = make_desk(lantern["inbox"], lantern["actor"])
    message = factories.make_message(lantern["inbox"])
    world = {
        "review/": made["approval"].public_id,
        "activities/": make_activity(message).public_id,
        "threads/": message.thread.public_id,
        "messages/": message.public_id,
        "members/": str(lantern["workspace"].pk),
        "agents/agent/": str(lantern["agent"].pk),
    }
    return {**lantern, "world": world}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


@pytest.fixture
def world(own_rows, db):
    return own_rows["world"]


def address(route: str, world) -> str:
    known = next((value for start, value in world.items() if f"admin/{start}" in route), "1")
    route = re.sub(r"<[^>]*>", known, route, count=1)
    return "/" + re.sub(r"<[^>]*>", "1", route).replace("^", "").replace("$", "").replace("\\Z", "")


def plain(route: str) -> bool:
    """Whether it is an address and no pattern for what is not there."""
    return "(?P" not in route


@pytest.fixture
def by(workspace):
    def by(role):
        client = Client()
        client.force_login(factories.make_person_user(workspace, role))
        return client

    return by


# What a browser asks for without its cookies, to install the pages; it says nothing of anybody.
PUBLIC = {"admin/manifest.webmanifest", "admin/service-worker.js"}


def asked(route: str) -> bool:
    return plain(route) and not route.startswith(OWN) and route not in PUBLIC


def test_without_signing_in_every_address_leads_to_the_sign_in(world, reviewer):
    """Where there is nobody yet, setting up asks for its code instead."""
    client = Client()
    for route in filter(asked, ROUTES):
        for response in (client.get(address(route, world)), client.post(address(route, world))):
            assert response.status_code == 302, route
            assert response["Location"].startswith("/admin/login/"), route


# That somebody looks at it, and how a letter would be set: neither is kept of the workspace.
SEEN_BY_POST = {f"admin/review/<str:public_id>/{what}/" for what in ("presence", "preview")}


def is_a_list(route: str, status: int) -> bool:
    """Whether a page was read by POST; or Django's own leads from what is not there to its list."""
    is_list = re.fullmatch(r"admin/(agents|inbox|calendar_app|auth)/\w+/|admin/all/", route)
    if status == 302 and route.startswith("admin/start/"):
        # Setting up leads whoever owns no workspace to the page of making one, which refuses them.
        return True
    if status == 302:
        return "<path:object_id>/" in route or is_list is not None
    return status == 200 and (is_list is not None or route.endswith("/history/"))


def test_a_viewer_changes_nothing_by_any_address(world, by):
    viewer = by(Role.VIEWER)
    done = []
    for route in filter(asked, ROUTES):
        status = viewer.post(address(route, world)).status_code
        if route in SEEN_BY_POST:
            continue
        if status not in {403, 404, 405} and not is_a_list(route, status):
            done.append((route, status))
    assert done == []


SETTING_UP = tuple(
    f"admin/{place}/add/" for place in ("agents/agent", "agents/webhookendpoint", "inbox/account")
) + tuple(
    f"admin/agents/agent/<int:pk>/{action}/"
    for action in ("tokens", "tokens/<int:token_pk>/revoke")
)


def test_a_reviewer_sets_nothing_up(world, by):
    reviewer = by(Role.REVIEWER)
    places = [address(route, world) for route in ROUTES if route in SETTING_UP]
    assert len(places) >= 4
    for place in [*places, f"/admin/members/{world['members/']}/add/"]:
        assert reviewer.post(place).status_code == 403, place


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.OWNER])
def test_every_member_reads_every_page(world, by, role):
    client = by(role)
    for route in filter(asked, ROUTES):
        if "<" in route and not any(f"admin/{start}" in route for start in world):
            continue
        status = client.get(address(route, world)).status_code
        assert status < 500, route
        # Users, groups and setting up are not for every member.
        for_superusers = "/auth/" in route or "admin/start/" in route
        if "/add/" not in route and "delete" not in route and not for_superusers:
            # Without the request of a program there is nobody to let in.
            asks_for_more = route in {"admin/autocomplete/", "admin/connect/"}
            is_seen = status in {200, 302, 404, 405} or asks_for_more
            assert is_seen or role != Role.OWNER, (route, status)


def test_of_another_workspace_nothing_is_found(world):
    stranger = Client()
    stranger.force_login(factories.make_person_user(factories.make_workspace(), Role.OWNER))
    for route in filter(asked, ROUTES):
        if not any(f"admin/{start}<" in route for start in world if start != "agents/agent/"):
            continue
        for ask in (stranger.get, stranger.post):
            status = ask(address(route, world)).status_code
            assert status in {403, 404, 405}, (route, status)
