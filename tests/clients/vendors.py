"""The list of tools before a vendor's own client, where that is none of what our tests install."""

import json
import re

from agents.surfaces.mcp.profiles import PROFILES
from tests.clients.environments import ROOT, WANTED, make_python
from tests.clients.openapi.tools import Try

GEMINI = "google-genai"
_ENVIRONMENT = "google-adk"
_READ = """
import json
from google.genai import types
for tools in json.load(open('lists.json')):
    [read] = [types.Tool.model_validate(tool) for tool in tools]
    assert read.function_declarations
"""


def take_gemini(tried: Try) -> None:
    """Have Google's client read the list of every profile, and run the loop with one."""
    python = make_python(_ENVIRONMENT)
    lists = [tried.service.chancery.tools("gemini", profile) for profile in PROFILES]
    (tried.folder / "read.py").write_text(_READ)
    (tried.folder / "lists.json").write_text(json.dumps(lists))
    tried.run(python, "read.py")
    example = ROOT / "examples" / "gemini_loop.py"
    service = tried.service
    said = tried.run(python, example, "--url", service.url, "--token", service.token)
    assert "/parameters/email_id is required" in said, said
    assert "a person decides at" in said.splitlines()[-1], said


def gemini_version() -> str:
    """Return the version that is tried."""
    found = re.search(
        rf"^{GEMINI}==(\S+)$", (WANTED / f"{_ENVIRONMENT}.txt").read_text(), re.MULTILINE
    )
    assert found
    return found[1]
