"""Messages that no one request holds: their files follow the draft, and what arrives says the same."""

import base64
import email
import email.policy
import functools
import random
from datetime import timedelta
from email.message import EmailMessage

import pytest

from inbox.formats.message_differences import differences
from inbox.providers.base import ProviderError
from inbox.providers.graph.mail.parting import take_apart
from inbox.providers.graph.mail.sending import GraphSender
from tests.inbox.providers.graph.stages import connection
from tests.machines.graph.mail.attachments import UNIT
from tests.machines.graph.mail.exchange import coded
from tests.machines.graph.server import ADDRESS
from tests.provider_cases import ignore
from tests.provider_cases import parcel as parcel_of

MEGA = 1024 * 1024
RECIPIENTS = ("ada@customer.example", "hidden@customer.example")


@functools.cache
def large(*sizes, text="Dear Ada,\nhere they are.\n", name="Übersicht {}.pdf"):
    """A message with files of these sizes, in bytes."""
    made = EmailMessage(policy=email.policy.SMTP)
    made["From"], made["To"], made["Subject"] = ADDRESS, RECIPIENTS[0], "Plans"
    made["Message-ID"] = "<1@lantern.example>"
    made.set_content(text)
    made.add_alternative("<p>Dear Ada</p>", subtype="html")
    for number in range(len(sizes)):
        made.add_attachment(
            f"file {number}".encode(), "application", "pdf", filename=name.format(number)
        )
    whole = made.as_bytes()
    for number, size in enumerate(sizes):
        content = random.Random(number).randbytes(size)
        whole = whole.replace(coded(f"file {number}".encode()), coded(content))
    return whole


def parcel(mime, recipients=RECIPIENTS):
    return parcel_of(mime, recipients=recipients, sender=ADDRESS)


@pytest.fixture
def provider(graph):
    return GraphSender(connection(graph))


def head_of(part):
    """Return the header of a part, and what is below it."""
    head, _, body = part.partition(b"\r\n\r\n")
    return email.message_from_bytes(head, policy=email.policy.default), body


def files_of(raw):
    """Return what the files hold, by their names, in their order."""
    found = {}
    for part in raw.split(f"\r\n--{head_of(raw)[0].get_boundary()}".encode())[1:-1]:
        head, body = head_of(part.removeprefix(b"\r\n"))
        if head.get_filename():
            assert head["Content-Transfer-Encoding"] == "base64"
            found[head.get_filename()] = base64.b64decode(body)
    return found


def ranges(graph):
    return [call.headers["content-range"] for call in graph.calls if call.method == "PUT"]


@pytest.mark.parametrize(
    "sizes",
    [
        [5 * MEGA],
        [3_000_000],
        [2_999_999, 2_000_000],
        [MEGA, MEGA, MEGA, 4 * MEGA],
        [7 * MEGA, 10],
    ],
)
def test_what_is_larger_than_a_request_arrives_whole_once(graph, mail, provider, sizes):
    sealed = large(*sizes)
    provider.submit(parcel(sealed), ignore)
    [left] = mail.left
    assert left.recipients == RECIPIENTS
    assert [len(it) for it in files_of(sealed).values()] == sizes
    assert files_of(left.raw) == files_of(sealed)
    kinds = {one.kind for one in differences(sealed, left.raw)}
    assert kinds <= {"field_added", "field_missing", "layout"} | (
        {"order"} if len(sizes) > 1 else set()
    )
    assert [one.is_draft for one in mail.letters.values()] == [False]
    assert mail.tokens == {}
    assert all(len(call.body) <= 4 * MEGA for call in graph.calls)


def test_files_go_in_ranges_one_after_the_other(graph, provider):
    provider.submit(parcel(large(7 * MEGA)), ignore)
    step, whole = 10 * UNIT, 7 * MEGA
    spans = [(at, min(at + step, whole) - 1) for at in range(0, whole, step)]
    assert ranges(graph) == [f"bytes {first}-{last}/{whole}" for first, last in spans]
    assert all("authorization" not in call.headers for call in graph.calls if call.method == "PUT")


