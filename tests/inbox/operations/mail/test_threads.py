"""Threads come out the same whatever the order in which messages arrive."""

import random

import pytest

from inbox.intake.sources import open_source
from inbox.intake.workers import ReaderContext, read_items
from inbox.models import Draft, Message, Thread, ThreadReference
from inbox.operations.mail.incoming import receive_message
from inbox.operations.mail.storing import recipient_of, store_messages
from tests.cases import made_up
from tests.inbox.letters import letter

pytestmark = pytest.mark.django_db

US = "office@lantern.example"
# A tree with a missing root, a late link between two halves, and bare replies.
TREE = {
    "a": letter("a", subject="Lamps", day=0),
    "b": letter("b", references=["a"], subject="Re: Lamps", day=1),
    "c": letter("c", references=["a", "b"], subject="Re: Lamps", day=2),
    # Two that only a third connects: d answers a lost message, e names it and c.
    "d": letter("d", in_reply_to="lost", subject="Wicks", day=3),
    "e": letter("e", references=["c", "lost"], subject="Re: Wicks", day=4),
    # A bare reply, its original, and another bare reply to that.
    "f": letter("f", subject="Oil", day=0, message_id=""),
    "g": letter("g", subject="Re: Oil", day=1, sender=US, to="ada@customer.example", message_id=""),
    "h": letter("h", subject="RE: Oil", day=2, message_id=""),
    # The same subject long after, and from a stranger.
    "i": letter("i", subject="Oil", day=80),
    "j": letter("j", subject="Re: Oil", day=1, sender="eve@thief.example"),
    "k": letter("k", subject="Alone", day=5),
}
EXPECTED = [["a", "b", "c", "d", "e"], ["f", "g", "h"], ["i"], ["j"], ["k"]]


def found_threads() -> list[list[str]]:
    names = {raw: name for name, raw in TREE.items()}
    threads: dict[int, list[str]] = {}
    for message in Message.objects.select_related("blob"):
        threads.setdefault(message.thread_id, []).append(names[message.blob.read()])
    return sorted(sorted(group) for group in threads.values())


@pytest.mark.parametrize("seed", range(made_up(12)))
def test_threads_do_not_depend_on_the_order_of_arrival(inbox, seed):
    order = list(TREE.values())
    random.Random(seed).shuffle(order)
    for raw in order:
        receive_message(inbox=inbox, raw=raw)
    assert found_threads() == EXPECTED
    assert_consistent()


@pytest.mark.parametrize("seed", range(made_up(6)))
@pytest.mark.parametrize("size", [2, 4, 20])
def test_nor_on_how_they_are_batched(inbox, tmp_path, seed, size):
    order = list(TREE.values())
    random.Random(seed).shuffle(order)
    for number, raw in enumerate(order):
        (tmp_path / f"{number:02}.eml").write_bytes(raw)
    recipient = recipient_of(inbox)
    outcomes = list(
        read_items(open_source(tmp_path), ReaderContext(recipient, frozenset()), processes=1)
    )
    prepared = [outcome.prepared for outcome in outcomes]
    for start in range(0, len(prepared), size):
        store_messages(inbox=inbox, recipient=recipient, batch=prepared[start : start + size])
    assert found_threads() == EXPECTED
    assert_consistent()


def assert_consistent() -> None:
    """What threads say of themselves is what their messages say."""
    for thread in Thread.objects.current():
        messages = list(thread.messages.order_by("received_at", "id"))
        assert thread.message_count == len(messages)
        assert thread.subject == messages[0].subject
        assert thread.last_message_at == thread.updated_at == messages[-1].received_at
        emails = {participant["email"] for participant in thread.participants}
        assert emails == {message.from_email for message in messages}
        of_messages = {box.pk for message in messages for box in message.mailboxes.all()}
        assert {box.pk for box in thread.mailboxes.all()} == of_messages
    for thread in Thread.objects.exclude(merged_into=None):
        assert thread.merged_into.merged_into is None
        assert not thread.messages.exists()
        assert not thread.mailboxes.exists()
    assert not ThreadReference.objects.exclude(thread__merged_into=None).exists()


