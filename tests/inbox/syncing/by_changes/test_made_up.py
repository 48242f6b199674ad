"""Mail followed by change tokens, at a made-up provider with one position or one for each mailbox."""

import os
import random

import pytest
from django.utils import timezone

from inbox.actor import system_actor
from inbox.models import Job, Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.deletions import purge_deleted
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    restore_message,
    update_message,
)
from inbox.operations.purging import KEPT_FOR
from inbox.providers.mail_store import StoreError
from tests.cases import made_up
from tests.inbox.syncing.by_changes.made_up import PAGE, OtherProgram
from tests.inbox.syncing.mirrors import duplicates

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("SYNC_SEED", "0"))
SEEDS = int(os.environ.get("SYNC_SEEDS") or made_up(4))


@pytest.fixture
def actor(inbox):
    return system_actor(inbox.workspace_id, "tests")


def agree(office, mirror):
    there = {key: kept.state for key, kept in office.messages.items()}
    names = {key: entry.name for key, entry in office.mailboxes.items()}
    mirror.assert_same(there, names)
    assert duplicates(mirror.account) == []


def test_what_lies_there_is_read_newest_first_and_lies_here_alike(office, mirror):
    keys = [office.arrive(f"Letter {number}", keywords=["$seen"]) for number in range(3 * PAGE)]
    office.arrive("Filed", "Archive")
    assert mirror.sync()
    agree(office, mirror)
    assert mirror.subjects("Inbox") == sorted(f"Letter {number}" for number in range(3 * PAGE))
    assert [key for key in office.fetched if key in keys] == keys[::-1]
    assert mirror.state.status == "current"
    assert mirror.state.done == mirror.state.total == 3 * PAGE + 1


def test_a_look_with_nothing_new_asks_twice_and_writes_nothing(office, mirror):
    office.arrive("Letter")
    mirror.sync()
    before, calls = list(RemoteMessage.objects.values()), office.calls
    assert mirror.sync()
    scopes = len(office.mailboxes) if office.by_mailbox else 1
    assert office.calls - calls == 1 + scopes
    assert list(RemoteMessage.objects.values()) == before


def test_mailboxes_that_are_called_alike_keep_their_names_in_whatever_order_they_are_listed(
    office, mirror
):
    # A folder `b` in `a`, and one that has a slash in its name.
    first, second = office.add_mailbox("a/b"), office.add_mailbox("a/b")
    mirror.sync()
    rows = RemoteFolder.objects.order_by("pk").values("remote_id", "name", "mailbox__name")
    before = list(rows)
    names = {row["remote_id"]: row["name"] for row in before}
    assert (names[first], names[second]) == ("a/b", "a/b (2)")
    third = office.add_mailbox("a/b")
    for _ in range(2):
        office.mailboxes = dict(reversed(office.mailboxes.items()))
        mirror.sync()
        assert list(rows.all())[: len(before)] == before
    assert rows.get(remote_id=third)["mailbox__name"] == "a/b (3)"


def test_what_changes_there_changes_here_and_is_not_told_back(office, mirror):
    read, moved, gone = (office.arrive(word) for word in ("Read", "Moved", "Gone"))
    mirror.sync()
    office.mark(read, "$seen", "errand")
    office.put(moved, "Archive")
    office.remove(gone)
    mirror.sync(times=2)
    agree(office, mirror)
    assert Message.objects.get(subject="Read").keywords == ["$seen", "errand"]
    assert mirror.subjects("Archive") == ["Moved"]
    assert Message.objects.get(subject="Gone").deleted_at is not None
    assert office.told == []


def test_what_moves_is_never_taken_for_deleted(office, mirror):
    key = office.arrive("Wanderer")
    mirror.sync()
    for name in ("Archive", "Junk", "Inbox", "Trash"):
        office.put(key, name)
        mirror.sync()
        assert mirror.subjects(name) == ["Wanderer"]
    assert not Job.objects.filter(payload__fact="message.deleted").exists()


