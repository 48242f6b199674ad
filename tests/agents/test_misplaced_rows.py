"""Rows of another workspace that hang on ours, as after a bad repair: no call and no page shows them.

That whoever may see a thread may see its messages is true as long as the rows are right. Each read asks
for the reader's workspace nonetheless, and so one wrong key lets nothing out.
"""

import json
import re

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction
from django.test import Client

from agents.contracts import REGISTRY
from agents.operations.agents import create_token, known_scopes
from agents.resources import COLLECTIONS
from inbox.models import Workspace
from inbox.models.base import VisibleQuerySet
from tests.agents.browsing import browse
from tests.agents.furnishing import furnish
from tests.agents.test_isolation import CANARY, answer

pytestmark = pytest.mark.django_db
each = pytest.mark.parametrize("name", [found.name for found in REGISTRY.tools])


def owned(model) -> bool:
    return isinstance(model._default_manager.all(), VisibleQuerySet) and model is not Workspace


OWNED = [model for model in apps.get_models() if owned(model)]
# So many of our rows of a kind have one of theirs hung on them.
MOST = 30


def keys_of(model, place) -> list[int]:
    return list(
        model._base_manager.filter(workspace=place).order_by("pk").values_list("pk", flat=True)
    )


def hang(model, ours, theirs) -> int:
    """Point their rows of a model to our rows, each to the one in its place; return how many keys.

    Of our other rows, each has a copy of one of theirs point to it, as far as the database lets it.
    """
    mine, hung = keys_of(model, theirs), 0
    for field in model._meta.concrete_fields:
        # Where there may be one alone, theirs would take the place of what a call makes.
        if field.unique or not (field.is_relation and owned(field.related_model) and mine):
            continue
        targets = keys_of(field.related_model, ours)[:MOST]
        pairs = dict(zip(keys_of(field.related_model, theirs), targets, strict=False))
        for row in model._base_manager.filter(pk__in=mine):
            target = pairs.get(getattr(row, field.attname))
            hung += target is not None and point(row, field, target)
        rows = model._base_manager.filter(workspace=theirs)
        for number, target in enumerate(
            set(targets) - set(rows.values_list(field.attname, flat=True))
        ):
            row = rows.get(pk=mine[number % len(mine)])
            row.pk = None
            hung += point(row, field, target)
    return hung


def point(row, field, target) -> bool:
    """Save a row with this key, a new one where it has no key of its own; False: it may not be."""
    setattr(row, field.attname, target)
    changed = {"force_insert": True} if row.pk is None else {"update_fields": [field.attname]}
    try:
        with transaction.atomic():
            row.save_base(**changed)
    except DatabaseError:
        return False
    return True


def tie(model, ours, theirs) -> int:
    """Put a row of theirs among those that each of ours has several of; return how many."""
    tied = 0
    for field in model._meta.many_to_many:
        if not owned(field.related_model):
            continue
        few = keys_of(field.related_model, theirs)[-1:]
        names = f"{field.m2m_field_name()}_id", f"{field.m2m_reverse_field_name()}_id"
        through = field.remote_field.through._base_manager
        for key in keys_of(model, ours)[:MOST] if few else ():
            through.create(**dict(zip(names, (key, *few), strict=True)))
            tied += 1
    return tied


def make_both():
    ours, theirs = furnish("ours", "walnut"), furnish("theirs", CANARY)
    places = ours.workspace, theirs.workspace
    hung = {model.__name__: hang(model, *places) for model in OWNED}
    tied = {model.__name__: tie(model, *places) for model in OWNED}
    return {"ours": ours, "theirs": theirs, "hung": hung, "tied": tied}


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
    answered = answer(name, ours.calls[name], ours.actor)
    assert CANARY not in json.dumps(answered)
    assert "code" not in answered or answered["code"] == "approval_required"


@pytest.mark.parametrize("noun", sorted(COLLECTIONS))
def test_no_collection_shows_a_misplaced_row(ours, noun):
    token = create_token(agent=ours.agents[0], scopes=known_scopes())[1]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    text = client.get(f"/api/v1/{noun}?limit=200").content.decode()
    rows = json.loads(text)[COLLECTIONS[noun].key]
    whole = [client.get(f"/api/v1/{noun}/{row['id']}").content.decode() for row in rows]
    assert CANARY not in "".join([text, *whole])


def test_no_page_shows_a_misplaced_row(ours):
    client = Client()
    client.force_login(ours.rows["owner"])
    shown = browse(client)
    assert len(shown) > 30
    found = {
        place: re.findall(".{0,80}canary.{0,30}", text)[:3]
        for place, text in shown.items() if CANARY in text
    }  # fmt: skip
    assert found == {}, found
