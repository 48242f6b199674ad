"""The settings of the tests: those of the project, under a folder of their own."""

import gc
import os
import sys

from tests.own_folders import own_folder, prefer_memory

if "TMPDIR" not in os.environ:
    prefer_memory()
if "CHANCERY_VAR" not in os.environ:
    os.environ["CHANCERY_VAR"] = str(own_folder("chancery-test-"))
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # The processes that tests start, by the hundred, would each compile every module anew.
    sys.dont_write_bytecode = False

from project.settings import *  # noqa: F403
from project.settings import DATABASES, MIDDLEWARE, VAR_DIR

# As `manage.py` does: what is loaded and collected stays.
gc.set_threshold(50_000, 20, 20)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in real life: one in memory knows neither WAL nor two connections.
    DATABASES["default"]["ENGINE"] = "tests.sqlite3"
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("postgresql"):
    DATABASES["default"]["ENGINE"] = "tests.postgresql"
    # What a test commits need not outlast a loss of power.
    DATABASES["default"].setdefault("OPTIONS", {})["options"] = "-c synchronous_commit=off"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MIDDLEWARE = [
    "tests.static_files.FoundOnce"
    if name == "project.middleware.static_files.StaticFilesMiddleware"
    else name
    for name in MIDDLEWARE
]
