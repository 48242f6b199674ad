"""Makes accounts to be watched, by settings in JSON on standard input."""

import json
import sys

from inbox.models import Workspace
from tests.inbox.syncing.watching.accounts import connect_many

if __name__ == "__main__":
    workspace = Workspace.objects.create(name="Bench", slug="bench")
    connect_many(workspace, json.load(sys.stdin))
