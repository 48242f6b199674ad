"""Drafting a reply by rules: greet, do what the goal says, close, and obey the policy.

Nothing of the incoming mail is obeyed; of it only names, numbers, days, sums and plain questions
are repeated. What of the goal is not understood, or cannot be said in the language of the mail, is
left out, and `low_confidence` names it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from inbox.compose.acts import PARTLY, Sentence
from inbox.compose.carrying.carrier import spelled_out
from inbox.compose.composed import ComposedReply
from inbox.compose.goals.reading import Clause, read_goal, wanted_language
from inbox.compose.phrasing.languages import is_formal
from inbox.compose.phrasing.wording import Wording, is_written, wording
from inbox.compose.sentences import Said, sentences_for
from inbox.compose.thread.situation import Situation, read_thread
from inbox.flags import Finding, found
from inbox.models import Identity, Message
from inbox.policies import Outgoing, Policy
from inbox.policies.patterns import compile_phrase
from inbox.policies.sensitive import PATTERN_TIMEOUT

# What a flag shows of the words that were not understood.
LONGEST_PART = 160


@dataclass(frozen=True)
class _Part:
    """A paragraph. What is only courteous gives way first when the policy wants it shorter."""

    text: str
    courtesy: bool = False


def compose_reply(
    messages: Sequence[Message],
    goal: str,
    policy: Policy,
    identity: Identity,
    *,
    recipients: Sequence[str] = (),
    known_recipients: frozenset[str] | None = None,
) -> ComposedReply:
    """Draft a reply to a thread, its messages given oldest first, that meets the goal.

    `recipients` are those it would go to, for the policy's lists.
    """
    situation = read_thread(messages)
    goal = spelled_out(_with_names(goal, situation.names))
    clauses = read_goal(goal)
    language = _language(goal, clauses, situation)
    words = wording(language, is_informal=situation.informal == language)
    frame = _Frame(situation, words, policy, identity, tuple(recipients), known_recipients)
    said = sentences_for(goal, clauses, situation, frame.words, policy.tone)
    confidence = min(said.confidence, PARTLY) if _is_lacking(language) else said.confidence
    parts = _paragraphs(said, situation, frame.words, policy)
    unsure = _unsure(said, language)
    if words.is_informal and is_formal(" ".join(part.text for part in parts), language):
        unsure.append(found("low_confidence", "formal"))
    cited = _cited(messages, situation, said.sentences)
    return _finished(frame, parts, cited, confidence, unsure)


@dataclass(frozen=True)
class _Frame:
    """What a reply is put together with, whoever wrote its sentences."""

    situation: Situation
    words: Wording
    policy: Policy
    identity: Identity
    recipients: tuple[str, ...]
    known_recipients: frozenset[str] | None


def reply_language(messages: Sequence[Message], goal: str) -> str:
    """Return the code of the language in which a reply is written; "" where it has no phrases."""
    language = _language(goal, read_goal(goal), read_thread(messages))
    return "" if _is_lacking(language) else language


def frame_reply(
    messages: Sequence[Message],
    paragraphs: Sequence[str],
    policy: Policy,
    identity: Identity,
    *,
    language: str,
    cited: Sequence[Message],
    confidence: float,
    flags: Sequence[Finding] = (),
    recipients: Sequence[str] = (),
    known_recipients: frozenset[str] | None = None,
) -> ComposedReply:
    """Return a reply of paragraphs that somebody else wrote, in a language that has phrases.

    Greeting, closing and what the policy wants are put in, and what it forbids left out, as with
    `compose_reply`. `flags` say what its writer is unsure of.
    """
    situation = read_thread(messages)
    words = wording(language, is_informal=situation.informal == language)
    frame = _Frame(situation, words, policy, identity, tuple(recipients), known_recipients)
    parts = [_Part(text) for text in paragraphs]
    return _finished(frame, parts, tuple(cited), confidence, flags)


def _finished(
    frame: _Frame,
    parts: list[_Part],
    cited: tuple[Message, ...],
    confidence: float,
    unsure: Sequence[Finding],
) -> ComposedReply:
    """Return the whole reply, and all that the policy says of it."""
    policy, identity = frame.policy, frame.identity
    parts, left_out = _without_forbidden(parts, policy)
    body = _assembled(parts, frame.situation, frame.words, policy, identity)
    body, redacted = policy.redact(body)
    outgoing = Outgoing(
        body=body, recipients=frame.recipients, known_recipients=frame.known_recipients,
        own_hosts=frozenset({identity.email.rpartition("@")[2]}),
        confidence=None if unsure else confidence,
    )  # fmt: skip
    flags = tuple(dict.fromkeys([*unsure, *left_out, *redacted, *policy.check(outgoing)]))
    return ComposedReply(
        body, flags, cited,
        policy.needs_approval(body, {flag.flag for flag in flags}, confidence), confidence,
    )  # fmt: skip


def _with_names(goal: str, names: Iterable[str]) -> str:
    """Return the goal with the reader's own names in capitals, however they were typed."""
    for name in names:
        goal = regex.sub(rf"(?<!\p{{L}}){name.lower()}(?!\p{{L}})", name, goal)
    return goal


def _language(goal: str, clauses: Sequence[Clause], situation: Situation) -> str:
    """Return the language that the goal asks for, else the mail's, else that of the goal."""
    wanted = wanted_language(goal)
    if is_written(wanted):
        return wanted
    of_goal = next((clause.readings[0].language for clause in clauses if clause.readings), "en")
    return situation.language or of_goal


def _is_lacking(language: str) -> bool:
    """Return True if there are no phrases in the language, so that the message is in English."""
    return not is_written(language)


