"""Files by WebDAV against Apache's mod_dav."""

from collections.abc import Iterator

import pytest

from tests.change_store_cases import everything
from tests.file_store_cases import FileCases, folder
from tests.inbox.providers.dav.stages import FileStage

pytestmark = pytest.mark.services


class TestShallow(FileCases):
    """Folder by folder, signed in by digests."""

    @pytest.fixture
    def stage(self, shallow_apache) -> Iterator[FileStage]:
        """An empty folder."""
        stage = FileStage(shallow_apache)
        yield stage
        stage.close()


class TestDeep(FileCases):
    """The whole tree at once, signed in by passwords."""

    @pytest.fixture
    def stage(self, deep_apache) -> Iterator[FileStage]:
        """An empty folder."""
        stage = FileStage(deep_apache)
        yield stage
        stage.close()

    def test_a_look_into_a_deep_tree_is_one_call(self, stage):
        for path in ("a", "a/b", "a/b/c"):
            folder(stage, path)
        position = everything(stage).position
        before = stage.store.calls
        assert stage.store.changes(stage.collection, position).present == ()
        assert stage.store.calls - before == 1
