"""What each process of a search does: it makes an office of its own, and searches stages in it.

A process that is started anew reads no `__main__` of a package, so that this stands by itself.
"""

import os

# Each process has a folder and a database of its own.
os.environ.pop("CHANCERY_VAR", None)
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.db import connection  # noqa: E402

from tests.attacks.search import Found, Stage, search  # noqa: E402
from tests.attacks.world import World, make_world  # noqa: E402

_worlds: list[World] = []


def prepare() -> World:
    """Make the database and the office that this process attacks, once."""
    if not _worlds:
        connection.creation.create_test_db(verbosity=0)
        _worlds.append(make_world())
    return _worlds[0]


def run_stage(stage: Stage) -> Found:
    """Search one stage in this process's office."""
    return search(prepare(), stage)
