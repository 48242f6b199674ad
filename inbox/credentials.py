"""Passwords at rest: encrypted under the newest of `settings.CREDENTIAL_KEYS`, never shown."""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class CredentialError(Exception):
    """A sealed credential could not be opened: none of our keys fits, or it was altered."""


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


def seal(text: str) -> bytes:
    """Encrypt a password for `Account.secret`."""
    return _keys().encrypt(text.encode())


def unseal(sealed: bytes | None) -> Secret:
    """Return the password in `Account.secret`, an empty one where there is none.

    Raises CredentialError where it cannot be opened.
    """
    if not sealed:
        return Secret("")
    try:
        return Secret(_keys().decrypt(bytes(sealed)).decode())
    except (InvalidToken, UnicodeDecodeError) as error:
        raise CredentialError(
            "The stored password cannot be opened: its key is not in CHANCERY_CREDENTIAL_KEYS."
        ) from error


def reseal(sealed: bytes) -> bytes:
    """Encrypt anew under the newest key; raises CredentialError as `unseal` does."""
    return seal(unseal(sealed).reveal())


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key.strip()) for key in settings.CREDENTIAL_KEYS])
