"""Client-id metadata documents: read from where a client says, through the guard of webhooks."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from oauth2_provider.cimd import CIMDError

from agents.errors import ToolError
from agents.surfaces.request_body import parse_json
from inbox.providers.http.outbound import NotAllowed, NotReached, get
from project.oauth.names import clean_name
from project.oauth.redirects import BadRedirect, check_redirects

SECONDS = 5.0
# The draft of OAuth's working group recommends 5 KB (section 6.6); some tell more of themselves.
LONGEST = 16 * 1024
LONGEST_ADDRESS = 255
# For how long what was read counts, in seconds.
_KEPT = 3600


class OnlyForAPerson:
    """Lets a document be read where somebody signed in is asked, and at no other address.

    So nobody from outside has this server call anything.
    """

    def has_permission(self, request: Any, client_id: str) -> bool:
        """Return True if the request came to the person's page."""
        is_asking = urlsplit(request.uri).path == reverse("oauth2_provider:authorize")
        return is_asking and len(client_id) <= LONGEST_ADDRESS


class GuardedFetcher:
    """Reads a document over https from a public address: bounded, in time, with no redirects."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return what a client says of itself, and for how many seconds that counts."""
        try:
            answered = get(
                client_id, accept="application/json", allowed=settings.WEBHOOK_ALLOW,
                seconds=SECONDS, longest=LONGEST,
            )  # fmt: skip
        except (NotAllowed, NotReached) as error:
            raise CIMDError(str(error)) from error
        if answered.status != 200:
            raise CIMDError(f"it answered {answered.status}")
        if answered.media_type != "application/json" and not answered.media_type.endswith("+json"):
            raise CIMDError("it is no JSON by its Content-Type")
        return read_document(answered.text), _KEPT


def read_document(text: str) -> dict[str, Any]:
    """Return a metadata document with what is read of it; raises CIMDError where it will not do."""
    if len(text.encode()) > LONGEST:
        raise CIMDError(f"it is longer than {LONGEST} bytes")
    try:
        document = parse_json(text)
        if not isinstance(document, dict):
            raise CIMDError("it is no object")
        document["redirect_uris"] = check_redirects(document.get("redirect_uris"))
    except (ToolError, BadRedirect, json.JSONDecodeError) as error:
        raise CIMDError(str(error)) from error
    grants = document.get("grant_types", ["authorization_code"])
    if not isinstance(grants, list) or "authorization_code" not in grants:
        raise CIMDError("its grant_types lack authorization_code")
    # Others that it lists are not offered here.
    document["grant_types"] = ["authorization_code"]
    document["client_name"] = clean_name(document.get("client_name"))
    return document
