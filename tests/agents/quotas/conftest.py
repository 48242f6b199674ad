"""What the tests of quotas share."""

import pytest

from agents.approval import lifecycle


@pytest.fixture
def reject(reviewer):
    """Reject as the reviewer."""

    def reject(approval):
        return lifecycle.reject(approval=approval, by=reviewer, reason="No.")

    return reject
