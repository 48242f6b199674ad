"""A PostgreSQL of the test's own, restarted while two workers send."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from tests.ports import free_port

pytestmark = pytest.mark.services


def find_program(name: str) -> str:
    """Return where a program of PostgreSQL's is: on the path, or where Debian puts the newest."""
    versions = Path("/usr/lib/postgresql").glob(f"[0-9]*/bin/{name}")
    found = shutil.which(name) or max(map(str, versions), default=None)
    if found is None:
        pytest.skip(f"{name} is not here (Debian's package postgresql)")
    return found


@pytest.fixture
def server():
    """Start one on a free port, as a plain user; give its folder and the address of a database."""
    initdb, pg_ctl = (find_program(name) for name in ("initdb", "pg_ctl"))
    owner = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    folder = Path(tempfile.mkdtemp(prefix="chancery-pg-"))
    shutil.chown(folder, owner)
    port = free_port()
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=owner, cwd=folder)

    run(initdb, "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync")
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(f"port = {port}\nlisten_addresses = '127.0.0.1'\n")
        settings.write(f"unix_socket_directories = '{data}'\n")
    run(pg_ctl, "-D", str(data), "-w", "-l", f"{data}/log", "start")
    try:
        yield data, f"postgres://postgres@127.0.0.1:{port}/postgres"
    finally:
        run(pg_ctl, "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_mail_that_is_sent_while_it_restarts_is_sent_once(server, tmp_path):
    data, url = server
    ours = {
        "DATABASE_URL": url,
        "PATH": f"{Path(find_program('pg_ctl')).parent}:{os.environ['PATH']}",
        "CHANCERY_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "project.settings",
    }
    run = subprocess.run(
        [sys.executable, "-m", "tests.machines.restarts", str(data)],
        cwd=django_settings.BASE_DIR, check=True, stdout=subprocess.PIPE, env=os.environ | ours,
    )  # fmt: skip
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["most"] == 1
    assert found["strangers"] == found["sent but not arrived"] == 0
    assert found["states"].keys() <= {"sent", "unknown"}
    assert found["copies"] == found["states"]["sent"] > 0
