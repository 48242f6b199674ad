"""Queries that are put together once give what they would give if they were put together anew."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inbox.actor import Actor
from inbox.models import Message
from inbox.prepared import Prepared, padded
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def builds():
    return []


@pytest.fixture
def newest(builds):
    """The messages of an actor up to a time, the newest first, of these keys."""

    def build(size, *, actor, until, keys):
        builds.append(size)
        rows = Message.objects.visible_to(actor).filter(received_at__lte=until, pk__in=keys)
        return [rows.select_related("inbox").order_by("-received_at", "-pk")[:size]]

    return Prepared(build)


def person(*workspaces):
    return Actor(
        kind="person", id=1, name="rhea", workspace_ids=tuple(one.pk for one in workspaces)
    )


@pytest.fixture
def mail(inbox):
    now = timezone.now()
    return [
        factories.make_message(inbox, subject=f"Letter {number}", at=now - timedelta(days=number))
        for number in range(4)
    ]  # fmt: skip


def test_it_is_put_together_once_for_all_values(newest, mail, inbox, builds):
    reader, keys = person(inbox.workspace), tuple(one.pk for one in mail)
    now = timezone.now()
    first = list(newest.rows(3, actor=reader, until=now, keys=keys))
    older = now - timedelta(days=2)
    second = list(newest.rows(3, actor=reader, until=older, keys=keys))
    assert [one.subject for one in first] == ["Letter 0", "Letter 1", "Letter 2"]
    assert [one.subject for one in second] == ["Letter 2", "Letter 3"]
    # Twice at first, to see that nothing but the values differs; then never again.
    assert builds == [3, 3]
    with CaptureQueriesContext(connection) as queries:
        assert [one.inbox.address for one in newest.rows(3, actor=reader, until=now, keys=keys)]
    assert len(queries) == 1


def test_nobody_sees_what_was_put_together_for_somebody_else(newest, mail, inbox):
    keys, now = tuple(one.pk for one in mail), timezone.now()
    assert list(newest.rows(9, actor=person(inbox.workspace), until=now, keys=keys))
    other = factories.make_workspace("elsewhere")
    assert not list(newest.rows(9, actor=person(other), until=now, keys=keys))
    assert not list(newest.rows(9, actor=person(), until=now, keys=keys))
    both = list(newest.rows(9, actor=person(other, inbox.workspace), until=now, keys=keys))
    assert both == mail


def agent_of(*inboxes, number=7, scopes=frozenset(), workspace=None):
    workspace = workspace or inboxes[0].workspace
    accounts = frozenset(inbox.account_id for inbox in inboxes)
    return Actor("agent", number, f"Clerk {number}", (workspace.pk,), accounts, scopes)


def test_an_agent_sees_its_accounts_alone_whoever_asked_first(newest, mail, inbox, builds):
    other = factories.make_inbox(inbox.workspace, "orders@lantern.example")
    theirs = factories.make_message(other, subject="Order", at=timezone.now() - timedelta(days=9))
    keys, now = (*(one.pk for one in mail), theirs.pk), timezone.now()

    def seen_by(actor):
        return list(newest.rows(9, actor=actor, until=now, keys=keys))

    assert seen_by(agent_of(inbox)) == mail
    assert seen_by(agent_of(other, number=8)) == [theirs]
    assert seen_by(agent_of(inbox, other, number=9)) == [*mail, theirs]
    assert seen_by(agent_of(workspace=inbox.workspace)) == []
    assert seen_by(person(inbox.workspace)) == [*mail, theirs]
    elsewhere = factories.make_inbox(factories.make_workspace("elsewhere"))
    assert seen_by(agent_of(elsewhere)) == []
    # Twice a shape: one account, two, none, and a person who sees all.
    assert len(builds) == 8


def test_what_is_asked_of_an_agent_but_what_it_sees_is_refused(inbox, mail):
    own = Prepared(lambda *, actor: [Message.objects.visible_to(actor).filter(pk__lt=actor.id)])
    with pytest.raises(ValueError, match="has to be given as a value"):
        list(own.rows(actor=agent_of(inbox)))


def test_another_scope_is_another_shape(inbox, mail):
    scoped = Prepared(
        lambda *, actor: [
            Message.objects.visible_to(actor).filter(
                direction="inbound" if "inbox:read" in actor.scopes else "outbound"
            )
        ]
    )
    assert not list(scoped.rows(actor=agent_of(inbox)))
    reads = agent_of(inbox, scopes=frozenset({"inbox:read"}))
    assert len(list(scoped.rows(actor=reads))) == len(mail)
    assert not list(scoped.rows(actor=agent_of(inbox)))


def test_rows_are_counted_in_one_statement(mail, inbox):
    counted = Prepared(
        lambda *, actor, until: [
            Message.objects.visible_to(actor).filter(received_at__lte=until),
            Message.objects.visible_to(actor).filter(received_at__gt=until),
            Message.objects.visible_to(actor).filter(pk__in=()),
        ]
    )
    until = timezone.now() - timedelta(days=1, hours=1)
    with CaptureQueriesContext(connection) as queries:
        assert counted.counts(actor=person(inbox.workspace), until=until) == (2, 2, 0)
    assert len(queries) == 1


def test_what_is_worked_out_of_a_value_is_refused(inbox):
    later = Prepared(
        lambda *, at: [Message.objects.filter(received_at__lte=at + timedelta(hours=1))]
    )
    with pytest.raises(ValueError, match="has to be given as a value"):
        list(later.rows(at=timezone.now()))


def test_a_query_that_forgets_whose_rows_they_are_is_refused(inbox):
    everybody = Prepared(lambda *, actor: [Message.objects.all()])
    with pytest.raises(ValueError, match="no place for actor"):
        list(everybody.rows(actor=person(inbox.workspace)))


def test_lists_come_in_few_lengths():
    assert padded([]) == ()
    assert padded([5]) == (5,)
    assert padded([5, 6, 7]) == (5, 6, 7, 7)
    assert {len(padded(range(length))) for length in range(1, 100)} == {1, 2, 4, 8, 16, 32, 64, 128}


@pytest.mark.parametrize("longer", [0, 2_000])
def test_values_are_given_as_the_database_has_them_one_row_after_the_other(mail, inbox, longer):
    def build(*, actor, keys):
        rows = Message.objects.visible_to(actor).filter(pk__in=keys).order_by("pk")
        return [rows.values_list("pk", "subject"), rows.values_list("subject", "pk")[:1]]

    keys = tuple(one.pk for one in mail) + (mail[0].pk,) * longer
    found = Prepared(build).tuples(actor=person(inbox.workspace), keys=keys)
    assert next(found) == (mail[0].pk, "Letter 0")
    rest = [(one.pk, one.subject) for one in mail[1:]]
    assert list(found) == [*rest, ("Letter 0", mail[0].pk)]
