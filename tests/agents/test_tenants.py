"""Every table: who may see its rows is asked, or it is named here with what its rows belong to."""

import pytest
from django.apps import apps

from tests import factories
from tests.agents.furnishing import furnish
from tests.cases import in_one_test

OURS = ("inbox", "calendar_app", "agents")
MODELS = [model for name in OURS for model in apps.get_app_config(name).get_models()]
# Their rows are only ever reached from the row they belong to, which is asked for first.
PARTS = {
    "A2AMessage": "task", "AttachmentText": "attachment", "A2APush": "task", "Attendee": "event", "ContextSubscription": "entry", "Correspondence": "person",
    "DraftAttachment": "draft", "DraftVersion": "draft", "ExtractionSchemaVersion": "schema",
    "Expansion": "event", "FactNote": "workspace", "RemoteItem": "collection",
    "FileVersion": "file", "Grant": "agent", "MemoryVector": "memory", "MemoryWord": "agent", "MessageMailbox": "message", "MessageVector": "message",
    "NoticeBundle": "settings", "NoticeDelivery": "bundle", "NoticeItem": "settings",
    "NoticeSettings": "user",
    "OutsideIdentity": "user", "PersonBrowser": "user", "PushSubscription": "user",
    "PersonPhone": "person", "PlantedDraft": "draft", "ReceiptHead": "workspace", "RemoteFolder": "account",
    "RemoteMessage": "folder", "ReplyPolicyVersion": "policy",
    "SavedFilter": "user", "StartPassword": "user", "TaxonomyVersion": "taxonomy",
    "StoredAnswer": "receipt", "ThreadReference": "thread", "WrongCode": "user",
}  # fmt: skip
# The queue, its workers and rounds, where the log of events has got to, and what is counted of
# signing in: the whole server's.
WITHOUT = {"CacheEntry", "Job", "LogHead", "PeriodicRun", "WorkerProcess"}
ASKED = [model for model in MODELS if hasattr(model.objects, "visible_to")]
each = pytest.mark.parametrize("model", ASKED, ids=lambda model: model.__name__)


def keys(model, actor):
    return set(model.objects.visible_to(actor).values_list("pk", flat=True))


def test_of_every_table_it_is_known_who_sees_its_rows():
    unasked = {model.__name__ for model in MODELS} - {model.__name__ for model in ASKED}
    assert unasked == set(PARTS) | WITHOUT


@in_one_test(("name", "whole"), PARTS.items())
def test_a_part_belongs_to_a_row_and_goes_with_it(name, whole):
    (model,) = (model for model in MODELS if model.__name__ == name)
    field = model._meta.get_field(whole)
    assert not field.null
    assert field.remote_field.on_delete.__name__ in {"CASCADE", "PROTECT"}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(
        lambda: {"ours": furnish("ours", "walnut"), "theirs": furnish("theirs", "canary")}
    )


@pytest.mark.django_db
def test_no_row_of_any_table_is_seen_from_two_workspaces(own_rows):
    ours, theirs = own_rows["ours"], own_rows["theirs"]
    seen = {model.__name__: (keys(model, ours.actor), keys(model, theirs.actor)) for model in ASKED}
    assert [name for name, (one, other) in seen.items() if one & other] == []
    assert sum(bool(one and other) for one, other in seen.values()) > 30


@pytest.mark.django_db
@each
def test_an_agent_without_grants_sees_no_row_of_an_account(model, own_rows):
    world = own_rows["ours"]
    bare = factories.agent_actor(factories.make_agent(world.workspace, "Bare", ()))
    if getattr(model.objects.visible_to(bare), "account_path", ""):
        assert keys(model, bare) == set()
