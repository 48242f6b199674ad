"""As whom we ask an authorization server (RFC 6749 2.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote

from inbox.accounts.credentials import Secret

ClientAuth: TypeAlias = Literal["basic", "post"]


@dataclass(frozen=True, slots=True)
class Client:
    """Our name at a server, and what proves it; a public client has no secret."""

    id: str
    secret: Secret


def client_fields(
    client: Client, auth: ClientAuth, fields: Mapping[str, str]
) -> tuple[tuple[str, str] | None, dict[str, str]]:
    """Return user and password for the header, where it goes there, and the fields of the body."""
    if auth == "basic" and client.secret:
        # Each is encoded first (RFC 6749 2.3.1).
        return (quote(client.id, safe=""), quote(client.secret.reveal(), safe="")), dict(fields)
    secret = {"client_secret": client.secret.reveal()} if client.secret else {}
    return None, {**fields, "client_id": client.id, **secret}
