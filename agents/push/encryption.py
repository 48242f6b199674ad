"""A message that only one browser can read (RFC 8291), as one record of `aes128gcm` (RFC 8188)."""

import base64
import binascii
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_RECORD = 4096
# What push services take at least (RFC 8030 7.2), less our header, the tag and the delimiter.
LONGEST = 3900
_AUTH_BYTES = 16


def seal(
    text: bytes, key: bytes, auth: bytes,
    *, salt: bytes | None = None, own: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:  # fmt: skip
    """Return the body of a push for the browser with this public key."""
    if len(text) > LONGEST:
        raise ValueError(f"longer than {LONGEST} bytes")
    salt = salt or secrets.token_bytes(16)
    own = own or ec.generate_private_key(ec.SECP256R1())
    ours = point_of(own.public_key())
    shared = own.exchange(ec.ECDH(), read_point(key))
    secret = _derive(shared, auth, b"WebPush: info\0" + key + ours, 32)
    content_key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + _RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return header + AESGCM(content_key).encrypt(nonce, text + b"\x02", None)


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as 65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def read_point(data: bytes) -> ec.EllipticCurvePublicKey:
    """Return the key that these bytes are; raises ValueError where they are no point of P-256."""
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)


def read_keys(key: str, auth: str) -> tuple[bytes, bytes]:
    """Return both as bytes; raises ValueError where a browser cannot have given them."""
    point, secret = from_text(key), from_text(auth)
    read_point(point)
    if len(point) != 65 or len(secret) != _AUTH_BYTES:
        raise ValueError("of the wrong length")
    return point, secret


def to_text(data: bytes) -> str:
    """Return it in base64url, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """Return what base64url stands for, with padding or without; raises ValueError."""
    plain = text.rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("no base64url") from error


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)
