"""Whom a message greets, and as a man or a woman; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers import people
from agents.evidence.claims.records import Cited, Mark, Named, ProposedMessage, Source
from inbox.extract.readers.people import signed_name
from inbox.languages import any_of, language, lazy_regex
from inbox.languages.model import Language
from inbox.rfc5322.text.quotes import new_text

Sex: TypeAlias = Literal["mr", "ms"]
_MOST_LANGUAGES = 32
# A first name and a last one; the shortest that another name may begin with.
_WHOLE, _SHORTEST = 2, 4
# A message is signed in so many lines at its end.
_SIGNATURE = 6
_LOCAL = lazy_regex(r"[._-]")
# Krueger for Krüger.
_WRITTEN_OUT = lazy_regex(r"([aou])e")
_NAME = r"(?:\p{Lu}\p{Ll}{0,3}\.[ ])?\p{Lu}[\p{L}'’-]{1,24}(?:[ ]\p{Lu}[\p{L}'’-]{1,24}){0,2}"


class Titled(NamedTuple):
    """Somebody as a text calls him or her, the words of the name, and where the title stands."""

    sex: Sex
    names: tuple[str, ...]
    start: int
    end: int


def check_greeting(proposed: ProposedMessage, sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for the name that is greeted."""
    name = people.greeted_name(proposed.body)
    if name is None or not proposed.greeted:
        return
    text = str(name.key)
    made = Mark("greeting", "body", text, name.start, name.end, "found")
    addressed = [it for it in proposed.greeted if it.email.lower() not in proposed.copied]
    is_titled = people.is_titled(proposed.body)
    called = [(one, _name_of(one, is_titled=is_titled)) for one in addressed]
    # Whom nobody can name may be anybody.
    may_be_copied = not called or not all(words for _, words in called)
    for one in proposed.greeted if may_be_copied else addressed:
        known = {*people.words_of([one]), *_called(one, sources)}
        if _is_theirs(text, known) and not _is_longer(text, known, proposed.language):
            yield replace(made, sources=(Cited("recipient", one.email, one.name or one.email),))
            return
    named = next(((one, words) for one, words in called if words), None)
    if named is not None:
        one, words = named
        cited = (Cited("recipient", one.email, one.name or one.email),)
        yield replace(made, state="differs", expected=words, sources=cited)


def _name_of(one: Named, *, is_titled: bool) -> str:
    """Return somebody's name: of the head, or as an address has it: `soren.holm@`, `j.akers@`.

    What is in an address may be anything: only with a title it is compared.
    """
    words = _LOCAL.split(one.email.partition("@")[0])
    is_name = (
        is_titled
        and len(words) == _WHOLE
        and len(words[-1]) >= _SHORTEST
        and all(map(str.isalpha, words))
    )
    if one.name or not is_name or people.names_anybody(" ".join(words)):
        return one.name
    return " ".join(word.capitalize() for word in words)


def _is_theirs(text: str, known: set[str]) -> bool:
    """Return True if somebody is called so, by an initial as well, or by umlauts written out."""
    if people.fits(text, known) or people.fits(_short(text), map(_short, known)):
        return True
    initials = {it for it in known if len(it) == 1}
    return any(plain(word)[:1] in initials for word in text.split()[:1]) and len(text.split()) == 1


def _short(text: str) -> str:
    return _WRITTEN_OUT.sub(r"\1", plain(text))


def _is_longer(text: str, called: set[str], code: str) -> bool:
    """Return True for another name that begins as somebody's does: Helena for Helen.

    In a language that has a case for calling somebody its endings make no other name.
    """
    known = language(code)
    endings = known.claims.vocatives.split("|") if known else []
    for word in map(plain, text.split()):
        if word in called:
            return False
        for name in called:
            more = word[len(name) :] if word.startswith(name) else ""
            if len(name) >= _SHORTEST and len(more) == 1 and more not in map(str.strip, endings):
                return True
    return False


