"""Files by WebDAV against WsgiDAV."""

from collections.abc import Iterator

import pytest

from tests.file_store_cases import FileCases
from tests.inbox.providers.dav.stages import FileStage

pytestmark = pytest.mark.services


class TestFiles(FileCases):
    """The whole tree at once, with another server's etags."""

    @pytest.fixture
    def stage(self, wsgidav) -> Iterator[FileStage]:
        """An empty folder."""
        stage = FileStage(wsgidav)
        yield stage
        stage.close()