def _unsure(said: Said, language: str) -> list[Finding]:
    """Return what names the words that are left out, or why the message is in English."""
    left_out = [
        found("low_confidence", reason, parts="; ".join(f"“{_short(it)}”" for it in parts))
        for reason, parts in (("not_understood", said.missed), ("other_words", said.foreign))
        if parts
    ]
    if left_out and not any(it.meets_goal for it in said.sentences):
        left_out.append(found("low_confidence", "body_to_write"))
    if left_out:
        return left_out
    return [found("low_confidence", "other_language")] if _is_lacking(language) else []


def _short(part: str) -> str:
    part = " ".join(part.split())
    return part if len(part) <= LONGEST_PART else f"{part[: LONGEST_PART - 1]}…"


def _paragraphs(reply: Said, situation: Situation, words: Wording, policy: Policy) -> list[_Part]:
    said = reply.sentences
    parts = []
    if opener := _opener(said, situation, words, policy.tone):
        parts.append(_Part(opener, courtesy=True))
    if main := [it.text for it in said if it.meets_goal]:
        parts.append(_Part(words.joint.join(_told_together(main, words))))
    parts += [_Part(it.text, courtesy=True) for it in said if not it.meets_goal]
    return parts


def _told_together(texts: Sequence[str], words: Wording) -> list[str]:
    """Return "We inform you that A. We inform you that B." as one sentence."""
    lead = words.say("told", what="\0").partition("\0")[0]
    kept: list[str] = []
    for text in texts:
        also = words.say("told_also", what=text[len(lead) :].rstrip("."))
        if also and kept and text.startswith(lead) and kept[-1].startswith(lead):
            kept[-1] = f"{kept[-1].rstrip('.')}{also}."
        else:
            kept.append(text)
    return kept


def _opener(said: Sequence[Sentence], situation: Situation, words: Wording, tone: str) -> str:
    """Thank for the message, unless the reply begins with thanks or with an apology."""
    thanks = words.say("thanks", thing="\0").partition("\0")[0] or "\0"
    if (
        situation.answered is None
        or any(it.text.startswith(thanks) for it in said)
        or (said and said[0].opens)
    ):
        return ""
    moment = situation.answered.sent_at or situation.answered.received_at
    opener = words.opener(tone).format(date=words.day(moment.date()))
    return opener or ("" if said else words.say("thanks", thing=words.thing("message")))


def _without_forbidden(parts: list[_Part], policy: Policy) -> tuple[list[_Part], list[Finding]]:
    """Leave out the sentences that the policy forbids, as long as something is left to say."""
    flags: list[Finding] = []
    for rule in policy.fields.forbidden_phrases:
        pattern = compile_phrase(rule.phrase)
        kept = [_Part(_without(part.text, pattern), part.courtesy) for part in parts]
        if kept != parts and any(part.text and not part.courtesy for part in kept):
            parts = [part for part in kept if part.text]
            flags.append(found("forbidden_phrase", "left_out", phrase=repr(rule.phrase)))
    return parts, flags


def _without(text: str, pattern: regex.Pattern[str]) -> str:
    sentences = regex.split(r"(?<=[.!?。])\s+|(?<=。)", text)
    try:
        kept = [it for it in sentences if not pattern.search(it, timeout=PATTERN_TIMEOUT)]
    except TimeoutError:
        return text
    return text if len(kept) == len(sentences) else " ".join(kept).strip()


def _assembled(
    parts: Sequence[_Part],
    situation: Situation,
    words: Wording,
    policy: Policy,
    identity: Identity,
) -> str:
    """Put the message together; where it is too long, courtesies go, the last one first."""
    kept = list(parts)
    while True:
        body = _message([part.text for part in kept], situation, words, policy, identity)
        most = policy.fields.max_length
        spare = [index for index, part in enumerate(kept) if part.courtesy]
        if most is None or len(body) <= most or not spare:
            return body
        del kept[spare[-1]]


def _message(
    paragraphs: Sequence[str],
    situation: Situation,
    words: Wording,
    policy: Policy,
    identity: Identity,
) -> str:
    closing = policy.text_for("closing", words.language) or words.closing(policy.tone)
    signature = policy.text_for("signature", words.language) or identity.name or identity.email
    greeting = _greeting(situation, words, policy)
    text = "\n\n".join(paragraphs)
    goes_on = words.of.reply.goes_on
    if goes_on and greeting.endswith(",") and regex.match(rf"(?:{goes_on})\b", text):
        text = text[0].lower() + text[1:]
    body = "\n\n".join(part for part in (greeting, text, f"{closing}\n{signature}") if part)
    missing = [
        text
        for place, text in enumerate(policy.disclosures(words.language))
        if place in policy.lacks(body)
    ]
    return "\n\n".join([body, *missing])


def _greeting(situation: Situation, words: Wording, policy: Policy) -> str:
    name = situation.name
    own = policy.text_for("greeting", words.language)
    if own:
        greeting = own.replace("{name}", name).replace("{first}", _first(name))
        return regex.sub(r"\s+([,:!،、]|$)", r"\1", greeting).strip()
    if not name:
        return words.greeting("nobody")
    parts = {"name": name, "first": _first(name), "family": _family(name)}
    return words.greeting(policy.tone).format(**parts)


def _first(name: str) -> str:
    return name.split(" ", maxsplit=1)[0] if name else ""


def _family(name: str) -> str:
    """Return the family name of a Japanese name, which stands first; else the whole name."""
    if regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}]", name):
        return regex.split(r"[\s\u3000]", name)[0]
    return f"{name} "


def _cited(
    messages: Sequence[Message], situation: Situation, said: Sequence[Sentence]
) -> tuple[Message, ...]:
    used = {it.pk for sentence in said for it in sentence.rests_on}
    if situation.answered is not None:
        used.add(situation.answered.pk)
    return tuple(message for message in messages if message.pk in used)
