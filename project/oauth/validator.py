"""The toolkit's rules, with ours: one token of an agent for each client, revoked in one place.

The toolkit keeps codes, and the texts that renew a token, and sees that each is used once. What
opens anything is our own token: an access token's text is one of its texts.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import F
from oauth2_provider.models import (
    get_access_token_model,
    get_grant_model,
    get_refresh_token_model,
)
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from agents.models import Token
from agents.operations.agents import digest_of, known_scopes, new_text
from agents.operations.granting.connections import (
    claim,
    end_by_code,
    end_by_family,
    is_renewable,
    keep_promise,
    name_family,
    renew,
)
from inbox.errors import DomainError

_AccessToken, _RefreshToken = get_access_token_model(), get_refresh_token_model()
_Code = get_grant_model()


def new_access_text(request: Any) -> str:
    """Return the text of a new access token: one like those of other agents."""
    return new_text()


def new_renewing_text(request: Any) -> str:
    """Return the text of a new refresh token."""
    return "chr_" + secrets.token_urlsafe(32)


class Validator(OAuth2Validator):  # type: ignore[misc]
    """What oauthlib asks about clients, codes and tokens."""

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: Any, request: Any, *args: Any, **more: Any
    ) -> bool:
        """Pass over scopes that are none here: the person decides (RFC 6749, section 3.3)."""
        known = set(known_scopes())
        request.scopes = [scope for scope in scopes if scope in known]
        return True

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any,
                      **more: Any) -> bool:  # fmt: skip
        """Take a code once; the second time revokes what the first gave (OAuth 2.1, 4.1.3)."""
        is_good: bool = super().validate_code(client_id, code, client, request, *args, **more)
        if not is_good:
            end_by_code(code, "client_used_twice")
        return is_good

    def get_code_challenge(self, code: str, request: Any) -> Any:
        """Return what the code is bound to; refuse where somebody else was first."""
        with _refused_if_gone(request):
            return super().get_code_challenge(code, request)

    def get_code_challenge_method(self, code: str, request: Any) -> Any:
        """Return how; refuse where somebody else was first."""
        with _refused_if_gone(request):
            return super().get_code_challenge_method(code, request)

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Any, request: Any, *args: Any
    ) -> Any:
        """Return True if the code went there; refuse where somebody else was first."""
        with _refused_if_gone(request):
            return super().confirm_redirect_uri(client_id, code, redirect_uri, client, *args)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Any, *args: Any, **more: Any
    ) -> None:
        """Do nothing: it went with the making of its token."""

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *args: Any, **more: Any
    ) -> bool:
        """Take one whose token is neither revoked nor expired; used twice, it ends that."""
        found = _find_renewing(refresh_token)
        if not super().validate_refresh_token(refresh_token, client, request, *args, **more):
            if found is not None and found.revoked is not None:
                end_by_family(found.token_family, "client_used_twice")
            return False
        return is_renewable(request.refresh_token_instance.token_family)

    def revoke_token(
        self, token: str, token_type_hint: str, request: Any, *args: Any, **more: Any
    ) -> None:
        """End what the text opens or renews, if it is this client's own (RFC 7009, 2.1)."""
        digest, client = digest_of(token), request.client
        for row in _RefreshToken.objects.filter(token_checksum=digest, application=client):
            end_by_family(row.token_family, "client_left")
        if _AccessToken.objects.filter(token_checksum=digest, application=client).exists():
            for found in Token.objects.filter(digest=digest).select_related("connection"):
                end_by_family(found.connection.family, "client_left")
        super().revoke_token(token, token_type_hint, request, *args, **more)

    def _create_authorization_code(self, request: Any, code: dict[str, str], expires: Any = None):  # type: ignore[no-untyped-def]
        """Keep a code, and what the person promised for it."""
        keep_promise(request.promise, code["code"])
        return super()._create_authorization_code(request, code, expires)

    def _save_bearer_token(
        self, token: dict[str, Any], request: Any, *args: Any, **more: Any
    ) -> None:
        """Keep a token for a code or a text that nobody else used meanwhile."""
        # While there is a code to hold its address against.
        self._check_and_set_request_resource(request)
        if request.grant_type == "authorization_code":
            super().invalidate_authorization_code(request.client_id, request.code, request)
        else:
            used = request.refresh_token_instance
            unused = _RefreshToken.objects.select_for_update().filter(pk=used.pk, revoked=None)
            if not unused.exists():
                raise InvalidGrantError(request=request)
        super()._save_bearer_token(token, request, *args, **more)

    def _create_access_token(self, expires: Any, request: Any, token: dict[str, Any],
                             source_refresh_token: Any = None) -> Any:  # fmt: skip
        """Make the toolkit's row, and have our token opened by the new text."""
        text, scopes = token["access_token"], token["scope"].split()
        try:
            if source_refresh_token is None:
                request.connection = claim(request.code, text, scopes)
            else:
                renew(source_refresh_token.token_family, text, scopes)
        except DomainError as error:
            raise InvalidGrantError(str(error.message), request=request) from error
        return super()._create_access_token(expires, request, token, source_refresh_token)

    def _create_refresh_token(self, request: Any, *args: Any) -> Any:
        row = super()._create_refresh_token(request, *args)
        if request.grant_type == "authorization_code":
            name_family(request.connection, row.token_family)
        return row


@contextmanager
def _refused_if_gone(request: Any) -> Iterator[None]:
    """Refuse a code that was used while this was on its way."""
    try:
        yield
    except _Code.DoesNotExist:
        raise InvalidGrantError(request=request) from None


def _find_renewing(text: str) -> Any:
    """Return the row of a text that renews a token, before it is judged, if there is one."""
    rows = _RefreshToken.objects.filter(token_checksum=digest_of(text))
    return rows.order_by(F("revoked").desc(nulls_first=True)).first()
