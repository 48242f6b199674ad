"""Calls to Google's interfaces: where each answers, and what a refusal of theirs means."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from inbox.providers.base import Connection
from inbox.providers.change_store import ItemRefusedError
from inbox.providers.http.addresses import address_of
from inbox.providers.http.failures import shown
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked, HttpSession, read_fields, refused
from inbox.providers.http.signing_in import Credentials
from inbox.providers.mail_store import StoreError
from inbox.providers.web import read_retry_after
from inbox.reasons import own
from inbox.reasons import phrase as _

# Whose each path is, by how it begins.
_HOSTS = {
    "/calendar/": "https://www.googleapis.com",
    "/drive/": "https://www.googleapis.com",
    "/gmail/": "https://gmail.googleapis.com",
    "/batch/gmail/": "https://gmail.googleapis.com",
    "/upload/gmail/": "https://gmail.googleapis.com",
    "/upload/": "https://www.googleapis.com",
    "/tasks/": "https://tasks.googleapis.com",
    "/v1/": "https://people.googleapis.com",
}
# What the contacts of whoever signed in are called.
ACCOUNT = "people/me"
# Bytes of an answer that lists things, and pages of one list.
LONGEST_LISTING = 64 * 1024 * 1024
MOST_PAGES = 2_000
# Google's words for being asked too often, most of which come with 403.
_TOO_MUCH = frozenset(
    {
        "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded",
        "calendarUsageLimitsExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED",
    }
)  # fmt: skip
_NOT_GRANTED = frozenset(
    {"insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}
)
# What is refused of one item, whatever becomes of others.
_ABOUT_ITEM = frozenset({400, 403, 409, 413, 422})


class NotGrantedError(StoreError):
    """Whoever signed in did not grant the scopes that a call needs."""


class GoogleApi:
    """Signed-in calls of one source."""

    def __init__(self, connection: Connection) -> None:
        self._base = address_of(connection.settings)
        credentials = Credentials("oauth", "", connection.secret, connection.renew)
        self._session = HttpSession(credentials, ca_file=connection.settings.get("ca_file") or None)

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return self._session.calls

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        fields: Any = None,
        *,
        if_match: str = "",
    ) -> Answer:
        """Return an answer, whatever its status; raises StoreError where there is none."""
        headers = {"If-Match": if_match} if if_match else None
        url = self.url(path)
        asked = Asked.json(method, url, query=query, fields=fields, headers=headers)
        return self._session.ask(asked, LONGEST_LISTING)

    def url(self, path: str) -> str:
        """Return the address of a path."""
        host = next(host for start, host in _HOSTS.items() if path.startswith(start))
        return f"{self._base or host}{path}"

    def send(self, asked: Asked, longest: int = LONGEST_LISTING) -> Answer:
        """Return the answer to what is more than JSON; raises StoreError where there is none."""
        return self._session.ask(asked, longest)

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the JSON object of a success; raises StoreError for all else."""
        return fields_of(self.ask("GET", path, query))

    def pages(self, path: str, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the pages of a list, the last of which ends it; raises StoreError."""
        token = ""
        for _number in range(MOST_PAGES):
            page = self.get(path, {**query, **({"pageToken": token} if token else {})})
            yield page
            following = page.get("nextPageToken")
            if not isinstance(following, str) or not following:
                return
            if following == token:
                break
            token = following
        raise StoreError("permanent", _("The server's list of changes does not end."))


def fields_of(answer: Answer) -> dict[str, Any]:
    """Return the JSON object of a success; raises StoreError for all else."""
    return read_fields(answer, refusal)


# -- refusals --------------------------------------------------------------------------------------
def reasons_of(answer: Answer) -> frozenset[str]:
    """Return Google's words for why: of the older interfaces, and of the newer."""
    try:
        error = json.loads(answer.body)["error"]
        named = [*error.get("errors", ()), *error.get("details", ())]
        found = [error.get("status"), *(one.get("reason") for one in named)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return frozenset()
    return frozenset(one for one in found if isinstance(one, str))


def is_too_much(answer: Answer) -> bool:
    """Return True if we are to slow down."""
    return answer.status == 429 or (answer.status == 403 and bool(reasons_of(answer) & _TOO_MUCH))


def is_not_granted(answer: Answer) -> bool:
    """Return True if whoever signed in did not grant this kind."""
    return answer.status == 403 and bool(reasons_of(answer) & _NOT_GRANTED)


def refusal(answer: Answer) -> StoreError:
    """Return what an answer that is no success means."""
    if is_too_much(answer):
        wait = read_retry_after(answer.headers.get("retry-after", ""))
        words = _("%(what)s:", what=_("The server asks us to slow down"))
        return StoreError("throttled", words, shown(answer.status, answer.body), wait)
    if is_not_granted(answer):
        words = _("%(what)s:", what=_("Whoever signed in at Google did not allow this"))
        return NotGrantedError("permanent", words, shown(answer.status, answer.body))
    return refused(answer)


def refused_change(answer: Answer) -> StoreError | ItemRefusedError:
    """Return what it means that a change of one item was not done."""
    if answer.status not in _ABOUT_ITEM or is_too_much(answer) or is_not_granted(answer):
        return refusal(answer)
    why = ", ".join(sorted(reasons_of(answer))) or f"HTTP {answer.status}"
    words = _("The server does not take it: %(why)s.", why=own(why))
    return ItemRefusedError(words, shown(answer.status, answer.body))
