"""The settings of the tests: those of the project, under a folder of their own."""

import os
import tempfile

os.environ.setdefault("CHANCERY_VAR", tempfile.mkdtemp(prefix="chancery-test-"))

from project.settings import *  # noqa: F403
from project.settings import DATABASES, VAR_DIR

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in real life: one in memory knows neither WAL nor two connections.
    DATABASES["default"]["ENGINE"] = "tests.sqlite3"
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
