"""The image, where a container engine answers: built from the wheel, started, and ready."""

import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator

import pytest
import requests

from project.settings import BASE_DIR
from tests.patience import LONG
from tests.ports import free_port

pytestmark = pytest.mark.services
BASE_IMAGE = next(
    line.split()[1]
    for line in (BASE_DIR / "Dockerfile").read_text().splitlines()
    if line.startswith("FROM ")
)
# As compose.yaml has it: nobody in particular, who can write to the data only.
CONFINED = (
    "--init", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges:true",
)  # fmt: skip


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    if shutil.which("docker") is None or docker("info").returncode:
        pytest.skip("no container engine answers: `docker info` fails")
    has_base = docker("image", "inspect", BASE_IMAGE).returncode == 0
    if not has_base and docker("pull", "-q", BASE_IMAGE).returncode:
        pytest.skip(f"{BASE_IMAGE} is not here, and no registry has it")
    name = f"chancery-test-{uuid.uuid4().hex[:8]}"
    built = docker("build", "-q", "-t", name, str(BASE_DIR))
    assert built.returncode == 0, built.stderr
    yield name
    docker("image", "rm", "-f", name)


@pytest.fixture
def container(image) -> Iterator[tuple[str, int]]:
    """A container with everything in one process, on a database of its own, and its port."""
    name, port = f"chancery-test-{uuid.uuid4().hex[:8]}", free_port()
    started = docker(
        "run", "--detach", f"--name={name}", *CONFINED, f"--publish=127.0.0.1:{port}:8000",
        image, "chancery", "up", "--host", "0.0.0.0",
    )  # fmt: skip
    assert started.returncode == 0, started.stderr
    yield name, port
    docker("rm", "--force", "--volumes", name)


def test_it_is_ready_confined_as_it_is_and_the_doctor_has_nothing_to_mend(container):
    name, port = container
    end, found = time.monotonic() + 2 * LONG, ""
    while found != "ok":
        assert time.monotonic() < end, (found, docker("logs", name).stdout)
        time.sleep(0.5)
        try:
            answer = requests.get(f"http://127.0.0.1:{port}/health/ready", timeout=LONG)
            found = answer.json()["status"]
        except requests.RequestException as error:
            found = str(error)
    assert docker("exec", name, "id", "-un").stdout.strip() == "chancery"
    doctor = docker("exec", name, "chancery", "doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
