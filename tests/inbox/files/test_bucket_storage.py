"""Stored bytes in a bucket, on a server that speaks S3."""

import socket
import tarfile
from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from moto.server import ThreadedMotoServer

from inbox.files.storage import blob_name, check_storage, store_bytes, store_chunks
from inbox.models import store_blob


@pytest.fixture(scope="module")
def service():
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def bucket(service, settings, monkeypatch, request):
    """A bucket of the test's own, which the storage is."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    name = f"test-{abs(hash(request.node.name))}"
    found = boto3.resource("s3", endpoint_url=service, region_name="us-east-1").create_bucket(
        Bucket=name
    )
    use(settings, service, name)
    return found


def use(settings, service, bucket):
    options = {"bucket": bucket, "endpoint": service, "region": "us-east-1", "prefix": "kept"}
    settings.STORAGES = settings.STORAGES | {
        "default": {"BACKEND": "inbox.files.bucket_storage.BucketStorage", "OPTIONS": options}
    }


def keys(bucket) -> list[str]:
    return [one.key for one in bucket.objects.all()]


def test_bytes_are_kept_under_their_hash_once(bucket):
    sha256 = store_bytes(7, b"lamp oil")
    [before] = bucket.objects.all()
    assert store_bytes(7, b"lamp oil") == sha256
    with default_storage.open(blob_name(7, sha256)) as file:
        assert file.read() == b"lamp oil"
    [after] = bucket.objects.all()
    assert after.key == f"kept/{blob_name(7, sha256)}"
    assert after.last_modified == before.last_modified


def test_bytes_too_many_for_the_memory_are_kept_in_pieces(bucket, tmp_path):
    content = b"lamp oil" * (2**21)
    sha256, size = store_chunks(7, iter([content[:100], content[100:]]), tmp_path / "part")
    assert (default_storage.size(blob_name(7, sha256)), size) == (2**24, 2**24)
    assert sha256 == store_bytes(7, content)
    assert len(keys(bucket)) == 1


def test_an_object_that_is_shorter_is_written_anew(bucket):
    sha256 = store_bytes(7, b"lamp oil")
    default_storage.save(blob_name(7, sha256), ContentFile(b"lamp"))
    store_bytes(7, b"lamp oil")
    with default_storage.open(blob_name(7, sha256)) as file:
        assert file.read() == b"lamp oil"


@pytest.mark.django_db
def test_a_blob_is_read_from_it_by_many_threads(workspace):
    blob = store_blob(workspace.pk, b"lamp oil")
    with ThreadPoolExecutor(8) as threads:
        assert {bytes(it) for it in threads.map(lambda _: blob.read(), range(16))} == {b"lamp oil"}


def test_what_is_not_there_is_a_file_that_is_missing():
    assert not default_storage.exists("blobs/7/ab/abc")
    for ask in (default_storage.open, default_storage.size):
        with pytest.raises(FileNotFoundError):
            ask("blobs/7/ab/abc")


def test_the_check_leaves_nothing_behind(bucket):
    check_storage()
    assert keys(bucket) == []


def test_a_bucket_that_there_is_not_is_told_of(settings, service):
    use(settings, service, "no-such-bucket")
    with pytest.raises(OSError, match="bucket"):
        check_storage()


def test_a_service_that_is_away_is_told_of_as_trouble_of_the_system(settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    use(settings, f"http://127.0.0.1:{port}", "away")
    with pytest.raises(OSError, match="does not answer"):
        store_bytes(7, b"lamp oil")


def test_a_name_outside_of_the_prefix_is_refused():
    with pytest.raises(Exception, match=r"denied|path traversal"):
        default_storage.save("../escape", ContentFile(b"x"))


@pytest.mark.django_db(transaction=True)
def test_a_backup_holds_what_lies_in_it(workspace, tmp_path):
    blob = store_blob(workspace.pk, b"lamp oil")
    call_command("backup", tmp_path / "b.tar", verbosity=0)
    with tarfile.open(tmp_path / "b.tar") as tar:
        member = tar.extractfile(f"media/{blob_name(workspace.pk, blob.sha256)}")
        assert member.read() == b"lamp oil"
