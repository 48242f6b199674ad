"""Waiting for news by an event source (RFC 8620 7.3)."""

import time

import httpx

from inbox.providers.http.reading import Answer, beginning
from inbox.providers.http.session import Asked, refused
from inbox.providers.jmap.api import JmapApi
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_PING = 30
_MOST_LINES = 10_000


def wait_for_news(api: JmapApi, seconds: float) -> bool:
    """Wait until the state of the mail changes; False: not within so many seconds.

    Raises StoreError, `permanent` where the server has no event source.
    """
    template = api.resource.event_url
    if not template:
        raise StoreError("permanent", _("The server does not tell of news by itself."))
    url = api.resource.filled(template, types="Email,Mailbox", closeafter="state", ping=str(_PING))
    end = time.monotonic() + seconds
    session = api.new_session(min(seconds, 2.0 * _PING))
    try:
        asked = Asked("GET", url, {"Accept": "text/event-stream"})
        with session.sent(asked) as (at, answer):
            if answer.status_code == 204:
                # So a server tells an event source to stay away (WHATWG HTML 9.2.3).
                raise StoreError("permanent", _("The server does not tell of news by itself."))
            if not answer.is_success:
                said = beginning(answer)
                raise refused(Answer(at, answer.status_code, answer.headers, said))
            return _hears(answer, end)
    finally:
        session.close()


def _hears(answer: httpx.Response, end: float) -> bool:
    """Return True once an event says that something changed; pings are none."""
    try:
        for number, line in enumerate(answer.iter_lines()):
            if line.partition(":")[0] == "event" and line.partition(":")[2].strip() == "state":
                return True
            if number > _MOST_LINES or time.monotonic() > end:
                return False
    except httpx.ReadTimeout:
        return False
    return False
