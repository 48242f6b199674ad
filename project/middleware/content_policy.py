"""The content security policy of answers that have none of their own, put together once."""

from collections.abc import Mapping
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class KeptPolicyMiddleware(CSPMiddleware):
    """Gives the policy of the settings to answers that say nothing of one, as the API's do."""

    _policy: tuple[Any, str] = (None, "")

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the policy; what a view decorated, or a nonce, goes the usual way."""
        if _is_its_own(request, response):
            return super().process_response(request, response)
        if HEADER not in response:
            response[HEADER] = self._kept()
        return response

    def _kept(self) -> str:
        given, policy = self._policy
        if given is not settings.CONTENT_SECURITY_POLICY:
            given, policy = settings.CONTENT_SECURITY_POLICY, build_policy()
            self._policy = given, policy
        return policy


def _is_its_own(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return True where anything but the settings' own policy may be called for."""
    if hasattr(request, "_csp_nonce") or settings.DEBUG:
        return True
    if getattr(settings, "CONTENT_SECURITY_POLICY_REPORT_ONLY", None):
        return True
    given: Mapping[str, Any] = settings.CONTENT_SECURITY_POLICY
    return given.keys() != {"DIRECTIVES"} or any(name.startswith("_csp") for name in vars(response))
