"""What docs/how-to/operate.md says: its commands run as printed, and its figures are those."""

import re
import shlex
import shutil
import subprocess

import pytest

from inbox.operations.worker_processes import note_worker
from project.monitoring import health, probes
from project.monitoring.metrics import exposition, observe_request
from project.settings import BASE_DIR
from tests.fork_server import python
from tests.up import DemoUp, clean_environment

PAGE = (BASE_DIR / "docs" / "how-to" / "operate.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page uses curl")
def test_its_commands_run_as_printed(demo_folder, tmp_path):
    (tmp_path / "passphrase.txt").write_text("wax, ribbon and a ring\n")
    script = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    up = DemoUp(demo_folder, tmp_path / "var")
    try:
        script = script.replace("http://127.0.0.1:8000", up.wait_until_ready(180))
        script = script.replace(
            ".venv/bin/python manage.py", shlex.join([*python(), f"{BASE_DIR}/manage.py"])
        )
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={**clean_environment(), "CHANCERY_VAR": str(tmp_path / "var")},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        up.stop()
    assert done.returncode == 0, done.stdout + done.stderr
    for words in (
        "Nothing to mend",
        '{"status": "ok"}',
        '"status": "ok", "checks": {"database": "ok"',
        'chancery_jobs{pace="urgent",state="due"}',
        "x-request-id: look-1",
        "and now wait for a person",
        "receipts hold",
    ):
        assert words in done.stdout
    assert (tmp_path / "elsewhere" / "chancery.sqlite3").exists()


@pytest.mark.django_db
def test_the_figures_that_it_names_are_told():
    note_worker()
    observe_request("api", 200, 0.1)
    told = set(re.findall(r"^# HELP (chancery_\w+) ", exposition().decode(), re.MULTILINE))
    assert set(re.findall(r"`(chancery_\w+)", PAGE)) == told


def test_its_times_are_those_of_the_code():
    page = " ".join(PAGE.split())
    assert "work is late (five minutes)" in page
    assert health.LATE.total_seconds() == 300
    assert "no worker was seen for 90 seconds" in page
    assert health.GONE_AFTER.total_seconds() == 90
    assert "every two seconds at most" in page
    assert probes.GOOD_FOR == 2
    assert "an answer within five" in page
    assert probes.PATIENCE == 5
