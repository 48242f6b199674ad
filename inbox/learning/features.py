"""What is counted of a message: words, letters, the sender where proven, signs; each by name.

A name begins with what it is: `s/` a word of the subject, `w/` of the text, `b/` two words in a
row, `c/` four letters of a word, `d/` the sender's proven domain, `u/` the host of a link, `h/` a
header that is there, `r/` a sign of the rules, `f/` a fact of the message. What was written before
and since is left out: it stands otherwise when a decision is learned from than when mail comes in.
"""

import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Final

from inbox.classify import Facts, Judgement
from inbox.classify.facts import MessageFacts
from inbox.rfc5322.authentication import is_aligned, proven_domains

# What is looked at of a text, in characters, and how many features a message has at most.
TEXT: Final = 3_000
SUBJECT: Final = 300
MOST: Final = 1_500
# And where each is counted as often as it stands there.
MOST_COUNTED: Final = 4_000
_WORD: Final = re.compile(r"[^\W_]{2,20}")
_LINK: Final = re.compile(r"https?://([\w.-]{3,100})", re.IGNORECASE)
_SHORTEST_OF_LETTERS: Final = 5
_LETTERS_OF: Final = 120
_COUNTED_LETTERS_OF: Final = 300
_OF_HISTORY: Final = frozenset(
    {"known_sender", "seen_sender", "one_way_sender", "new_sender", "answered_since", "answers_us"}
)


def features_of(facts: Facts, judged: Judgement) -> list[str]:
    """Return the names of what a message has, each once; equal facts, equal names."""
    names: dict[str, None] = {}
    for name in _names(facts, judged):
        names[name] = None
        if len(names) >= MOST:
            break
    return list(names)


def words_of(subject: str, text: str) -> list[str]:
    """Return the names of the words of a text and of their letters, each once."""
    names: dict[str, None] = {}
    for name in (*_words(subject, text), *_letters(f"{subject} {text}")):
        names[name] = None
        if len(names) >= MOST:
            break
    return list(names)


def counted_words_of(subject: str, text: str) -> list[str]:
    """Return the names of the words of a text and of their letters, as often as they stand there.

    Letters are counted with where a word begins and ends, in short words as well. What the subject
    says counts as the subject's and as the text's: it says in few words what a long text is of.
    """
    subject = subject[:SUBJECT]
    text = f"{subject} {text}"
    whole = f"{subject} {text[:TEXT]}".lower()
    letters = (
        f"c/{word[at : at + 4]}"
        for word in (f" {one} " for one in _WORD.findall(whole)[:_COUNTED_LETTERS_OF])
        for at in range(len(word) - 3)
    )
    return [*islice(chain(_words(subject, text), letters), MOST_COUNTED)]


def _names(facts: Facts, judged: Judgement) -> Iterator[str]:
    yield from (f"r/{sign}" for sign in judged.found if sign not in _OF_HISTORY)
    if facts.message is not None:
        yield from _of_message(facts, facts.message)
    for host in _LINK.findall(facts.content[:TEXT])[:20]:
        yield f"u/{'.'.join(host.lower().split('.')[-2:])}"
    yield from _words(facts.title, facts.content)


def _of_message(facts: Facts, message: MessageFacts) -> Iterator[str]:
    yield f"f/authentication {message.authentication}"
    yield f"f/addressed {message.addressed}"
    for is_so, name in (
        (message.answers_others, "answers others"),
        (bool(message.list_id), "of a list"),
        (bool(message.html_text), "html"),
        (bool(message.attachments), "attachments"),
    ):
        if is_so:
            yield f"f/{name}"
    if message.language:
        yield f"f/language {message.language}"
    for header in message.headers:
        yield f"h/{header}"
    domain = facts.sender_email.rpartition("@")[2].lower()
    # Anybody can write a name into From: it counts where a server says that it is true.
    if domain and is_aligned(domain, proven_domains(message.authentication_results)):
        yield f"d/{domain}"


def _words(subject: str, text: str) -> Iterator[str]:
    for word in _WORD.findall(subject[:SUBJECT].lower()):
        yield f"s/{word}"
    words = _WORD.findall(text[:TEXT].lower())
    for word in words:
        yield f"w/{word}"
    for first, second in pairwise(words):
        yield f"b/{first} {second}"


def _letters(text: str) -> Iterator[str]:
    for word in _WORD.findall(text[:TEXT].lower())[:_LETTERS_OF]:
        if len(word) >= _SHORTEST_OF_LETTERS:
            yield from (f"c/{word[at : at + 4]}" for at in range(len(word) - 3))
