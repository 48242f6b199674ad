"""The exchange folder over HTTP: `/api/v1/exchange` lists it, `/api/v1/exchange/{path}` is a file.

Each request is a call like those of the tools, with its scope, its receipt and its key; the bytes
themselves go beside it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any, ClassVar, Literal
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from pydantic import Field
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from agents.contracts import REGISTRY, Effect, Registry, tool
from agents.contracts.fields import Closed, Moment
from agents.dispatching.dispatch import refuse_request
from agents.errors import ToolError, invalid
from agents.exchange import folders
from agents.exchange.folders import ExchangeFile
from agents.exchange.paths import LONGEST_PATH
from agents.surfaces.body_limit import SPOOLED, SPOOLED_BODY
from agents.surfaces.openapi.document import ContractSchema
from agents.surfaces.rest import ApiView, render_answer
from inbox.actor import Actor
from inbox.admin.messages.downloads import as_download

EXCHANGE = Registry(REGISTRY.documents)
_declare = partial(tool, family="resource", domain="storage", registry=EXCHANGE)
_CHUNK = 2**16
# The bytes of the request that is being answered; its call knows them by their hash.
_BODY: ContextVar[IO[bytes]] = ContextVar("body")

Path = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]


class ExchangePath(Closed):
    """Which file."""

    path: Path


class PutFile(ExchangePath):
    """Which file, and what its bytes are."""

    size: int
    sha256: str


class WholeFolder(Closed):
    """No arguments."""


class ListedFile(Closed):
    """A file in the exchange folder."""

    path: str
    size: int
    modified_at: Moment


class ListedFiles(Closed):
    """Every file in the exchange folder, by path."""

    files: list[ListedFile]
    count: int


class RemovedFile(Closed):
    """The file is gone."""

    status: Literal["deleted"]
    path: str


@_declare(effect=Effect.READ)
def list_exchange_files(actor: Actor, args: WholeFolder) -> ListedFiles:  # noqa: ARG001
    """List the files in the caller's exchange folder."""
    files = [_shape(file) for file in folders.list_files(actor)]
    return ListedFiles(files=files, count=len(files))


@_declare(effect=Effect.READ)
def read_exchange_file(actor: Actor, args: ExchangePath) -> ListedFile:
    """Hand out a file of the caller's exchange folder."""
    return _shape(folders.find_file(actor, args.path))


@_declare(effect=Effect.WRITE)
def put_exchange_file(actor: Actor, args: PutFile) -> ListedFile:
    """Put a file under a path of the caller's exchange folder that is free."""
    body = _BODY.get()
    body.seek(0)
    return _shape(folders.write_chunks(actor, args.path, iter(partial(body.read, _CHUNK), b"")))


@_declare(effect=Effect.DESTROY)
def remove_exchange_file(actor: Actor, args: ExchangePath) -> RemovedFile:
    """Remove a file from the caller's exchange folder."""
    folders.remove_file(actor, args.path)
    return RemovedFile(status="deleted", path=args.path)


def _shape(file: ExchangeFile) -> ListedFile:
    return ListedFile(path=file.path, size=file.size, modified_at=file.modified_at)


EXCHANGE.freeze()


class _ExchangeView(ApiView):
    """What both addresses share."""

    schema = ContractSchema()
    held_in = EXCHANGE

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Take any `Accept`: a file is of the type that it is."""
        return JSONRenderer(), "application/json"

    def _call(self, request: Request, name: str, arguments: dict[str, Any]) -> HttpResponse:
        key = request.headers.get("Idempotency-Key")
        return render_answer(name, arguments, self.actor, key, EXCHANGE)


class FolderView(_ExchangeView):
    """GET lists the folder."""

    resources: ClassVar = {"get": "list_exchange_files"}
    http_method_names = ["get", "head"]

    def get(self, request: Request) -> HttpResponse:
        """List it."""
        return self._call(request, "list_exchange_files", {})


class FileView(_ExchangeView):
    """GET hands a file out, PUT puts one where none is, DELETE removes it."""

    is_bytes = True
    resources: ClassVar = {
        "get": "read_exchange_file",
        "put": "put_exchange_file",
        "delete": "remove_exchange_file",
    }
    http_method_names = ["get", "head", "put", "delete"]

    def get(self, request: Request, path: str) -> HttpResponse:
        """Hand it out as a download."""
        answer = self._call(request, "read_exchange_file", {"path": path})
        content = folders.read_file(self.actor, path)
        response = as_download(content, path.rpartition("/")[2])
        response["Chancery-Receipt"] = answer["Chancery-Receipt"]
        return response

    def put(self, request: Request, path: str) -> HttpResponse:
        """Take the body as the file's bytes; what is there is never overwritten."""
        with self._body_of(request._request) as body:
            digest, size = hashlib.sha256(), 0
            for chunk in iter(partial(body.read, _CHUNK), b""):
                digest.update(chunk)
                size += len(chunk)
            arguments = {"path": path, "size": size, "sha256": digest.hexdigest()}
            token = _BODY.set(body)
            try:
                response = self._call(request, "put_exchange_file", arguments)
            finally:
                _BODY.reset(token)
        response.status_code = 201
        response["Location"] = f"/api/v1/exchange/{quote(path)}"
        return response

    def delete(self, request: Request, path: str) -> HttpResponse:
        """Remove it."""
        return self._call(request, "remove_exchange_file", {"path": path})

    @contextmanager
    def _body_of(self, request: HttpRequest) -> Iterator[IO[bytes]]:
        try:
            _check_headers(request)
            body = _spool(request)
        except ToolError as error:
            refuse_request("put_exchange_file", self.actor, error)
            raise
        with body:
            yield body


def _check_headers(request: HttpRequest) -> None:
    """Refuse what would change the meaning of the body, or ask for more than we do."""
    if request.headers.get("Content-Encoding", "identity").strip().lower() not in {"", "identity"}:
        raise ToolError(
            "unsupported_media_type", "The body is encoded",
            {"header": "Content-Encoding", "accepted": "identity"},
        )  # fmt: skip
    if "Content-Range" in request.headers:
        raise invalid("", "is a part of a file", "the whole file, without Content-Range")
    if request.headers.get("If-None-Match", "*").strip() != "*" or "If-Match" in request.headers:
        raise invalid("", "has a condition that is not kept", "If-None-Match: *")


def _spool(request: HttpRequest) -> IO[bytes]:
    """Return the body as a file at its start; raises ToolError `too_large`."""
    spooled: IO[bytes] | None = getattr(request, "scope", {}).get(SPOOLED_BODY)
    if spooled is not None:
        return spooled
    limit = settings.EXCHANGE_FILE_BYTES
    body: IO[bytes] = SpooledTemporaryFile(SPOOLED)  # noqa: SIM115
    body.write(request.read(limit + 1))
    if body.tell() > limit:
        body.close()
        accepted = {"accepted": f"at most {limit} bytes"}
        raise ToolError("too_large", "The body is too large", accepted)
    body.seek(0)
    return body


def exchange_paths() -> list[URLPattern]:
    """Return the two addresses."""
    return [
        path("v1/exchange", FolderView.as_view()),
        path("v1/exchange/<path:path>", FileView.as_view()),
    ]
