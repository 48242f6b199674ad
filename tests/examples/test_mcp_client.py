"""The MCP client of the examples, against the real service, over HTTP and over stdio."""

import json
import subprocess
import sys
import urllib.request

import pytest

from project.settings import BASE_DIR
from tests.up import DemoUp, clean_environment


@pytest.fixture(scope="module")
def service(demo_folder, tmp_path_factory):
    var = tmp_path_factory.mktemp("mcp")
    up = DemoUp(demo_folder, var)
    up.var = str(var)
    up.wait_until_ready(180)
    yield up
    up.stop()


def run(service, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, BASE_DIR / "examples" / "mcp_client.py", *arguments],
        env={**clean_environment(), "CHANCERY_URL": service.wait_until_ready(),
             "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def waiting(service):
    request = urllib.request.Request(
        f"{service.wait_until_ready()}/api/tools/list_approvals",
        data=b'{"state": "waiting"}',
        headers={
            "Authorization": f"Bearer {service.secret('token')}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["approvals"]


def test_it_proposes_a_reply_once_and_shows_a_person_the_page(service):
    said = run(service, CHANCERY_TOKEN=service.secret("token"))
    (approval,) = waiting(service)
    assert said.startswith("Speaking 2026-07-28 with auth, cache, ")
    assert said.count("a person is asked") == 1
    assert f"     {approval['review_url']}" in said
    assert said.rstrip().endswith(approval["review_url"])
    # The same run again finds what it proposed.
    again = run(service, CHANCERY_TOKEN=service.secret("token"))
    assert again.rstrip().endswith(approval["review_url"])
    assert len(waiting(service)) == 1


def test_it_does_so_over_stdio_beside_the_running_service(service):
    said = run(service, "--agent", "Clerk", "--run", "stdio", CHANCERY_VAR=service.var)
    # The same words to the same message, whatever the way: it is answered with the first proposal.
    (proposed,) = waiting(service)
    assert proposed["approval_id"] in said
    assert "refused: " in said