def test_what_is_changed_here_is_told_and_comes_not_back_as_news(office, mirror, actor):
    key = office.arrive("Letter")
    mirror.sync()
    message = Message.objects.get()
    update_message(actor=actor, message=message, changes=MessageChanges(is_read=True))
    move_message(actor=actor, message=message, role="archive")
    mirror.sync()
    state = office.messages[key].state
    assert state.mailboxes == {office.box("Archive")}
    assert state.keywords == {"$seen"}
    told = list(office.told)
    published = Job.objects.count()
    mirror.sync(times=2)
    agree(office, mirror)
    assert (office.told, Job.objects.count()) == (told, published)


def test_what_both_sides_change_of_a_message_is_both(office, mirror, actor):
    key = office.arrive("Letter")
    mirror.sync()
    update_message(actor=actor, message=Message.objects.get(), changes=MessageChanges(is_read=True))
    office.mark(key, "$flagged")
    mirror.sync(times=2)
    agree(office, mirror)
    assert office.messages[key].state.keywords == {"$seen", "$flagged"}


def test_deleted_here_goes_to_the_trash_and_purged_here_is_removed(office, mirror, actor):
    key = office.arrive("Letter")
    mirror.sync()
    delete_message(actor=actor, message=Message.objects.get())
    mirror.sync()
    assert office.messages[key].state.mailboxes == {office.box("Trash")}
    purge_deleted(timezone.now() + 2 * KEPT_FOR)
    mirror.sync(times=2)
    assert office.messages == {}
    assert not RemoteMessage.objects.exists()


def test_a_message_in_two_mailboxes_is_one_here(office, mirror, actor):
    if not office.lies_in_many:
        pytest.skip("a message lies in one mailbox there")
    office.add_mailbox("Travel")
    key = office.arrive("Ticket", "Inbox", "Travel")
    mirror.sync()
    agree(office, mirror)
    message = Message.objects.get()
    assert set(message.mailboxes.values_list("name", flat=True)) == {"Inbox", "Travel"}
    move_message(actor=actor, message=message, role="archive")
    mirror.sync(times=2)
    agree(office, mirror)
    assert office.box("Archive") in office.messages[key].state.mailboxes


def test_a_position_that_is_known_no_more_reads_nothing_twice_and_finds_what_is_gone(
    office, mirror
):
    keys = [office.arrive(f"Letter {number}") for number in range(2 * PAGE)]
    mirror.sync()
    fetched = len(office.fetched)
    office.remove(keys[3])
    office.put(keys[4], "Archive")
    office.forget()
    office.arrive("New")
    mirror.sync()
    agree(office, mirror)
    assert len(office.fetched) == fetched + 1


def test_mailboxes_are_known_by_their_ids(office, mirror):
    office.add_mailbox("Lamps")
    office.add_mailbox("Oil")
    office.arrive("Wick", "Lamps")
    mirror.sync()
    office.rename("Lamps", "?")
    office.rename("Oil", "Lamps")
    office.rename("?", "Oil")
    mirror.sync()
    agree(office, mirror)
    assert mirror.subjects("Oil") == ["Wick"]
    office.remove_mailbox("Oil")
    mirror.sync()
    agree(office, mirror)
    assert Message.objects.get().deleted_at is not None


def test_a_mailbox_for_what_is_archived_is_made_where_there_is_none(office, mirror, actor):
    office.remove_mailbox("Archive")
    key = office.arrive("Letter")
    mirror.sync()
    move_message(actor=actor, message=Message.objects.get(), role="archive")
    mirror.sync(times=2)
    agree(office, mirror)
    assert office.messages[key].state.mailboxes == {office.box("Archive")}


def test_one_that_cannot_be_had_keeps_nobody_from_the_others(office, mirror):
    office.arrive("Old")
    lost = office.arrive("Lost")
    office.arrive("New")

    def fault(name, _number):
        if name == f"fetch {lost}":
            raise StoreError("transient", "The line broke.")

    office.fault = fault
    for _ in range(7):
        mirror.sync()
    assert mirror.subjects("Inbox") == ["New", "Old"]
    assert "lost each time" in RemoteMessage.objects.exclude(problem="").get().problem
    assert mirror.state.status == "current"


