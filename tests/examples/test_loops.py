"""The loops with a model and the LangGraph graph, against the real service, as printed."""

import json
import subprocess
import sys
import time
import urllib.request

import pytest

from agents.admin.connecting.clients import Address, ready_lines
from agents.models import Agent
from examples.stand_in import answer_the_newest, serve
from inbox.models import Workspace
from project.settings import BASE_DIR
from tests.patience import LONG
from tests.up import DemoUp, clean_environment


@pytest.fixture(scope="module")
def service(demo_folder, tmp_path_factory):
    up = DemoUp(demo_folder, tmp_path_factory.mktemp("loops"))
    up.wait_until_ready(180)
    yield up
    up.stop()


@pytest.fixture
def run(service):
    """Run an example with the agent's token; returns what it printed."""

    def run(name, *arguments):
        done = subprocess.run(
            [sys.executable, BASE_DIR / "examples" / name, *arguments],
            env={
                **clean_environment(), "CHANCERY_URL": service.wait_until_ready(),
                "CHANCERY_TOKEN": service.secret("token"), "PYTHONIOENCODING": "utf-8",
                "CHANCERY_PASSWORD": service.secret("password"),
            },
            capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def waiting(service):
    return asked(service, "list_approvals", state="waiting")["approvals"]


def asked(service, name, **arguments):
    request = urllib.request.Request(
        f"{service.wait_until_ready()}/api/tools/{name}",
        data=json.dumps(arguments).encode(),
        headers={
            "Authorization": f"Bearer {service.secret('token')}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_the_lines_that_a_page_shows_work_with_a_model(service, vendor):
    agent = Agent(name="Clerk", workspace=Workspace(slug="kettlewheel"))
    address = Address(service.wait_until_ready(), service.secret("token"), agent)
    [program] = [one.lines for one in ready_lines(address) if one.key == vendor]
    with serve(answer_the_newest) as url:
        model = {
            "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x",
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", program], env={**clean_environment(), **model},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "a person decides at" in done.stdout
    assert waiting(service)


@pytest.mark.parametrize("name", ["openai_loop.py", "anthropic_loop.py", "bedrock_loop.py"])
def test_a_loop_is_told_its_mistake_and_ends_with_a_proposal_that_waits(run, service, name):
    said = run(name)
    assert "/parameters/email_id is required" in said
    # The loops say the same to the same mail: each is answered with the first's proposal.
    (proposed,) = [one for one in waiting(service) if one["tool"] == "email_reply"]
    assert said.rstrip().endswith(proposed["review_url"])


def sent(service):
    """Return how many emails of the account left."""
    account = asked(service, "look_around")["accounts"][0]["id"]
    return len(asked(service, "email_list", account_id=account, folder="sent", limit=200))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("accept", "It is approved"),
        ("ignore", "It is rejected: A person let it be."),
        ("response:Name the price.", "It is returned: Name the price."),
        ("edit:Dear colleague, tomorrow.", "It is approved"),
    ],
)
def test_the_graph_stops_for_a_person_and_goes_on_with_the_answer(run, service, answer, outcome):
    before = sent(service)
    said = run("langgraph_node.py", "--answer", answer)
    assert "Interrupted: Clerk asks for `email_reply`" in said
    assert said.rstrip().splitlines()[-1] == outcome
    # What is proposed next is of the same thread, and would be void once this one's reply leaves.
    end = time.monotonic() + LONG
    while "approved" in outcome and sent(service) == before:
        assert time.monotonic() < end
        time.sleep(0.1)
