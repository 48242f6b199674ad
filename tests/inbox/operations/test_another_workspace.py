"""What another workspace has changes nothing that is done, found or judged in one's own."""

from dataclasses import replace

import pytest
from django.utils import timezone

from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.extract.extraction import extract
from inbox.models import (
    Attachment,
    ExtractionSchema,
    Identity,
    Message,
    Person,
    PersonEmail,
    ReplyPolicy,
    Taxonomy,
    store_blob,
)
from inbox.operations.activities import context
from inbox.operations.activities.understanding import ensure_defaults, save_version
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, update_contact
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.contacts.vcards import import_cards
from inbox.operations.drafts.writing import draft_reply
from inbox.operations.sending.submissions import find_drift, propose_submission
from inbox.policies import read_policy
from inbox.search.finding import search_messages
from inbox.trials.past import Scope
from inbox.trials.policies import try_policy
from tests import factories

pytestmark = pytest.mark.django_db
ADA = "ada@customer.example"


@pytest.fixture
def theirs(db):
    """The inbox of another workspace."""
    return factories.make_inbox(factories.make_workspace("elsewhere"), "office@others.example")


def card(*emails, name="Ada"):
    return CardChanges(given_name=name, emails=[CardEmail(email) for email in emails])


def misplaced(row, theirs):
    """The row, as it says that it is theirs."""
    type(row).objects.filter(pk=row.pk).update(workspace=theirs.workspace)
    return row


# -- cards -------------------------------------------------------------------------------------------
def test_an_address_on_a_card_elsewhere_is_free_here(actor, inbox, theirs):
    other = factories.agent_actor(factories.make_agent(theirs.workspace, "Other", (theirs,)))
    create_contact(actor=other, account=theirs.account, changes=card(ADA, "ada@home.example"))
    ours = create_contact(actor=actor, account=inbox.account, changes=card(ADA))
    update_contact(actor=actor, person=ours, changes=card(ADA, "ada@home.example"))
    own = PersonEmail.objects.filter(workspace=inbox.workspace, person=ours)
    assert set(own.values_list("email", flat=True)) == {ADA, "ada@home.example"}
    assert PersonEmail.objects.filter(workspace=theirs.workspace).count() == 2


def test_an_address_of_somebody_unseen_is_not_taken(actor, inbox, workspace):
    other = factories.make_inbox(workspace, "other@lantern.example")
    unseen = factories.make_person(workspace, ADA, account=other.account)
    with pytest.raises(DomainError):
        create_contact(actor=actor, account=inbox.account, changes=card(ADA))
    ours = create_contact(actor=actor, account=inbox.account, changes=card("bo@customer.example"))
    with pytest.raises(DomainError):
        update_contact(actor=actor, person=ours, changes=card("bo@customer.example", ADA))
    assert PersonEmail.objects.get(email=ADA).person == unseen


def test_mail_counts_for_who_has_the_address_in_its_own_workspace(inbox, theirs):
    for place in (theirs, inbox):
        contact = Contact(ADA, "Ada", timezone.now(), outbound=False)
        record_contacts(
            workspace_id=place.workspace_id, account_id=place.account_id, contacts=[contact]
        )
    for model in (Person, PersonEmail):
        rows = model.objects.filter(email=ADA).values_list("workspace_id", "received_count")
        assert dict(rows) == {inbox.workspace_id: 1, theirs.workspace_id: 1}


def test_cards_are_imported_into_those_of_the_accounts_workspace(actor, inbox, theirs):
    both = Actor("person", 1, "Rhea", (theirs.workspace_id, inbox.workspace_id))
    known = create_contact(
        actor=replace(both, id=2), account=theirs.account, changes=card(ADA, name="Augusta")
    )
    text = f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEMAIL:{ADA}\r\nEND:VCARD\r\n"
    import_cards(actor=both, account=inbox.account, data=text.encode())
    ours = PersonEmail.objects.get(workspace=inbox.workspace, email=ADA).person
    assert ours != known


def test_a_misplaced_namesake_is_not_who_a_card_is_of(actor, inbox, theirs):
    names = CardChanges(given_name="Ada", family_name="Byron", fn="Ada Byron")
    known = create_contact(actor=actor, account=inbox.account, changes=names)
    misplaced(known, theirs)
    text = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada Byron\r\nN:Byron;Ada;;;\r\nEND:VCARD\r\n"
    import_cards(actor=actor, account=inbox.account, data=text.encode())
    assert Person.objects.filter(workspace=inbox.workspace, fn="Ada Byron").exists()


