"""What strangers may have had a part in: by what the agent had been shown before it proposed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agents.approval.checks.shown import Shown, squash
from agents.evidence.claims.readers.codes import LOOKS_LIKE_IBAN
from agents.evidence.refs import Ref
from agents.models import Origin
from inbox.extract.readers.numbers import find_amounts
from inbox.flags import Finding, found
from inbox.models import Draft
from inbox.rfc5322.addresses.parsing import stands_in

# What agents keep for themselves and for each other, by the kind of its id.
_KEPT_BY_AGENTS = {"mry": "memory", "ctx": "context", "agm": "agent_message"}
_MOST_VALUES = 40
_LONGEST_EXCERPT = 200


def find_steering(shown: Shown, draft: Draft, recipients: Sequence[str]) -> Iterator[Finding]:
    """Yield what about a draft stands in strangers' texts alone."""
    yield from _find_steered(shown)
    yield from _find_recipients(shown, draft, recipients)
    yield from _find_arguments(shown, draft, recipients)


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
    writers = _writers(draft)
    for email in recipients:
        if email.lower() in shown.known or email.lower() in writers:
            continue
        if any(stands_in(email, one.text) for one in shown.trusted):
            continue
        naming = next((one for one in shown.strange if stands_in(email, one.text)), None)
        if naming is not None:
            yield found(
                "recipient_from_stranger", "named", by=naming.author or naming.ref.public_id,
                excerpt=email, source=naming.ref.public_id,
            )  # fmt: skip


def _writers(draft: Draft) -> set[str]:
    """Return who wrote the message that is answered."""
    answered = draft.in_reply_to
    return {answered.from_email.lower()} if answered is not None else set()


def _find_arguments(shown: Shown, draft: Draft, recipients: Sequence[str]) -> Iterator[Finding]:
    """Yield the accounts and amounts that strangers alone named; not back to who did."""
    to = {email.lower() for email in recipients}
    strange = [(one, one.squashed) for one in shown.strange if to != {one.author}]
    if not strange:
        return
    trusted = [one.squashed for one in shown.trusted]
    for reason, excerpt, wanted in _values(f"{draft.subject}\n{draft.body}"):
        naming = next((one for one, text in strange if wanted in text), None)
        if naming is not None and not any(wanted in text for text in trusted):
            yield found(
                "argument_from_stranger", reason, by=naming.author or naming.ref.public_id,
                excerpt=excerpt[:_LONGEST_EXCERPT], source=naming.ref.public_id,
            )  # fmt: skip


def _values(text: str) -> list[tuple[str, str, str]]:
    """Return reason, words and what is looked for, of each value that a letter states."""
    values: Mapping[str, Iterable[tuple[str, str]]] = {
        "account": ((hit[0], hit[0]) for hit in LOOKS_LIKE_IBAN.finditer(text)),
        "amount": (
            (text[one.start : one.end], text[one.start : one.end]) for one in find_amounts(text)
        ),
    }
    found_values = [
        (reason, words, squash(wanted))
        for reason, pairs in values.items() for words, wanted in pairs
    ]  # fmt: skip
    return list(dict.fromkeys(found_values))[:_MOST_VALUES]
