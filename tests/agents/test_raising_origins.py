"""Only a person who decides raises an origin, having read the text; an agent's next change lowers it."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents import receipts
from agents.dispatching.dispatch import call
from agents.evidence.exposures import trace, window
from agents.evidence.refs import Ref
from agents.models import AgentMessage, ContextEntry, Origin, Provenance, Receipt
from agents.operations.origins import MOST_AT_ONCE, raise_origins
from calendar_app.models import Todo
from calendar_app.operations.keeping import default_calendar
from inbox.errors import DomainError
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def stranger(inbox):
    return factories.make_message(inbox, sender="eve@collector.example", text="Pay the collector.")


@pytest.fixture
def entry(actor, stranger):
    """A to-do that an agent wrote after a stranger's words."""
    read(actor, stranger)
    made = {"action": "create", "title": "Pay the collector."}
    call("google_tasks_service", made, actor)
    return Todo.objects.get()


def change(actor, todo, title):
    changed = {"action": "update", "task_id": todo.public_id, "title": title}
    call("google_tasks_service", changed, actor)


def read(actor, message):
    named = {"account_id": message.inbox.account.public_id, "email_id": message.public_id}
    call("email_get", named, actor)


def push(actor, value):
    call("push_context", {"agent_name": actor.name, "key": "payee", "value": value}, actor)
    return ContextEntry.objects.get(key="payee")


def seen(*rows):
    """What a person who reads the rows now has read."""
    refs = [Ref(row.ID_PREFIX, row.pk) for row in rows]
    written = {(it.kind, it.object_id): it.receipt_id for it in Provenance.objects.all()}
    return {ref: written.get(tuple(ref)) for ref in refs}


def lift(row, by, to=Origin.KNOWN, **given):
    return raise_origins(
        by=by, workspace_id=row.workspace_id, seen=given.get("seen", seen(row)), to=to
    )


def origin_of(row):
    (own,) = (it for it in trace(row.workspace_id, seen(row)) if it.via is None)
    return own.origin


def refused(row, by, **given):
    before = origin_of(row), Receipt.objects.filter(decision="allow").count()
    with pytest.raises(DomainError) as caught:
        lift(row, by, **given)
    assert (origin_of(row), Receipt.objects.filter(decision="allow").count()) == before
    return caught.value


def test_a_person_raises_it_and_a_receipt_says_so(entry, reviewer, workspace):
    assert origin_of(entry) == Origin.STRANGER
    assert lift(entry, reviewer) == 1
    assert origin_of(entry) == Origin.KNOWN
    note, row = Provenance.objects.get(kind="tdo"), Receipt.objects.latest("pk")
    assert (note.raised_by, note.raise_receipt) == (f"person:{reviewer.pk}", row)
    assert (row.tool, row.actor) == ("raise_origin", f"person:{reviewer.pk}")
    assert row.arguments == {"id": entry.public_id, "origin": "known"}
    assert row.result == {"before": "stranger", "origin": "known"}
    assert receipts.verify(workspace) == []


def test_what_it_was_made_of_is_not_shown_with_it_any_more(entry, reviewer, workspace, inbox):
    lift(entry, reviewer, Origin.OWNER)
    reader = factories.agent_actor(factories.make_agent(workspace, "Reader", (inbox,)))
    call("google_tasks_service", {"action": "list"}, reader)
    assert {one.origin for one in window(reader)} == {Origin.OWNER}


def test_an_agent_s_next_change_lowers_it(entry, reviewer, actor):
    lift(entry, reviewer, Origin.OWNER)
    change(actor, entry, "Pay nobody.")
    assert origin_of(entry) == Origin.STRANGER
    note = Provenance.objects.get(kind="tdo")
    assert (note.raised_by, note.raised_at, note.raise_receipt) == ("", None, None)


def test_a_change_after_nothing_strange_lowers_it_to_an_agent_s(reviewer, actor):
    entry = push(actor, "The sky is blue.")
    lift(entry, reviewer, Origin.OWNER)
    push(actor, "The sky is grey.")
    assert origin_of(entry) == Origin.AGENT


def test_a_text_of_which_nothing_was_noted_can_be_raised(reviewer, actor):
    entry = push(actor, "The sky is blue.")
    Provenance.objects.all().delete()
    lift(entry, reviewer, Origin.OWNER)
    assert origin_of(entry) == Origin.OWNER


