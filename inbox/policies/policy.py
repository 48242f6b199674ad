"""A policy as the drafting and the checks use it."""

import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from inbox.flags import Finding, found
from inbox.flags.terms import SENSITIVE
from inbox.policies.amounts import AmountOver
from inbox.policies.demands import names_more_than
from inbox.policies.fields import (
    ConfidenceBelow,
    ForbiddenPhrase,
    OwnRedaction,
    PolicyFields,
)
from inbox.policies.links import find_links, shown_host
from inbox.policies.parsing import read_fields
from inbox.policies.patterns import compile_pattern, compile_phrase, matches_recipient
from inbox.policies.sensitive import ALWAYS, PATTERN_TIMEOUT, find_sensitive

# Below this a draft calls itself unsure.
SURE = 0.5
LONGEST_EXCERPT = 160


class OutOfTimeError(Exception):
    """The time that a check was given is over."""


def _refuse_after(deadline: float) -> None:
    if deadline < math.inf and time.monotonic() > deadline:
        raise OutOfTimeError


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What of a message that is to leave a policy looks at.

    `known_recipients`, in lower case, are those that are not new; None: not looked into.
    `own_hosts` are hosts that a link may lead to, besides those the policy allows.
    """

    body: str
    subject: str = ""
    recipients: Sequence[str] = ()
    known_recipients: frozenset[str] | None = None
    own_hosts: frozenset[str] = frozenset()
    # What the files say that go with it.
    attached: tuple[str, ...] = ()
    # What all of it says once disguises are undone.
    readings: tuple[str, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True)
class Policy:
    """What a reply must be and must not be."""

    fields: PolicyFields = field(default_factory=PolicyFields)

    @property
    def tone(self) -> str:
        """`friendly`, `formal` or `brief`."""
        return self.fields.chosen_tone

    def text_for(self, name: str, language: str) -> str:
        """Return the policy's `greeting`, `closing` or `signature` in a language, or ""."""
        texts = getattr(self.fields, name)
        if name != "signature":
            texts = texts.get(self.tone) or texts.get("default") or {}
        return _in_language(texts, language) if texts else ""

    def disclosures(self, language: str) -> list[str]:
        """Return the texts that a reply in this language must carry."""
        return [_in_language(texts, language) for texts in self.fields.required_disclosures]

    def lacks(self, body: str) -> list[int]:
        """Return the places of the disclosures that stand in the text in no language."""
        plain = _plain(body)
        return [
            place
            for place, texts in enumerate(self.fields.required_disclosures)
            if not any(_plain(text) in plain for text in texts.values())
        ]

    def redact(self, text: str) -> tuple[str, list[Finding]]:
        """Return the text with what the policy redacts blacked out, and a finding for each."""
        findings: list[Finding] = []
        for redaction in self.fields.redactions:
            what = _what(redaction)
            for start, end in reversed(list(_places(redaction, text))):
                text = f"{text[:start]}[{SENSITIVE.get(what, what)} removed]{text[end:]}"
                findings.append(found("contains_sensitive_data", "removed", what=what))
        return text, findings

    def check(self, outgoing: Outgoing, deadline: float = math.inf) -> list[Finding]:
        """Return what this policy says against the message, in a fixed order.

        `policy_blocked` means that it must not be sent at all. Raises OutOfTimeError where the
        patterns are not through by `deadline`, a time of `time.monotonic`.
        """
        findings = [
            *self._check_recipients(outgoing),
            *self._check_phrases(outgoing, deadline),
            *self._check_sensitive(outgoing, deadline),
            *self._check_disclosures(outgoing.body),
            *self._check_length(outgoing.body),
            *self._check_links(outgoing),
            *self._check_confidence(outgoing.confidence),
        ]
        return list(dict.fromkeys(findings))

    def forbids(self, outgoing: Outgoing) -> bool:
        """Return True if the message must not be sent at all, whatever its flows are."""
        said = (*self._check_recipients(outgoing), *self._check_phrases(outgoing, math.inf))
        return any(it.flag == "policy_blocked" for it in said)

    def _check_recipients(self, outgoing: Outgoing) -> Iterator[Finding]:
        rules = self.fields.recipients
        for address in outgoing.recipients:
            if entry := _first(rules.block, address, with_subdomains=True):
                yield found("policy_blocked", "recipient", entry=entry, excerpt=address)
            elif rules.allow and not _first(rules.allow, address, with_subdomains=False):
                yield found("policy_blocked", "not_allowed", excerpt=address)
            if (
                outgoing.known_recipients is not None
                and address.lower() not in outgoing.known_recipients
            ):
                yield found("new_recipient", "new", excerpt=address)

    def _check_phrases(self, outgoing: Outgoing, deadline: float) -> Iterator[Finding]:
        for rule in self.fields.forbidden_phrases:
            pattern = compile_phrase(rule.phrase)
            code = "policy_blocked" if rule.block else "forbidden_phrase"
            for text in (outgoing.body, outgoing.subject):
                _refuse_after(deadline)
                try:
                    hit = pattern.search(text, timeout=PATTERN_TIMEOUT)
                except TimeoutError:
                    yield found(code, "too_slow", what=repr(rule.phrase))
                    continue
                if hit:
                    yield _forbidden(code, rule, hit[0][:LONGEST_EXCERPT])

    def _check_sensitive(self, outgoing: Outgoing, deadline: float) -> Iterator[Finding]:
        own = self._own_texts()
        for redaction in dict.fromkeys((*ALWAYS, *self.fields.redactions)):
            said = list[Finding]()
            for text in (outgoing.body, outgoing.subject, *outgoing.attached):
                _refuse_after(deadline)
                said += _sensitive(redaction, text, own)
            yield from said
            # Of several readings the first that has some of it; of what is said openly, none.
            others = (_sensitive(redaction, text, own) for text in outgoing.readings)
            yield from () if said else next(filter(None, map(list, others)), [])

    def _own_texts(self) -> str:
        """Return what the policy itself puts under a reply, such as the company's account."""
        texts = [*self.fields.signature.values()]
        texts += [text for it in self.fields.required_disclosures for text in it.values()]
        return "\n".join(texts)

    def _check_disclosures(self, body: str) -> Iterator[Finding]:
        for place in self.lacks(body):
            text = _in_language(self.fields.required_disclosures[place], "")
            yield found("missing_disclosure", "missing", what=repr(text[:LONGEST_EXCERPT]))

    def _check_length(self, body: str) -> Iterator[Finding]:
        most = self.fields.max_length
        if most is not None and len(body) > most:
            words = body[most:][:LONGEST_EXCERPT]
            yield found("too_long", "length", count=len(body), most=most, excerpt=words)

    def _check_links(self, outgoing: Outgoing) -> Iterator[Finding]:
        """Yield the links to hosts not allowed: each of the body; elsewhere each host once."""
        allowed = (*self.fields.allowed_links, *outgoing.own_hosts)
        links = list(find_links(outgoing.body))
        elsewhere = (outgoing.subject, *outgoing.attached, *outgoing.readings)
        known = {host for _, host in links}
        others = {link.host: link for text in elsewhere for link in find_links(text)}
        for link, host in [*links, *(it for host, it in others.items() if host not in known)]:
            if not any(matches_recipient(f"@{host}", it, with_subdomains=True) for it in allowed):
                words = link[:LONGEST_EXCERPT]
                if host:
                    yield found("external_link", "host", host=shown_host(host), excerpt=words)
                else:
                    yield found("external_link", "unreadable", excerpt=words)

    def _check_confidence(self, confidence: float | None) -> Iterator[Finding]:
        if confidence is not None and confidence < self._sure_from:
            yield found("low_confidence", "unsure", percent=f"{confidence:.0%}")

    @property
    def _sure_from(self) -> float:
        rules = self.fields.approval.required_when
        limits = [it.confidence_below for it in rules if isinstance(it, ConfidenceBelow)]
        return max(limits, default=SURE)

    def needs_approval(self, body: str, raised: Collection[str], confidence: float) -> bool:
        """Return True if the policy wants a person to see the draft; what is blocked always does.

        `raised` are the codes of the flags that it raises, whoever found them.
        """
        rules = self.fields.approval.required_when
        if isinstance(rules, str):
            return rules == "always" or "policy_blocked" in raised
        return "policy_blocked" in raised or any(
            (isinstance(rule, str) and rule in raised)
            or (isinstance(rule, ConfidenceBelow) and confidence < rule.confidence_below)
            or (isinstance(rule, AmountOver) and names_more_than(body, rule))
            for rule in rules
        )


