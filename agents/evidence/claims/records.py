"""What is checked, against what, and what came of it."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from agents.evidence.claims.distance import plain
from agents.evidence.claims.tables import cells_apart
from inbox.extract.readers.whole import keep_whole

State: TypeAlias = Literal["found", "differs", "nowhere"]
Kind: TypeAlias = Literal[
    "amount", "percentage", "date", "weekday", "time", "quantity", "code", "bank_account",
    "email", "phone", "link", "greeting", "name", "attachment", "language", "promise",
    "statement", "admission", "confidential",
]  # fmt: skip
Part: TypeAlias = Literal["subject", "body", "attachment", "event"]
SourceType: TypeAlias = Literal[
    "message", "file", "attachment", "event", "contact", "goal", "policy", "proposal",
    "recipient", "calendar",
]  # fmt: skip
# Who says so: the rules, or a language model that quotes both.
By: TypeAlias = Literal["", "model"]
Sort: TypeAlias = Literal["money", "count", "rate"]
LONGEST_TEXT = 12_000
# Of so many texts and readers, some three hundred texts, it is kept what they say.
_MOST_READ = 4096
_AROUND = 40
# Of a word that is cut so much more is cited at most.
_LONGEST_REST = 24


@dataclass(frozen=True, slots=True)
class Source:
    """A text that a claim may rest on.

    `type` and `id` say which, `written_on` reads its dates. `is_ours`: nobody outside wrote it.
    `days` are dates that it has besides its words, `at` when it came; `busy` is the time that an
    event takes; `by` is the address that a message is from, `thread` which one it is of, and
    `is_inside` says that a colleague's is.
    """

    type: SourceType
    id: str
    text: str
    written_on: date
    is_ours: bool = False
    language: str = ""
    days: tuple[date, ...] = ()
    at: time | None = None
    thread: str = ""
    busy: tuple[datetime, datetime] | None = None
    guests: tuple[str, ...] = ()
    by: str = ""
    # Who wrote it, and to whom; the first is the writer.
    people: tuple["Named", ...] = ()
    is_inside: bool = False


class Named(NamedTuple):
    """Somebody as a message's head or a card has them; the name may be empty."""

    name: str
    email: str


_NOBODY = Named("", "")


class AttachedFile(NamedTuple):
    """A file that goes with the message; the text is empty where it has none that can be read."""

    name: str
    text: str = ""
    # Its first bytes, by which a program is known.
    beginning: bytes = b""


@dataclass(frozen=True, slots=True)
class ProposedMessage:
    """What would leave, as text; `greeted` are those whom it may greet by name.

    `sender` is whose mailbox it leaves from, and `zone` where the clocks are that it goes by.
    """

    subject: str
    body: str
    written_on: date
    language: str = ""
    greeted: tuple[Named, ...] = ()
    attached: tuple[AttachedFile, ...] = ()
    goal: str = ""
    sender: Named = _NOBODY
    zone: str = ""
    # The addresses of those to whom it only goes in copy.
    copied: frozenset[str] = frozenset()

    @property
    def own_words(self) -> frozenset[str]:
        """The words of the sender's name and address, which tell nothing of what it says."""
        text = f"{self.sender.name} {self.sender.email}".replace("@", " ").replace(".", " ")
        return frozenset(plain(word) for word in text.split())


class Cited(NamedTuple):
    """The words of a source that a mark rests on."""

    type: SourceType
    id: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A claim of the message and what became of it: words `start` to `end` of a part.

    `expected` is what the nearest source says in place of it, where the state is `differs`.
    """

    kind: Kind
    part: Part
    excerpt: str
    start: int
    end: int
    state: State
    expected: str = ""
    sources: tuple[Cited, ...] = ()
    by: By = ""


def meets(one: "Value", other: "Value") -> bool:
    """Return True if two values of a text overlap."""
    return one.start < other.end and other.start < one.end


class Value(NamedTuple):
    """Something that a text says, and where: two with the same key say the same."""

    key: Hashable
    start: int
    end: int
    # How surely it is read so; what is not sure is never called `nowhere`.
    is_sure: bool = True


class Figure(NamedTuple):
    """A number of a text: of what sort, and where."""

    value: Decimal
    start: int
    end: int
    sort: Sort
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """How claims of a kind are read from a text, and compared.

    `read` takes a text, the day it was written and its language. `near` says how near another
    value is, between 0 and 1; 0: not at all. Where `tells_nowhere` is False, what no source is near
    to is left unmarked; where `may_be_open`, so is what stands in a sentence that only asks.
    """

    kind: Kind
    read: Callable[[str, date, str], Sequence[Value]]
    near: Callable[[Value, Value], float]
    tells_nowhere: bool = True
    may_be_open: bool = False
    # Whether one value may stand for another, as two amounts of one currency may.
    is_alike: Callable[[Hashable, Hashable], bool] = lambda _, __: True
    # Which of the message's own values claim something; "today" is right on every day.
    claims: Callable[[str], bool] = lambda _: True


class Asked(NamedTuple):
    """What further sources are asked for.

    `words` are the claims that lack one, `telling` those of them that are looked for wherever they
    stand, `topics` the words that say what the message is about, the most telling first, and
    `names` those of them with a capital.
    """

    words: Sequence[str]
    telling: Sequence[str]
    topics: Sequence[str]
    names: Sequence[str] = ()


class Agreed(NamedTuple):
    """A sentence that agrees to a day or a time: which, and from where to where they stand."""

    sentence: str
    start: int
    end: int
    day: date | None
    at: time | None


@lru_cache(maxsize=_MOST_READ)
def values_in(reader: Reader, text: str, written_on: date, language: str) -> tuple[Value, ...]:
    """Return what a reader finds in a text; kept for the next message with the same sources."""
    return tuple(reader.read(cells_apart(text), written_on, language))


class Claim(NamedTuple):
    """A value that the message states: of which kind, in which part, and that part's text."""

    reader: Reader
    part: Part
    text: str
    value: Value

    @property
    def words(self) -> str:
        """The claim as it is written."""
        return self.text[self.value.start : self.value.end]


class Place(NamedTuple):
    """A value of a source."""

    source: Source
    value: Value

    @property
    def words(self) -> str:
        """The value as it is written there; a date that is no word of it as a date."""
        written = self.source.text[self.value.start : self.value.end]
        return written or str(self.value.key)

    @property
    def cited(self) -> Cited:
        """The words around it, no word or number of them cut."""
        words = whole_words(self.source.text, self.value.start - _AROUND, self.value.end + _AROUND)
        return Cited(self.source.type, self.source.id, " ".join(words.split()))


def whole_words(text: str, start: int, end: int) -> str:
    """Return a stretch of a text with the rest of the word or number at either end."""
    stretch = max(0, start), min(len(text), end)
    (first, last), *_ = keep_whole(text, [stretch])
    for _ in range(_LONGEST_REST):
        first -= text[max(0, first - 1) : first + 1].isalpha() and first > 0
        last += text[max(0, last - 1) : last + 1].isalpha() and last < len(text)
    return text[first:last]


def shortened(sources: Iterable[Source]) -> list[Source]:
    """Return sources with as much of their text as is read."""
    return [replace(one, text=one.text[:LONGEST_TEXT]) for one in sources]
