"""Secrets and signatures of Standard Webhooks (standardwebhooks.com)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

_PREFIX = "whsec_"
_SECRET_BYTES = 32


def make_secret() -> str:
    """Return a new secret, `whsec_` and 32 random bytes in base64."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Return `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(
    keys: Iterable[str], webhook_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the three headers, with a signature for each secret that is valid now."""
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(key, webhook_id, timestamp, body) for key in keys),
    }
