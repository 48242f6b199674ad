"""The phrases, patterns and recipients that a policy names, made to be matched; pure."""

from fnmatch import translate

import regex

from inbox.policies.sensitive import PATTERN_TIMEOUT
from inbox.reasons import phrase as _

LONGEST_PATTERN = 300
# Counted repetitions multiply when nested; a larger one has no place in a policy.
_LARGEST_COUNT = 200
_INVISIBLE = "[\u00ad\u200b-\u200f\u2060\ufeff]*"
_LOOSE = {"'": "['’ʼ‘]", "’": "['’ʼ‘]", '"': '["“”„«»]', "-": "[-‐‑–]"}


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a regular expression of a policy; raises ValueError saying why it cannot be taken."""
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(_("a pattern can have at most %(most)s characters", most=LONGEST_PATTERN))
    if any(int(count) > _LARGEST_COUNT for count in regex.findall(r"[{,]\s*(\d{1,9})", pattern)):
        raise ValueError(_("a repetition can count to at most %(most)s", most=_LARGEST_COUNT))
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
        matches_nothing = compiled.search("", timeout=PATTERN_TIMEOUT)
    except (regex.error, TimeoutError, RecursionError, OverflowError) as error:
        raise ValueError(_("not a regular expression: “%(words)s”", words=error)) from error
    if matches_nothing:
        raise ValueError(_("the pattern matches an empty text"))
    return compiled


def compile_phrase(phrase: str) -> regex.Pattern[str]:
    """Compile `/…/` as a regular expression, anything else as words in whatever case and spacing.

    Raises ValueError where that cannot be done.
    """
    if len(phrase) > 2 and phrase.startswith("/") and phrase.rstrip("i").endswith("/"):
        return compile_pattern(phrase.rstrip("i")[1:-1])
    words = phrase.split()
    if not words or len(phrase) > LONGEST_PATTERN:
        raise ValueError(_("a phrase must have 1 to %(most)s characters", most=LONGEST_PATTERN))
    loose = r"\s+".join(
        _INVISIBLE.join(_LOOSE.get(character, regex.escape(character)) for character in word)
        for word in words
    )
    apart = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\d]"
    start = rf"(?<!{apart})" if regex.match(apart, words[0]) else ""
    end = rf"(?!{apart})" if regex.search(rf"{apart}$", words[-1]) else ""
    return regex.compile(start + loose + end, regex.IGNORECASE)


def matches_recipient(address: str, entry: str, *, with_subdomains: bool) -> bool:
    """Return True if an address is meant by an entry of an allow or block list.

    An entry is an address, a domain (`lantern.example`, `@lantern.example`) or a glob. Only where
    asked does a domain mean those below it as well.
    """
    address, entry = _plain(address), _plain(entry)
    domain = address.rpartition("@")[2]
    if "*" in entry or "?" in entry:
        subject = address if "@" in entry else domain
        return regex.fullmatch(translate(entry), subject) is not None
    local, _at, named = entry.rpartition("@")
    if local:
        return address == entry
    return domain == named or (with_subdomains and domain.endswith(f".{named}"))


def _plain(address: str) -> str:
    """Return an address in lower case, with the domain as the DNS has it."""
    local, at, domain = address.strip().lower().rpartition("@")
    try:
        domain = domain.rstrip(".").encode("idna").decode() if not domain.isascii() else domain
    except UnicodeError:
        return address.strip().lower()
    return f"{local}{at}{domain.rstrip('.')}"
