"""Rows of another workspace that hang on ours, as after a bad repair: no call and no page shows them.

That whoever may see a thread may see its messages is true as long as the rows are right. Each read asks
for the reader's workspace nonetheless, and so one wrong key lets nothing out.
"""

import json
import re
from dataclasses import replace

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction
from django.db.models import CharField, UniqueConstraint, Value
from django.db.models.functions import Replace
from django.test import Client

from agents.admin.agent_queries import read_accounts, read_tokens
from agents.dispatching.rows import get_inbox_of, newest_messages
from agents.operations.agents import create_token, known_scopes
from agents.operations.asking import agents_for
from agents.operations.stopping import approved_of, waiting_of
from agents.receipts import ReceiptEntry, record
from agents.resources import COLLECTIONS
from inbox.models import Activity, Attachment, Correction, Message, Workspace
from inbox.models.base import VisibleQuerySet
from inbox.operations.accounts.accounts import identities_of
from inbox.search.finding import search_messages
from tests.agents.browsing import browse
from tests.agents.furnishing import furnish
from tests.agents.test_isolation import CANARY, answer, assert_alike, each
from tests.cases import in_one_test, taken_back

pytestmark = pytest.mark.django_db


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
            row = copied(rows.get(pk=mine[number % len(mine)]), number)
            hung += point(row, field, target)
    return hung


def copied(row, number):
    """A row that is the same, but for what no two may have in common."""
    rules = [it for it in row._meta.constraints if isinstance(it, UniqueConstraint)]
    alone = {name for rule in rules for name in rule.fields}
    for field in row._meta.concrete_fields:
        if field.is_relation and field.unique and field.null:
            setattr(row, field.attname, None)
        is_name = isinstance(field, CharField) and not field.choices
        if is_name and (field.unique or field.name in alone):
            value = f"{number}{field.attname[0]}{getattr(row, field.attname)}"
            setattr(row, field.attname, value[: field.max_length])
    row.pk = None
    return row


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
    # By what rows are found, theirs say what ours do.
    for model, column in ((Message, "from_email"), (Activity, "sender"), (Correction, "value")):
        same = Replace(column, Value(CANARY), Value("walnut"))
        model.objects.filter(workspace=theirs.workspace).update(**{column: same})
    Attachment.objects.filter(workspace=theirs.workspace).update(filename=f"walnut {CANARY}")
    record(
        replace(ours.actor, workspace_ids=(theirs.workspace.pk,)),
        ReceiptEntry(tool=f"read_{CANARY}", arguments={"thread_id": CANARY}),
    )
    hung = {model.__name__: hang(model, *places) for model in OWNED}
    tied = {model.__name__: tie(model, *places) for model in OWNED}
    return {"ours": ours, "theirs": theirs, "hung": hung, "tied": tied}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_both)


def test_rows_of_most_kinds_are_misplaced(own_rows, db):
    assert sum(map(bool, own_rows["hung"].values())) > 15, own_rows["hung"]


@each
def test_a_misplaced_row_is_not_found_by_its_id(ours, own_rows, name):
    assert_alike(ours, own_rows["theirs"], name)


READS = {
    "identities": lambda it: identities_of(it.account),
    "the inbox": lambda it: [get_inbox_of(it.account)],
    "messages": lambda it: newest_messages(it.actor, it.rows["message"].thread),
    "tokens": lambda it: read_tokens(it.agents[0]),
    "accounts": lambda it: read_accounts(it.agents[0]),
    "agents": lambda it: agents_for(it.rows["activity"]),
    "proposals": lambda it: [*waiting_of(it.agents[0]), *approved_of(it.agents[0])],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_no_misplaced_row_is_among_those_of(ours, read):
    assert {it.workspace_id for it in read(ours)} <= {ours.workspace.pk}


def test_no_misplaced_file_is_in_what_was_found(ours):
    found = search_messages(actor=ours.actor, inbox=ours.inbox, query="walnut")
    assert found
    assert CANARY not in str([hit.snippet for hit in found])


@each
def test_no_call_shows_a_misplaced_row(ours, name):
    answered = answer(name, ours.calls[name], ours.actor)
    assert CANARY not in json.dumps(answered)
    assert "code" not in answered or answered["code"] == "approval_required"


@in_one_test("noun", sorted(COLLECTIONS))
@taken_back
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
