"""What the demo is known by."""

from inbox.models import Workspace

NAME = "Kettlewheel"
SLUG = "kettlewheel"
ADDRESS = "hello@kettlewheel.example"
# The company's own mail server; only its Authentication-Results count.
AUTHSERV_ID = "mx.kettlewheel.example"


def is_demo(workspace: Workspace | None) -> bool:
    """Return True if this workspace is the demo."""
    return workspace is not None and workspace.slug == SLUG
