"""The short way of the API through Django: few middlewares, on threads that stay.

Django's own ASGI handler gives each request a new thread, which opens a new connection to the
database, and changes threads for each middleware. Both cost more than most calls take.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from io import BytesIO
from typing import Any, cast

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIRequest, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.urls import ResolverMatch, get_resolver, set_script_prefix
from django.utils import translation
from django.utils.module_loading import import_string

from agents.errors import invalid
from agents.surfaces.body_limit import App, Message, Receive, Scope, Send, read_body
from agents.surfaces.rest import render_error

# What is served here.
_OURS = ("/api/", "/a2a")
# Addresses that are looked up again and again are no longer than this.
_LONGEST_KEPT = 100


class ApiHandler:
    """ASGI: serves `/api/` and `/a2a` by itself and leaves everything else to the next application.

    What people ask of the API with their session is among that: it takes the other middlewares.
    """

    def __init__(self, pages: App) -> None:
        self.pages = pages
        self._views = _Views()
        self._threads = ThreadPoolExecutor(settings.API_THREADS, thread_name_prefix="api")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call; one whose caller has gone is not begun, and never broken off."""
        is_api = scope["type"] == "http" and scope["path"].startswith(_OURS)
        if not is_api or _has_session(scope):
            await self.pages(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return
        loop = asyncio.get_running_loop()
        # The thread knows for which request it works, as this task does.
        answer = partial(copy_context().run, self._views.answer, scope, body)
        for message in await loop.run_in_executor(self._threads, answer):
            await send(message)


def _has_session(scope: Scope) -> bool:
    """Return True if a request has a session and no token: such a request goes the long way."""
    headers = dict(scope["headers"])
    cookie = f"{settings.SESSION_COOKIE_NAME}=".encode()
    return b"authorization" not in headers and cookie in headers.get(b"cookie", b"")


@lru_cache(maxsize=1024)
def _resolve(urlconf: str, path: str) -> ResolverMatch:
    return get_resolver(urlconf).resolve(path)


class _Views(BaseHandler):
    """Runs a view, behind the middlewares of the API, in the thread that calls it."""

    def __init__(self) -> None:
        super().__init__()
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        chain: Any = convert_exception_to_response(cast("Any", self)._get_response)
        for middleware in reversed(settings.API_MIDDLEWARE):
            chain = convert_exception_to_response(import_string(middleware)(chain))
        self._middleware_chain = chain

    def resolve_request(self, request: Any) -> ResolverMatch:
        """Return what an address leads to, as Django does, of which there are hundreds to try."""
        path, urlconf = request.path_info, settings.ROOT_URLCONF
        if len(path) > _LONGEST_KEPT:
            match = get_resolver(urlconf).resolve(path)
        else:
            match = _resolve(urlconf, path)
        request.resolver_match = match
        return match

    def answer(self, scope: Scope, body: bytes) -> tuple[Message, Message]:
        """Return the answer to a request as the messages of ASGI."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        response = self._respond(scope, body)
        headers = [(name.encode("ascii"), text.encode("latin1")) for name, text in response.items()]
        content = b"".join(response)
        # Ends the request: connections to the database that are too old are closed.
        response.close()
        return (
            {"type": "http.response.start", "status": response.status_code, "headers": headers},
            {"type": "http.response.body", "body": content},
        )

    def _respond(self, scope: Scope, body: bytes) -> Any:
        try:
            request = ASGIRequest(scope, BytesIO(body))
        except UnicodeDecodeError:
            return render_error(invalid("", "is no UTF-8", "an address in UTF-8"))
        # Whatever this thread did before, and whatever the caller prefers: agents read English.
        with translation.override(settings.LANGUAGE_CODE):
            response: Any = self.get_response(request)
        response._handler_class = self.__class__
        return response
