"""Passages and tokens in a message, of texts that not every recipient of it has read."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta

import regex
from django.utils import timezone

from agents.approval.checks.confidential import find_files, has_read, is_marked
from agents.approval.checks.disguises.finding import Kept, find_disguised
from agents.approval.checks.shown import Shown, ShownText, unfold
from agents.evidence.claims.readers.codes import LOOKS_LIKE_IBAN
from agents.evidence.claims.records import AttachedFile
from agents.evidence.retold import find_retold
from agents.models import Origin
from inbox.actor import Actor, system_actor
from inbox.flags import Finding, found
from inbox.formats.calendar_lines import unescape
from inbox.models import Draft, DraftStatus
from inbox.rfc5322.addresses.parsing import stands_in

# A passage is eight words running, as for the words of other conversations.
_PASSAGE = 8
# Of which so many running, that its readers know, leave no more than chance brings.
_KNOWN = 5
_MOST_TOKENS = 100
# So much of what the agent was shown is compared, the newest first.
_MOST_TEXT = 300_000
_LONGEST_EXCERPT = 200
_WORD = regex.compile(r"\w+")
# What stands for one thing: five digits or more, letters with digits, IBANs, names of files, and
# what links and keys are made of.
_TOKEN = regex.compile(
    r"(?<![\w@./-])(?:[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{2,4}){3,8}|\p{Lu}{1,6}[-/]?\d[\p{Lu}\d/-]{3,20}"
    r"|\d[\d-]{4,20}|[\p{L}\d_-]{2,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|csv|zip|txt))(?![\w@])"
    r"|(?<![\w-])(?=[\w-]{0,40}[a-z])(?=[\w-]{0,40}[A-Z])(?=[\w-]{0,40}\d[\w-]{0,40}\d)[\w-]{10,200}"
    r"|(?<![\w-])(?=[a-f]{0,15}\d)(?=\d{0,15}[a-f])[\da-f]{16,128}(?![\w-])"
)
# So much of a message and its files is compared.
_MOST_SAID = 100_000
# Of what was proposed before so much is compared.
_MOST_BEFORE, _DAY = 20, timedelta(days=1)
_PROPOSED = (DraftStatus.PROPOSED, DraftStatus.SENT)
_SEPARATORS = re.compile(r"[\s/-]+")


def find_leaks(
    actor: Actor,
    draft: Draft,
    attached: Sequence[AttachedFile],
    outsiders: Sequence[str],
    shown: Shown,
) -> Iterator[Finding]:
    """Yield what a draft takes from texts that some of these recipients have not read.

    What stands in the thread, or in another text that all of them have read, is theirs already. A
    text of ours that has no list of readers, such as a file, is kept from strangers alone:
    `outsiders` are the recipients who are not of our own house.
    """
    if not outsiders:
        return
    kept = [it for it in _compared(shown) if not _may_read(it, outsiders, shown.known)]
    read = read_by_all(outsiders, shown, strange=True)
    said = said_by(draft, attached)
    whole = [it for it in kept if not _is_paid(it.text, said, read)]
    plain = [*_find_passages(said, kept, read), *_find_tokens(said, whole, read)]
    yield from plain
    told = {one.source for one in plain}
    named = (Kept(it.ref.public_id, it.text) for it in whole)
    others = [it for it in named if it.source not in told]
    yield from find_disguised(said, others, read, lambda: said_before(draft, outsiders))
    marked = [it for it in others if is_marked(it.text)]
    yield from find_retold(said, marked, read)
    yield from find_files(actor, draft, attached, outsiders)


def read_by_all(outsiders: Sequence[str], shown: Shown, *, strange: bool = False) -> list[str]:
    """Return the texts that all of the outsiders have read, or may read.

    Those of strangers as well, with `strange`.
    """
    texts = [
        it.text for it in _compared(shown)
        if (strange or it.origin != Origin.STRANGER) and _may_read(it, outsiders, shown.known)
    ]  # fmt: skip
    return texts + [one.text for one in shown.thread if has_read(one, outsiders)]


def _compared(shown: Shown) -> list[ShownText]:
    return [it for it in _within(shown.texts, _MOST_TEXT) if it.ref.kind != "drf"]


def _within(texts: Iterable[ShownText], most: int) -> Iterator[ShownText]:
    for one in texts:
        most -= len(one.text)
        if most < 0:
            return
        yield one


def _may_read(one: ShownText, outsiders: Iterable[str], known: Collection[str]) -> bool:
    """Return True if all of them have read a text, or may read it.

    A card is for whom it is about; what calls itself confidential is for our own house.
    """
    if one.ref.kind == "per":
        return all(stands_in(email, one.text) for email in outsiders)
    if one.readers is None and is_marked(one.text):
        return False
    allowed = known if one.readers is None else one.readers
    return all(email.lower() in allowed for email in outsiders)


def said_by(draft: Draft, attached: Iterable[AttachedFile]) -> str:
    """Return what a draft and its files say."""
    files = (text for one in attached for text in (one.name, one.text))
    texts = [draft.subject, draft.body, unescape(unfold(draft.calendar)), *files]
    return "\n".join(texts)[:_MOST_SAID]


def said_before(draft: Draft, outsiders: Sequence[str]) -> str:
    """Return what was proposed, within a day, to some of these recipients from the same account."""
    actor = system_actor(draft.workspace_id, "checks")
    rows = Draft.objects.visible_to(actor).kept().filter(
        account_id=draft.account_id, status__in=_PROPOSED, updated_at__gte=timezone.now() - _DAY
    )  # fmt: skip
    newest = rows.exclude(pk=draft.pk).only("subject", "body", "calendar", "to", "cc", "bcc")
    wanted = {email.lower() for email in outsiders}
    return "\n".join(
        f"{one.subject}\n{one.body}\n{unescape(unfold(one.calendar))}"
        for one in newest.order_by("-updated_at", "-id")[:_MOST_BEFORE]
        if wanted & {to["email"].lower() for to in [*one.to, *one.cc, *one.bcc]}
    )[:_MOST_SAID]


def _find_passages(said: str, kept: Sequence[ShownText], read: Iterable[str]) -> Iterator[Finding]:
    spans = [hit.span() for hit in _WORD.finditer(said)]
    words = [said[start:end].casefold() for start, end in spans]
    places = {run: place for place, run in reversed(list(enumerate(_runs(words))))}
    if not places:
        return
    known = {run for text in read for run in _runs_of(text, _KNOWN)}
    theirs = {run for run in places if any(part in known for part in _runs(run, _KNOWN))}
    for one in kept:
        shared = sorted(places[run] for run in _runs_of(one.text) & (places.keys() - theirs))
        # Words of mail that came in are looked for in all of it: `content_from_other_thread`.
        if shared and not one.is_inbound:
            start, end = spans[shared[0]][0], spans[shared[0] + _PASSAGE - 1][1]
            yield found(
                "not_for_these_readers", "passage", excerpt=said[start:end][:_LONGEST_EXCERPT],
                source=one.ref.public_id,
            )  # fmt: skip


def _runs(words: Sequence[str], length: int = _PASSAGE) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(length)), strict=False)


def _runs_of(text: str, length: int = _PASSAGE) -> set[tuple[str, ...]]:
    return set(_runs(_WORD.findall(text.casefold()), length))


def _find_tokens(said: str, kept: Sequence[ShownText], read: Iterable[str]) -> Iterator[Finding]:
    tokens = dict.fromkeys(hit[0] for hit in _TOKEN.finditer(said))
    if not tokens:
        return
    theirs = [_plain(text) for text in read]
    ours = [(one, _plain(one.text)) for one in kept]
    for token in list(tokens)[:_MOST_TOKENS]:
        wanted = _plain(token)
        holding = next((one for one, text in ours if wanted in text), None)
        if holding is not None and not any(wanted in text for text in theirs):
            yield found(
                "not_for_these_readers", "token", excerpt=token[:_LONGEST_EXCERPT],
                source=holding.ref.public_id,
            )  # fmt: skip


def _is_paid(text: str, said: str, read: Iterable[str]) -> bool:
    """Return True if a text is a bill that is passed on to who knows the account that it names."""
    accounts = {_plain(hit[0]) for hit in LOOKS_LIKE_IBAN.finditer(said)}
    if not accounts:
        return False
    named = {one for one in accounts if one in _plain(text)}
    return any(one in known for one in named for known in map(_plain, read))


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", text).casefold()
