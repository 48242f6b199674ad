"""The scripted agent, against the real service, with nothing but its token."""

import json
import subprocess
import sys
import urllib.request

import pytest

from agents.operations.setup.demo import DEMO_MAIL
from project.settings import BASE_DIR
from tests.up import DemoUp, clean_environment

SCRIPT = BASE_DIR / "examples" / "demo_agent.py"
CUSTOMERS = (
    "ops@nightline-couriers.example",
    "sofia@pedalverket.example",
    "derek@pughandsons.example",
    "priya@wheelhouse.example",
    "anke@radwerk-brandt.example",
)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # -I: nothing but the standard library, as for somebody without our environment.
    return subprocess.run(
        [sys.executable, "-I", str(SCRIPT), *arguments],
        env={**clean_environment(), **environment, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def service(demo_folder, tmp_path_factory):
    up = DemoUp(demo_folder, tmp_path_factory.mktemp("demo"))
    up.wait_until_ready()
    yield up
    up.stop()


@pytest.fixture(scope="module")
def first_run(service):
    done = run("--url", service.wait_until_ready(), "--token", service.secret("token"))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def approvals(service, first_run):
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


def part(log: str, heading: str) -> str:
    """Return what the log says under a heading."""
    return log.partition(f"== {heading}")[2].partition("\n== ")[0]


def test_it_reads_the_whole_inbox_page_by_page(first_run):
    assert "hello@kettlewheel.example" in first_run
    assert "threads on 4 pages" in first_run


def test_it_searches_in_several_scripts(first_run):
    found = part(first_run, "Searching")
    assert found.count(" hits;") == 5
    assert ": 0 hits" not in found


def test_it_finds_what_presses_most_and_why(first_run):
    pressing = part(first_run, "What presses most")
    assert "surfaced:" in pressing
    assert "because" in pressing


def test_it_reads_invoices(first_run):
    invoices = part(first_run, "Invoices")
    assert "HH-20931" in invoices
    assert "LP-5567" in invoices


def test_it_drafts_replies_to_five_customers_that_read_well(first_run):
    drafts = part(first_run, "Drafting")
    for customer in CUSTOMERS:
        assert f"{customer}: drafted" in drafts
    assert drafts.count("→ queued as msg_") == 5
    assert "| Hi Sofia," in drafts
    assert "| You will hear tomorrow" in drafts or "You will hear tomorrow" in drafts
    assert "| Guten Tag" in drafts


def test_there_is_something_worth_reviewing(approvals):
    sending = [approval for approval in approvals if approval["tool"] == "send_reply"]
    assert len(sending) >= 6
    flags = {flag["flag"] for approval in sending for flag in approval["risk_flags"]}
    assert "contains_sensitive_data" in flags
    assert "lookalike_sender" in flags
    assert any(not approval["risk_flags"] for approval in sending)


def test_what_is_not_allowed_is_refused_and_said(first_run):
    refused = part(first_run, "What I am not allowed")
    assert "it was allowed" not in refused
    assert "approve my own proposal: 404 not_found" in refused
    assert "not mine: 404 not_found" in refused
    assert "without a key: 400 invalid_input" in refused
    assert "403 approval_required" in refused


def test_a_second_run_proposes_nothing_twice(service, first_run, approvals):
    again = run(CHANCERY_URL=service.wait_until_ready(), CHANCERY_TOKEN=service.secret("token"))
    assert again.returncode == 0, again.stdout + again.stderr
    drafts = part(again.stdout, "Drafting")
    assert drafts.count("proposed already, waiting") == 5
    assert "queued" not in drafts
    assert part(again.stdout, "What waits").count("send_reply:") == part(
        first_run, "What waits"
    ).count("send_reply:")


def test_it_says_what_it_needs():
    done = run()
    assert done.returncode == 2
    assert "CHANCERY_TOKEN" in done.stderr


def test_a_wrong_token_is_said_plainly(service):
    done = run("--url", service.wait_until_ready(), "--token", "chy_wrong")
    assert done.returncode == 1
    assert "401 unauthenticated" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_service_that_is_not_there_is_said_plainly():
    done = run("--url", "http://127.0.0.1:9", "--token", "x")
    assert done.returncode == 1
    assert "No answer" in done.stdout


def test_it_asks_only_for_mail_of_the_demo():
    written = b"\n".join(path.read_bytes() for path in DEMO_MAIL.glob("*.eml"))
    for customer in CUSTOMERS:
        assert customer.encode() in written
