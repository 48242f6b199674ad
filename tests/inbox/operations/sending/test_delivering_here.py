"""Mail to an address of ours arrives there by the built-in provider, and by no other."""

from inbox.background.jobs import run_due
from inbox.models import Activity, Message
from inbox.operations.sending.delivering_here import deliver_here
from tests import factories
from tests.sending_tools import fate, propose, release
from tests.servers import Peer


def arrived(inbox):
    return Message.objects.filter(inbox=inbox, mailboxes__role="inbox")


def send(actor, inbox, reviewer, *to, port=0):
    submission = propose(actor, inbox, port, to=list(to))
    release(submission, reviewer)
    run_due()
    return submission


def test_mail_to_oneself_arrives_beside_its_copy_among_the_sent(actor, inbox, reviewer):
    submission = send(actor, inbox, reviewer, inbox.address.upper())
    assert fate(submission) == "sent"
    (message,) = arrived(inbox)
    assert message.text.strip() == submission.draft.body.strip()
    assert submission.message.mailboxes.filter(role="sent").exists()
    # It is our own: nobody has to look at it.
    assert not Activity.objects.filter(message=message).exists()


def test_a_colleague_gets_it_and_another_workspace_does_not(actor, inbox, reviewer):
    colleague = factories.make_inbox(inbox.workspace, "orders@lantern.example")
    stranger = factories.make_inbox(factories.make_workspace(), "office@elsewhere.example")
    send(actor, inbox, reviewer, colleague.address, stranger.address)
    (message,) = arrived(colleague)
    assert message.direction == "inbound"
    assert Activity.objects.filter(message=message).exists()
    assert not arrived(stranger).exists()
    assert not arrived(inbox).exists()


def test_the_same_again_brings_nothing_twice(actor, inbox, reviewer):
    submission = send(actor, inbox, reviewer, inbox.address)
    deliver_here({"submission_id": submission.pk})
    assert arrived(inbox).count() == 1


def test_what_a_server_took_comes_back_by_that_server_alone(actor, inbox, reviewer):
    with Peer() as peer:
        send(actor, inbox, reviewer, inbox.address, port=peer.port)
    assert not arrived(inbox).exists()


def test_what_was_not_approved_arrives_nowhere(actor, inbox):
    submission = propose(actor, inbox, 0, to=[inbox.address])
    deliver_here({"submission_id": submission.pk})
    assert not arrived(inbox).exists()
