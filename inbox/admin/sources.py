"""The source of a message as a reader sees it: its beginning, and what others claimed of it."""

from dataclasses import dataclass

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
