"""What strangers may have had a part in: by what the agent had been shown before it proposed."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from agents.approval.checks.disguises.likeness import digits_of
from agents.approval.checks.shown import Shown, ShownText, join_groups, squash, unfold
from agents.evidence.refs import Ref
from agents.models import Origin
from inbox.extract.readers.numbers import Amount, find_amounts
from inbox.flags import Finding, found
from inbox.models import Draft
from inbox.rfc5322.addresses.parsing import stands_in

# What agents keep for themselves and for each other, by the kind of its id.
_KEPT_BY_AGENTS = {"mry": "memory", "ctx": "context", "agm": "agent_message"}
_MOST_VALUES = 40
_LONGEST_EXCERPT = 200
# An IBAN, however its groups are parted.
_ACCOUNT = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}(?:[ .-]?[A-Z0-9]{2,4}){3,8}(?![^\W_])")
_SHORTEST_ACCOUNT = 15
_PLACE = re.compile(r"^LOCATION[^:\n]{0,200}:(.{1,500})", re.MULTILINE)
_ESCAPED = re.compile(r"\\([,;\\])")
_ORGANIZER = re.compile(
    r"^ORGANIZER[^\n]{0,300}?:mailto:([^\s]{3,320})", re.MULTILINE | re.IGNORECASE
)
_SHORTEST_PLACE = 5
# Smaller amounts are looked for as they are written.
_LEAST_DIGITS = 3


def find_steering(
    shown: Shown, draft: Draft, recipients: Sequence[str], strange: Sequence[ShownText]
) -> Iterator[Finding]:
    """Yield what about a draft stands in strangers' texts alone.

    `strange` are those that count for its words, as of whom the draft does not go back to.
    """
    yield from _find_steered(shown)
    yield from _find_recipients(shown, draft, recipients)
    yield from _find_arguments(strange, shown, draft)


def _find_steered(shown: Shown) -> Iterator[Finding]:
    """Yield the notes of agents that came from strangers' words."""
    texts = {one.ref: one.text for one in shown.strange}
    told = dict.fromkeys(
        Ref(one.kind, one.object_id)
        for one in shown.exposures
        if one.kind in _KEPT_BY_AGENTS and one.origin == Origin.STRANGER
    )
    for ref in told:
        excerpt = texts.get(ref, "")[:_LONGEST_EXCERPT]
        yield found("steered", _KEPT_BY_AGENTS[ref.kind], words=repr(excerpt), source=ref.public_id)


def _find_recipients(shown: Shown, draft: Draft, recipients: Sequence[str]) -> Iterator[Finding]:
    """Yield the new recipients that a stranger named, but for those who wrote what is answered."""
    for email in new_among(shown, draft, recipients):
        if any(stands_in(email, one.text) for one in shown.trusted):
            continue
        naming = next((one for one in shown.strange if stands_in(email, one.text)), None)
        if naming is not None:
            yield found(
                "recipient_from_stranger", "named", by=naming.author or naming.ref.public_id,
                excerpt=email, source=naming.ref.public_id,
            )  # fmt: skip


def new_among(shown: Shown, draft: Draft, recipients: Sequence[str]) -> list[str]:
    """Return the recipients whom we do not know, but for those who wrote what is answered."""
    idle = {*shown.known, *_writers(draft)}
    return [email for email in recipients if email.lower() not in idle]


def _writers(draft: Draft) -> set[str]:
    """Return who wrote the message or the invitation that is answered."""
    answered, calendar = draft.in_reply_to, unfold(draft.calendar)
    asked = _ORGANIZER.search(calendar) if "\nMETHOD:REPLY" in calendar else None
    writers = {answered.from_email.lower()} if answered is not None else set()
    return writers | ({asked[1].strip().lower()} if asked else set())


def _find_arguments(strange: Sequence[ShownText], shown: Shown, draft: Draft) -> Iterator[Finding]:
    """Yield the accounts, amounts and places that strangers alone named."""
    if not strange:
        return
    text = f"{draft.subject}\n{draft.body}"
    values = [*_accounts(text), *_amounts(text), *_places(draft.calendar)]
    for reason, words, stands in list(dict.fromkeys(values))[:_MOST_VALUES]:
        naming = next((one for one in strange if stands(one)), None)
        if naming is not None and not any(map(stands, shown.trusted)):
            yield found(
                "argument_from_stranger", reason, by=naming.author or naming.ref.public_id,
                excerpt=words[:_LONGEST_EXCERPT], source=naming.ref.public_id,
            )  # fmt: skip


# A reason, the words of the letter, and what tells whether a text names the same.
_Argument: TypeAlias = tuple[str, str, Callable[[ShownText], bool]]


def _accounts(text: str) -> Iterator[_Argument]:
    for hit in _ACCOUNT.finditer(text):
        wanted = join_groups(hit[0])
        if len(wanted) >= _SHORTEST_ACCOUNT:
            yield "account", hit[0], partial(_has_account, wanted)


def _has_account(wanted: str, one: ShownText) -> bool:
    return wanted in one.joined


def _amounts(text: str) -> Iterator[_Argument]:
    for one in find_amounts(text):
        words = text[one.start : one.end]
        yield "amount", words, partial(_has_amount, squash(words), one)


def _has_amount(words: str, amount: Amount, one: ShownText) -> bool:
    """Return True if a text names an amount, in whatever notation."""
    if re.search(rf"(?<![\d.,]){re.escape(words)}(?!\d)", one.squashed):
        return True
    digits = str(abs(int(amount.value)))
    return (
        len(digits) >= _LEAST_DIGITS
        and digits in digits_of(one.text)
        and any(
            it.value == amount.value and it.currency == amount.currency
            for it in find_amounts(one.text)
        )
    )


def _places(calendar: str) -> Iterator[_Argument]:
    """Yield where a meeting is to be."""
    for hit in _PLACE.finditer(unfold(calendar)):
        words = _ESCAPED.sub(r"\1", hit[1]).strip()
        # Where a link leads is looked for as such.
        if len(words) >= _SHORTEST_PLACE and "://" not in words:
            yield "place", words, partial(_has_words, squash(words))


def _has_words(wanted: str, one: ShownText) -> bool:
    return wanted in one.squashed
