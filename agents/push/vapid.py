"""Who we are to push services (RFC 8292): a key of our own, made from the secret of the set-up."""

import time
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from agents.notices.summary import host
from agents.push.encryption import point_of, to_text

_INFO = b"chancery web push"
# Of the curve P-256 (FIPS 186-4 D.1.2.3).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# A push service refuses what counts for more than a day.
_COUNTS = 12 * 3600


def own_key() -> ec.EllipticCurvePrivateKey:
    """Return our key: the same in every process that has the same secret."""
    made = HKDF(hashes.SHA256(), 48, None, _INFO).derive(settings.SECRET_KEY.encode())
    number = int.from_bytes(made, "big") % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())


def public_key() -> str:
    """Return what a browser subscribes with."""
    return to_text(point_of(own_key().public_key()))


def authorization(endpoint: str) -> str:
    """Return the header that shows a push service who sends."""
    parts = urlsplit(endpoint)
    sender = settings.NOTIFY_FROM or f"chancery@{host()}"
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + _COUNTS,
        "sub": f"mailto:{sender}",
    }
    return f"vapid t={jwt.encode(claims, own_key(), 'ES256')}, k={public_key()}"
