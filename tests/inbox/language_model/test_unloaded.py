"""Without a question to a model nothing of what speaks with one is loaded, wherever one serves."""

import os

from tests.fork_server import run

_LOADED = (
    "import sys, project.urls, project.asgi, inbox.job_handlers, agents.job_handlers;"
    "print(sorted({'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'tiktoken'} & sys.modules.keys()))"
)


def test_what_speaks_with_a_model_is_not_loaded_before_one_is_asked(tmp_path):
    named = {"CHANCERY_MODEL": "openai:x", "CHANCERY_VAR": str(tmp_path)}
    done = run(["manage.py", "shell", "-v", "0", "-c", _LOADED], env={**os.environ, **named})
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
