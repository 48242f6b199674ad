"""Who is said to call or write, and whether anybody of ours said so; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers import people
from agents.evidence.claims.records import Cited, Mark, ProposedMessage, Source
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.words import small_words
from inbox.languages import any_of, language
from inbox.languages.model import Language

_MOST_LANGUAGES = 32
_MOST_CONTACTS = 5
_OURS = frozenset({"goal", "policy"})
_NAME_WORD = r"\p{Lu}[\p{L}'’-]{2,24}"
_NAME = rf"{_NAME_WORD}(?:[ ]{_NAME_WORD}){{0,2}}"
# Of the last lines of a message, so many may be a signature.
_SIGNATURE = 4


def check_contacts(
    proposed: ProposedMessage, body: str, near: Sequence[Source], every: Sequence[Source]
) -> Iterator[Mark]:
    """Yield a mark for each of ours who will get in touch, by name, though no text of ours says so.

    Who wrote in the thread, or is named in it or in the goal by one of us, may. Of others some text
    has to say that they do.
    """
    for match in list(_will_contact(proposed.language).finditer(body))[:_MOST_CONTACTS]:
        names = _names(match)
        if not names or people.fits(names[-1], people.words_of(proposed.greeted)):
            continue
        behind = body[match.end() :].partition("\n")[2]
        if _is_named(names, "\n".join(behind.rstrip().split("\n")[-_SIGNATURE:])):
            continue
        made = Mark("promise", "body", match[0], *match.span(), "nowhere")
        yield _told(made, names, near, every)


def _told(
    made: Mark, names: Sequence[str], near: Sequence[Source], every: Sequence[Source]
) -> Mark:
    """Return the mark with what texts of ours say: that it is so, or that another one will."""
    for source in filter(_is_of_us, near):
        if place := _named_at(names, source.text):
            return replace(made, state="found", sources=(_cited(source, place),))
    policy = None
    for source in filter(_is_of_us, every):
        for match in _contact("").finditer(source.text):
            cited = _cited(source, match)
            if _is_named(names, sentence_around(source.text, *match.span())):
                return replace(made, state="found", sources=(cited,))
        for match in _will_contact("").finditer(source.text if source.type == "policy" else ""):
            policy = policy or (_cited(source, match) if _names(match) else None)
    if policy is None:
        return made
    return replace(made, state="differs", expected=policy.excerpt, sources=(policy,))


def _cited(source: Source, match: "regex.Match[str]") -> Cited:
    sentence = sentence_around(source.text, *match.span())
    return Cited(source.type, source.id, " ".join(sentence.split())[:120])


def _is_of_us(source: Source) -> bool:
    return source.is_ours or source.is_inside or source.type in _OURS


def _is_named(names: Sequence[str], text: str) -> bool:
    return _named_at(names, text) is not None


def _named_at(names: Iterable[str], text: str) -> "regex.Match[str] | None":
    wanted = {plain(name) for name in names}
    words = regex.finditer(_NAME_WORD, text)
    return next((it for it in words if plain(it[0]) in wanted), None)


def _names(match: "regex.Match[str]") -> list[str]:
    """Return the words of a name that has a title, or is of two words; none of anything else."""
    words = match["name"].split()
    is_name = match["title"] is not None or len(words) > 1
    return words if is_name and plain(words[0]) not in small_words("") else []


@lru_cache(maxsize=_MOST_LANGUAGES)
def _will_contact(code: str) -> "regex.Pattern[str]":
    titles = "|".join(filter(None, (_words(code, it) for it in (_madams, _misters, _before_names))))
    return regex.compile(
        rf"(?<!\p{{L}})(?P<title>(?i:(?:{titles})[ ]){{1,3}})?(?P<name>{_NAME})"
        rf"(?:,[ ][^,.!?\n]{{3,40}},)?[ ](?i:{_words(code, _contacts)})(?!\p{{L}})"
    )


@lru_cache(maxsize=_MOST_LANGUAGES)
def _contact(code: str) -> "regex.Pattern[str]":
    return regex.compile(rf"(?<!\p{{L}})(?i:{_words(code, _contacts)})(?!\p{{L}})")


def _words(code: str, part: Callable[[Language], str]) -> str:
    known = language(code)
    return (part(known) if known else any_of(part)) or "(?!)"


def _contacts(it: Language) -> str:
    return it.claims.contacts


def _madams(it: Language) -> str:
    return it.claims.madams


def _misters(it: Language) -> str:
    return it.claims.misters


def _before_names(it: Language) -> str:
    return it.claims.before_names
