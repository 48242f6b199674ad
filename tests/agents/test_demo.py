"""Making the demo, and a workspace with one's own mail."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth import authenticate as sign_in
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from agents.models import Agent, Approval, ContextEntry, Memory, Receipt, Schedule
from agents.operations.agents import authenticate, known_scopes
from agents.operations.setup.demo import DEMO_MAIL, make_demo
from agents.operations.setup.demo_office import days_to_week
from agents.operations.setup.own_mail import bring_own_mail, guess_address
from calendar_app.models import Event, EventStatus, Todo
from inbox.background import jobs
from inbox.errors import DomainError
from inbox.intake.sources import open_source
from inbox.models import (
    Activity,
    ExtractionSchema,
    FileNode,
    Membership,
    Message,
    PersonEmail,
    ReplyPolicy,
    Taxonomy,
    Thread,
    Workspace,
)

NOW = timezone.now()


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(lambda: {"demo": make_demo(now=NOW)})


@pytest.fixture
def demo(own_rows, db):
    return own_rows["demo"]


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
    assert actor.scopes == set(known_scopes())


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


# -- its office ------------------------------------------------------------------------------------


def counts() -> list[int]:
    made = (Event, PersonEmail, FileNode, Todo, Memory, ContextEntry, Schedule, Receipt)
    return [model.objects.count() for model in made]


def test_its_calendar_is_about_this_week(demo):
    events = {event.uid: event for event in Event.objects.filter(recurrence_id="")}
    standup = events["standup@kettlewheel.example"]
    assert (standup.rrule, standup.dtstart.weekday()) == ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", 0)
    assert events["stocktake@kettlewheel.example"].all_day
    invited = events["wheelhouse-setup@kettlewheel.example"]
    assert abs(invited.dtstart - NOW) < timedelta(days=7)
    assert {one.email for one in invited.attendees.all()} > {"priya@wheelhouse.example"}


@pytest.mark.parametrize(
    ("today", "monday"),
    [("2027-03-01", "2027-03-01"), ("2027-03-05", "2027-03-01"), ("2027-03-06", "2027-03-08")],
)
def test_the_week_is_the_next_one_from_saturday_on(today, monday):
    now = datetime.fromisoformat(f"{today}T23:30:00").replace(tzinfo=UTC)
    week = date(2026, 11, 23) + timedelta(days=days_to_week(now))
    assert f"{week:%Y-%m-%d}" == monday


def test_some_who_write_have_cards(demo):
    priya = PersonEmail.objects.get(email="priya@wheelhouse.example").person
    assert (priya.fn, priya.org) == ("Priya Nair", "Wheelhouse Collective")
    assert priya.phones.count() == 2
    assert priya.emails.filter(email="priya.nair@postbox.example").exists()
    assert priya.correspondences.get().received_count


def test_its_files_have_folders_and_one_has_an_earlier_version(demo):
    versions = dict(FileNode.objects.filter(kind="file").values_list("path", "version"))
    assert versions == {
        "/Contracts/nightline-nl-2024-07.txt": 1,
        "/Handbook/support-handbook.md": 1,
        "/Prices/price-list.csv": 2,
    }


def test_its_todos_have_parts_and_the_agent_has_begun(demo):
    papers = Todo.objects.get(starred=True)
    assert {part.status for part in papers.children.all()} == {"needs-action", "completed"}
    assert papers.due > NOW
    assert (Memory.objects.count(), ContextEntry.objects.count()) == (4, 1)
    assert Schedule.objects.get().trigger_at > NOW
    assert not Approval.objects.exists()


def test_making_it_again_makes_nothing_of_the_office_twice(demo):
    before = counts()
    make_demo(now=NOW + timedelta(days=9))
    assert counts() == before
    Agent.objects.all().delete()
    make_demo(now=NOW + timedelta(days=9))
    assert counts()[:4] == before[:4]


def test_an_interruption_in_the_office_leaves_nothing_half_made(transactional_db):
    def interrupt(execute, sql, params, many, context):
        if 'INTO "agents_memory"' in sql:
            raise KeyboardInterrupt
        return execute(sql, params, many, context)

    with connection.execute_wrapper(interrupt), pytest.raises(KeyboardInterrupt):
        make_demo(now=NOW)
    assert not FileNode.objects.exists()
    assert make_demo(now=NOW).keys.password
    assert (FileNode.objects.filter(kind="file").count(), Memory.objects.count()) == (3, 4)


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
    with pytest.raises(DomainError, match="is not an email address"):
        bring_own_mail(source=open_source(folder), address="ada at home")
    assert not Workspace.objects.exists()
