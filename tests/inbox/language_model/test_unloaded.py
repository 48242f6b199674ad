"""Without a question to a model nothing of what speaks with one is loaded, wherever one serves."""

import os
import subprocess
import sys

from django.conf import settings

_LOADED = (
    "import sys, project.urls, project.asgi, inbox.job_handlers, agents.job_handlers;"
    "print(sorted({'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'tiktoken'} & sys.modules.keys()))"
)


def test_what_speaks_with_a_model_is_not_loaded_before_one_is_asked(tmp_path):
    named = {"CHANCERY_MODEL": "openai:x", "CHANCERY_VAR": str(tmp_path)}
    # One that is forked off would have loaded what tests before it have.
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", _LOADED], cwd=settings.BASE_DIR,
        env={**os.environ, **named}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
