"""Whose rows one sees: those of one's workspaces, and of the accounts that one was granted."""

from dataclasses import replace

import pytest

from inbox import ids
from inbox.actor import Actor, operator_actor, system_actor
from inbox.models import Account, Identity, Message, Person, PersonEmail, Thread, Workspace
from inbox.models.people import Correspondence
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def places(db):
    """Two accounts in each of three workspaces, with a message each."""
    made = {}
    for slug in ("one", "two", "three"):
        workspace = factories.make_workspace(slug)
        inboxes = [factories.make_inbox(workspace, f"{name}@{slug}.example") for name in "ab"]
        made[slug] = [factories.make_message(inbox) for inbox in inboxes]
    return made


def seen(model, actor):
    return set(model.objects.visible_to(actor).values_list("pk", flat=True))


def of(messages):
    return {it.pk for it in messages}


def person(*messages, accounts=None):
    workspaces = tuple(dict.fromkeys(it.workspace_id for it in messages))
    return Actor("person", 1, "Rhea", workspaces, accounts)


def test_who_belongs_to_one_workspace_sees_all_of_it_and_nothing_else(places):
    actor = person(*places["one"])
    assert seen(Message, actor) == of(places["one"])
    assert seen(Workspace, actor) == {places["one"][0].workspace_id}
    assert seen(Account, actor) == {it.inbox.account_id for it in places["one"]}


def test_who_belongs_to_two_sees_both_and_who_belongs_to_none_nothing(places):
    assert seen(Message, person(*places["one"], *places["three"])) == of(
        [*places["one"], *places["three"]]
    )
    assert seen(Message, person()) == set()
    assert seen(Workspace, person()) == set()


def test_who_acts_within_one_workspace_sees_that_one_alone_and_of_others_nothing(places):
    both = person(*places["one"], *places["three"])
    assert seen(Message, both.within(places["three"][0].workspace_id)) == of(places["three"])
    assert seen(Message, both.within(places["two"][0].workspace_id)) == set()


@pytest.mark.parametrize("model", [Account, Identity, Message, Thread])
def test_of_a_workspace_only_the_granted_accounts_are_seen(places, model):
    granted, _ = places["one"]
    foreign = places["two"][0]
    accounts = frozenset({granted.inbox.account_id, foreign.inbox.account_id})
    rows = model.objects.visible_to(person(granted, accounts=accounts))
    at = {
        Account: "address",
        Identity: "email",
        Message: "inbox__address",
        Thread: "inbox__address",
    }
    assert set(rows.values_list(at[model], flat=True)) == {granted.inbox.address}
    assert seen(model, person(granted, accounts=frozenset())) == set()


def test_an_account_that_was_granted_says_nothing_of_rows_that_belong_to_none(places):
    granted, _ = places["one"]
    card = factories.make_person(granted.workspace, "ada@customer.example")
    unknown = person(granted, accounts=frozenset())
    everywhere = person(granted, accounts=frozenset(it.inbox.account_id for it in places["one"]))
    assert seen(Person, unknown) == set()
    assert seen(Person, everywhere) == {card.pk}
    assert seen(PersonEmail, unknown) == set()
    assert seen(PersonEmail, everywhere) == set(card.emails.values_list("pk", flat=True))


def test_somebody_is_seen_by_whoever_was_granted_an_account_that_wrote_with_them(places):
    first, second = places["one"]
    card = factories.make_person(first.workspace, "ada@customer.example")
    Correspondence.objects.filter(person=card).delete()
    Correspondence.objects.create(person=card, account=first.inbox.account, received_count=2)
    Correspondence.objects.create(person=card, account=second.inbox.account, received_count=5)
    stranger = factories.make_person(first.workspace, "eve@customer.example")
    Correspondence.objects.filter(person=stranger).delete()
    for message, count in ((first, 2), (second, 5)):
        actor = person(message, accounts=frozenset({message.inbox.account_id}))
        assert seen(Person, actor) == {card.pk}
        assert PersonEmail.objects.visible_to(actor).get().person_id == card.pk
        assert Person.objects.counted_for(actor).get().received == count
    Person.objects.filter(pk=card.pk).update(received_count=7)
    everywhere = frozenset({first.inbox.account_id, second.inbox.account_id})
    for actor in (person(first), person(first, accounts=everywhere)):
        everybody = Person.objects.counted_for(actor)
        assert dict(everybody.values_list("pk", "received")) == {card.pk: 7, stranger.pk: 0}


def test_a_public_id_finds_its_row_and_a_malformed_or_foreign_one_none(places):
    message, other = places["one"]
    rows = Message.objects.all()
    assert rows.with_public_id(message.public_id).get() == message
    for wrong in (
        message.thread.public_id, "msg_", "", message.public_id.upper(),
        ids.encode("msg", message.pk, other.pk), ids.encode("msg", 10**9),
    ):  # fmt: skip
        assert not rows.with_public_id(wrong).exists()


def test_an_actor_is_named_by_its_kind_and_key_and_acts_in_its_first_workspace(agent, workspace):
    actor = factories.agent_actor(agent)
    assert actor.key == f"agent:{agent.pk}"
    assert replace(actor, workspace_ids=(5, 7)).workspace_id == 5
    operator, system = operator_actor(7), system_actor(7, "Rules")
    assert (operator.key, operator.name, operator.workspace_ids) == ("person:0", "Operator", (7,))
    assert (system.key, system.name, system.workspace_ids) == ("system:0", "Rules", (7,))
    assert operator.account_ids is system.account_ids is None


@pytest.mark.parametrize(
    ("fields", "trusted", "on_card"),
    [
        ({}, False, True),
        ({"sent_count": 1}, True, True),
        ({"by_person": True}, True, True),
        ({"by_person": True, "removed_at": factories.NOON}, False, False),
        ({"sent_count": 1, "removed_at": factories.NOON}, True, False),
    ],
)
def test_trusted_is_whom_we_wrote_to_or_a_person_put_on_a_card(workspace, fields, trusted, on_card):
    card = factories.make_person(workspace, "ada@customer.example")
    own = {"sent_count": 0, "by_person": False, "removed_at": None} | fields
    PersonEmail.objects.filter(person=card).update(**own)
    assert PersonEmail.objects.trusted().exists() is trusted
    assert PersonEmail.objects.get().is_on_card is on_card


def test_an_address_of_a_deleted_card_is_not_trusted_for_it(workspace):
    card = factories.make_person(workspace, "ada@customer.example")
    PersonEmail.objects.filter(person=card).update(sent_count=0, by_person=True)
    Person.objects.update(deleted_at=factories.NOON)
    assert not PersonEmail.objects.trusted().exists()