def _sensitive(redaction: str | OwnRedaction, text: str, own: str) -> Iterator[Finding]:
    """Yield what a text has of a kind, but for what the policy itself puts under replies."""
    code, what = "contains_sensitive_data", _what(redaction)
    try:
        spans = list(_places(redaction, text))
    except TimeoutError:
        yield found(code, "too_slow", what=what)
        return
    for start, end in spans:
        if text[start:end] not in own:
            yield found(code, "holds", what=what, excerpt=text[start:end][:LONGEST_EXCERPT])


def _what(redaction: str | OwnRedaction) -> str:
    """Return how a finding names what it is of: the code of a kind, or the name somebody gave."""
    return redaction if isinstance(redaction, str) else redaction.name


def _forbidden(code: str, rule: ForbiddenPhrase, excerpt: str) -> Finding:
    if rule.reason:
        return found(code, "own_words", words=rule.reason, excerpt=excerpt)
    return found(code, "phrase", phrase=repr(rule.phrase), excerpt=excerpt)


def _places(redaction: str | OwnRedaction, text: str) -> Iterator[tuple[int, int]]:
    """Yield where it applies; raises TimeoutError."""
    if isinstance(redaction, str):
        return find_sensitive(text, redaction)
    found = compile_pattern(redaction.pattern).finditer(text, timeout=PATTERN_TIMEOUT)
    return (match.span() for match in found)


def _first(entries: Iterable[str], address: str, *, with_subdomains: bool) -> str:
    matching = (
        entry
        for entry in entries
        if matches_recipient(address, entry, with_subdomains=with_subdomains)
    )
    return next(matching, "")


def _in_language(texts: dict[str, str], language: str) -> str:
    for wanted in (language, language.partition("-")[0], "default", "en"):
        if wanted in texts:
            return texts[wanted].strip()
    return next(iter(texts.values())).strip()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=256)
def read_policy(source: str) -> Policy:
    """Return the policy that the YAML says.

    Raises ValueError naming the line and the field that cannot be read.
    """
    return Policy(read_fields(source))
