"""The keys in a backup: encrypted with a passphrase, or only named, to be told apart."""

import base64
import hashlib
import json
import secrets
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from project.backups.archive import BackupError

# scrypt (RFC 7914): about a tenth of a second and 32 MB for each guess.
_COST, _BLOCK, _PARALLEL = 2**15, 8, 1
_MEMORY = 64 * 2**20


def marks() -> list[str]:
    """Return what tells the keys for credentials apart: the beginning of each one's hash."""
    return [_mark(key) for key in settings.CREDENTIAL_KEYS]


def _mark(key: str) -> str:
    return hashlib.sha256(b"chancery:" + key.strip().encode()).hexdigest()[:12]


def encrypt_keys(passphrase: str) -> bytes:
    """Return the keys of this set-up, which only the passphrase opens."""
    salt = secrets.token_bytes(16)
    keys = {"credentials": ",".join(settings.CREDENTIAL_KEYS), "secret": settings.SECRET_KEY}
    ciphertext = _lock(passphrase, salt).encrypt(json.dumps(keys).encode())
    return json.dumps({"salt": salt.hex(), "sealed": ciphertext.decode()}).encode()


def decrypt_keys(ciphertext: bytes, passphrase: str) -> dict[str, str]:
    """Return `credentials` and `secret`; raises BackupError where the passphrase is another."""
    found = json.loads(ciphertext)
    try:
        opened = _lock(passphrase, bytes.fromhex(found["salt"])).decrypt(found["sealed"].encode())
    except InvalidToken as error:
        raise BackupError("The passphrase does not open the keys in the backup.") from error
    keys: dict[str, str] = json.loads(opened)
    return keys


def _lock(passphrase: str, salt: bytes) -> Fernet:
    key = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, maxmem=_MEMORY, dklen=32
    )
    return Fernet(base64.urlsafe_b64encode(key))


def put_keys(keys: dict[str, str], folder: Path) -> None:
    """Write the keys where a set-up without configuration looks for them, for its owner only."""
    for name, content in (("credentials.key", keys["credentials"]), ("secret.key", keys["secret"])):
        path = folder / name
        path.touch(mode=0o600)
        path.write_text(content)