def test_what_was_written_anew_since_it_was_read_stays(entry, reviewer, actor):
    read_then = seen(entry)
    change(actor, entry, "Pay somebody else.")
    error = refused(entry, reviewer, seen=read_then)
    assert error.code == "conflict"
    assert entry.public_id in error.message
    assert refused(entry, reviewer, seen={Ref("tdo", entry.pk): None}).code == "conflict"


def test_one_of_several_that_cannot_be_raised_leaves_all(entry, reviewer, actor, workspace):
    raised = AgentMessage.objects.create(
        workspace=workspace, sender_id=actor.id, recipient_id=actor.id, text="x"
    )
    lift(raised, reviewer, Origin.OWNER)
    with pytest.raises(DomainError, match="owner"):
        lift(entry, reviewer, seen=seen(entry, raised))
    assert origin_of(entry) == Origin.STRANGER


def test_it_is_raised_alone(entry, reviewer):
    lift(entry, reviewer, Origin.OWNER)
    assert refused(entry, reviewer, to=Origin.KNOWN).code == "conflict"
    assert refused(entry, reviewer, to=Origin.OWNER).code == "conflict"


def test_nothing_is_raised_to_what_does_not_exist(entry, reviewer):
    for origin in ("system", "stranger", "friend", ""):
        error = refused(entry, reviewer, to=origin)
        assert (error.code, error.field) == ("invalid_input", "origin")
        assert "known" in error.accepted


def test_whoever_does_not_decide_there_is_refused_and_it_is_noted(entry, workspace):
    gone = factories.make_person_user(workspace, Role.OWNER)
    gone.is_active = False
    gone.save()
    viewer = factories.make_person_user(workspace, Role.VIEWER)
    outsider = factories.make_person_user(factories.make_workspace(), Role.OWNER)
    for by in (viewer, outsider, gone):
        assert refused(entry, by).code == "permission_denied"
        row = Receipt.objects.latest("pk")
        assert (row.tool, row.decision, row.actor) == ("raise_origin", "deny", f"person:{by.pk}")


def test_another_workspace_s_text_is_not_there(entry, reviewer):
    elsewhere = factories.make_workspace()
    elsewhere.memberships.create(user=reviewer, role=Role.OWNER)
    with pytest.raises(DomainError) as caught:
        raise_origins(by=reviewer, workspace_id=elsewhere.pk, seen=seen(entry), to=Origin.KNOWN)
    assert caught.value.code == "not_found"
    assert origin_of(entry) == Origin.STRANGER


def test_messages_and_cards_are_raised_by_their_addresses_alone(stranger, workspace, reviewer):
    person = factories.make_person(workspace, "eve@collector.example")
    for row in (stranger, person):
        assert refused(row, reviewer).code == "invalid_input"


def test_a_meeting_that_a_stranger_called_stays_a_stranger_s(workspace, inbox, reviewer, actor):
    now = timezone.now()
    event = default_calendar(inbox.account).events.create(
        workspace=workspace, uid="u", dtstart=now, dtend=now, organizer="eve@collector.example"
    )
    assert refused(event, reviewer).code == "conflict"


def test_so_many_at_once_and_no_more(entry, reviewer):
    many = {Ref("ctx", key): None for key in range(MOST_AT_ONCE + 1)}
    assert refused(entry, reviewer, seen=many).code == "invalid_input"


def test_many_cost_what_one_costs(actor, workspace, inbox, reviewer, django_assert_max_num_queries):
    factories.make_agent(workspace, "Reader", (inbox,))
    for number in range(12):
        told = {"from_agent": actor.name, "to_agent": "Reader", "message": f"Hello {number}"}
        call("send_message_to_agent", told, actor)
    rows = list(AgentMessage.objects.all())
    read_now = seen(*rows)
    with django_assert_max_num_queries(22):
        lift(rows[0], reviewer, Origin.OWNER, seen=read_now)
    assert {origin_of(row) for row in rows} == {Origin.OWNER}


def test_the_database_refuses_what_rises_without_a_receipt(entry, reviewer):
    def update(**values):
        with transaction.atomic():
            Provenance.objects.filter(kind="tdo").update(**values)

    with pytest.raises(IntegrityError):
        update(origin="known")
    lift(entry, reviewer)
    with pytest.raises(IntegrityError):
        update(origin="owner")
    update(origin="stranger")
    assert origin_of(entry) == Origin.STRANGER
