"""Who sent a message, by a written rule, and what is suspicious about it.

The sender is the first mailbox of the From fields that has an address. Without one it is the Sender
field's, then Return-Path's, by the name that From shows. Whatever makes that a choice, or makes the
name or domain deceive, is an anomaly: `missing_from`, `many_from` (several fields),
`malformed_from` (an address was picked out of what is no list of mailboxes), `several_authors`,
`sender_differs`, `bad_address`, `deceptive_name`, `lookalike_domain`, `bidi_in_name`,
`invisible_in_name`, `reply_to_differs`.
"""

from functools import lru_cache
from typing import NamedTuple

from inbox.rfc5322.addresses.lookalikes import domain_deceives
from inbox.rfc5322.addresses.parsing import (
    Address,
    display_name_deceives,
    parse_addresses,
    parse_authors,
    read_authors,
)
from inbox.rfc5322.encoded_words import decode_words
from inbox.rfc5322.headers import MAX_VALUE, Headers
from inbox.rfc5322.text.unicode_text import clean_line, has_bidi_controls

_MOST_AUTHORS = 200


class Senders(NamedTuple):
    """The one sender, everyone the From fields name, and the anomalies."""

    sender: Address
    from_all: tuple[Address, ...]
    anomalies: frozenset[str]


def read_senders(headers: Headers) -> Senders:
    """Apply the rule to a message's headers."""
    fields = tuple(value[:MAX_VALUE] for value in headers.all_raw("from")[:20])
    if len(fields) == 1 and len(fields[0]) < 300:
        from_all, anomalies = _read_from(fields)
    else:
        from_all, anomalies = _read_from.__wrapped__(fields)
    sender = next((author for author in from_all if author.email), None)
    differing = _differing_sender(headers, sender)
    if sender is None:
        name = from_all[0].name if from_all else ""
        sender = _fallback(headers, name)
    return Senders(sender, from_all, anomalies | differing)


def _fallback(headers: Headers, shown: str) -> Address:
    """Return who handed it in, by the name that From shows: `From: Parcels <>` has no address."""
    for field in ("sender", "return-path"):
        found = parse_addresses(headers.raw(field), 1)
        if found and found[0].email:
            return Address(found[0].email, shown or found[0].name)
    return Address("", shown)


@lru_cache(maxsize=2048)
def _read_from(fields: tuple[str, ...]) -> tuple[tuple[Address, ...], frozenset[str]]:
    """Read the From fields."""
    authors: dict[str, Address] = {}
    anomalies: set[str] = set()
    for value in fields:
        for author in parse_authors(value, _MOST_AUTHORS):
            authors.setdefault(author.email.lower() or author.name, author)
        anomalies |= _deceptions(value)
    found = tuple(authors.values())
    if not found:
        anomalies.add("missing_from")
    if len(fields) > 1:
        anomalies.add("many_from")
    if len(found) > 1:
        anomalies.add("several_authors")
    if any("@" not in address.email for address in found):
        anomalies.add("bad_address")
    return found, frozenset(anomalies)


def _deceptions(value: str) -> set[str]:
    """Return what deceives in the mailboxes of a field, before anything is cleaned away."""
    authors, is_picked = read_authors(value, _MOST_AUTHORS)
    anomalies = {"malformed_from"} if is_picked else set()
    for raw_name, raw_email in authors:
        shown = decode_words(f"{raw_name[:8000]} {raw_email}")[0]
        name = clean_line(decode_words(raw_name[:8000])[0])[0].strip("'")
        email = clean_line(raw_email)[0].replace(" ", "").rstrip(".")
        if has_bidi_controls(shown):
            anomalies.add("bidi_in_name")
        elif clean_line(shown)[1]:
            anomalies.add("invisible_in_name")
        if display_name_deceives(name, email):
            anomalies.add("deceptive_name")
        if domain_deceives(email.rpartition("@")[2]):
            anomalies.add("lookalike_domain")
    return anomalies


def _differing_sender(headers: Headers, sender: Address | None) -> frozenset[str]:
    """Return the anomalies of a Sender or a Reply-To that names somebody other than From."""
    if sender is None:
        return frozenset()
    anomalies = set()
    real = parse_addresses(headers.raw("sender"), 1)
    if real and real[0].email.lower() != sender.email.lower() and not _is_list(headers, real[0]):
        anomalies.add("sender_differs")
    answers = parse_addresses(headers.raw("reply-to"), 1)
    if answers and _domain(answers[0]) != _domain(sender) and "list-id" not in headers.fields:
        anomalies.add("reply_to_differs")
    return frozenset(anomalies)


def _is_list(headers: Headers, sender: Address) -> bool:
    """Return True if Sender is the mailing list that List-Id names."""
    domain = _domain(sender)
    return bool(domain) and domain in headers.raw("list-id").lower()


def _domain(address: Address) -> str:
    return address.email.rpartition("@")[2].lower()
