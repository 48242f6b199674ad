"""Sending by Gmail: to everybody whom the header names, as an address that was confirmed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from email.utils import getaddresses, parseaddr
from typing import Any

from tests.machines.google.gmail.mailbox import GmailBox, Letter, message_id
from tests.machines.google.refusing import Refused

LARGEST = 36_700_160


@dataclass(frozen=True)
class Sent:
    """What left."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes


@dataclass
class Sending:
    """What left, and as whom one may send: `aliases` are confirmed or not."""

    box: GmailBox
    address: str
    aliases: dict[str, bool] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    # What Gmail makes of a message that it takes, beside what it always does.
    rewrite: Callable[[bytes], bytes] = bytes

    def send(self, raw: bytes) -> Letter:
        """Have a message leave; its copy keeps the blind recipients."""
        if len(raw) > LARGEST:
            raise Refused(413, "uploadTooLarge", "Message too large")
        parsed = message_from_bytes(raw)
        named = [
            address
            for name in ("To", "Cc", "Bcc")
            for _name, address in getaddresses([str(it) for it in parsed.get_all(name, [])])
            if address
        ]
        if not named:
            raise Refused(400, "invalidArgument", "Recipient address required")
        copy = self.rewrite(self._from_own(raw))
        if not message_id(copy):
            own = b"Message-ID: <CA+%d@mail.gmail.com>\r\n" % len(self.sent)
            copy = own + without(copy, "message-id")
        if not re.search(rb"^date:", copy.partition(b"\r\n\r\n")[0], re.IGNORECASE | re.MULTILINE):
            copy = b"Date: Mon, 2 Mar 2026 12:00:00 +0000\r\n" + copy
        sender = parseaddr(str(message_from_bytes(copy).get("From", "")))[1]
        self.sent.append(Sent(sender, tuple(dict.fromkeys(named)), without(copy, "bcc")))
        to_self = self.address in named
        labels = {"SENT", *({"INBOX", "UNREAD"} if to_self else ())}
        return self.box.add(copy, labels)

    def identities(self) -> list[dict[str, Any]]:
        own = {
            "sendAsEmail": self.address, "displayName": "Mira", "replyToAddress": "",
            "signature": "", "isPrimary": True, "isDefault": True,
        }  # fmt: skip
        others = [
            {
                "sendAsEmail": address, "displayName": "", "replyToAddress": "", "signature": "",
                "treatAsAlias": True, "verificationStatus": "accepted" if it else "pending",
            }
            for address, it in self.aliases.items()
        ]  # fmt: skip
        return [own, *others]

    def _from_own(self, raw: bytes) -> bytes:
        """Put the own address in the place of one that is not the account's."""
        sender = parseaddr(str(message_from_bytes(raw).get("From", "")))[1].lower()
        if sender == self.address or self.aliases.get(sender):
            return raw
        return b"From: %s\r\n" % self.address.encode() + without(raw, "from")


def without(raw: bytes, name: str) -> bytes:
    """Return a message without a field of its header."""
    head, blank, body = raw.partition(b"\r\n\r\n")
    field_of_it = re.compile(
        rb"^%s:.*(?:\r\n[ \t].*)*(?:\r\n|\Z)" % name.encode(), re.IGNORECASE | re.MULTILINE
    )
    return field_of_it.sub(b"", head + b"\r\n").removesuffix(b"\r\n") + blank + body
