"""A connection that is logged in: what the server can do, and commands whose refusal is raised."""

from dataclasses import dataclass, field

from imapclient.response_parser import parse_response

from inbox.providers.imap.connection import ORDINARY_BUDGET, Challenged, ImapConnection, Reader
from inbox.providers.imap.failures import failures_of, refusal
from inbox.providers.imap.responses import Answer, GarbledAnswerError, Parts, Response
from inbox.providers.imap.transports import at_once
from inbox.reasons import ReasonText

_FEATURES = ("condstore", "qresync", "move", "uidplus", "idle", "special-use", "list-status", "id")
_MOST_ALERTS = 10


@dataclass(slots=True)
class Session:
    """What is known of the conversation.

    `opened` is the name on the wire of the open mailbox, `read_only` whether it is open to read.
    """

    connection: ImapConnection
    host: str
    capabilities: frozenset[str] = frozenset()
    alerts: list[str] = field(default_factory=list)
    introduced: bool = False
    has_enabled: bool = False
    enabled: frozenset[str] = frozenset()
    opened: bytes = b""
    read_only: bool = False
    # Names as the server wrote them, where writing them anew would give another text.
    written: dict[str, bytes] = field(default_factory=dict)

    @property
    def features(self) -> frozenset[str]:
        """The extensions `MailStore` tells of, those that are part of IMAP4rev2 with it."""
        names = {name.upper() for name in self.capabilities}
        if "IMAP4REV2" in names:
            names |= {"MOVE", "UIDPLUS", "IDLE", "SPECIAL-USE", "LIST-STATUS"}
        if "QRESYNC" in names:
            names.add("CONDSTORE")
        return frozenset(name for name in _FEATURES if name.upper() in names)

    def offers(self, *names: str) -> bool:
        """Return True if the server offers all of these capabilities."""
        return self.capabilities.issuperset(names)

    def run(
        self,
        line: bytes,
        words: ReasonText,
        *,
        reader: Reader | None = None,
        challenged: Challenged | None = None,
        budget: int = ORDINARY_BUDGET,
    ) -> Answer:
        """Send a command over a connection that blocks; see `ask`."""
        asked = self.ask(line, words, reader=reader, challenged=challenged, budget=budget)
        return at_once(asked)

    async def ask(
        self,
        line: bytes,
        words: ReasonText,
        *,
        reader: Reader | None = None,
        challenged: Challenged | None = None,
        budget: int = ORDINARY_BUDGET,
    ) -> Answer:
        """Send a command; raises StoreError, with these words where the server refuses."""

        def read(response: Response) -> None:
            self.take_note(response.status)
            if reader is not None:
                reader(response)

        with failures_of(self.host):
            try:
                answer = await self.connection.execute(
                    line, reader=read, challenged=challenged, budget=budget
                )
            except BaseException:
                # Where in the conversation we are is not known any more.
                self.connection.close()
                raise
        self.take_note(answer)
        if answer.status != "OK":
            raise refusal(answer, words)
        return answer

    def take_note(self, status: Answer | None) -> None:
        """Keep what the server wants a person to read (RFC 9051 7.1, ALERT)."""
        if status is not None and status.code == "ALERT" and len(self.alerts) < _MOST_ALERTS:
            self.alerts.append(status.text[:500])


def parse(parts: Parts) -> tuple[object, ...]:
    """Return a response taken apart: tuples, numbers, bytes and None (NIL).

    Raises GarbledAnswerError for what is not IMAP, however deeply nested.
    """
    try:
        return tuple(parse_response(parts))
    except (ValueError, TypeError, AssertionError, IndexError, RecursionError) as error:
        raise GarbledAnswerError("the server's answer cannot be read") from error


def as_pairs(value: object) -> dict[bytes, object]:
    """Return a parsed list of names and values as a dictionary, its names in capitals."""
    if not isinstance(value, tuple) or len(value) % 2:
        raise GarbledAnswerError("the server's answer holds no list of pairs")
    names, values = value[::2], value[1::2]
    return {
        name.upper(): item
        for name, item in zip(names, values, strict=True)
        if isinstance(name, bytes)
    }
