"""Stored bytes in a bucket of an S3-compatible service, for machines that share no folder."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3 import Session
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import ContentFile
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

# In seconds, for each attempt, of which there are at most three.
_CONNECT, _ANSWER = 5, 60
_LOCK = threading.Lock()


@deconstructible(path="inbox.files.bucket_storage.BucketStorage")
class BucketStorage(S3Storage):  # type: ignore[misc]
    """A bucket in which an object has all of its bytes from the moment that it has its name.

    Names come from the content: one that is stored again is the same. Trouble is told as OSError,
    and what is not there as FileNotFoundError, as by a folder.
    """

    _session: Session | None = None

    def __init__(
        self, *, bucket: str, endpoint: str = "", region: str = "", prefix: str = ""
    ) -> None:
        super().__init__(
            bucket_name=bucket,
            endpoint_url=endpoint or None,
            region_name=region or None,
            location=prefix.strip("/"),
            file_overwrite=True,
            client_config=Config(
                signature_version="s3v4",
                # A service of one's own has seldom a host name for each bucket.
                s3={"addressing_style": "path" if endpoint else "auto"},
                connect_timeout=_CONNECT,
                read_timeout=_ANSWER,
                retries={"mode": "standard", "total_max_attempts": 3},
            ),
            transfer_config=TransferConfig(use_threads=False),
        )

    def get_available_name(self, name: str, max_length: int | None = None) -> str:  # noqa: ARG002
        """Return the name itself: names come from the content, so a second file is the same."""
        return str(name)

    def exists(self, name: str) -> bool:
        """Return whether there is an object of this name."""
        with _as_os_errors(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        """Return how many bytes the object has; raises FileNotFoundError where there is none."""
        with _as_os_errors(name):
            return int(super().size(name))

    def delete(self, name: str) -> None:
        """Remove the object, if there is one."""
        with _as_os_errors(name):
            super().delete(name)

    def _save(self, name: str, content: Any) -> str:
        with _as_os_errors(name):
            return str(super()._save(name, content))

    def _open(self, name: str, mode: str = "rb") -> "ContentFile[bytes]":  # noqa: ARG002
        """Return the whole object: one request, and nothing left to fail while it is read."""
        with _as_os_errors(name):
            found = self.connection.meta.client.get_object(
                Bucket=self.bucket_name, Key=self._normalize_name(name)
            )
            return ContentFile(found["Body"].read(), name)

    def _create_session(self) -> Session:
        # Making one reads for a tenth of a second; threads come and go.
        with _LOCK:
            self._session = self._session or super()._create_session()
        return self._session

    @property
    def connection(self) -> Any:
        """The connection of this thread; a session makes one at a time."""
        if getattr(self._connections, "connection", None) is None:
            session = self._create_session()
            with _LOCK:
                self._connections.connection = session.resource(
                    "s3", region_name=self.region_name, endpoint_url=self.endpoint_url,
                    config=self.client_config,
                )  # fmt: skip
        return self._connections.connection


@contextmanager
def _as_os_errors(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            raise FileNotFoundError(f"the bucket has no {name}") from error
        raise OSError(f"the bucket refused {name}: {error}") from error
    except BotoCoreError as error:
        raise OSError(f"the bucket does not answer: {error}") from error
