from pathlib import Path

import pytest
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

from inbox.files.storage import blob_name, store_bytes, store_chunks


def files(settings) -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_bytes_are_kept_under_their_hash_once(settings):
    sha256 = store_bytes(7, b"lamp oil")
    assert store_bytes(7, b"lamp oil") == sha256
    with default_storage.open(blob_name(7, sha256)) as file:
        assert file.read() == b"lamp oil"
    assert len(files(settings)) == 1


def test_workspaces_do_not_share_bytes(settings):
    store_bytes(7, b"lamp oil")
    store_bytes(8, b"lamp oil")
    assert len(files(settings)) == 2


def test_a_file_that_lost_its_end_is_written_anew(settings):
    sha256 = store_bytes(7, b"lamp oil")
    Path(default_storage.path(blob_name(7, sha256))).write_bytes(b"lamp")
    store_bytes(7, b"lamp oil")
    with default_storage.open(blob_name(7, sha256)) as file:
        assert file.read() == b"lamp oil"


def test_bytes_that_cannot_be_written_whole_leave_nothing(settings):
    class Torn(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"half"
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        default_storage.save("blobs/7/ab/abc", Torn(b""))
    assert files(settings) == []


def test_bytes_too_many_for_the_memory_are_kept_in_pieces(settings, tmp_path):
    sha256, size = store_chunks(7, iter([b"lamp ", b"oil"]), tmp_path / "part")
    assert (sha256, size) == (store_bytes(7, b"lamp oil"), 8)
    assert not (tmp_path / "part").exists()


def test_what_is_stored_is_for_its_owner_only():
    sha256 = store_bytes(7, b"lamp oil")
    assert Path(default_storage.path(blob_name(7, sha256))).stat().st_mode & 0o077 == 0


def test_a_name_outside_of_the_folder_is_refused():
    with pytest.raises(Exception, match="path traversal"):
        default_storage.save("../escape", File(ContentFile(b"x")))
