"""What the runs of the fault suite need that are part of the tests."""

from collections.abc import Iterator

import pytest

from tests.faults.stage import Stage, build


@pytest.fixture
def built(tmp_path, db) -> Iterator[Stage]:
    """A stage on the test's own database, whose servers go away at the end."""
    stage = build(tmp_path)
    yield stage
    stage.close()