def check_form(proposed: ProposedMessage, sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for a first name alone where its bearer is called by a title and the last one.

    So says a card or the bearer, or all that we wrote before does; not where the bearer signs or
    greets by first names.
    """
    name = people.greeted_name(proposed.body)
    one = next(iter(proposed.greeted), None)
    words = [plain(word) for word in one.name.split()] if one else []
    if name is None or one is None or len(words) < _WHOLE or plain(str(name.key)) != words[0]:
        return
    theirs = [it for it in sources if it.type == "message" and it.by == one.email.lower()]
    if _is_informal(theirs[0], words[0]) if theirs else False:
        return
    ours = [it for it in sources if it.type == "message" and it.is_ours]
    wished = (it for it in (*theirs, *sources) if it in theirs or it.type == "contact")
    told = [it for source in wished for it in _told(source, words[-1:], proposed.language)]
    if not told and theirs:
        told = _always_titled(ours, words, proposed.language)
    if told:
        titled, source = told[0]
        expected = source.text[titled.start : titled.end]
        expected = source.text[titled.start : titled.end + len(words[-1]) + 1] or expected
        around = source.text[max(0, titled.start - 40) : titled.end + 40]
        cited = (Cited(source.type, source.id, " ".join(around.split())),)
        text = str(name.key)
        yield Mark(
            "greeting", "body", text, name.start, name.end, "differs", expected.strip(), cited
        )


def _is_informal(source: Source, first: str) -> bool:
    """Return True if a message greets or signs by a first name."""
    text = new_text(source.text.partition("\n")[2])
    last = [line.strip(" ,.-–") for line in text.strip().split("\n")[-_SIGNATURE:]]
    if first in map(plain, last):
        return True
    match = people.greeting(text)
    return match is not None and len(match["name"].split()) == 1 and match["name"][:1].isupper()


def _always_titled(
    ours: Sequence[Source], words: Sequence[str], code: str
) -> list[tuple[Titled, Source]]:
    """Return how we greeted somebody before, if never by the first name."""
    found = []
    for source in ours:
        match = people.greeting(source.text.partition("\n")[2])
        if match is None:
            continue
        if words[0] in map(plain, match["name"].split()):
            return []
        greeted = [it for it in _told(source, words[-1:], code) if it[0].names == tuple(words[-1:])]
        found += greeted[:1]
    return found


def _called(one: Named, sources: Iterable[Source]) -> set[str]:
    """Return what somebody is called by who signs so: a short name that no head has."""
    theirs = (it for it in sources if it.by and it.by == one.email.lower())
    signed = (signed_name(new_text(it.text)) for it in theirs)
    return {plain(word) for it in signed if it for word in it.text.split()}


def check_titles(proposed: ProposedMessage, sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for a title of a man whom the sources give that of a woman, or the reverse."""
    for titled in _read(proposed.body, proposed.language):
        if _are_several(titled.names[-1:], sources):
            continue
        told = [it for one in sources for it in _told(one, titled.names, proposed.language)]
        yield from _against(titled, told, proposed.body, "name")
    alone = _greeted_alone(proposed.body, proposed.language)
    if alone is None or not proposed.greeted:
        return
    names = tuple(plain(word) for word in proposed.greeted[0].name.split()[-1:])
    told = [
        *(it for one in sources for it in _told(one, names, proposed.language)),
        *(it for one in sources if one.type == "message" and one.is_ours
          for it in _told_alone(one, proposed.language)),
    ]  # fmt: skip
    yield from _against(alone, told, proposed.body, "greeting")


def _are_several(names: Sequence[str], sources: Sequence[Source]) -> bool:
    """Return True if cards are of more than one person of a last name."""
    cards = (it.text.partition("\n")[0] for it in sources if it.type == "contact")
    whole = {plain(it) for it in cards}
    return len({it for it in whole if names and it.split()[-1:] == list(names)}) > 1


def _against(
    titled: Titled, told: Sequence[tuple[Titled, Source]], body: str,
    kind: Literal["name", "greeting"],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark where all that is told of somebody is the other sex."""
    if not told or any(it.sex == titled.sex for it, _ in told):
        return
    other, source = told[0]
    words = body[titled.start : titled.end]
    expected = source.text[other.start : other.end]
    around = source.text[max(0, other.start - 40) : other.end + 40]
    cited = (Cited(source.type, source.id, " ".join(around.split())),)
    yield Mark(kind, "body", words, titled.start, titled.end, "differs", expected, cited)


def _told(source: Source, names: Sequence[str], code: str) -> list[tuple[Titled, Source]]:
    if not names:
        return []
    read = (it for spoken in _spoken(source, code) for it in _read(source.text, spoken))
    return [(it, source) for it in read if it.names and it.names[-1] == names[-1]]


def _spoken(source: Source, code: str) -> tuple[str, ...]:
    """Return the languages to read a source in: of a short text its own may be told wrongly."""
    return tuple(dict.fromkeys((source.language, code)))


def _told_alone(source: Source, code: str) -> list[tuple[Titled, Source]]:
    subject, _, text = source.text.partition("\n")
    found = (_greeted_alone(text, spoken) for spoken in _spoken(source, code))
    skipped = len(subject) + 1
    return [
        (it._replace(start=it.start + skipped, end=it.end + skipped), source) for it in found if it
    ]


@lru_cache(maxsize=256)
def _read(text: str, code: str) -> tuple[Titled, ...]:
    """Return whom a text in a language calls by a title of a man or a woman, and a name."""
    return tuple(
        Titled(
            "mr" if match["mr"] else "ms",
            tuple(plain(word) for word in match["name"].split()),
            match.start(), match.end("title"),
        )
        for match in _titled(code).finditer(text)
    )  # fmt: skip


@lru_cache(maxsize=_MOST_LANGUAGES)
def _titled(code: str) -> regex.Pattern[str]:
    before = _words(code, lambda it: it.claims.before_names)
    return regex.compile(
        rf"(?<!\p{{L}})(?P<title>{_sexes(code)})[ ]+(?:(?i:{before})[ ]+){{0,2}}(?P<name>{_NAME})"
    )


@lru_cache(maxsize=_MOST_LANGUAGES)
def _sexes(code: str) -> str:
    misters = _words(code, lambda it: it.claims.misters)
    madams = _words(code, lambda it: it.claims.madams)
    return rf"(?i:(?P<ms>{madams})|(?P<mr>{misters}))"


@lru_cache(maxsize=_MOST_LANGUAGES)
def _alone(code: str) -> regex.Pattern[str]:
    return regex.compile(rf"{_sexes(code)}\.?")


def _words(code: str, part: Callable[[Language], str]) -> str:
    known = language(code)
    return (part(known) if known else any_of(part)) or "(?!)"


def _greeted_alone(body: str, code: str) -> Titled | None:
    """Return the title by which a message greets, where it is all that it greets by."""
    match = people.greeting(body)
    found = _alone(code).fullmatch(match["name"]) if match else None
    if match is None or found is None or _sexes_in(body, match.end(), code):
        return None
    return Titled("mr" if found["mr"] else "ms", (), *match.span("name"))


def _sexes_in(body: str, place: int, code: str) -> bool:
    """Return True if the line goes on with another title: "Madame, Monsieur"."""
    rest = body[place:].partition("\n")[0]
    return _alone(code).search(rest) is not None and len(rest) < 30
