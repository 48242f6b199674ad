"""The settings of the tests: those of the project, under a folder of their own."""

import os
import tempfile

os.environ.setdefault("CHANCERY_VAR", tempfile.mkdtemp(prefix="chancery-test-"))

from project.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