def test_a_joined_thread_keeps_its_id_as_a_pointer(inbox):
    one = receive_message(inbox=inbox, raw=letter("a")).thread
    two = receive_message(inbox=inbox, raw=letter("b", in_reply_to="lost", subject="B")).thread
    receive_message(inbox=inbox, raw=letter("c", references=["a", "lost"]))
    two.refresh_from_db()
    assert two.merged_into == one
    assert list(Thread.objects.current()) == [one]


def test_of_two_states_the_more_wakeful_one_stays(inbox):
    one = receive_message(inbox=inbox, raw=letter("a")).thread
    two = receive_message(inbox=inbox, raw=letter("b", in_reply_to="lost")).thread
    Thread.objects.filter(pk=one.pk).update(status="closed")
    ours = letter("c", references=["a", "lost"], sender=US)
    receive_message(inbox=inbox, raw=ours)
    one.refresh_from_db()
    assert (one.status, two.status) == ("open", "open")


def test_drafts_move_with_their_thread(inbox):
    receive_message(inbox=inbox, raw=letter("a"))
    two = receive_message(inbox=inbox, raw=letter("b", in_reply_to="lost")).thread
    draft = Draft.objects.create(
        workspace=inbox.workspace, account=inbox.account, inbox=inbox, thread=two, author="agent:1",
        identity=inbox.account.identities.get(), body="Yes.",
    )  # fmt: skip
    joined = receive_message(inbox=inbox, raw=letter("c", references=["a", "lost"])).thread
    draft.refresh_from_db()
    assert draft.thread == joined != two


def test_at_most_twenty_participants_are_kept_in_order(inbox):
    for number in range(25):
        raw = letter(str(number), references=["root"], day=number, sender=f"p{number}@x.example")
        receive_message(inbox=inbox, raw=raw)
    thread = Thread.objects.get()
    assert [p["email"] for p in thread.participants] == [f"p{n}@x.example" for n in range(20)]


def test_a_reply_that_came_first_gives_its_subject_up(inbox):
    receive_message(inbox=inbox, raw=letter("b", in_reply_to="a", subject="Re: Lamps", day=1))
    receive_message(inbox=inbox, raw=letter("a", subject="Lamps", day=0))
    assert Thread.objects.get().subject == "Lamps"


def test_many_bare_replies_of_one_subject_are_stored_in_little_time(inbox, tmp_path):
    for number in range(600):
        raw = letter(
            str(number), subject="Re: Status", sender=f"p{number % 7}@x.example", message_id=""
        )
        (tmp_path / f"{number}.eml").write_bytes(raw)
    recipient = recipient_of(inbox)
    outcomes = read_items(open_source(tmp_path), ReaderContext(recipient, frozenset()), processes=1)
    store_messages(inbox=inbox, recipient=recipient, batch=[o.prepared for o in outcomes])
    assert Thread.objects.current().count() == 600


def test_messages_that_name_very_many_ids_are_stored(inbox, tmp_path):
    for number in range(120):
        named = [f"{number}-{other}" for other in range(390)]
        (tmp_path / f"{number}.eml").write_bytes(letter(str(number), references=named))
    (tmp_path / "link.eml").write_bytes(letter("link", references=[f"{n}-7" for n in range(120)]))
    recipient = recipient_of(inbox)
    outcomes = read_items(open_source(tmp_path), ReaderContext(recipient, frozenset()), processes=1)
    first, last = (prepared := [o.prepared for o in outcomes])[:-1], prepared[-1:]
    store_messages(inbox=inbox, recipient=recipient, batch=first)
    assert Thread.objects.current().count() == 120
    store_messages(inbox=inbox, recipient=recipient, batch=last)
    assert Thread.objects.current().get().message_count == 121


def test_an_id_used_for_ever_stays_cheap(inbox):
    for number in range(30):
        receive_message(inbox=inbox, raw=letter("same", text=f"Number {number}."))
    assert Thread.objects.get().message_count == 30
