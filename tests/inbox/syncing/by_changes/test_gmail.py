"""Mail at Gmail by its own interface, which another program changes meanwhile.

`SYNC_ROUNDS=500` has it make so many changes; `SYNC_SEED` is what it goes by.
"""

import json
import os
import random
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.directory.kinds import KINDS
from inbox.actor import system_actor
from inbox.models import Identity, Message, SyncState
from inbox.models.remote import RemoteMessage
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.accounts.connections import with_mail_changes
from inbox.operations.mail.message_changes import (
    FollowUp,
    MessageChanges,
    delete_message,
    move_message,
    update_message,
)
from inbox.providers.mail_store import StoreError
from tests.inbox.syncing.by_changes.gmail_account import OtherProgram, agree, connect, opened
from tests.inbox.syncing.by_changes.test_made_up import act_here
from tests.inbox.syncing.killing import Kills
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.machines.google.everything import google_server

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("SYNC_SEED", "0"))
SEEDS = int(os.environ.get("SYNC_SEEDS", "1"))
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "25"))


@pytest.fixture
def google():
    with google_server() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def box(google):
    return google.gmail.box


@pytest.fixture
def mirror(inbox, google):
    return connect(inbox, google)


@pytest.fixture
def actor(inbox):
    return system_actor(inbox.workspace_id, "tests")


def asked(google):
    """Return what was asked since the last time, by the ends of the paths."""
    found = [f"{call.method} {call.path.rpartition('/')[2]}" for call in google.calls]
    google.calls.clear()
    return found


def test_what_lies_there_is_read_to_the_byte_the_newest_first(mirror, google, box):
    google.gmail.page_size = 40
    travel = box.add_label("Travel/2026")
    raw = letter("Bytes", body="Grüße\r\n.dots\r\n\r\n  blanks  ")
    box.add(raw, {"INBOX", "STARRED", travel})
    box.add(letter("Filed"), ())
    for number in range(90):
        box.add(letter(f"Letter {number}"))
    assert mirror.sync()
    agree(google, mirror)
    message = Message.objects.get(subject="Bytes")
    assert message.blob.read() == raw
    assert message.keywords == ["$flagged", "$seen"]
    assert set(message.mailboxes.values_list("name", flat=True)) == {"Inbox", "Travel/2026"}
    assert mirror.subjects("Archive") == ["Filed"]
    assert mirror.state.done == mirror.state.total == 92
    read = [
        call.path.rpartition("/")[2] for call in google.inner if ("format", "raw") in call.query
    ]
    newest = [one.id for one in box.newest_first()]
    assert set(read[:40]) == set(newest[:40])


def test_confirmed_aliases_are_identities_of_the_account(mirror, google):
    google.gmail.sending.aliases.update({"sales@x.example": True, "later@x.example": False})
    mirror.sync()
    found = set(mirror.account.identities.values_list("email", flat=True))
    assert found == {"office@lantern.example", google.address, "sales@x.example"}


def test_aliases_are_taken_again_once_a_day_where_something_is_new(mirror, google, box, actor):
    aliases = google.gmail.sending.aliases
    aliases.update({"sales@x.example": True, "old@x.example": True})
    by_hand = Identity.objects.create(
        workspace=mirror.account.workspace, account=mirror.account, email="own@x.example"
    )
    mirror.sync()
    old = Identity.objects.get(email="old@x.example")
    own = {"office@lantern.example", google.address, by_hand.email}

    def offered():
        looked_around = {row.email for row in KINDS["identities"].rows(actor)}
        assert looked_around == {one.email for one in identities_of(mirror.account)}
        return looked_around - own

    def look(*, days, news):
        SyncState.objects.update(identities_at=timezone.now() - timedelta(days=days, minutes=1))
        if news:
            box.add(letter("News"))
        asked(google)
        assert mirror.sync()
        return "GET sendAs" in asked(google)

    assert offered() == {"sales@x.example", "old@x.example"}
    del aliases["old@x.example"]
    aliases |= {"new@x.example": True, "later@x.example": False}
    assert not look(days=0, news=True)
    assert not look(days=2, news=False)
    assert offered() == {"sales@x.example", "old@x.example"}
    assert look(days=1, news=True)
    assert offered() == {"sales@x.example", "new@x.example"}
    # What was written as it says so still, and it is offered again where it is named again.
    assert Identity.objects.get(pk=old.pk).is_listed is False
    aliases["old@x.example"] = True
    assert look(days=1, news=True)
    assert offered() == {"sales@x.example", "new@x.example", "old@x.example"}
    assert identities_of(mirror.account)[0].email == "office@lantern.example"


def test_aliases_stay_where_they_may_not_be_asked_for(mirror, google, box):
    google.gmail.sending.aliases["sales@x.example"] = True
    mirror.sync()
    SyncState.objects.update(identities_at=None)
    box.add(letter("News"))
    google.order(400, "settings/sendAs")
    assert mirror.sync()
    assert Identity.objects.get(email="sales@x.example").is_listed
    assert SyncState.objects.get().identities_at is not None


def test_a_look_with_nothing_new_is_two_requests(mirror, google, box):
    box.add(letter("One"))
    mirror.sync(times=2)
    before = list(RemoteMessage.objects.values())
    asked(google)
    assert mirror.sync()
    assert asked(google) == ["GET labels", "GET history"]
    assert list(RemoteMessage.objects.values()) == before


