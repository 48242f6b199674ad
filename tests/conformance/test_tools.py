"""The runner's scenarios find their tools, at the address that they are asked at."""

import os

from tests.fork_server import run

# In a process of its own: tests of ours count our profiles.
_ASKED = """
from agents.surfaces.mcp.profiles import find_profile
from tests.conformance.tools import add_profile
add_profile()
print(*(tool.name for tool in find_profile("conformance").declared))
"""


def test_their_profile_is_found_by_its_name():
    done = run(["manage.py", "shell", "-v", "0", "-c", _ASKED], env=os.environ)
    assert done.returncode == 0, done.stderr
    assert {"test_simple_text", "json_schema_2020_12_tool"} <= set(done.stdout.split())
