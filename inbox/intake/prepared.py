"""A message that is ready to be stored, and what whoever brings it says of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inbox.intake.sources import TargetMailbox
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.authentication import OwnServers

MOST_RECIPIENTS_MATCHED = 100


@dataclass(frozen=True, slots=True)
class Recipient:
    """The account that mail is prepared for: where its bytes go, and whom it trusts and is.

    `own_servers` are known where the mail is read from its provider, and not where it is imported.
    """

    workspace_id: int
    authserv_id: str
    own_addresses: frozenset[str]
    own_servers: OwnServers = field(default_factory=OwnServers)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a message came, as far as whoever brings it knows.

    `received_at` is certain; `fallback_at` counts where the message itself does not say. Without a
    `place` it goes into the inbox, or into sent where it is ours, which `outbound` may settle.
    """

    received_at: datetime | None = None
    fallback_at: datetime | None = None
    keywords: Sequence[str] = ()
    place: TargetMailbox | None = None
    outbound: bool | None = None


@dataclass(frozen=True, slots=True)
class PreparedAttachment:
    """An attachment whose bytes are in the storage."""

    sha256: str
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message that is ready to be stored: its bytes are in the storage, its columns worked out.

    `keys` are those of the ids it has and names, its own first where it has one; `people` are the
    correspondents it is a contact with.
    """

    sha256: str
    size: int
    columns: dict[str, Any]
    keys: tuple[str, ...]
    place: TargetMailbox
    people: tuple[Address, ...]
    attachments: tuple[PreparedAttachment, ...]

    @property
    def recipients(self) -> frozenset[str]:
        """The first of whom it was written to, in lower case, for `threading.answers`."""
        named = [*self.columns["to"], *self.columns["cc"]][:MOST_RECIPIENTS_MATCHED]
        return frozenset(address["email"].lower() for address in named)
