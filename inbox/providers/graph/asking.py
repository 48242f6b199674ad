"""Calls to Graph: signed in, by pages, many at once, and what its refusals mean."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from inbox.providers.base import Connection
from inbox.providers.change_store import ItemChangedError, ItemRefusedError
from inbox.providers.http.addresses import address_of
from inbox.providers.http.failures import shown
from inbox.providers.http.json_values import object_of, objects_of, text_of
from inbox.providers.http.reading import Answer, LongAnswerError
from inbox.providers.http.session import REDIRECTS, Asked, HttpSession, read_fields, refused
from inbox.providers.http.signing_in import Credentials
from inbox.providers.mail_store import StoreError
from inbox.providers.web import host_of, is_safe
from inbox.reasons import own
from inbox.reasons import phrase as _

# Ids that stay when an item is moved; times in UTC; bodies as text.
_PREFERS = 'IdType="ImmutableId", outlook.timezone="UTC", outlook.body-content-type="text"'
ADDRESS = "https://graph.microsoft.com/v1.0"
LONGEST_LISTING = 48 * 1024 * 1024
MOST_PAGES = 2_000
_BYTES = "application/octet-stream"
MOST_IN_BATCH = 20
# The item is not as a change of it has it (409 is how Exchange says so, 412 how HTTP does).
CONFLICTS = frozenset({409, 412})
_MISSING = frozenset({404, 410})
_OPEN_NO_MORE = _MISSING | {401, 403}
# What is refused of one item, whatever becomes of others.
ABOUT_ITEM = frozenset({400, 403, 405, 413, 415, 422, 507})
_NOT_GRANTED = frozenset({"ErrorAccessDenied", "Authorization_RequestDenied", "accessDenied"})


class ForgottenError(Exception):
    """The server does not know a position any more."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a batch; `path` is below the base."""

    method: str
    path: str
    fields: Any = None
    if_match: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The answer to one request of a batch."""

    status: int
    fields: Mapping[str, Any]


class GraphApi:
    """Signed-in calls of one source."""

    def __init__(self, connection: Connection) -> None:
        self.base = address_of(connection.settings, ADDRESS)
        credentials = Credentials("oauth", "", connection.secret, connection.renew)
        self._session = HttpSession(credentials, ca_file=connection.settings.get("ca_file") or None)

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return self._session.calls

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    # -- reading -----------------------------------------------------------------------------------
    def ask(
        self,
        method: str,
        url: str,
        fields: Any = None,
        *,
        if_match: str = "",
        page_size: int = 0,
    ) -> Answer:
        """Return an answer, whatever its status; `url` may be a path below the base."""
        headers = _headers(page_size, if_match)
        address = f"{self.base}{url}" if url.startswith("/") else url
        asked = Asked.json(method, address, fields=fields, headers=headers)
        return self._session.ask(asked, LONGEST_LISTING)

    def get(self, url: str, page_size: int = 0) -> dict[str, Any]:
        """Return the JSON object of a success.

        Raises StoreError; ForgottenError where a token in the address is not known any more.
        """
        answer = self.ask("GET", url, page_size=page_size)
        if answer.status == 410 or (answer.status == 400 and "token=" in url):
            raise ForgottenError
        return read_fields(answer)

    def find(self, url: str) -> dict[str, Any] | None:
        """Return an item, None where it is not there; raises StoreError."""
        answer = self.ask("GET", url)
        return None if answer.status in _MISSING else read_fields(answer)

    def pages(self, url: str, page_size: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the pages of a list, the last of which ends it; raises as `get` does."""
        for _number in range(MOST_PAGES):
            page = self.get(url, page_size)
            yield page
            url = text_of(page, "@odata.nextLink")
            if not url:
                return
            self.check_link(url)
        raise StoreError("permanent", _("The server's list of changes does not end."))

    def check_link(self, url: str) -> None:
        """Raise StoreError for an address that is not below the one that we ask."""
        if not self._is_ours(url):
            ours = urlsplit(self.base)
            words = _(
                "%(host)s redirects elsewhere; passwords are never sent on. Enter the address that "
                "it leads to, if it is yours.",
                host=ours.hostname or "",
            )
            raise StoreError("permanent", words)

    def is_link(self, path: str, position: str) -> bool:
        """Return True for an address that goes on with a list; ids in it may be written otherwise.

        `path` is where that list is.
        """
        if not self._is_ours(position):
            return False
        end, theirs = unquote(path).rpartition("/")[2], urlsplit(position)
        return end in unquote(theirs.path) and "token=" in theirs.query

    def _is_ours(self, url: str) -> bool:
        """Return True for an address at the host that we ask."""
        ours = urlsplit(self.base)
        try:
            theirs = urlsplit(url)
        except ValueError:
            return False
        return (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)

    def batch(self, paths: Sequence[str], page_size: int = 0) -> list[Part]:
        """Return the answers to some GETs, in their order; raises StoreError.

        What Graph did not get to for being asked too much at once is asked for by itself.
        """
        if len(paths) > MOST_IN_BATCH:
            head, rest = paths[:MOST_IN_BATCH], paths[MOST_IN_BATCH:]
            return [*self.batch(head, page_size), *self.batch(rest, page_size)]
        try:
            answers = self.together([Request("GET", path) for path in paths], page_size)
        except LongAnswerError:
            if len(paths) == 1:
                return [Part(413, {})]
            half = len(paths) // 2
            return [*self.batch(paths[:half], page_size), *self.batch(paths[half:], page_size)]
        return [self._part(path, told) for path, told in zip(paths, answers, strict=True)]

    def _part(self, path: str, told: Answer) -> Part:
        if told.status == 429 or told.status >= 500:
            found = self.find(path)
            return Part(404, {}) if found is None else Part(200, found)
        if told.status == 401:
            raise refused(told)
        return Part(told.status, told.fields())

    def present(self, paths: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
        """Return what there still is at some paths, by their names; raises StoreError."""
        found: dict[str, Mapping[str, Any]] = {}
        for name, told in zip(paths, self.batch(list(paths.values())), strict=True):
            if told.status == 200:
                found[name] = told.fields
            elif told.status != 404:
                raise refused(self.answer_of(told))
        return found

    def answer_of(self, part: Part) -> Answer:
        """Return a part as an answer, to say what it means that it is refused."""
        return Answer(self.base, part.status, {}, json.dumps(part.fields).encode())

    def together(self, requests: Sequence[Request], page_size: int = 0) -> list[Answer]:
        """Return the answers to some requests, in their order; raises StoreError.

        Whatever the status of each is; 503 where there is no answer to one.
        """
        asked = [{"id": str(at), **_in_batch(each, page_size)} for at, each in enumerate(requests)]
        answer = read_fields(self.ask("POST", "/$batch", {"requests": asked}))
        told = {text_of(each, "id"): each for each in objects_of(answer, "responses")}
        return [self._told(told.get(str(at), {})) for at in range(len(requests))]

    def _told(self, told: Mapping[str, Any]) -> Answer:
        status, headers = told.get("status"), object_of(told, "headers")
        kept = {name.lower(): text_of(headers, name) for name in headers}
        body = json.dumps(object_of(told, "body")).encode()
        return Answer(self.base, status if isinstance(status, int) else 503, kept, body)

    # -- changing ----------------------------------------------------------------------------------
    def change(self, method: str, path: str, fields: Any = None, etag: str = "") -> dict[str, Any]:
        """Do a change of one item over the state `etag`; return what it is now.

        Raises ItemChangedError, also where it is gone, ItemRefusedError and StoreError.
        """
        return _done(self.ask(method, path, fields, if_match=etag))

    # -- MIME --------------------------------------------------------------------------------------
    def mime(self, path: str, longest: int) -> Answer:
        """Return the answer that has a message as it is; LongAnswerError for a longer one."""
        return self._session.ask(Asked("GET", f"{self.base}{path}", _headers()), longest)

    def post_mime(self, path: str, raw: bytes) -> Answer:
        """Return the answer to a message in base64."""
        headers = {**_headers(), "Content-Type": "text/plain", "Accept": "application/json"}
        asked = Asked("POST", f"{self.base}{path}", headers, base64.b64encode(raw))
        return self._session.ask(asked, LONGEST_LISTING)

    # -- content -----------------------------------------------------------------------------------
    def download(self, path: str, longest: int) -> bytes | None:
        """Return content, None where it is gone or longer; raises StoreError.

        Graph answers with another address, which is open to whoever has it for a while: no
        credential goes there. Where that is refused, the file may be gone since, or the while be
        over, and so its address is asked for once more.
        """
        for is_last in (False, True):
            url = self._open_address_of(path)
            if not url:
                return None
            try:
                answer = self._session.ask(Asked("GET", url, signed_in=False), longest)
            except LongAnswerError:
                return None
            if answer.is_good:
                return answer.body
            if is_last or answer.status not in _OPEN_NO_MORE:
                break
        raise _broken_off(answer)

    def _open_address_of(self, path: str) -> str:
        """Return where a content is had without a credential, empty where it is gone."""
        answer = self._session.ask(Asked("GET", f"{self.base}{path}"))
        if answer.status in _MISSING:
            return ""
        if answer.status not in REDIRECTS:
            raise refused(answer)
        return _open_address(answer.headers.get("location", ""))

    def put(self, path: str, raw: bytes, etag: str = "") -> dict[str, Any]:
        """Put content; raises as `change` does."""
        headers = {"Content-Type": _BYTES} | ({"If-Match": etag} if etag else {})
        asked = Asked("PUT", f"{self.base}{path}", headers, raw)
        return _done(self._session.ask(asked, LONGEST_LISTING))

    def put_open(self, url: str, raw: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
        """Put a part of a content to an address that is open to whoever has it."""
        answer = self.ask_open("PUT", url, raw, headers)
        if answer.status == 401 or answer.status in _MISSING:
            raise _broken_off(answer)
        return _done(answer)

    def ask_open(
        self, method: str, url: str, raw: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Return the answer at an address that is open to whoever has it, whatever its status."""
        kept = {**({"Content-Type": _BYTES} if raw else {}), **(headers or {})}
        asked = Asked(method, _open_address(url), kept, raw, signed_in=False)
        return self._session.ask(asked, LONGEST_LISTING)


def _headers(page_size: int = 0, if_match: str = "") -> dict[str, str]:
    pages = f", odata.maxpagesize={page_size}" if page_size else ""
    return {"Prefer": f"{_PREFERS}{pages}"} | ({"If-Match": if_match} if if_match else {})


def _in_batch(request: Request, page_size: int) -> dict[str, Any]:
    headers = _headers(page_size, request.if_match)
    said: dict[str, Any] = {"method": request.method, "url": request.path}
    if request.fields is not None:
        headers["Content-Type"], said["body"] = "application/json", request.fields
    return {**said, "headers": headers}


def _done(answer: Answer) -> dict[str, Any]:
    """Return what an item is after a change; raises as `change` does."""
    if answer.status in CONFLICTS or answer.status in _MISSING:
        raise ItemChangedError
    if answer.status in ABOUT_ITEM and not is_too_much(answer):
        raise refused_item(answer)
    return read_fields(answer)


def _open_address(url: str) -> str:
    """Return an address that Graph gave out; raises StoreError for one that is not safe."""
    if not is_safe(url):
        raise StoreError("permanent", _("The address redirects to one that cannot be used."))
    return url


def _broken_off(answer: Answer) -> StoreError:
    """Return that an address is open no more, which says nothing of the credential."""
    found = refused(answer)
    if found.kind not in ("login", "gone", "permanent"):
        return found
    words = _("%(host)s closed the address it gave out for a file.", host=host_of(answer.url))
    return StoreError("transient", words, found.reply)


def code_of(answer: Answer) -> str:
    """Return Graph's word for why it refuses; empty where there is none."""
    try:
        return text_of(object_of(answer.fields(), "error"), "code")
    except ValueError:
        return ""


def is_not_granted(answer: Answer) -> bool:
    """Return True if whoever signed in did not grant this kind."""
    return answer.status == 403 and code_of(answer) in _NOT_GRANTED


def is_too_much(answer: Answer) -> bool:
    """Return True if we are to slow down."""
    return refused(answer).kind == "throttled"


def refused_item(answer: Answer) -> ItemRefusedError:
    """Return that the server does not take a change of one item."""
    why = code_of(answer) or f"HTTP {answer.status}"
    words = _("The server does not take it: %(why)s.", why=own(why))
    return ItemRefusedError(words, shown(answer.status, answer.body))


def query(options: Mapping[str, str]) -> str:
    """Return options as they stand after a path."""
    return urlencode(options, quote_via=quote, safe="$,()")
