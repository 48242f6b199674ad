"""Static files, found by WhiteNoise and answered out of memory, in a way that ASGI can take."""

import gzip
from collections.abc import Callable
from functools import cached_property
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, cast
from wsgiref.headers import Headers

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import NOT_ALLOWED_RESPONSE, MissingFileError, Response, StaticFile

from project.assets.bundles import BUNDLES
from project.assets.naming import hash_of, without_hash

# What is named by its content is never another.
FOREVER = "public, max-age=31536000, immutable"
_TEXT = (".css", ".js", ".json", ".map", ".svg", ".txt")


class _Body(NamedTuple):
    """A form of the content, with the names of WhiteNoise's entry for a file."""

    path: bytes
    size: int


class FileInMemory(StaticFile):  # type: ignore[misc]
    """A file that is read, and packed, once somebody asks for it."""

    last_modified = None

    def __init__(self, read: Callable[[], bytes], headers: Headers, *, is_text: bool) -> None:
        self._read, self._given, self._is_text = read, headers, is_text

    @cached_property
    def content(self) -> bytes:
        """What is in it."""
        return self._read()

    @cached_property
    def digest(self) -> str:
        """The hash that stands in its name."""
        return hash_of(self.content)

    @property
    def etag(self) -> str:
        """The content's mark, by which a browser asks whether it is still the same."""
        return f'"{self.digest}"'

    @cached_property
    def headers(self) -> Headers:
        """What each answer says."""
        extra = [("ETag", self.etag), *([("Vary", "Accept-Encoding")] if self._is_text else [])]
        return Headers([*self._given.items(), *extra])

    @cached_property
    def alternatives(self) -> Any:
        """The content as it is and, of a text, packed; the smallest first."""
        bodies: dict[str | None, bytes] = {None: self.content}
        if self._is_text:
            bodies["gzip"] = gzip.compress(self.content, mtime=0)
        entries = {name: _Body(body, len(body)) for name, body in bodies.items()}
        return self.get_alternatives(self.headers, entries)

    @cached_property
    def not_modified_response(self) -> Response:
        """The answer to whoever has it already."""
        return self.get_not_modified_response(self.headers)

    def get_response(self, method: str, request_headers: dict[str, str]) -> Response:
        """Return the content, the part of it that was asked for, or that it has not changed."""
        if method not in {"GET", "HEAD"}:
            return NOT_ALLOWED_RESPONSE
        if self.is_not_modified(request_headers):
            return self.not_modified_response
        content, headers = self.get_path_and_headers(request_headers)
        opened = BytesIO(content) if method == "GET" else None
        try:
            return self.get_range_response(request_headers.get("HTTP_RANGE", ""), headers, opened)
        except ValueError:
            # No part was asked for, or none that can be read.
            return Response(HTTPStatus.OK, headers, opened)


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Answers with a file's content at once, by its own name and by the one that has its hash.

    WhiteNoise would hand over an open file, which Django's ASGI handler reads whole all the same,
    with a warning for each.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with a file, or pass the request on.

        A hash that is not that of the content is of another version, which the page of another
        process asks for while all are being replaced: it gets this one, for a moment.
        """
        url, asked = without_hash(request.path_info)
        found = self.look_up(url) or (self.look_up(request.path_info) if asked else None)
        if found is None:
            response: HttpResponseBase = self.get_response(request)
            return response
        answer = self.serve(found, request)
        if asked == found.digest:
            answer["Cache-Control"] = FOREVER
        return answer

    def look_up(self, url: str) -> FileInMemory | None:
        """Return the file at an address; while developing as it is now."""
        found = self.find_file(url) if self.autorefresh else self.files.get(url)
        return cast("FileInMemory | None", found)

    def find_file(self, url: str) -> Any:
        """Return what is at an address now."""
        name = url.removeprefix(self.static_prefix)
        if name in BUNDLES:
            return self.hold(BUNDLES[name], url)
        return super().find_file(url)

    def add_files_from_finders(self) -> None:
        """Note all files, and those that are joined from others."""
        super().add_files_from_finders()
        for name, join in BUNDLES.items():
            url = self.static_prefix + name
            self.files[url] = self.hold(join, url)

    def get_static_file(
        self, path: str, url: str, stat_cache: dict[str, Any] | None = None
    ) -> FileInMemory:
        """Return a file; raises MissingFileError where there is none."""
        if stat_cache is None and not Path(path).is_file():
            raise MissingFileError(path)
        return self.hold(Path(path).read_bytes, url)

    def hold(self, read: Callable[[], bytes], url: str) -> FileInMemory:
        """Return what is read once it is asked for, as it is answered at this address."""
        headers = Headers([("Cache-Control", f"public, max-age={self.max_age}")])
        self.add_mime_headers(headers, url, url)
        headers["Access-Control-Allow-Origin"] = "*"
        return FileInMemory(read, headers, is_text=url.endswith(_TEXT))

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file, the part of it that was asked for, or that it has not changed."""
        found = static_file.get_response(request.method, request.META)
        content = b"" if found.file is None else found.file.read()
        response = HttpResponse(content, status=int(found.status))
        # Whether there is a type, and which, is said by WhiteNoise.
        del response["Content-Type"]
        for name, text in found.headers:
            response[name] = text
        return response