@pytest.mark.parametrize("fault", ["drop", "lose", "half", 503])
@pytest.mark.parametrize("after", [0, 1])
def test_a_range_that_fails_is_taken_up_where_the_server_says(graph, mail, provider, fault, after):
    graph.order(fault, "PUT", after=after)
    sealed = large(7 * MEGA)
    provider.submit(parcel(sealed), ignore)
    [left] = mail.left
    assert files_of(left.raw) == files_of(sealed)


def test_where_nobody_can_tell_that_all_came_it_is_begun_anew_later(graph, mail, provider):
    graph.order("lose", "PUT", after=1)
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(large(4 * MEGA)), ignore)
    assert caught.value.kind == "transient"
    assert (mail.left, mail.letters) == ([], {})


@pytest.mark.parametrize("fault", ["drop", 503])
def test_ranges_that_fail_again_and_again_leave_nothing(graph, mail, provider, fault):
    graph.order(fault, "PUT", after=1, times=99)
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(large(4 * MEGA)), lambda: pytest.fail("it was handed over"))
    assert caught.value.kind == "transient"
    assert (mail.left, mail.letters) == ([], {})


def test_an_upload_that_is_over_is_begun_anew_later(mail, provider):
    mail.uploads_last = timedelta()
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(large(4 * MEGA)), ignore)
    assert caught.value.kind == "transient"
    assert (mail.left, mail.letters) == ([], {})
    mail.uploads_last = timedelta(hours=1)
    provider.submit(parcel(large(4 * MEGA)), ignore)
    assert len(mail.left) == len(mail.letters) == 1


@pytest.mark.parametrize("fault", ["drop", "lose"])
def test_whatever_request_fails_it_is_sent_once_or_said_not_to_be(graph, mail, fault):
    ends = []
    for number in range(10):
        mail.left.clear()
        graph.order(fault, after=number, retry_after="1" if fault == 429 else "")
        mime = large(3_000_000, 10_000).replace(b"<1@", b"<%d@" % (number + 10))
        # Signed in anew: a server that asked to wait does not ask this one.
        provider = GraphSender(connection(graph))
        try:
            provider.submit(parcel(mime), ignore)
            ends.append("sent")
        except ProviderError as error:
            ends.append(error.kind)
        graph.faults.clear()
        assert len(mail.left) in {"sent": {1}, "unknown": {0, 1}}.get(ends[-1], {0})
        for draft in [one for one in mail.letters.values() if one.is_draft]:
            mail.remove(draft)
    assert set(ends) <= {"sent", "transient", "unknown", "login"}
    assert len(set(ends)) > 1


@pytest.mark.parametrize(
    "mime",
    [
        large(10, text="x" * 70 + "\n" + ("y" * 70 + "\n") * 50_000),
        large(4 * MEGA).replace(b"multipart/mixed", b"multipart/signed; micalg=sha-256"),
        large(4 * MEGA).replace(b"application/pdf", b"message/x-unknown"),
    ],
    ids=["text", "signed", "message"],
)
def test_what_cannot_be_sent_is_refused_before_anything_is_asked(graph, mail, provider, mime):
    with pytest.raises(ProviderError, match="accepts at most 3145728") as caught:
        provider.submit(parcel(mime), ignore)
    assert caught.value.kind == "permanent"
    assert not any(call.method in ("POST", "PUT") for call in graph.calls)


def test_who_is_not_among_the_recipients_gets_nothing_large_either(graph, mail, provider):
    with pytest.raises(ProviderError) as caught:
        provider.submit(parcel(large(4 * MEGA), recipients=("mo@customer.example",)), ignore)
    assert caught.value.kind == "permanent"
    assert (mail.left, mail.letters) == ([], {})
    assert ranges(graph) == []


def test_of_a_small_message_nothing_is_taken_out():
    mime = large(100, 200)
    assert take_apart(mime, len(mime)).mime == mime
    parts = take_apart(mime, len(mime) - 1)
    assert [one.name for one in parts.attachments] == ["Übersicht 1.pdf"]
    assert list(files_of(parts.mime)) == ["Übersicht 0.pdf"]
