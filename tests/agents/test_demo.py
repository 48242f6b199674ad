"""Making the demo, and a workspace with one's own mail."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate as sign_in
from django.contrib.auth.models import User
from django.utils import timezone

from agents.models import Agent
from agents.operations.agents import authenticate
from agents.operations.demo import DEMO_MAIL, make_demo
from agents.operations.own_mail import bring_own_mail, guess_address
from calendar_app.models import Event, EventStatus
from inbox import jobs
from inbox.errors import DomainError
from inbox.intake.sources import open_source
from inbox.models import (
    Activity,
    ExtractionSchema,
    Membership,
    Message,
    ReplyPolicy,
    Taxonomy,
    Thread,
    Workspace,
)

NOW = timezone.now()


@pytest.fixture
def demo(transactional_db):
    return make_demo(now=NOW)


def test_the_demo_is_a_company_s_mail_with_its_threads(demo):
    assert Message.objects.count() == len(list(DEMO_MAIL.glob("*.eml")))
    assert Thread.objects.current().count() >= 15
    newest = Message.objects.latest("received_at").received_at
    assert timedelta(0) <= NOW - newest < timedelta(days=1)


def test_the_thread_with_a_hole_and_the_reply_without_references_hang_together(demo):
    threads = {thread.subject: thread.message_count for thread in Thread.objects.current()}
    assert threads["Moving to the new till"] == 4
    assert threads["Support hours over Christmas"] == 2


def test_the_demo_has_a_taxonomy_schemas_and_a_policy(demo):
    for model in (Taxonomy, ExtractionSchema, ReplyPolicy):
        assert model.objects.filter(workspace=demo.inbox.workspace).exists()


def test_its_keys_open_the_door(demo):
    person = sign_in(username=demo.keys.username, password=demo.keys.password)
    assert person.is_staff
    assert not person.is_superuser
    assert Membership.objects.get(user=person).role == "owner"
    actor = authenticate(demo.keys.token)
    assert (actor.name, actor.workspace_id) == ("Clerk", demo.inbox.workspace_id)
    assert actor.account_ids == {demo.inbox.account_id}
    assert {"inbox:read", "comms:send"} <= actor.scopes
    assert not any(scope.endswith(":destroy") for scope in actor.scopes)


def test_making_it_again_makes_nothing_and_shows_no_secret(demo):
    again = make_demo(now=NOW + timedelta(days=2))
    assert again.keys is None
    assert Message.objects.count() == len(list(DEMO_MAIL.glob("*.eml")))
    assert (User.objects.count(), Agent.objects.count()) == (1, 1)


def test_making_it_goes_on_where_it_was_interrupted(demo):
    Agent.objects.all().delete()
    keys = make_demo(now=NOW).keys
    assert keys.password == ""
    assert authenticate(keys.token).name == "Clerk"


def test_two_demos_have_different_secrets(demo):
    first = demo.keys
    User.objects.all().delete()
    Agent.objects.all().delete()
    second = make_demo(now=NOW).keys
    assert first.password != second.password
    assert first.token != second.token


def test_the_worker_makes_activities_and_events_of_it(demo):
    jobs.run_due()
    inbound = Message.objects.filter(direction="inbound")
    assert Activity.objects.count() == inbound.count()
    assert not Activity.objects.filter(status="pending").exists()
    events = {event.summary: event for event in Event.objects.all()}
    moved = events["Kettlewheel: show us the diary"]
    assert (moved.sequence, moved.status) == (1, EventStatus.TENTATIVE)
    assert events["VAT return: half an hour"].status == EventStatus.CANCELLED
    invited = Activity.objects.get(title="Invitation: Kettlewheel: show us the diary")
    assert invited.ends_at - invited.starts_at == timedelta(minutes=45)


# -- one's own mail --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "own"
    made.mkdir()
    return made


def write(folder, number: int, *headers: str) -> None:
    text = "\r\n".join((*headers, f"Message-ID: <{number}@x.example>", "", "Hello.", ""))
    (folder / f"{number}.eml").write_bytes(text.encode())


def test_the_address_is_the_one_that_mail_was_delivered_to(folder):
    write(folder, 1, "Delivered-To: ada@x.example", "To: list@y.example")
    write(folder, 2, "From: ada@x.example", "To: list@y.example")
    write(folder, 3, "From: bo@y.example", "To: list@y.example")
    assert guess_address(open_source(folder)) == "ada@x.example"


def test_without_a_trace_of_delivery_it_is_whom_most_is_addressed_to(folder):
    write(folder, 1, "From: bo@y.example", "To: Ada <Ada@X.example>, cy@z.example")
    write(folder, 2, "From: cy@z.example", "To: ada@x.example")
    assert guess_address(open_source(folder)) == "ada@x.example"


def test_mail_to_nobody_gives_no_address(folder):
    write(folder, 1, "From: bo@y.example", "To: undisclosed-recipients:;")
    assert guess_address(open_source(folder)) == ""


def test_own_mail_gets_a_workspace_and_comes_in_once(transactional_db, folder):
    write(folder, 1, "From: bo@y.example", "To: ada@x.example", "Subject: One")
    first = bring_own_mail(source=open_source(folder), address="ada@x.example")
    assert first.keys.password
    assert (first.run.stored, first.run.known) == (1, 0)
    write(folder, 2, "From: bo@y.example", "To: ada@x.example", "Subject: Two")
    second = bring_own_mail(source=open_source(folder), address="ADA@x.example")
    assert second.keys is None
    assert (second.run.stored, second.run.known) == (1, 1)
    assert Workspace.objects.count() == 1


def test_two_addresses_alike_have_workspaces_of_their_own(transactional_db, folder):
    write(folder, 1, "From: bo@y.example", "To: a.b@x.example")
    dotted = bring_own_mail(source=open_source(folder), address="a.b@x.example")
    dashed = bring_own_mail(source=open_source(folder), address="a-b@x.example")
    assert dotted.inbox.workspace_id != dashed.inbox.workspace_id
    assert dashed.keys.password == ""
    assert authenticate(dashed.keys.token).workspace_id == dashed.inbox.workspace_id


def test_an_address_that_is_none_is_refused_and_nothing_is_made(transactional_db, folder):
    write(folder, 1, "From: bo@y.example", "To: a@x.example")
    with pytest.raises(DomainError, match="no mail address"):
        bring_own_mail(source=open_source(folder), address="ada at home")
    assert not Workspace.objects.exists()