def test_what_changes_there_changes_here(mirror, google, box):
    read, archived, moved, trashed, gone = (
        box.add(letter(word)) for word in ("Read", "Archived", "Moved", "Trashed", "Gone")
    )
    mirror.sync()
    travel = box.add_label("Travel")
    box.change(read, {"STARRED"}, {"UNREAD"})
    box.change(archived, remove={"INBOX"})
    box.change(moved, {travel}, {"INBOX"})
    box.change(trashed, {"TRASH", travel})
    box.remove(gone.id)
    mirror.sync(times=2)
    agree(google, mirror)
    assert Message.objects.get(subject="Read").keywords == ["$flagged", "$seen"]
    assert mirror.subjects("Archive") == ["Archived"]
    assert mirror.subjects("Travel") == ["Moved"]
    assert mirror.subjects("Trash") == ["Trashed"]
    assert Message.objects.get(subject="Gone").deleted_at is not None
    assert not [call for call in google.calls if "odify" in call.path]


def test_what_is_changed_here_is_told_once_and_comes_not_back(mirror, google, box, actor):
    one, other = box.add(letter("Letter")), box.add(letter("Waste"))
    mirror.sync()
    message = Message.objects.get(subject="Letter")
    flagged = MessageChanges(is_read=True, follow_up=FollowUp(status="flagged"))
    update_message(actor=actor, message=message, changes=flagged)
    move_message(actor=actor, message=message, role="archive")
    delete_message(actor=actor, message=Message.objects.get(subject="Waste"))
    mirror.sync()
    assert one.labels == {"STARRED"}
    assert other.labels == {"TRASH", "UNREAD"}
    asked(google)
    mirror.sync(times=2)
    agree(google, mirror)
    assert not [it for it in asked(google) if "odify" in it]
    move_message(actor=actor, message=Message.objects.get(pk=message.pk), role="inbox")
    mirror.sync(times=2)
    agree(google, mirror)
    assert one.labels == {"STARRED", "INBOX"}


def test_many_that_change_alike_are_told_with_one_request(mirror, google, box, actor):
    for number in range(5):
        box.add(letter(f"Letter {number}"))
    mirror.sync()
    for message in Message.objects.all():
        update_message(actor=actor, message=message, changes=MessageChanges(is_read=True))
    asked(google)
    mirror.sync()
    assert [it for it in asked(google) if "odify" in it] == ["POST batchModify"]
    agree(google, mirror)


def test_sent_mail_that_is_filed_elsewhere_here_goes_back_where_gmail_keeps_it(
    mirror, google, box, actor
):
    box.add(letter("Sent"), {"SENT"})
    mirror.sync()
    message = Message.objects.get()
    move_message(actor=actor, message=message, role="archive")
    mirror.sync(times=2)
    agree(google, mirror)
    assert mirror.subjects("Sent") == ["Sent"]
    delete_message(actor=actor, message=Message.objects.get())
    mirror.sync(times=2)
    assert box.newest_first()[0].labels == {"SENT", "TRASH"}
    agree(google, mirror)


def test_history_that_is_gone_has_everything_compared_and_nothing_read_again(mirror, google, box):
    letters = [box.add(letter(f"Letter {number}")) for number in range(6)]
    mirror.sync()
    box.change(letters[1], {"SPAM"})
    box.remove(letters[2].id)
    box.forget()
    google.inner.clear()
    box.add(letter("New"))
    assert mirror.sync()
    agree(google, mirror)
    assert len([call for call in google.inner if ("format", "raw") in call.query]) == 1


def test_a_page_of_a_listing_that_is_known_no_more_begins_anew(mirror, google, box):
    for number in range(5):
        box.add(letter(f"Letter {number}"))
    mirror.sync()
    position = json.dumps({"history": str(box.newest), "page": "nonsense"})
    SyncState.objects.update(position=position)
    assert mirror.sync()
    agree(google, mirror)


def test_a_label_that_is_newer_than_the_list_of_them_takes_nothing_away(mirror, google, box):
    one = box.add(letter("Letter"))
    mirror.sync()

    def look(store):
        with store:
            store.mailboxes()
            box.change(one, {box.add_label("New")}, {"INBOX"})
            with pytest.raises(StoreError, match="label was made"):
                store.changes("", SyncState.objects.get(account=mirror.account).position)

    with_mail_changes(mirror.account, look)
    mirror.sync()
    agree(google, mirror)
    assert mirror.subjects("New") == ["Letter"]


def test_who_may_not_delete_for_good_puts_it_into_the_trash(google, box):
    one = box.add(letter("Letter"))
    with opened(google, "gmail.modify") as store:
        refused = store.destroy([one.id, "00000000000000ff"])
        assert refused[one.id].kind == "permanent"
        assert one.labels == {"TRASH", "UNREAD"}
    with opened(google) as store:
        assert store.destroy([one.id]) == {}
    assert box.letters == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(SEED, SEED + SEEDS))
def test_in_the_end_both_sides_are_the_same(mirror, google, box, actor, seed):
    chance = random.Random(seed)
    other, kills = OtherProgram(google, chance), Kills(mirror.account, chance, ROUNDS)
    for _ in range(ROUNDS):
        other.act()
        other.act()
        act_here(actor, chance)
        if chance.random() < 0.3:
            google.order(chance.choice(("drop", "lose", "half", 503)), after=chance.randint(0, 6))
        kills.now_and_then()
        mirror.sync()
    google.faults.clear()
    mirror.sync(times=3)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    agree(google, mirror)
    kills.assert_read()
    assert duplicates(mirror.account) == []
