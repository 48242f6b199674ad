"""What is seen beside the words: headers, the sender, history, links, form.

Each observation has one line here, and its effect under `observations` in `rules.yaml`.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from inbox.classify.facts import Facts, MessageFacts
from inbox.classify.names import name_belongs
from inbox.classify.rules import Rules
from inbox.languages import any_of, language, lazy
from inbox.rfc5322.addresses.lookalikes import mixes_letters
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS
from inbox.rfc5322.addresses.parsing import display_name_deceives

Seen: TypeAlias = Iterator[tuple[str, str]]
MessageLook: TypeAlias = Callable[[Facts, MessageFacts], Seen]

_MACHINE = lazy(
    r"(?i)^(no-?_?\.?reply|do-?_?not-?_?reply|noreply|notifications?|alerts?|automat\w*|cron|root|nagios|jenkins|build|robot|bot|system|updates?)\b"
)
_BULK = lazy(
    r"(?i)^(news\w*|newsletter\w*|marketing|promo\w*|offers?|deals?|mailing|digest|info-?mail|campaign\w*|bounces?|list)\b"
)
_BOUNCE = lazy(r"(?i)^(mailer-daemon|postmaster|mail-?delivery)")
_RISKY = lazy(
    r"(?i)(x-msdownload|x-msdos|executable|x-sh\b|java-archive|x-bat|hta|vbs|javascript|x-iso9660|text/html)"
)
_AMOUNT = lazy(r"\d(?:[\d.,'\u2009]{0,14}\d)?")
_CURRENCY_BEFORE = lazy(
    lambda: (
        r"(?:[€$£¥￥]|(?<![A-Za-z])(?:EUR|USD|GBP|CHF|JPY|SAR|AED|US\$"
        rf"|{any_of(lambda it: it.money.before)}))\s?$"
    ),
    re.IGNORECASE,
)
_CURRENCY_AFTER = lazy(
    lambda: (
        rf"\s?(?:[€£¥]|(?:EUR|USD|GBP|CHF|JPY|{any_of(lambda it: it.money.names)})\b"
        rf"|{any_of(lambda it: it.money.joined)})"
    ),
    re.IGNORECASE,
)
_BARE_IP = lazy(
    r"https?://(?:[^\s/@]{0,80}@)?(\d{1,3}(?:\.\d{1,3}){3}|\d{8,10}|0x[0-9a-f]{8})(?=[/:\s]|$)",
    re.IGNORECASE,
)
_IN_TITLE = (
    ("shouting", lazy(r"[A-Z][A-Z!$%'-]{2,}(?:\s+[A-Z0-9!$%'-]+){2,}")),
    ("price_in_subject", lazy(r"[$€£]\s?\d|\d\s?%|\$\$")),
    (
        "marked_advert",
        lazy(
            lambda: (
                r"^\W{0,2}(?:ADV?|Adv|ad|adv)\s?[:.]|\bADV\b|\[ADV?\]"
                rf"|{any_of(lambda it: it.classify.advert_marks)}"
            )
        ),
    ),
    (
        "coded_subject",
        lazy(
            r"(?:\s{4,}\S{2,}|\s\d{1,2}\.\d{2,3}|[\s.]\d{4,}[a-zA-Z]{2,}\S{0,20}"
            r"|\s[a-z]{1,9}\d[a-z\d]{3,20}|\s[\[(]?[b-df-hj-np-tv-xz]{4,9}[\])]?|\s\.{3}\d{4,6})$"
        ),
    ),
)
_IN_TEXT = (
    ("bare_address_link", _BARE_IP),
    (
        "disguised_words",
        lazy(
            # One \b for all but three, or the slowest pattern of all takes thrice as long.
            r"(?i)\b(?:v(?:[1!|]|i[@4])a?gra|v\.i\.a\.g|c[1!|]al[i1!]s|(?:\b\w[._*-]){5,}\w\b"
            r"|p0rn|s3x\b|fr3{1,2}\b)|m0rtgage|@dult\b|w[1!]thout"
        ),
    ),
)
_MADE_UP = lazy(
    r"[a-z]{2,}_?\d{3,}[a-z]{1,2}\d+$|^[a-z]{0,3}\d{6,}|[a-z]\d{2,}[a-z]+\d{2,}|[bcdfghjklmnpqrstvwxz]{7,}"
)
_LINK = lazy(r"<?https?://[^\s<>]{1,400}>?|\[image:?[^\]\n]{0,200}\]", re.IGNORECASE)
_DOMAIN = lazy(r"(?:[\w-]{1,63}\.){1,126}(?:[^\W\d_]{2,63}|xn--[a-z0-9-]{2,59})", re.IGNORECASE)
_LINK_HOST = lazy(r"https?://(?:[^\s/@<>]{0,80}@)?([^\s/@<>:]{1,253})", re.IGNORECASE)
_GREETS_ADDRESS = lazy(
    lambda: (
        rf"(?:^|\n)\W{{0,4}}{any_of(lambda it: it.letters.greetings)}[\s,:!]{{1,3}}"
        r"([^\s<>()@,]{1,64}@[^\s<>()@,]{2,100})"
    ),
    re.IGNORECASE,
)
_MAILTO = lazy(r"(?i)<mailto:([^\s<>?]{3,200})")
_LEAVES = lazy(r"(?i)<mailto:([\w.+]{2,60}(?:-[\w.+]{1,60}){0,4})-(?:unsubscribe|request|leave)@")
_TAG = lazy(r"\[([\w.+-]{2,60})\]")
# Letters of mathematics, or in circles and boxes: to people words, to filters none.
_STYLED = lazy("[\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f189]{2}")
_WORD = lazy(r"\w{2,}")
MANY_UNANSWERED = 15
# A link with no more words than that beside it is what the message is about.
_FEW_WORDS = 40
# Links and disguises are looked for in the beginning of a text only.
LOOKED_AT = 3000
_BULK_HEADERS: tuple[str, ...] = ("list-unsubscribe", "feedback-id", "list-post")
_AUTO_REPLIED = lazy(r"(?i)auto-(replied|notified)")


_OF_ANOMALIES = (
    ("bidi_in_name", "turned_name"),
    ("hidden_text", "hidden_text"),
    ("misleading_link", "misleading_link"),
)


def observe(facts: Facts, text: str, rules: Rules) -> Seen:
    """Yield (name of the observation, what was found) for everything seen beside the words."""
    yield from _form(facts, text)
    yield from _sender(facts, rules)
    yield from _disguises(facts, text)
    if facts.message is not None:
        for look in _LOOKS:
            yield from look(facts, facts.message)


def find_money(text: str) -> str:
    """Return the first amount of money in a text, as it is written; empty where there is none."""
    for amount in _AMOUNT.finditer(text):
        start, end = amount.span()
        before = _CURRENCY_BEFORE.search(text, max(0, start - 6), start)
        after = _CURRENCY_AFTER.match(text, end)
        if before or after:
            first = before.start() if before else start
            return text[first : after.end() if after else end].strip(" .,'")
    return ""


def _form(facts: Facts, text: str) -> Seen:
    if facts.starts_at is not None:
        yield "has_start", f"{facts.starts_at:%Y-%m-%d %H:%M %Z}".strip()
    if money := find_money(text[:LOOKED_AT]):
        yield "money", money
    if text.count("!") >= 4 or "!!" in facts.title:
        yield "exclamations", ""
    for name, pattern in _IN_TITLE:
        if seen := pattern.search(facts.title):
            yield name, seen.group().strip()[:40]
    for name, pattern in _IN_TEXT:
        if seen := pattern.search(text, 0, LOOKED_AT):
            yield name, seen.group().strip()[:40]
    yield from _amount_of_text(facts)


def _amount_of_text(facts: Facts) -> Seen:
    words = facts.content.split(None, 4)
    if not words:
        yield "no_text" if not facts.title.strip() else "little_text", ""
    elif len(words) < 3 and len(facts.content) < 12:
        yield "little_text", ""
    rest = _LINK.sub("", facts.content)
    if len(rest) < len(facts.content) and len(_WORD.findall(rest)) < 4 * len(
        _LINK.findall(facts.content)
    ):
        yield "mostly_links", ""


def _sender(facts: Facts, rules: Rules) -> Seen:
    local, _, domain = facts.sender_email.lower().rpartition("@")
    if _MACHINE.match(local):
        yield "machine_sender", facts.sender_email
    if _BULK.match(local):
        yield "bulk_sender", facts.sender_email
    if _MADE_UP.search(local):
        yield "made_up_sender", facts.sender_email
    if _BOUNCE.match(local):
        yield "bounce_sender", facts.sender_email
    yield from _name(facts)
    if facts.sender_name and display_name_deceives(facts.sender_name, facts.sender_email):
        yield "deceiving_name", facts.sender_name[:60]
    elif domain and (brand := _brand(facts.sender_name, domain, rules)):
        yield "brand_mismatch", brand
    elif domain and (brand := _brand(facts.title, domain, rules)):
        yield "brand_named", brand


def _name(facts: Facts) -> Seen:
    """Yield whether the name shown is that of another than the address."""
    belongs = name_belongs(facts.sender_name, facts.sender_email)
    if belongs == "neither":
        yield "name_elsewhere", facts.sender_name[:60]
    elif belongs == "mailbox":
        yield "name_in_mailbox", facts.sender_name[:60]


def _disguises(facts: Facts, text: str) -> Seen:
    """Yield what makes words look to people as they do not to filters."""
    if _STYLED.search(f"{facts.sender_name} {facts.title}"):
        yield "styled_letters", ""
    if mixes_letters(f"{facts.sender_name} {text}"):
        yield "mixed_letters", ""
    if (greeted := _GREETS_ADDRESS.search(text, 0, LOOKED_AT)) and not facts.sender_email.endswith(
        greeted[1]
    ):
        yield "greets_address", greeted[1][:40]


def _brand(named: str, domain: str, rules: Rules) -> str:
    """Return the name for which the sender speaks without writing from one of its domains."""
    named = named.lower()
    for brand, domains in rules.brands.items():
        if brand.lower() in named and not any(
            domain == own or domain.endswith("." + own) for own in domains
        ):
            return brand
    return ""


def _bulk_headers(facts: Facts, message: MessageFacts) -> Seen:
    headers = message.headers
    if message.list_id or "list-id" in headers:
        yield "mailing_list", (message.list_id or headers["list-id"])[:60]
    if listed := _talks_on(facts, message):
        yield "discussion_list", listed[:60]
    precedence = headers.get("precedence", "").strip().lower()
    names = [name for name in _BULK_HEADERS if name in headers]
    if precedence in ("bulk", "list", "junk"):
        names.append(f"precedence: {precedence}")
    if names:
        yield "bulk_headers", ", ".join(names)
    if headers.get("x-spam-flag", "").strip().lower() == "yes":
        yield "flagged_spam", "X-Spam-Flag"


def _talks_on(facts: Facts, message: MessageFacts) -> str:
    """Return the address of a list that people write to, which a newsletter has not; "" if none.

    A list says it in List-Post, is left at an address beside its own, as those of Mailman and ezmlm
    are, or has answers go to the name that stands in brackets in the subject.
    """
    posts = _MAILTO.search(message.headers.get("list-post", ""))
    leaves = _LEAVES.search(message.headers.get("list-unsubscribe", ""))
    if found := posts or leaves:
        return found[1]
    tag, (name, at, _) = _TAG.search(facts.title), message.reply_to.lower().partition("@")
    return message.reply_to if tag and at and tag[1].lower() == name else ""


def _machine_headers(_: Facts, message: MessageFacts) -> Seen:
    automatic = message.headers.get("auto-submitted", "").strip().lower()
    if _AUTO_REPLIED.match(automatic) or "x-autoreply" in message.headers:
        yield "replied_by_machine", automatic or "x-autoreply"
    elif automatic and automatic != "no":
        yield "automatic_headers", f"auto-submitted: {automatic}"[:40]
    if message.headers.get("return-path", "").strip() == "<>":
        yield "bounce_sender", "empty return path"


def _addressing(_: Facts, message: MessageFacts) -> Seen:
    if message.addressed == "cc":
        yield "copied", ""
        if message.answers_others:
            yield "answers_others", ""
    elif message.addressed == "neither":
        yield "not_addressed", ""
    if message.recipients > 20:
        yield "many_recipients", str(message.recipients)


def _results(facts: Facts, message: MessageFacts) -> Seen:
    """Yield what our own server said of the sender, or that it could not be one."""
    domain = facts.sender_email.rpartition("@")[2]
    if message.authentication == "fail":
        failed = [n for n, v in sorted(message.authentication_results.items()) if v == "fail"]
        yield "authentication_failed", ", ".join(failed) or "no results"
    elif message.authentication == "pass":
        yield "authentication_passed", ""
    elif message.authentication_results:
        yield "unproven_sender", domain
    if not _DOMAIN.fullmatch(domain):
        yield "impossible_sender", facts.sender_email or facts.sender_name


def _deceits(_: Facts, message: MessageFacts) -> Seen:
    if message.imitates or "lookalike_sender" in message.anomalies:
        yield "look_alike", message.imitates or "a known sender"
    elif "lookalike_domain" in message.anomalies:
        yield "look_alike", "Latin letters"
    for anomaly, name in _OF_ANOMALIES:
        if anomaly in message.anomalies:
            yield name, ""


def _answers(facts: Facts, message: MessageFacts) -> Seen:
    own = facts.sender_email.lower().rpartition("@")[2]
    other = message.reply_to.lower().rpartition("@")[2]
    if other and own and other != own and not message.list_id:
        yield "answers_elsewhere", message.reply_to
        if other in PUBLIC_DOMAINS and own not in PUBLIC_DOMAINS:
            yield "answers_to_mailbox", other


def _links(facts: Facts, message: MessageFacts) -> Seen:
    in_text = _LINK_HOST.search(facts.content, 0, LOOKED_AT)
    if host := message.link_hosts[0] if message.link_hosts else in_text and in_text[1]:
        yield "links", host[:60]
        if len(_WORD.findall(_LINK.sub(" ", facts.content[:LOOKED_AT]))) < _FEW_WORDS:
            yield "little_beside_links", ""


def _history(_: Facts, message: MessageFacts) -> Seen:
    if message.sent:
        yield "known_sender", f"{message.sent} times" if message.sent > 1 else "once"
    elif message.received >= MANY_UNANSWERED:
        yield "one_way_sender", str(message.received)
    elif message.received:
        yield "seen_sender", f"{message.received} times" if message.received > 1 else "once"
    else:
        yield "new_sender", ""
    if message.answers_us:
        yield "answers_us", ""
    if message.answered:
        yield "answered_since", ""


def _parts(_: Facts, message: MessageFacts) -> Seen:
    if message.has_calendar:
        yield "calendar_part", ""
    if message.html_text.strip():
        yield "html_part", ""
    for content_type in message.attachments:
        if _RISKY.search(content_type):
            yield "risky_attachment", content_type[:60]
        elif content_type.endswith(("/pdf", "document", "spreadsheetml.sheet", "msword")):
            yield "document", content_type.rpartition("/")[2][:20]
    if message.language and not _is_read(message.language):
        yield "unread_language", message.language


def _is_read(code: str) -> bool:
    known = language(code)
    return known is not None and bool(known.classify.signals)


_LOOKS: tuple[MessageLook, ...] = (
    _bulk_headers,
    _machine_headers,
    _addressing,
    _results,
    _deceits,
    _answers,
    _links,
    _history,
    _parts,
)
