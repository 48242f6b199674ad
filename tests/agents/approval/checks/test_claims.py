"""What a proposed message claims, held against what the workspace has: kept, told, and nobody else's."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.approval.checks.claims import find_marks, marks_as_json
from agents.approval.checks.risks import thread_of
from agents.approval.due import check_due
from agents.approval.lifecycle import edit_and_approve
from agents.operations.agents import create_token, known_scopes
from calendar_app.event_words import describe_time
from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.itip_writing import write_itip
from calendar_app.models import Calendar, Event
from inbox.actor import Actor
from inbox.models import Identity, Message, ReplyPolicy
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.writing import create_draft, draft_reply
from inbox.operations.files import create_file
from tests import factories

pytestmark = pytest.mark.django_db
ASKED = "The invoice INV-2041 is over 348 EUR, due on 24 March 2026. Anna Schmidt"


@pytest.fixture
def asked(inbox):
    return factories.make_message(
        inbox, text=ASKED, sender="anna@lantern.example", sender_name="Anna Schmidt",
        at=datetime(2026, 3, 9, 9, tzinfo=UTC),
    )  # fmt: skip


def marks_of(actor, message, body, **fields):
    draft = draft_reply(actor=actor, thread=message.thread, body=body, **fields)
    return {mark.excerpt: mark for mark in find_marks(actor, draft, thread_of(actor, draft))}


def test_what_the_thread_says_is_found_with_the_words_that_say_it(actor, asked):
    marks = marks_of(actor, asked, "Dear Anna,\n\n348 EUR for INV-2041 go out on 24 March 2026.")
    assert {mark.state for mark in marks.values()} == {"found"}
    source = marks["348 EUR"].sources[0]
    assert (source.type, source.id) == ("message", asked.public_id)
    assert "348 EUR" in source.excerpt


def test_what_differs_stands_beside_what_the_source_says(actor, asked):
    mark = marks_of(actor, asked, "We pay 384 EUR.")["384 EUR"]
    assert (mark.state, mark.expected) == ("differs", "348 EUR")
    assert (mark.part, mark.start, mark.end) == ("body", 7, 14)


def test_what_nobody_wrote_is_found_nowhere(actor, asked):
    assert marks_of(actor, asked, "That is order 9988776.")["9988776"].state == "nowhere"


def test_an_earlier_thread_with_the_same_person_is_a_source(actor, inbox, asked):
    earlier = factories.make_message(
        inbox, sender="anna@lantern.example", text="The parcel has the number 5567001."
    )
    mark = marks_of(actor, asked, "Your parcel 5567001 is on its way.")["5567001"]
    assert (mark.state, mark.sources[0].id) == ("found", earlier.public_id)


def test_mail_of_others_that_has_a_number_is_a_source(actor, inbox, asked):
    theirs = factories.make_message(inbox, text="The pallets of SO-48205 leave on Friday.")
    marks = marks_of(actor, asked, "Order SO-48205 is ready, SO-48250 is not.")
    assert (marks["SO-48205"].state, marks["SO-48205"].sources[0].id) == ("found", theirs.public_id)
    assert marks["SO-48250"].state != "found"


def test_a_code_in_a_table_is_a_source_though_nothing_says_what_it_is(actor, inbox, asked):
    table = b"Flat | Tenant | Reference\n30-4 | Penrose | H-P304-0133 | 1,115.00\n"
    create_file(actor=actor, account=inbox.account, path="/Roll.txt", content=table)
    marks = marks_of(actor, asked, "Please pay with the reference H-P304-0133.")
    assert marks["H-P304-0133"].state == "found"
    marks = marks_of(actor, asked, "Please pay with the reference H-P304-013.")
    assert marks["H-P304-013"].state != "found"


def test_an_address_on_a_card_is_a_source(actor, inbox, asked):
    body = "Write to rui@weaver.example, please."
    assert marks_of(actor, asked, body)["rui@weaver.example"].state == "nowhere"
    factories.make_person(inbox.workspace, "rui@weaver.example")
    assert marks_of(actor, asked, body)["rui@weaver.example"].state == "found"


def test_a_file_is_a_source(actor, inbox, asked):
    file = create_file(
        actor=actor, account=inbox.account, path="/Prices.txt", content=b"A lamp costs 73.20 EUR."
    )
    mark = marks_of(actor, asked, "A lamp costs 73.20 EUR.")["73.20 EUR"]
    assert (mark.state, mark.sources[0].type, mark.sources[0].id) == (
        "found", "file", file.public_id,
    )  # fmt: skip


def test_the_calendar_is_a_source(actor, inbox, asked):
    start = timezone.now().replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=9)
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Work"
    )
    event = Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="visit", summary="Visit", dtstart=start,
        dtend=start + timedelta(hours=1), timezone="UTC",
    )  # fmt: skip
    day = f"{start:%-d %B %Y}"
    mark = marks_of(actor, asked, f"We come on {day}.")[day]
    assert (mark.state, mark.sources[0].id) == ("found", event.public_id)


def test_an_event_at_the_end_of_time_is_read_like_any_other(actor, inbox, asked):
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Work"
    )
    start = timezone.now() + timedelta(days=9)
    Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="for ever", summary="For ever",
        dtstart=start, dtend=datetime(9999, 12, 31, 23, tzinfo=UTC), timezone="Pacific/Auckland",
    )  # fmt: skip
    day = f"{timezone.localtime(start, ZoneInfo('Pacific/Auckland')):%-d %B %Y}"
    assert marks_of(actor, asked, f"We come on {day}.")[day].state == "found"


def test_the_policy_that_a_draft_is_checked_by_is_a_source(actor, workspace, asked):
    source = "closing: Express delivery costs 73.20 EUR.\n"
    policy = save_version(ReplyPolicy, workspace=workspace, name="House", content=source)
    mark = marks_of(actor, asked, "Express costs 73.20 EUR.")["73.20 EUR"]
    assert (mark.state, mark.sources[0].type, mark.sources[0].id) == (
        "found", "policy", policy.public_id,
    )  # fmt: skip


def test_a_refund_is_found_where_the_policy_offers_it_and_nowhere_else(actor, workspace, asked):
    body = "Dear Anna,\n\nwe will refund the shipping."
    assert marks_of(actor, asked, body)["we will refund"].state == "nowhere"
    source = "closing: We refund the shipping of what arrives late.\n"
    policy = save_version(ReplyPolicy, workspace=workspace, name="House", content=source)
    mark = marks_of(actor, asked, body)["we will refund"]
    assert (mark.kind, mark.state, mark.sources[0].id) == ("promise", "found", policy.public_id)


def test_what_a_policy_forbids_to_say_is_no_source_of_it(actor, workspace, asked):
    source = "forbidden_phrases:\n  - we guarantee it\n  - /we were? to blame/\n\ntone: formal\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=source)
    for words in ("We guarantee", "We were to blame"):
        assert marks_of(actor, asked, f"{words} for the noise.")[words].state == "nowhere"


@pytest.fixture
def theirs(db):
    """An inbox of another workspace."""
    return factories.make_inbox(factories.make_workspace(), "office@others.example")


def test_what_another_workspace_has_is_no_source(actor, asked, theirs):
    text = "The parcel has the number 5567001."
    factories.make_message(theirs, sender="anna@lantern.example", text=text)
    agent = factories.agent_actor(factories.make_agent(theirs.workspace, "Other", (theirs,)))
    create_file(actor=agent, account=theirs.account, path="/Parcels.txt", content=text.encode())
    assert marks_of(actor, asked, "Your parcel 5567001 is here.")["5567001"].state == "nowhere"


def misplaced_mail(asked, theirs, inbox):
    """Mail with the same sender: of their workspace in our inbox, and of ours in their inbox."""
    theirs_here = factories.make_message(inbox, sender=asked.from_email, text="Parcel 5567001.")
    Message.objects.filter(pk=theirs_here.pk).update(workspace=theirs.workspace)
    ours_there = factories.make_message(inbox, sender=asked.from_email, text="Parcel 5567002.")
    Message.objects.filter(pk=ours_there.pk).update(inbox=theirs)


def misplaced_event(asked, theirs, inbox):
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Work"
    )
    start = timezone.now() + timedelta(days=9)
    Event.objects.create(
        workspace=theirs.workspace, calendar=calendar, uid="visit", dtstart=start,
        dtend=start + timedelta(hours=1), timezone="UTC",
        summary="Bring parcels 5567001 and 5567002",
    )  # fmt: skip


def card_of_another_workspace(asked, theirs, inbox):
    """Who is written to has a card there as well."""
    card = factories.make_person(theirs.workspace, asked.from_email, note="5567001, 5567002")
    card.emails.update(by_person=True)


@pytest.mark.parametrize("hang", [misplaced_mail, misplaced_event, card_of_another_workspace])
def test_a_row_of_another_workspace_is_no_source_for_somebody_of_both(
    inbox, actor, asked, theirs, hang
):
    hang(asked, theirs, inbox)
    draft = draft_reply(actor=actor, thread=asked.thread, body="Parcels 5567001 and 5567002.")
    both = Actor("person", 1, "Rhea", (inbox.workspace_id, theirs.workspace_id))
    for reader in (actor, both):
        marks = find_marks(reader, draft, thread_of(reader, draft))
        assert {mark.excerpt: mark.state for mark in marks} == {
            "5567001": "nowhere", "5567002": "nowhere",
        }, reader  # fmt: skip


def test_only_messages_of_its_workspace_are_the_thread_that_a_draft_answers(actor, asked, theirs):
    draft = draft_reply(actor=actor, thread=asked.thread, body="348 EUR it is.")
    misplaced = factories.make_message(theirs, text="348 EUR")
    Message.objects.filter(pk=misplaced.pk).update(thread=asked.thread)
    assert thread_of(actor, draft) == [asked]


def test_nothing_further_is_read_for_a_message_without_claims(
    actor, asked, django_assert_num_queries
):
    draft = draft_reply(actor=actor, thread=asked.thread, body="Dear Anna,\n\nthank you.")
    thread = thread_of(actor, draft)
    # What goes with the draft.
    with django_assert_num_queries(1):
        find_marks(actor, draft, thread)


def test_claims_cost_the_same_few_queries(actor, inbox, asked, django_assert_max_num_queries):
    for number in range(30):
        factories.make_message(inbox, sender="anna@lantern.example", text=f"Number {number}0099.")
    draft = draft_reply(actor=actor, thread=asked.thread, body="Parcels 1234567 and 7654321.")
    thread = thread_of(actor, draft)
    with django_assert_max_num_queries(21):
        find_marks(actor, draft, thread)


def test_a_file_of_the_matter_is_a_source_though_it_has_the_value_otherwise(actor, inbox, asked):
    prices = b"item;price\nGarden tent;480.00\nBench;95.00\n"
    create_file(actor=actor, account=inbox.account, path="/Prices.csv", content=prices)
    marks = marks_of(actor, asked, "The garden tent costs 480 EUR.")
    assert (marks["480 EUR"].state, marks["480 EUR"].sources[0].type) == ("found", "file")


def test_mail_of_others_on_the_same_matter_is_a_source(actor, inbox, asked):
    factories.make_message(
        inbox, sender="jon@lantern.example", text="The garden tent of the Falkner party is 26 kg."
    )
    marks = marks_of(actor, asked, "The garden tent weighs 26 kg.")
    assert marks["26 kg"].state == "found"


def test_a_card_of_somebody_who_is_named_is_a_source(actor, inbox, asked):
    factories.make_person(
        inbox.workspace, "tobias@lantern.example", fn="Tobias Franke", tel="0170 5550 248"
    )
    marks = marks_of(actor, asked, "You reach our driver, Tobias Franke, at +49 170 5550 248.")
    assert marks["+49 170 5550 248"].state == "found"


def test_when_a_mail_came_is_known(actor, asked):
    marks = marks_of(actor, asked, "Your mail came on 9 March 2026 at 9:00.")
    assert {it.state for it in marks.values()} == {"found"}


def test_a_meeting_that_recurs_takes_each_of_its_times(actor, inbox):
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Work"
    )
    first = timezone.now().replace(hour=10, minute=0, second=0, microsecond=0) - timedelta(days=40)
    Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="board", summary="Board",
        dtstart=first, dtend=first + timedelta(hours=1), rrule="FREQ=DAILY;INTERVAL=10",
        timezone="UTC",
    )  # fmt: skip
    taken, free = (first + timedelta(days=days) for days in (60, 61))
    offer = f"Could we meet on {taken:%-d %B %Y} or on {free:%-d %B %Y} at 10:00? Anna"
    asked = factories.make_message(inbox, sender="anna@lantern.example", text=offer)
    told = {}
    for day in (taken, free):
        marks = marks_of(actor, asked, f"Dear Anna,\n\nyes, {day:%-d %B %Y} at 10:00 suits me.")
        told[day] = [it.expected for it in marks.values() if it.state == "differs"]
    assert [words[:5] for words in told[taken]] == ["Board"]
    assert told[free] == []


def meeting(start, attendee):
    """An invitation to a meeting of an hour."""
    blank = dict.fromkeys(("recurrence_id", "rrule", "description", "location", "status"), "")
    return ItipEvent(
        uid="plans", sequence=0, dtstamp=None, start=start, end=start + timedelta(hours=1),
        all_day=False, timezone="Europe/Lisbon", summary="Plans",
        organizer=Invitee("office@lantern.example"), attendees=(Invitee(attendee),), **blank,
    )  # fmt: skip


@pytest.fixture
def invite(actor, inbox):
    """Return the marks of an invitation to Anna at a time."""

    def marks(start, most_queries=20):
        said = meeting(start, "anna@lantern.example")
        draft = create_draft(
            actor=actor, inbox=inbox, identity=Identity.objects.get(account=inbox.account),
            to=[{"email": "anna@lantern.example", "name": "Anna Schmidt"}],
            subject="Invitation: Plans", body=f"You are invited.\n\nWhen:  {describe_time(said)}",
            calendar=write_itip(ItipMessage("REQUEST", (said,))),
        )  # fmt: skip
        with CaptureQueriesContext(connection) as asked:
            found = find_marks(actor, draft, thread_of(actor, draft))
        assert len(asked) <= most_queries
        return found

    return marks


def test_an_invitation_is_held_against_what_was_offered_and_the_calendar(invite, inbox):
    day = (timezone.now() + timedelta(days=9)).replace(minute=0, second=0, microsecond=0)
    text = f"Could we meet on {day:%-d %B %Y} at 10:00? Anna"
    offer = factories.make_message(inbox, sender="anna@lantern.example", text=text)
    at_ten = day.astimezone(ZoneInfo("Europe/Lisbon")).replace(
        year=day.year, month=day.month, day=day.day, hour=10
    )
    (right,) = invite(at_ten.astimezone(UTC), most_queries=12)
    assert (right.state, right.sources[0].id) == ("found", offer.public_id)
    (wrong,) = invite((at_ten + timedelta(hours=1)).astimezone(UTC))
    assert (wrong.kind, wrong.state) == ("time", "differs")
    assert "at 10:00" in wrong.expected
    calendar = Calendar.objects.create(
        workspace=inbox.workspace, account=inbox.account, name="Work"
    )
    Event.objects.create(
        workspace=inbox.workspace, calendar=calendar, uid="dentist", summary="Dentist",
        dtstart=at_ten, dtend=at_ten + timedelta(hours=1), timezone="Europe/Lisbon",
    )  # fmt: skip
    (taken,) = invite(at_ten.astimezone(UTC))
    assert (taken.state, taken.sources[0].type) == ("differs", "event")


def test_marks_are_kept_with_the_approval_and_told_by_the_api(propose, agent, client):
    approval = propose("The offer is over 512 EUR.")
    check_due([approval])
    (kept,) = [one for one in approval.marks if one["kind"] == "amount"]
    assert (kept["excerpt"], kept["state"]) == ("512 EUR", "nowhere")
    token = create_token(agent=agent, scopes=set(known_scopes()))[1]
    url = f"/api/v1/approvals/{approval.public_id}"
    told = client.get(url, headers={"Authorization": f"Bearer {token}"}).json()["marks"]
    assert told[0]["excerpt"] == "512 EUR"
    assert set(told[0]) >= {"kind", "part", "excerpt", "start", "end", "state", "sources"}


def test_an_edit_is_checked_anew(propose, asked, reviewer):
    approval = propose("The offer is over 512 EUR.")
    draft = approval.submission.draft
    fields = {name: getattr(draft, name) for name in ("subject", "to", "cc", "bcc")}
    edited = edit_and_approve(
        approval=approval, by=reviewer, body="Could you send me the offer by Friday? Yes.", **fields
    )
    assert [one for one in edited.marks if one["kind"] == "amount"] == []


def test_marks_can_be_kept_as_json(actor, asked):
    draft = draft_reply(actor=actor, thread=asked.thread, body="We pay 384 EUR.")
    (mark,) = marks_as_json(find_marks(actor, draft, thread_of(actor, draft)))
    assert mark["sources"] == [
        {"type": "message", "id": asked.public_id, "excerpt": mark["sources"][0]["excerpt"]}
    ]


def test_what_lies_in_an_account_that_was_not_granted_is_no_source(actor, workspace, asked):
    other = factories.make_inbox(workspace, "private@lantern.example")
    text = "The parcel has the number 5567001."
    factories.make_message(other, sender="anna@lantern.example", text=text)
    clerk = factories.agent_actor(factories.make_agent(workspace, "Private", (other,)))
    create_file(actor=clerk, account=other.account, path="/Parcels.txt", content=text.encode())
    assert marks_of(actor, asked, "Your parcel 5567001 is here.")["5567001"].state == "nowhere"