# -- mail --------------------------------------------------------------------------------------------
def test_a_message_of_another_workspace_is_no_newer_one_of_a_thread(actor, inbox, theirs):
    message = factories.make_message(inbox)
    misplaced(factories.make_message(inbox, thread=message.thread), theirs)
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.")
    submission = propose_submission(actor=actor, draft=draft)
    assert submission.thread_head == message
    misplaced(factories.make_message(inbox, thread=message.thread), theirs)
    assert find_drift(submission) == []


def attached(message):
    Message.objects.filter(pk=message.pk).update(has_attachments=True)
    message.refresh_from_db()
    return Attachment.objects.create(
        workspace=message.workspace, message=message, position=0, filename="pomegranate.txt",
        content_type="text/plain", blob=store_blob(message.workspace_id, b"The total is 12 EUR."),
        size=20, received_at=message.received_at,
    )  # fmt: skip


def test_a_misplaced_file_is_neither_in_a_hit_nor_read_for_what_is_asked(actor, inbox, theirs):
    message = factories.make_message(
        inbox, subject="It", text="See there.", search_extra="pomegranate.txt"
    )
    file = attached(message)
    schema = {"type": "object", "properties": {"total": {"type": "string"}}}

    def hit():
        (found,) = search_messages(actor=actor, inbox=inbox, query="pomegranate")
        return found.snippet

    said = str(extract(message, schema))
    assert "pomegranate" in hit()
    misplaced(file, theirs)
    assert "pomegranate" not in hit()
    assert str(extract(message, schema)) != said


# -- what is taught ----------------------------------------------------------------------------------
def test_each_workspace_has_defaults_of_its_own_under_the_same_names(inbox, theirs):
    for place in (theirs.workspace, inbox.workspace):
        ensure_defaults(place)
        for model in (ReplyPolicy, Taxonomy):
            assert [it.name for it in model.objects.filter(workspace=place)] == ["Default"]
        assert ExtractionSchema.objects.filter(workspace=place).exists()
    twice = [
        save_version(ReplyPolicy, workspace=place, name="House", content="closing: Yes.\n")
        for place in (theirs.workspace, inbox.workspace)
    ]
    assert [it.name for it in twice] == ["House", "House"]


def test_a_link_to_hosts_of_another_workspace_is_external_in_a_trial(actor, inbox, theirs):
    factories.make_message(inbox, direction="outbound", text="See https://others.example/offer.")
    everywhere = replace(actor, account_ids=None)
    lax, strict = (read_policy(f"allowed_links: [{host}]\n") for host in ("others.example", ""))
    trial = try_policy(scope=Scope(actor=everywhere), now=lax, then=strict)
    assert (len(trial.tried), trial.same) == (1, 0)
    Identity.objects.filter(email=theirs.address).update(workspace=inbox.workspace)
    assert try_policy(scope=Scope(actor=everywhere), now=lax, then=strict).same == 1


def test_whom_another_workspace_writes_to_is_known_there_alone(inbox, theirs, monkeypatch):
    monkeypatch.setattr(context, "KNOWN_CORRESPONDENTS", 1)
    factories.make_person(theirs.workspace, "bo@others.example", sent_count=9, contact_count=9)
    factories.make_person(inbox.workspace, "cy@known.example", sent_count=1, contact_count=1)
    message = factories.make_message(inbox, sender="cy@knovvn.example")
    assert context.MessageContext([message]).imitated_by(message) == "known.example"


@pytest.mark.parametrize("model", [Person, PersonEmail])
def test_a_misplaced_namesake_is_imitated_by_nobody(inbox, theirs, model):
    factories.make_person(inbox.workspace, "ada@known.example", fn="Ada Byron")
    message = factories.make_message(inbox, sender="ada@knovvn.example", sender_name="Ada Byron")
    assert context.MessageContext([message]).imitated_by(message) == "known.example"
    model.objects.filter(workspace=inbox.workspace).update(workspace=theirs.workspace)
    assert context.MessageContext([message]).imitated_by(message) == ""