def test_where_none_can_be_had_none_is_given_up(office, mirror):
    office.arrive("Letter")

    def fault(name, _number):
        if name.startswith("fetch"):
            raise StoreError("transient", "The line broke.")

    office.fault = fault
    for _ in range(8):
        mirror.sync()
    office.fault = None
    assert mirror.sync()
    assert mirror.subjects("Inbox") == ["Letter"]


def test_cut_off_at_any_call_it_goes_on_and_loses_nothing(office, mirror, actor):
    for number in range(PAGE + 2):
        office.arrive(f"Letter {number}")
    for at in range(1, 2 * PAGE):

        def fault(_name, number, at=at):
            if number == at:
                raise StoreError("transient", "The line broke.")

        office.fault = fault
        mirror.sync()
        office.mark(sorted(office.messages)[at % PAGE], "$seen")
        if message := Message.objects.kept().order_by("?").first():
            move_message(actor=actor, message=message, role="archive")
    office.fault = None
    mirror.sync(times=2)
    agree(office, mirror)
    assert Message.objects.kept().count() == PAGE + 2
    assert mirror.state.done == mirror.state.total


def test_what_comes_back_has_the_keywords_of_both_sides(office, mirror, actor):
    key = office.arrive("Letter", keywords=["travel"])
    mirror.sync()
    raw = office.messages[key].raw
    update_message(actor=actor, message=Message.objects.get(), changes=MessageChanges(is_read=True))
    mirror.sync()
    office.remove(key)
    mirror.sync()
    assert Message.objects.get().deleted_at is not None
    back = office.arrive("Letter", raw=raw, keywords=["errand"])
    mirror.sync(times=2)
    agree(office, mirror)
    assert office.messages[back].state.keywords == {"$seen", "errand", "travel"}
    assert Message.objects.get().deleted_at is None


def test_what_was_away_while_it_was_told_is_told_again(office, mirror, actor):
    key = office.arrive("Letter")
    mirror.sync()
    update_message(actor=actor, message=Message.objects.get(), changes=MessageChanges(is_read=True))
    away = {}

    def fault(name, _number):
        if name == "apply" and not away:
            away[key] = office.messages.pop(key)
        elif name != "apply":
            office.messages.update(away)

    office.fault = fault
    mirror.sync(times=2)
    agree(office, mirror)
    assert office.messages[key].state.keywords == {"$seen"}


def test_keywords_that_are_refused_are_taken_back(office, mirror, actor):
    key = office.arrive("Letter", keywords=["errand"])
    mirror.sync()
    changes = MessageChanges(is_read=True, categories=["two words", "travel"])
    update_message(actor=actor, message=Message.objects.get(), changes=changes)
    office.refuses = {key}
    mirror.sync(times=2)
    agree(office, mirror)
    assert Message.objects.get().keywords == ["errand", "two words"]
    assert not RemoteMessage.objects.filter(dirty=True).exists()


@pytest.mark.parametrize("seed", range(SEED, SEED + SEEDS))
def test_in_the_end_both_sides_are_the_same(office, mirror, actor, seed):
    chance = random.Random(seed)
    other = OtherProgram(office, chance)

    def fault(_name, _number):
        # Another program is at work while we sync, and the line breaks at times.
        if chance.random() < 0.3:
            other.act()
        if chance.random() < 0.05:
            raise StoreError("transient", "The line broke.")

    office.fault = fault
    for _ in range(60):
        other.act()
        act_here(actor, chance)
        mirror.sync()
    office.fault = None
    mirror.sync(times=3)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    agree(office, mirror)
    assert not RemoteFolder.objects.exclude(remote_id__in=list(office.mailboxes)).exists()


def act_here(actor, chance):
    rows = list(Message.objects.order_by("pk"))
    if not rows:
        return
    message = chance.choice(rows)
    if message.deleted_at is not None:
        restore_message(actor=actor, message=message)
        return
    act = chance.choice(("mark", "move", "delete"))
    if act == "mark":
        words = chance.sample(["Errand", "two words", "travel"], 2)
        changes = MessageChanges(is_read=chance.choice((True, False)), categories=words)
        update_message(actor=actor, message=message, changes=changes)
    elif act == "move":
        role = chance.choice(("inbox", "archive", "junk", "trash"))
        move_message(actor=actor, message=message, role=role)
    else:
        delete_message(actor=actor, message=message)
