"""Passages and tokens in a message, of texts that not every recipient of it has read."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta

import regex
from django.utils import timezone

from agents.approval.checks.disguised import Kept, find_disguised
from agents.approval.checks.shown import Shown, ShownText
from agents.evidence.claims.records import AttachedFile
from inbox.actor import Actor, system_actor
from inbox.flags import Finding, found
from inbox.languages import any_of, lazy_regex
from inbox.models import Attachment, Draft, DraftStatus, Message
from inbox.rfc5322.addresses.parsing import stands_in

# A passage is eight words running, as for the words of other conversations.
_PASSAGE = 8
_MOST_TOKENS = 100
# So much of what the agent was shown is compared, the newest first.
_MOST_TEXT = 300_000
_LONGEST_EXCERPT = 200
_WORD = regex.compile(r"\w+")
# What stands for one thing: five digits or more, letters with digits, IBANs, names of files.
_TOKEN = regex.compile(
    r"(?<![\w@./-])(?:[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{2,4}){3,8}|\p{Lu}{1,6}[-/]?\d[\p{Lu}\d/-]{3,20}"
    r"|\d[\d-]{4,20}|[\p{L}\d_-]{2,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|csv|zip|txt))(?![\w@])"
)
# So much of a message and its files is compared.
_MOST_SAID = 100_000
# By what a text says of itself where it begins, its path included, it stays in the house.
_HEAD = 600
_MARKED = lazy_regex(
    lambda: (
        rf"(?:^|/)[\"'*\[( ]{{0,3}}{any_of(lambda it: it.claims.internal)}\b"
        rf"|\b{any_of(lambda it: it.claims.confidential)}\b"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)
# Of what was proposed before so much is compared.
_MOST_BEFORE, _DAY = 20, timedelta(days=1)
_PROPOSED = (DraftStatus.PROPOSED, DraftStatus.SENT)
_SEPARATORS = re.compile(r"[\s/-]+")


def find_leaks(
    actor: Actor,
    draft: Draft,
    attached: Iterable[AttachedFile],
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
    texts = [it for it in _within(shown.texts, _MOST_TEXT) if it.ref.kind != "drf"]
    kept = [it for it in texts if not _may_read(it, outsiders, shown.known)]
    read = [it.text for it in texts if _may_read(it, outsiders, shown.known)]
    read += [one.text for one in shown.thread if _has_read(one, outsiders)]
    said = said_by(draft, attached)
    plain = [*_find_passages(said, kept, read), *_find_tokens(said, kept, read)]
    yield from plain
    told = {one.source for one in plain}
    named = (Kept(it.ref.public_id, it.text) for it in kept)
    others = [it for it in named if it.source not in told]
    yield from find_disguised(said, others, read, lambda: _said_before(draft, outsiders))
    yield from _find_files(actor, draft, outsiders)


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
    if one.readers is None and _MARKED.search(one.text[:_HEAD]):
        return False
    allowed = known if one.readers is None else one.readers
    return all(email.lower() in allowed for email in outsiders)


def said_by(draft: Draft, attached: Iterable[AttachedFile]) -> str:
    """Return what a draft and its files say."""
    texts = [draft.subject, draft.body, draft.calendar, *(one.text for one in attached)]
    return "\n".join(texts)[:_MOST_SAID]


def _said_before(draft: Draft, outsiders: Sequence[str]) -> str:
    """Return what was proposed, within a day, to some of these recipients from the same account."""
    actor = system_actor(draft.workspace_id, "checks")
    rows = Draft.objects.visible_to(actor).kept().filter(
        account_id=draft.account_id, status__in=_PROPOSED, updated_at__gte=timezone.now() - _DAY
    )  # fmt: skip
    newest = rows.exclude(pk=draft.pk).only("subject", "body", "calendar", "to", "cc", "bcc")
    wanted = {email.lower() for email in outsiders}
    return "\n".join(
        f"{one.subject}\n{one.body}\n{one.calendar}"
        for one in newest.order_by("-updated_at", "-id")[:_MOST_BEFORE]
        if wanted & {to["email"].lower() for to in [*one.to, *one.cc, *one.bcc]}
    )[:_MOST_SAID]


def _find_passages(said: str, kept: Sequence[ShownText], read: Iterable[str]) -> Iterator[Finding]:
    spans = [hit.span() for hit in _WORD.finditer(said)]
    words = [said[start:end].casefold() for start, end in spans]
    places = {run: place for place, run in reversed(list(enumerate(_runs(words))))}
    if not places:
        return
    theirs = {run for text in read for run in _runs_of(text) & places.keys()}
    for one in kept:
        shared = sorted(places[run] for run in _runs_of(one.text) & (places.keys() - theirs))
        # Words of mail that came in are looked for in all of it: `content_from_other_thread`.
        if shared and not one.is_inbound:
            start, end = spans[shared[0]][0], spans[shared[0] + _PASSAGE - 1][1]
            yield found(
                "not_for_these_readers", "passage", excerpt=said[start:end][:_LONGEST_EXCERPT],
                source=one.ref.public_id,
            )  # fmt: skip


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(_PASSAGE)), strict=False)


def _runs_of(text: str) -> set[tuple[str, ...]]:
    return set(_runs(_WORD.findall(text.casefold())))


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


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", text).casefold()


def _find_files(actor: Actor, draft: Draft, outsiders: Sequence[str]) -> Iterator[Finding]:
    """Yield the attached files that came with mail which some of them have not read."""
    blobs = {one.blob_id: one.filename for one in draft.attachments.all()} if draft.pk else {}
    if not blobs:
        return
    there = actor.within(draft.workspace_id)
    parts = Attachment.objects.visible_to(there).filter(blob_id__in=blobs).select_related("message")
    held: dict[int, list[Message]] = {}
    for part in parts.order_by("-id")[:200]:
        held.setdefault(part.blob_id, []).append(part.message)
    for blob, messages in held.items():
        if not any(_has_read(one, outsiders) for one in messages):
            yield found(
                "not_for_these_readers", "attachment", excerpt=blobs[blob],
                source=messages[0].public_id,
            )  # fmt: skip


def _has_read(message: Message, outsiders: Iterable[str]) -> bool:
    readers = message.readers
    return all(email.lower() in readers for email in outsiders)
