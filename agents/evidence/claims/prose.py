"""What a message says in words of its own, and sentences of it that ask or agree; pure."""

from collections import deque
from datetime import date
from functools import lru_cache

import regex

from agents.evidence.claims.readers.codes import read_bank_accounts
from agents.evidence.claims.records import Place
from inbox.extract.readers.numbers import find_amounts
from inbox.languages import any_of, language, lazy_regex
from inbox.rfc5322.text.quotes import new_text

# Lines that are none of a message's own words: quotes, and what stands below a signature's mark.
_NOT_OWN = lazy_regex(r"^>.*$|^-- \n[\s\S]*\Z", regex.MULTILINE)
# What programs print: times to the second, prompts, listings, patches and who looked at them.
_PRINTED = lazy_regex(
    r"\s*(?:\[?\s*\d+\.\d{4,}\]|\[?(?:\p{L}{3}\s+\d+\s+)?\d\d:\d\d(?::\d\d\S*|\])"
    r"|[#$]\s\S|\[?\w+@[^\n]{1,60}?[#$]\s|[-dl](?:[r-][w-][x-]){3}|@@\s|[-+]{3}\s\S|\S+:\d+:|\(procedure\s"
    r"|[A-Z][\w-]{2,20}-by:\s|(?:From|To|Date|Message-ID|Subject|Sent|Cc):\s"
    r"|\d+ files? changed,)"
)
# A place in a file system, and figures beside it.
_PATH, _FIGURE = lazy_regex(r"(?:^|\s)/\w+/"), lazy_regex(r"\s\d[\d.,]*\w?%?(?=\s|$)")
_LONGEST_PRINTED = 300
# What proposes a day stands so near to it.
_OFFER = 120
# A paragraph of up to three lines before a quote.
_ANNOUNCED = lazy_regex(
    r"(?:\A|(?<=\n[ \t]*\n))(?P<lines>(?:[^\n>][^\n]{0,160}\n){1,3})(?=[ \t]*\n?(?:[&|]?>|--\]))",
    regex.MULTILINE,
)
# The lines that announce a quote end so, and name whose words, or when.
_ANNOUNCES = lazy_regex(r"[\s\S]*[\d@<][\s\S]*:\s*\Z")
_LEAST_LOG = 40
_MOST_LANGUAGES = 32
_QUESTION_MARKS = ("?", "？", "؟")
_ACCEPTS = lazy_regex(
    lambda: (
        rf"(?<![\p{{Latin}}\p{{Cyrillic}}]){any_of(lambda it: it.claims.accepts)}"
        r"(?![\p{Latin}\p{Cyrillic}])"
    ),
    regex.IGNORECASE,
)


def own_prose(body: str) -> str:
    """Return a body with blanks for what is none of its own prose, so that places hold."""
    body = _ANNOUNCED.sub(_without_announcement, body)
    own = _NOT_OWN.sub(lambda match: " " * len(match[0]), _without_history(body))
    return "\n".join(" " * len(line) if _is_log(line) else line for line in own.split("\n"))


def _without_announcement(match: regex.Match[str]) -> str:
    if not _ANNOUNCES.match(match["lines"]):
        return match[0]
    return regex.sub(r"[^\n]", " ", match[0])


def _without_history(body: str) -> str:
    """Return a text with blanks for the mail that it quotes and the lines that announce it."""
    kept = deque(line.strip() for line in new_text(body).split("\n") if line.strip())
    lines = []
    for line in body.split("\n"):
        is_own = bool(kept) and line.strip() == kept[0]
        if is_own:
            kept.popleft()
        lines.append(line if is_own else " " * len(line))
    return body if kept else "\n".join(lines)


def _is_printed(line: str) -> bool:
    """Return True for a line in one of the shapes in which programs print."""
    if _PRINTED.match(line):
        return True
    return _PATH.search(line) is not None and len(_FIGURE.findall(line)) > 1


def _is_log(line: str) -> bool:
    """Return True for a line that a machine wrote: by its shape, or two fifths digits and signs."""
    if len(line) <= _LONGEST_PRINTED and _is_printed(line):
        return True
    if len(line) < _LEAST_LOG or read_bank_accounts(line, date.min, ""):
        return False
    if find_amounts(line):
        return False
    letters = sum(it.isalpha() or it.isspace() for it in line)
    return letters * 5 < len(line) * 3 or "0x" in line


@lru_cache(maxsize=_MOST_LANGUAGES)
def _open_words(code: str) -> regex.Pattern[str]:
    """Return the words of a language that ask or propose; those of all for one that has none."""
    known = language(code)
    words = f"(?:{known.claims.proposes})" if known and known.claims.proposes else ""
    words = words or any_of(lambda it: it.claims.proposes)
    return regex.compile(rf"[?？؟]|(?<!\p{{L}}){words}(?!\p{{L}})", regex.IGNORECASE)


def asks(sentence: str, code: str) -> bool:
    """Return True if a sentence asks or proposes, and so states nothing."""
    return _open_words(code).search(sentence) is not None


def is_question(sentence: str) -> bool:
    """Return True if a sentence ends with a question mark."""
    return sentence.rstrip().endswith(_QUESTION_MARKS)


def accepts(sentence: str) -> bool:
    """Return True if a sentence takes what was offered, and asks nothing."""
    return not is_question(sentence) and _ACCEPTS.search(sentence) is not None


def suits(sentence: str) -> bool:
    """Return True if a sentence says, or asks, that something suits: "Would Monday suit you?"."""
    return _ACCEPTS.search(sentence) is not None


def is_offered(place: Place, code: str) -> bool:
    """Return True for a day to come, or a time, in words of another that ask or propose.

    `code` is the language where the source has none.
    """
    source, value = place.source, place.value
    is_past = isinstance(value.key, date) and value.key < source.written_on
    if is_past or source.is_ours:
        return False
    around = source.text[max(0, value.start - _OFFER) : value.end + _OFFER]
    return asks(around, source.language or code)
