"""Whom a workspace knows: whom it wrote to, its people's cards, its guests; and nobody else."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.evidence.known import know
from calendar_app.models import Event
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.invitations import take_invitations
from calendar_app.operations.keeping import default_calendar
from inbox.models import Membership, Person, PersonEmail, Role
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import (
    create_contact,
    delete_contact,
    restore_contact,
    update_contact,
)
from inbox.operations.contacts.vcards import import_cards
from inbox.operations.mail.incoming import receive_message
from tests import factories

pytestmark = pytest.mark.django_db
ADA = "ada@customer.example"
OFFICE = "office@lantern.example"


@pytest.fixture
def person(workspace):
    """The owner, as they act."""
    return factories.person_actor(factories.make_person_user(workspace, Role.OWNER, "otto"))


@pytest.fixture
def why(actor, workspace):
    """Why an address is known; None: it is new."""

    def why(email=ADA):
        return know(actor, workspace.pk, [email]).get(email.lower())

    return why


def letter(sender, to, *, received=True):
    trace = "Received: from x by mx.lantern.example; Mon, 02 Mar 2026 08:00:00 +0000\n"
    return (
        f"{trace if received else ''}From: {sender}\nTo: {to}\nSubject: Hello\n"
        f"Date: Mon, 02 Mar 2026 08:00:00 +0000\nMessage-ID: <{sender}-{received}@x.example>\n\nHi.\n"
    ).encode()


def card(*emails, **changes):
    return CardChanges(given_name="Ada", emails=[CardEmail(each) for each in emails], **changes)


# -- whom mail brings ------------------------------------------------------------------------------


def test_a_stranger_does_not_become_known_by_writing_to_us(inbox, why):
    for _ in range(3):
        receive_message(inbox=inbox, raw=letter(ADA, OFFICE))
    assert PersonEmail.objects.get(email=ADA).received_count
    assert why() is None


def test_whom_we_wrote_to_is_known(inbox, why):
    receive_message(inbox=inbox, raw=letter(OFFICE, ADA), mailbox_role="sent")
    assert why("Ada@Customer.example") == "written"


def test_mail_that_came_in_under_our_name_makes_nobody_known(inbox, why):
    """Anybody can write our address into From; the mail came to our inbox from outside."""
    receive_message(inbox=inbox, raw=letter(OFFICE, f"{OFFICE}, {ADA}"))
    assert why() is None


def test_a_copy_that_a_mail_program_kept_of_what_we_sent_counts(inbox, why):
    receive_message(inbox=inbox, raw=letter(OFFICE, ADA, received=False))
    assert why() == "written"


def test_a_draft_in_the_mailbox_makes_nobody_known(inbox, why):
    receive_message(inbox=inbox, raw=letter(OFFICE, ADA), mailbox_role="drafts")
    assert why() is None


# -- cards -----------------------------------------------------------------------------------------


def test_a_card_that_a_person_wrote_makes_its_addresses_known(inbox, person, why):
    create_contact(actor=person, account=inbox.account, changes=card(ADA))
    assert why() == "card"


def test_a_card_that_an_agent_wrote_makes_nobody_known(inbox, actor, why):
    wanted = {
        "account_id": inbox.account.public_id, "given_name": "Ada", "email_addresses": [ADA],
    }  # fmt: skip
    call("contact_create", wanted, actor)
    assert Person.objects.get().is_contact
    assert why() is None


def test_an_agent_that_changes_a_person_s_card_makes_its_address_known_no_more(
    inbox, actor, person, why
):
    made = create_contact(actor=person, account=inbox.account, changes=card(ADA))
    both = [ADA, "eve@elsewhere.example"]
    wanted = {
        "contact_id": made.public_id, "account_id": inbox.account.public_id,
        "updates": {"emailAddresses": both},
    }  # fmt: skip
    call("contact_update", wanted, actor)
    assert (why(), why("eve@elsewhere.example")) == ("card", None)


def test_an_address_that_an_agent_took_off_and_put_back_is_no_person_s_any_more(
    inbox, actor, person, why
):
    made = create_contact(actor=person, account=inbox.account, changes=card(ADA))
    for emails in (["new@customer.example"], [ADA]):
        changes = CardChanges(emails=[CardEmail(each) for each in emails])
        update_contact(actor=actor, person=made, changes=changes)
    assert why() is None


def test_an_agent_s_card_is_a_person_s_once_a_person_saves_it(inbox, actor, why):
    made = create_contact(actor=actor, account=inbox.account, changes=card(ADA))
    browser = Client()
    browser.force_login(factories.make_person_user(inbox.workspace, Role.OWNER, "olga"))
    fields = {"given_name": "Ada", "addresses": ADA, "numbers": ""}
    empty = {f"{name}-{part}": 0 for name in ("emails", "correspondences") for part in ("TOTAL_FORMS", "INITIAL_FORMS")}  # fmt: skip
    answer = browser.post(f"/admin/inbox/person/{made.pk}/change/", {**fields, **empty})
    assert answer.status_code == 302
    assert why() == "card"


def test_a_file_of_cards_that_a_person_reads_in_makes_them_known_and_only_them(
    inbox, actor, person, why
):
    made = create_contact(actor=actor, account=inbox.account, changes=card("eve@elsewhere.example"))
    update_contact(
        actor=actor, person=made,
        changes=CardChanges(emails=[CardEmail("eve@elsewhere.example"), CardEmail(ADA)]),
    )  # fmt: skip
    file = f"BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nEMAIL:{ADA}\nEND:VCARD\n".encode()
    assert import_cards(actor=person, account=inbox.account, data=file).completed == 1
    assert (why(), why("eve@elsewhere.example")) == ("card", None)


def test_a_file_of_cards_that_an_agent_brings_makes_nobody_known(inbox, actor, why):
    file = f"BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nEMAIL:{ADA}\nEND:VCARD\n".encode()
    import_cards(actor=actor, account=inbox.account, data=file)
    assert why() is None


def test_a_deleted_card_vouches_for_nobody_even_when_their_mail_brings_it_back(inbox, person, why):
    made = create_contact(actor=person, account=inbox.account, changes=card(ADA))
    delete_contact(actor=person, person=made)
    assert why() is None
    receive_message(
        inbox=inbox, raw=letter(ADA, OFFICE), received_at=timezone.now() + timedelta(minutes=1)
    )
    assert Person.objects.kept().get().is_contact
    assert why() is None


def test_a_card_that_a_person_restores_vouches_as_before(inbox, person, why):
    made = create_contact(actor=person, account=inbox.account, changes=card(ADA))
    delete_contact(actor=person, person=made)
    restore_contact(actor=person, person=made)
    assert why() == "card"


def test_an_agent_s_new_card_for_somebody_deleted_vouches_for_nobody(inbox, actor, person, why):
    made = create_contact(actor=person, account=inbox.account, changes=card(ADA))
    delete_contact(actor=person, person=made)
    create_contact(actor=actor, account=inbox.account, changes=card(ADA))
    assert why() is None


# -- guests ----------------------------------------------------------------------------------------


def meeting(organizer, *guests, uid="tea@lantern.example"):
    lines = "\n".join(f"ATTENDEE:mailto:{guest}" for guest in guests)
    return (
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\n"
        f"UID:{uid}\nDTSTAMP:20260301T080000Z\nDTSTART:20260310T100000Z\nDTEND:20260310T110000Z\n"
        f"SUMMARY:Tea\nORGANIZER:mailto:{organizer}\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n"
    )


def invitation(sender, organizer, *guests):
    parts = meeting(organizer, *guests, uid="forged@x.example").replace(
        "PRODID:x", "PRODID:x\nMETHOD:REQUEST"
    )
    head = (
        f"Received: from x by mx; Mon, 02 Mar 2026 08:00:00 +0000\nFrom: {sender}\nTo: {OFFICE}\n"
        "Subject: Tea\nDate: Mon, 02 Mar 2026 08:00:00 +0000\nMessage-ID: <forged@x.example>\n"
        "MIME-Version: 1.0\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\n\n"
    )
    return (head + parts).encode()


def test_a_guest_of_a_meeting_that_a_person_brought_in_and_we_organise_is_known(inbox, why):
    calendar = default_calendar(inbox.account)
    import_calendar(calendar=calendar, content=meeting(OFFICE, ADA).encode())
    assert why() == "guest"


def test_a_guest_of_somebody_else_s_meeting_is_new(inbox, why):
    calendar = default_calendar(inbox.account)
    import_calendar(calendar=calendar, content=meeting("eve@elsewhere.example", ADA).encode())
    assert (why(), why("eve@elsewhere.example")) == (None, None)


@pytest.mark.parametrize("sender", ["eve@elsewhere.example", OFFICE])
def test_an_invitation_that_a_stranger_sent_makes_nobody_known(inbox, why, sender):
    """Not even one that names us as its organizer, in a message that names us as its sender."""
    raw = invitation(sender, sender, ADA, OFFICE)
    message = receive_message(inbox=inbox, raw=raw, mailbox_role="inbox")
    message.direction = "inbound"
    message.save()
    take_invitations(message_ids=[message.pk])
    assert Event.objects.get().organizer == sender
    assert why() is None


def test_an_invitation_that_an_agent_proposed_makes_nobody_known_before_it_was_approved(
    inbox, actor, why
):
    wanted = {
        "account_id": inbox.account.public_id, "subject": "Tea", "start": "2099-03-10T10:00:00Z",
        "end": "2099-03-10T11:00:00Z", "attendees": [ADA],
    }  # fmt: skip
    assert call("calendar_create_event", wanted, actor).approval is not None
    assert why() is None


def test_a_guest_of_a_meeting_that_was_deleted_is_new_again(inbox, why):
    calendar = default_calendar(inbox.account)
    import_calendar(calendar=calendar, content=meeting(OFFICE, ADA).encode())
    Event.objects.update(deleted_at=timezone.now())
    assert why() is None


# -- ourselves -------------------------------------------------------------------------------------


def test_our_own_addresses_are_not_new(inbox, workspace, reviewer, why):
    second = factories.make_inbox(workspace, "shop@lantern.example")
    second.account.identities.create(workspace=workspace, email="Sales@lantern.example")
    User.objects.filter(pk=reviewer.pk).update(email="Rhea@home.example")
    assert why(OFFICE) == "ours"
    assert why("rhea@home.example") == "ours"
    assert why("stranger@lantern.example") is None


def test_the_addresses_of_another_account_are_not_told_to_an_agent_that_has_no_grant_on_it(
    workspace, inbox, why, person
):
    factories.make_inbox(workspace, "shop@lantern.example")
    assert why("shop@lantern.example") is None
    assert know(person, workspace.pk, ["shop@lantern.example"]) == {"shop@lantern.example": "ours"}


def test_who_has_left_and_who_is_in_another_workspace_is_not_one_of_us(workspace, reviewer, why):
    User.objects.filter(pk=reviewer.pk).update(email="rhea@home.example")
    Membership.objects.update(workspace=factories.make_workspace())
    assert why("rhea@home.example") is None


def test_another_workspace_s_cards_and_letters_count_for_nothing_here(workspace, why):
    other = factories.make_workspace()
    factories.make_person(other, ADA, sent_count=3, contact_count=3)
    assert why() is None


@pytest.mark.parametrize("size", [1, 60])
def test_it_is_asked_in_three_queries_however_many_there_are(
    actor, workspace, django_assert_num_queries, size
):
    with django_assert_num_queries(3):
        know(actor, workspace.pk, [f"a{number}@customer.example" for number in range(size)])
