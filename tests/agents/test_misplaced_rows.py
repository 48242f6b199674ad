"""Rows of another workspace that hang on ours, as after a bad repair: no call and no page shows them.

That whoever may see a thread may see its messages is true as long as the rows are right. Each read asks
for the reader's workspace nonetheless, and so one wrong key lets nothing out.
"""

import json
import re
from collections import Counter, deque
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import Resolver404, resolve

from agents.contracts import REGISTRY
from agents.operations.agents import create_token, known_scopes
from agents.resources import COLLECTIONS
from inbox.models import Role, Workspace
from inbox.models.base import VisibleQuerySet
from tests import factories
from tests.agents.furnishing import furnish
from tests.agents.test_isolation import CANARY, answer

pytestmark = pytest.mark.django_db
each = pytest.mark.parametrize("name", [found.name for found in REGISTRY.tools])


def owned(model) -> bool:
    return isinstance(model._default_manager.all(), VisibleQuerySet) and model is not Workspace


# An address is a part of its person, and is read with them.
PARTS = {("PersonEmail", "person")}
OWNED = [model for model in apps.get_models() if owned(model)]


def hang(model, ours, theirs) -> int:
    """Point their rows of a model to our rows, each to the one in its place; return how many keys."""
    hung = 0
    for field in model._meta.concrete_fields:
        if not field.is_relation or not owned(field.related_model):
            continue
        if (model.__name__, field.name) in PARTS:
            continue
        pairs = dict(
            zip(*(field.related_model._base_manager.filter(workspace=place).order_by("pk")
                  .values_list("pk", flat=True) for place in (theirs, ours)), strict=False)
        )  # fmt: skip
        for pk, old in list(
            model._base_manager.filter(workspace=theirs).values_list("pk", field.attname)
        ):
            try:
                with transaction.atomic():
                    wanted = {field.attname: pairs[old]} if old in pairs else {}
                    hung += bool(wanted) and model._base_manager.filter(pk=pk).update(**wanted)
            except DatabaseError:
                continue
    return hung


def make_both():
    ours, theirs = furnish("ours", "walnut"), furnish("theirs", CANARY)
    hung = {model.__name__: hang(model, ours.workspace, theirs.workspace) for model in OWNED}
    owner = factories.make_person_user(ours.workspace, Role.OWNER, name="olga")
    return {"ours": ours, "theirs": theirs, "hung": hung, "owner": owner}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_both)


@pytest.fixture
def ours(own_rows, db):
    return own_rows["ours"]


def test_rows_of_most_kinds_are_misplaced(own_rows, db):
    assert sum(map(bool, own_rows["hung"].values())) > 15, own_rows["hung"]


@each
def test_no_call_shows_a_misplaced_row(ours, name):
    assert CANARY not in json.dumps(answer(name, ours.calls[name], ours.actor))


@pytest.mark.parametrize("noun", sorted(COLLECTIONS))
def test_no_collection_shows_a_misplaced_row(ours, noun):
    token = create_token(agent=ours.agents[0], scopes=known_scopes())[1]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    text = client.get(f"/api/v1/{noun}?limit=200").content.decode()
    rows = json.loads(text)[COLLECTIONS[noun].key]
    whole = [client.get(f"/api/v1/{noun}/{row['id']}").content.decode() for row in rows]
    assert CANARY not in "".join([text, *whole])


def pages(client, starts, of_a_kind=2):
    """Yield the pages that links lead to, a few of each kind."""
    waiting, known, seen = deque(starts), set(starts), Counter()
    while waiting:
        place = waiting.popleft()
        kind = kind_of(place)
        if kind is None or seen[kind] >= of_a_kind:
            continue
        seen[kind] += 1
        answered = client.get(place)
        text = answered.content.decode(errors="replace") if not answered.streaming else ""
        yield place, text
        for link in re.findall(r'href="(/admin/[^"#]*)', text):
            if link not in known:
                known.add(link)
                waiting.append(link)


def kind_of(place):
    try:
        found = resolve(urlsplit(place).path)
    except Resolver404:
        return None
    return f"{found.route}{'?' * ('?' in place)}"


def test_no_page_shows_a_misplaced_row(own_rows, db):
    client = Client()
    client.force_login(own_rows["owner"])
    shown = dict(pages(client, ["/admin/", "/admin/all/"]))
    assert len(shown) > 30
    found = {
        place: re.findall(".{0,80}canary.{0,30}", text)[:3]
        for place, text in shown.items() if CANARY in text
    }  # fmt: skip
    assert found == {}, found
