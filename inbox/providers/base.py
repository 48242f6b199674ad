"""What every provider offers, as data and as one protocol; they never write to the database."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from inbox.accounts.credentials import Secret
from inbox.providers.wire import check_wire_bytes
from inbox.reasons import ReasonText, of_error
from inbox.reasons import phrase as _

# Anything that could end an address or a command early; quoted local parts are not used.
_UNFIT_IN_ADDRESS = re.compile(r"[\x00-\x20<>\x7f]")

ErrorKind: TypeAlias = Literal["transient", "permanent", "login", "locked", "unknown"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do.

    `idempotent`: submitting the same Message-ID twice delivers it once. `finds_sent`: it can always
    tell whether a Message-ID was sent; without that it may still find that one was.
    """

    idempotent: bool
    finds_sent: bool


@dataclass(frozen=True, slots=True)
class Envelope:
    """From whom and to whom a message travels (RFC 5321 2.3.1); bare addresses."""

    sender: str
    recipients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parcel:
    """A sealed message: exactly these bytes, to exactly this envelope, under this Message-ID."""

    envelope: Envelope
    mime: bytes
    message_id: str


@dataclass(frozen=True, slots=True)
class ProviderReceipt:
    """The server took the message; `reply` is its raw answer, cut to 1,000 characters."""

    reply: str


class ProviderError(Exception):
    """The provider did not take the message, or nobody knows.

    `transient`: certainly not taken, may be tried again. `permanent`: certainly not taken, and
    trying again will not help. `login`: certainly not taken, for the credential is not accepted;
    `locked`: for it cannot be opened here, and nobody was asked. `unknown`: it was handed over and
    no answer came. `words` say it to a person; `reply` keeps the server's raw answer where there
    was one.
    """

    def __init__(self, kind: ErrorKind, words: ReasonText, reply: str = "") -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.reply = reply


HandOver: TypeAlias = Callable[[], None]


class Provider(Protocol):
    """A way for mail to leave."""

    capabilities: Capabilities

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send the parcel to all of its recipients or to none.

        `hand_over` is called once, at the last moment at which it is certain that nothing was
        taken; what it raises ends the attempt there. Raises ProviderError.
        """
        ...

    def find_sent(self, message_id: str) -> bool | None:
        """Return whether this Message-ID was sent; None where the provider cannot tell."""
        ...


# -- tried out -------------------------------------------------------------------------------------
FindingKind: TypeAlias = Literal["good", "warn", "bad"]
# Seconds for which each step is waited for.
TRIED_FOR = 10
_NOTHING = ReasonText()
About: TypeAlias = Literal["imap", "smtp", "oauth", "jmap", "api"]
_PARTS: dict[About, ReasonText] = {
    "jmap": _("JMAP"),
    "api": _("Mail"),
    "imap": _("Reading"),
    "smtp": _("Sending"),
    "oauth": _("OAuth"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: about what, how it is, and what to do where it is bad.

    `title` may end as a sentence does, which `heading` leaves out. `reply` is what the server or
    the system said, or what is wrong with its certificate, word for word; it never holds a
    credential.
    """

    about: About
    kind: FindingKind
    title: ReasonText
    words: ReasonText = _NOTHING
    reply: str = ""

    @property
    def part(self) -> ReasonText:
        """What it is about, in a word: both servers of an account are often one host."""
        return _PARTS[self.about]

    @property
    def heading(self) -> str:
        """The title in English, without what ends it."""
        return self.title.rstrip(".:")


def check_parcel(parcel: Parcel) -> None:
    """Raise ProviderError (`permanent`) for what would not arrive as it was sealed."""
    try:
        check_wire_bytes(parcel.mime)
    except ValueError as error:
        words = _("The message cannot be sent as it is: %(error)s.", error=of_error(error))
        raise ProviderError("permanent", words) from error
    for address in (parcel.envelope.sender, *parcel.envelope.recipients):
        if _UNFIT_IN_ADDRESS.search(address) or "@" not in address:
            words = _(
                "%(address)s is not an address you can send to or from.", address=repr(address)
            )
            raise ProviderError("permanent", words)


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach an account at its provider: the row's settings and its opened credential.

    `secret` is the password or, where `settings["auth"]` is `oauth`, an access token that is good
    now (RFC 6750). It is empty where there is none. `renew` returns another for a token that the
    server did not take though its time was not over; it raises StoreError. `secret_for` returns a
    token for other scopes, where that comes of the same sign-in; it raises CredentialError.
    """

    address: str
    settings: dict[str, Any]
    secret: Secret
    renew: Callable[[Secret], Secret] | None = None
    secret_for: Callable[[str], Secret] | None = None
