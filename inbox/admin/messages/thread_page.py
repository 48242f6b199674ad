"""The messages of a thread as they lie on its page: which are unfolded, and in which view."""

from dataclasses import dataclass
from typing import Self

from django.http import HttpRequest

from inbox.admin.messages.layout import HTML, PLAIN, RAW, VIEWS, Reading
from inbox.models import Message
from inbox.rfc5322.authentication import read_field
from inbox.rfc5322.headers import read_headers

LONGEST_SOURCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """The beginning of a message's bytes, and the results in it that its account does not trust."""

    text: str
    size: int
    is_cut: bool
    claims: tuple[tuple[str, str], ...]


def read_source(message: Message) -> Source:
    """Return a message's source; raises FileNotFoundError or ValueError where it is lost."""
    content = message.blob.read()
    head = content[:LONGEST_SOURCE]
    # A carriage return that ends no line is how messages are smuggled: it is shown.
    text = head.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "␍\n")
    return Source(text, len(content), len(content) > len(head), _claims(message, head))


def _claims(message: Message, head: bytes) -> tuple[tuple[str, str], ...]:
    trusted = message.inbox.account.authserv_id.strip().lower()
    headers, _ = read_headers(head, 0, len(head))
    fields = headers.all_raw("authentication-results")[:5]
    read = [read_field(field) for field in fields]
    believed = str(message.authentication_results.get("authserv_id", ""))
    if believed and believed != trusted:
        # It counted by its place, as the topmost without a name.
        unnamed = next((place for place, one in enumerate(read) if not one[0]), None)
        read = [one for place, one in enumerate(read) if place != unnamed]
    return tuple(
        (server or "—", _in_short(results))
        for server, results in read
        if not trusted or server != trusted
    )


def _in_short(results: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in results.items() if "." not in name)


# A thread of so many messages is unfolded from the start; of a longer one, only the last.
SHORT = 5


@dataclass(frozen=True, slots=True)
class ThreadPageQuery:
    """What the address asks for: a view, of one message or of all, and whether all are unfolded."""

    view: str
    of: str
    is_open: bool

    @classmethod
    def of_request(cls, request: HttpRequest) -> Self:
        """Read the query; a view that there is not is the plain one."""
        view = request.GET.get("as", PLAIN)
        return cls(
            view if view in VIEWS else PLAIN,
            request.GET.get("of", ""),
            request.GET.get("fold") == "none",
        )


@dataclass(frozen=True, slots=True)
class Leaf:
    """A message on the page."""

    reading: Reading
    view: str
    is_open: bool
    source: Source | None = None
    is_lost: bool = False


def lay_out(readings: list[Reading], asked: ThreadPageQuery) -> list[Leaf]:
    """Return the messages as the address asks for them."""
    last = readings[-1].message.pk if readings else None
    return [_leaf(reading, asked, len(readings) <= SHORT, last) for reading in readings]


def _leaf(reading: Reading, asked: ThreadPageQuery, is_short: bool, last: int | None) -> Leaf:
    is_meant = reading.message.public_id == asked.of
    is_open = is_meant or is_short or asked.is_open or reading.message.pk == last
    view = asked.view if is_meant or (asked.view == HTML and not asked.of) else PLAIN
    if view == HTML and not reading.has_html:
        view = PLAIN
    if view != RAW:
        return Leaf(reading, view, is_open)
    try:
        return Leaf(reading, view, is_open, read_source(reading.message))
    except (FileNotFoundError, ValueError):
        return Leaf(reading, view, is_open, is_lost=True)
