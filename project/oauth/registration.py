"""Registration of clients that have no metadata document (RFC 7591): public ones, for a while."""

import time
from datetime import timedelta
from typing import Any

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from oauth2_provider.models import clear_expired, get_application_model

from agents.errors import ToolError
from agents.operations.granting.connections import forget_unclaimed
from agents.surfaces.request_body import read_json
from inbox.background.periodic import periodic
from project.oauth.names import clean_name
from project.oauth.redirects import BadRedirect, check_redirects

_Application = get_application_model()
LONGEST_BODY = 16 * 1024
# Clients that nobody let in are forgotten after a while; of very many, the oldest.
_KEPT = timedelta(days=1)
MOST_UNUSED = 1000
_GRANTS = ["authorization_code", "refresh_token"]


def register(request: HttpRequest) -> HttpResponse:
    """Make a client of what it says of itself; nothing of that is believed."""
    if ratelimit.consume(request, app="allauth.account", action="register_client") is None:
        return _refuse("slow_down", "too many clients were registered from here", status=429)
    try:
        given = _read(request)
        redirects = check_redirects(given.get("redirect_uris"))
    except BadRedirect as error:
        return _refuse("invalid_redirect_uri", str(error))
    except ToolError as error:
        return _refuse("invalid_client_metadata", f"the body {error.message}")
    wrong = _find_wrong(given)
    if wrong:
        return _refuse("invalid_client_metadata", wrong)
    client = _make(clean_name(given.get("client_name")), redirects)
    told = {
        "client_id": client.client_id,
        "client_id_issued_at": int(time.time()),
        "redirect_uris": redirects,
        "grant_types": _GRANTS,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        **({"client_name": client.name} if client.name else {}),
    }
    return JsonResponse(told, status=201, headers={"Cache-Control": "no-store"})


def _read(request: HttpRequest) -> dict[str, Any]:
    if int(request.headers.get("Content-Length") or 0) > LONGEST_BODY:
        raise ToolError("too_large", f"is longer than {LONGEST_BODY} bytes")
    given = read_json(request)
    if not isinstance(given, dict):
        raise ToolError("invalid_input", "is no object")
    return given


def _find_wrong(given: dict[str, Any]) -> str:
    """Return what of the metadata asks for what is not offered; empty where all can be had."""
    for name, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        asked = given.get(name, [needed])
        if not isinstance(asked, list) or needed not in asked:
            return f"{name} has to have {needed}"
    return ""


def _make(name: str, redirects: list[str]) -> Any:
    """Make a client without a secret: to hash one would take a while, for nothing."""
    return _Application.objects.create(
        name=name, redirect_uris=" ".join(redirects), client_type=_Application.CLIENT_PUBLIC,
        authorization_grant_type=_Application.GRANT_AUTHORIZATION_CODE, client_secret="",
        hash_client_secret=False, registration_source=_Application.RegistrationSource.DCR,
    )  # fmt: skip


def _refuse(error: str, words: str, status: int = 400) -> HttpResponse:
    told = {"error": error, "error_description": words}
    return JsonResponse(told, status=status, headers={"Cache-Control": "no-store"})


@periodic(900)
def forget_unused() -> None:
    """Forget clients that nobody let in, or that left, promises, and what expired of codes."""
    forget_unclaimed()
    clear_expired()
    unused = _Application.objects.filter(grant=None, refreshtoken=None, accesstoken=None)
    newest = list(unused.order_by("-pk").values_list("pk", flat=True)[MOST_UNUSED:][:1])
    if newest:
        unused.filter(pk__lte=newest[0]).delete()
    unused.filter(created__lt=timezone.now() - _KEPT).delete()
