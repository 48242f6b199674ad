"""Real processes beside a test, on the test's own database."""

import os

from django.db import connection


def process_environment(**more: str) -> dict[str, str]:
    """Return the environment in which a process of ours works on the database of the test."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        login = f"{database['USER']}:{database['PASSWORD']}".rstrip(":")
        url = f"postgres://{login}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    ours = {"DJANGO_SETTINGS_MODULE": "project.settings", "DATABASE_URL": url}
    return os.environ | ours | more
