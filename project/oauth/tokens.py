"""The endpoints that clients speak to by themselves: tokens (RFC 6749) and their end (RFC 7009)."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from oauth2_provider.views import RevokeTokenView, TokenView

_GRANTS = ("authorization_code", "refresh_token")


class _Tokens(TokenView):  # type: ignore[misc]
    """The toolkit's view, which does not ask for the token again that it has just made.

    A text that renews and comes twice at once ends what it gave, perhaps before it is found.
    """

    @method_decorator(sensitive_post_parameters("client_secret"))
    def authorization_flow_token_response(
        self, request: HttpRequest, *_: Any, **__: Any
    ) -> HttpResponse:
        _, headers, body, status = self.create_token_response(request)
        return HttpResponse(body, status=status, headers=headers)


_give, _revoke = _Tokens.as_view(), RevokeTokenView.as_view()


def token(request: HttpRequest) -> HttpResponse:
    """Give a token for a code, or another text of it for one that renews it."""
    if not is_form(request):
        return _refuse("invalid_request", "the body has to be a form, and the address no query")
    if request.POST.get("grant_type") not in _GRANTS:
        return _refuse(
            "unsupported_grant_type", "grant_type has to be one of " + ", ".join(_GRANTS)
        )
    response: HttpResponse = _give(request)
    return response


def revoke(request: HttpRequest) -> HttpResponse:
    """End a token, whichever of its texts is given."""
    if not is_form(request):
        return _refuse("invalid_request", "the body has to be a form, and the address no query")
    response: HttpResponse = _revoke(request)
    return response


def is_form(request: HttpRequest) -> bool:
    """Return True if a request has its parameters where they belong, and text alone in them.

    In the address they would stand in logs (RFC 6749, section 3.2), and a zero byte is one that
    PostgreSQL cannot look for.
    """
    given = [text for name, values in request.POST.lists() for text in (name, *values)]
    return bool(given) and not request.GET and not any("\0" in text for text in given)


def _refuse(error: str, words: str) -> HttpResponse:
    told = {"error": error, "error_description": words}
    return JsonResponse(told, status=400, headers={"Cache-Control": "no-store"})
