"""Passwords and tokens at rest: encrypted under the newest of `settings.CREDENTIAL_KEYS`."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

# As databases hand it out.
Ciphertext: TypeAlias = bytes | memoryview


class CredentialError(Exception):
    """A credential cannot be used: it does not open, has expired, or could not be renewed.

    `is_passing`: it may well be there later, and nobody has to do anything. `is_locked`: the key
    that it was encrypted under is missing here, and no server was asked. The words say what to do
    and hold nothing secret.
    """

    def __init__(
        self, words: ReasonText, *, is_passing: bool = False, is_locked: bool = False
    ) -> None:
        super().__init__(words)
        self.words = words
        self.is_passing = is_passing
        self.is_locked = is_locked

    @property
    def kind(self) -> Literal["transient", "locked", "login"]:
        """What kind of trouble it is to whoever wanted to sign in."""
        if self.is_passing:
            return "transient"
        return "locked" if self.is_locked else "login"


class Secret:
    """A password in use, whose text does not show in a representation, a log or a traceback."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret is not to be written anywhere")

    def reveal(self) -> str:
        """Return the text, for the one who sends it over an encrypted connection."""
        return self._text


@dataclass(frozen=True, slots=True)
class Tokens:
    """What OAuth 2.0 gave for an account (RFC 6749 1.4, 1.5); empty where there is none.

    `expires_at` is when the access token ends to be good, None where nobody said.
    """

    access: Secret
    refresh: Secret
    client_secret: Secret
    expires_at: datetime | None = None

    def is_good(self, now: datetime, left: timedelta) -> bool:
        """Return True if the access token is valid for at least `left` from `now`."""
        is_known = self.expires_at is not None or not self.refresh
        return (
            bool(self.access)
            and is_known
            and (self.expires_at is None or self.expires_at - now > left)
        )


def encrypt(text: str) -> bytes:
    """Encrypt a password for `Account.secret`."""
    return _keys().encrypt(text.encode())


def decrypt(ciphertext: Ciphertext | None) -> Secret:
    """Return the password in `Account.secret`, an empty one where there is none.

    Raises CredentialError where it cannot be opened.
    """
    if not ciphertext:
        return Secret("")
    try:
        return Secret(_keys().decrypt(bytes(ciphertext)).decode())
    except (InvalidToken, UnicodeDecodeError) as error:
        raise CredentialError(
            _(
                "The stored password or token cannot be decrypted: its key is neither in "
                "CHANCERY_CREDENTIAL_KEYS nor in its file. Put the key back, or reconnect the "
                "account."
            ),
            is_locked=True,
        ) from error


def encrypt_tokens(tokens: Tokens) -> bytes:
    """Encrypt tokens for `Account.secret`."""
    fields = {
        "access": tokens.access.reveal(),
        "refresh": tokens.refresh.reveal(),
        "client_secret": tokens.client_secret.reveal(),
        "expires_at": tokens.expires_at.isoformat() if tokens.expires_at else None,
    }
    return encrypt(json.dumps(fields))


def decrypt_tokens(ciphertext: Ciphertext | None) -> Tokens:
    """Return the tokens in `Account.secret`, empty ones where there are none.

    Raises CredentialError where they cannot be opened or are a password.
    """
    text = decrypt(ciphertext).reveal()
    if not text:
        return Tokens(Secret(""), Secret(""), Secret(""))
    try:
        fields = json.loads(text)
        ends = fields["expires_at"]
        return Tokens(
            Secret(fields["access"]),
            Secret(fields["refresh"]),
            Secret(fields["client_secret"]),
            datetime.fromisoformat(ends) if ends else None,
        )
    except (ValueError, TypeError, KeyError):
        # Not the cause: it would quote what was stored.
        raise CredentialError(_("No tokens are stored for this account: reconnect it.")) from None


def reencrypt(ciphertext: Ciphertext) -> bytes:
    """Encrypt anew under the newest key; raises CredentialError as `decrypt` does."""
    return encrypt(decrypt(ciphertext).reveal())


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key.strip()) for key in settings.CREDENTIAL_KEYS])
