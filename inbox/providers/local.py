"""The built-in provider: mail goes into a Maildir under `settings.LOCAL_MAIL_DIR`, not outside."""

import contextlib
import hashlib
import os
import secrets
from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from inbox.files.storage import sync_to_disk
from inbox.providers.base import (
    Capabilities,
    Connection,
    HandOver,
    Parcel,
    ProviderError,
    ProviderReceipt,
    check_parcel,
)
from inbox.providers.declaration import Declaration
from inbox.reasons import phrase as _


class Local:
    """One Maildir for each account, in which each Message-ID is delivered once."""

    capabilities = Capabilities(idempotent=True, finds_sent=True)

    def __init__(self, connection: Connection) -> None:
        # An address may hold a slash, but no path may come of it.
        self.maildir = Path(settings.LOCAL_MAIL_DIR) / quote(connection.address, safe="@+")

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Deliver the bytes under a name made from the Message-ID: whole, or not at all."""
        check_parcel(parcel)
        name = _file_name(parcel.message_id)
        try:
            part = self._write_part(name, parcel.mime)
            try:
                hand_over()
                self._deliver(part, name)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise ProviderError(
                "transient",
                _("The mail folder cannot be written to: %(strerror)s.", strerror=error.strerror),
            ) from error
        return ProviderReceipt(f"delivered as {name}")

    def find_sent(self, message_id: str) -> bool:
        """Return whether the Maildir has the message, wherever a mail program moved it since."""
        return self._delivered(_file_name(message_id))

    def _write_part(self, name: str, mime: bytes) -> Path:
        for folder in ("tmp", "new", "cur"):
            (self.maildir / folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        part = self.maildir / "tmp" / f"{name}.{secrets.token_hex(8)}"
        with part.open("xb") as file:
            file.write(mime)
            file.flush()
            os.fsync(file.fileno())
        return part

    def _deliver(self, part: Path, name: str) -> None:
        if self._delivered(name):
            return
        # Unlike a rename, a link fails where another worker came first.
        with contextlib.suppress(FileExistsError):
            (self.maildir / "new" / name).hardlink_to(part)
        sync_to_disk(self.maildir / "new")

    def _delivered(self, name: str) -> bool:
        # A mail program that has seen it renames it into cur, with its flags after ":2,".
        new, cur = self.maildir / "new" / name, self.maildir / "cur"
        return new.exists() or any(cur.glob(f"{name}*"))


def _file_name(message_id: str) -> str:
    return f"{hashlib.sha256(message_id.encode()).hexdigest()[:32]}.chancery"


DECLARATION = Declaration(
    name="local",
    title=_("This machine"),
    carries=frozenset({"mail_out", "calendar", "contacts", "todos", "files"}),
    send=Local,
    stays_here=True,
)
