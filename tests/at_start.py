"""What a process of ours has loaded once it has started, and nothing was asked of it.

`python -m tests.at_start` says it, in an interpreter for which nothing was loaded before; one is
started in a run, for all tests that ask. It loads what web servers and workers do, and searching.
"""

import importlib
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import regex

ROOT = Path(__file__).resolve().parent.parent
_SERVING = (
    "project.urls", "project.asgi", "inbox.job_handlers", "agents.job_handlers", "inbox.search",
    "inbox.classify.triage", "inbox.extract", "inbox.compose",
)  # fmt: skip


@dataclass(frozen=True)
class Started:
    """The modules that are loaded, those that compiled a pattern by then, and languages read."""

    modules: list[str]
    compiling: list[str]
    languages: int


def ask(environment: dict[str, str]) -> Started:
    """Start one in this environment, and return what it has loaded."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.at_start"], cwd=ROOT, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return Started(**json.loads(done.stdout))


def _watch(module: ModuleType, compiling: set[str]) -> None:
    plain = module.compile

    def watched(*given, **more):
        compiling.add(str(sys._getframe(1).f_globals.get("__name__")))
        return plain(*given, **more)

    module.compile = watched


def _started() -> Started:
    compiling: set[str] = set()
    for module in (re, regex):
        _watch(module, compiling)
    importlib.import_module("django").setup()
    for name in _SERVING:
        importlib.import_module(name)
    languages = importlib.import_module("inbox.languages.loading").languages
    return Started(sorted(sys.modules), sorted(compiling), languages.cache_info().currsize)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(_started())))
