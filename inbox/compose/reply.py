"""Drafting a reply by rules: greet, do what the goal says, close, and obey the policy.

Nothing of the incoming mail is obeyed; of it only names, numbers, days, sums and plain questions
are repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from inbox.compose.goals import Act, read_goal, wanted_language
from inbox.compose.sayings import Sentence
from inbox.compose.sentences import sentences_for
from inbox.compose.situation import Situation, read_thread
from inbox.compose.wording import Wording, wording
from inbox.models import Identity, Message
from inbox.policies import Flag, Outgoing, Policy
from inbox.policies.patterns import compile_phrase
from inbox.policies.sensitive import PATTERN_TIMEOUT

LONGEST_GOAL = 2000


@dataclass(frozen=True)
class ComposedReply:
    """A draft, what is risky about it, and the messages it rests on, oldest first."""

    body: str
    risk_flags: tuple[Flag, ...]
    cited: tuple[Message, ...]
    needs_human_approval: bool
    confidence: float


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
    words = wording(wanted_language(goal) or situation.language or "en")
    acts = read_goal(goal[:LONGEST_GOAL])
    said = sentences_for(acts, situation, words, policy.tone)
    confidence = _confidence(said, acts)
    parts, left_out = _without_forbidden(_paragraphs(said, situation, words, policy), policy)
    body = _assembled(parts, situation, words, policy, identity)
    body, redacted = policy.redact(body)
    outgoing = Outgoing(
        body=body, recipients=tuple(recipients), known_recipients=known_recipients,
        own_hosts=frozenset({identity.email.rpartition("@")[2]}), confidence=confidence,
    )  # fmt: skip
    flags = tuple(dict.fromkeys([*left_out, *redacted, *policy.check(outgoing)]))
    return ComposedReply(
        body, flags, _cited(messages, situation, said),
        policy.needs_approval(body, flags, confidence), confidence,
    )  # fmt: skip


def _confidence(said: Sequence[Sentence], acts: Sequence[Act]) -> float:
    """Return how sure it is that the goal is met: as sure as its least sure sentence."""
    meant = [it for it in said if it.meets_goal]
    if not meant:
        return 0.3 if any(act.kind not in {"style", "answer"} for act in acts) else 0.4
    return round(min(it.sure for it in meant), 2)


def _paragraphs(
    said: Sequence[Sentence], situation: Situation, words: Wording, policy: Policy
) -> list[_Part]:
    parts = []
    if opener := _opener(said, situation, words, policy.tone):
        parts.append(_Part(opener, courtesy=True))
    if main := [it.text for it in said if it.meets_goal]:
        joint = "" if words.language == "ja" else " "
        parts.append(_Part(joint.join(main)))
    parts += [_Part(it.text, courtesy=True) for it in said if not it.meets_goal]
    return parts


def _opener(said: Sequence[Sentence], situation: Situation, words: Wording, tone: str) -> str:
    """Thank for the message, unless the reply begins with thanks or with an apology."""
    if situation.answered is None or (said and said[0].opens):
        return ""
    moment = situation.answered.sent_at or situation.answered.received_at
    return words.by_tone("opener", tone).format(date=words.day(moment.date()))


def _without_forbidden(parts: list[_Part], policy: Policy) -> tuple[list[_Part], list[Flag]]:
    """Leave out the sentences that the policy forbids, as long as something is left to say."""
    flags: list[Flag] = []
    for rule in policy.fields.forbidden_phrases:
        pattern = compile_phrase(rule.phrase)
        kept = [_Part(_without(part.text, pattern), part.courtesy) for part in parts]
        if kept != parts and any(part.text and not part.courtesy for part in kept):
            parts = [part for part in kept if part.text]
            reason = f"A sentence was left out: the policy forbids {rule.phrase!r}."
            flags.append(Flag("forbidden_phrase", reason))
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
    """Put the letter together; where it is too long, courtesies go, the last one first."""
    kept = list(parts)
    while True:
        body = _letter([part.text for part in kept], situation, words, policy, identity)
        most = policy.fields.max_length
        spare = [index for index, part in enumerate(kept) if part.courtesy]
        if most is None or len(body) <= most or not spare:
            return body
        del kept[spare[-1]]


def _letter(
    paragraphs: Sequence[str],
    situation: Situation,
    words: Wording,
    policy: Policy,
    identity: Identity,
) -> str:
    closing = policy.text_for("closing", words.language) or words.by_tone("closing", policy.tone)
    signature = policy.text_for("signature", words.language) or identity.name or identity.email
    body = "\n\n".join(
        [_greeting(situation, words, policy), *paragraphs, f"{closing}\n{signature}"]
    )
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
        return words.by_tone("greeting", "nobody")
    parts = {"name": name, "first": _first(name), "family": _family(name)}
    return words.by_tone("greeting", policy.tone).format(**parts)


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
