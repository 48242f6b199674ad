"""The wheel: built as `make wheel` does, installed into an empty environment, started and used."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
import requests

from project import __version__
from project.settings import BASE_DIR
from tests.patience import LONG
from tests.ports import free_port
from tests.test_requirements import declared, plain
from tests.up import StartedUp, Up

pytestmark = pytest.mark.services

PARTS = ("agents", "calendar_app", "examples/demo_mail", "examples/demo_office", "inbox", "project")
NOBODY = 65534
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip


def pip(*arguments: str) -> None:
    """Run pip; raises CalledProcessError with what it said."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, capture_output=True, text=True)


def roomy_memory() -> str | None:
    """Return where files stay in memory, if programs may run from there: thousands come and go."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        return None
    about = os.statvfs(memory)
    has_room = about.f_bavail * about.f_frsize > 2 * 2**30
    return str(memory) if has_room and not about.f_flag & os.ST_NOEXEC else None


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that every user may look into; those of pytest are their owner's only."""
    path = Path(tempfile.mkdtemp(prefix="chancery-wheel-", dir=roomy_memory()))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def wheel(folder) -> Path:
    try:
        pip("download", "-q", "--no-deps", "--retries=0", "--timeout=20", f"-d{folder}", "pathspec")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no package index answers: {error.stderr.strip().splitlines()[-1]}")
    subprocess.run(["make", "wheel", f"DIST={folder / 'dist'}"], cwd=BASE_DIR, check=True)
    [path] = (folder / "dist").iterdir()
    return path


# -- what is inside --------------------------------------------------------------------------------
def test_its_name_says_what_it_is(wheel):
    assert wheel.name == f"chancery-{__version__}-py3-none-any.whl"


def test_all_that_is_served_is_inside_below_one_name_and_the_client_beside_it(wheel):
    sources = [*PARTS, "templates"]
    files = {
        f"chancery/{path.relative_to(BASE_DIR)}"
        for part in sources
        for path in (BASE_DIR / part).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".po"} and path.name != ".gitkeep"
    }
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    client = {name for name in inside if name.startswith("chancery_client/")}
    files -= {"chancery/project/as_package.py"}
    assert inside - client == {*files, "chancery/__init__.py", "chancery/manage.py"}
    assert {"chancery_client/clients.py", "chancery_client/py.typed"} <= client
    assert any(name.endswith("de/LC_MESSAGES/django.mo") for name in inside)


def test_nothing_inside_names_the_machine_that_built_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            assert os.fsencode(BASE_DIR) not in content, name
            assert os.fsencode(wheel.parent.parent) not in content, name


def test_it_needs_what_run_in_declares_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = email.message_from_bytes(archive.read(name))
    lines = about.get_all("Requires-Dist")
    assert {named(line) for line in lines if "extra ==" not in line} == declared("run")
    extras = ["client", "model", "otel", "semantic"]
    brought = set().union(*(declared(name) for name in extras))
    assert {named(line) for line in lines if "extra ==" in line} == brought
    assert about.get_all("Provides-Extra") == extras
    assert "Private :: Do Not Upload" in about.get_all("Classifier")


# -- installed -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Installed:
    """An environment with nothing but the wheel and what it needs, for an ordinary user."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What `env -i` leaves, and a home: nothing else is known of this machine."""
        return {"HOME": str(self.folder / "home")}

    @property
    def data(self) -> Path:
        if sys.platform == "darwin":
            return self.folder / "home" / "Library" / "Application Support" / "chancery"
        return self.folder / "home" / ".local" / "share" / "chancery"

    @cached_property
    def how(self) -> dict[str, object]:
        """How a process of the user starts, in an empty folder."""
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        return {"cwd": self.folder / "empty", "env": self.environment, **user}

    def run(self, program: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess:
        command = [str(self.folder / "venv" / "bin" / program), *arguments]
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
            **self.how,
        )


def python_for(how: dict[str, object]) -> str:
    """Return a Python that the user may run: root's own may lie in a folder that is closed."""
    for name in (Path(sys.executable).resolve(), "/usr/bin/python3", "/usr/local/bin/python3"):
        check = [str(name), "-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(check, check=False, capture_output=True, **how).returncode == 0:
                return str(name)
        except OSError:
            continue
    pytest.skip("no Python 3.11 that an ordinary user may run")


@pytest.fixture(scope="module")
def installed(wheel, folder) -> Installed:
    """Installed with the versions that are locked, so that nobody's release of today fails this."""
    made = Installed(folder)
    for name in ("empty", "home"):
        (folder / name).mkdir()
        if os.geteuid() == 0:
            os.chown(folder / name, NOBODY, NOBODY)
    venv = str(folder / "venv")
    subprocess.run([python_for(made.how), "-m", "venv", "--without-pip", venv], check=True)
    locked = re.findall(
        r"^\S+==\S+", (BASE_DIR / "requirements" / "run.txt").read_text(), re.MULTILINE
    )
    (folder / "versions.txt").write_text("\n".join(locked))
    pip("--python", venv, "install", "-q", "-c", str(folder / "versions.txt"), str(wheel))
    return made


@pytest.fixture(scope="module")
def up(installed) -> Iterator[Up]:
    program = installed.folder / "venv" / "bin" / "chancery"
    served = StartedUp([program, "up", "--demo", "--port", "0"], **installed.how)
    served.wait_until_ready()
    yield served
    if served.process.poll() is None:
        served.stop()


def until_ready(url: str) -> None:
    """Return once it says that it is; fails with what it says after a while."""
    end = time.monotonic() + LONG
    while (found := readiness(url)) != "ok":
        assert time.monotonic() < end, found
        time.sleep(0.2)


def readiness(url: str) -> str:
    try:
        answer = requests.get(f"{url}/health/ready", timeout=LONG)
    except requests.ConnectionError as error:
        return str(error)
    return "ok" if answer.json()["status"] == "ok" else answer.text


def test_the_names_of_its_packages_stay_free_for_others(installed):
    for name in ("agents", "inbox", "project", "calendar_app", "templates", "examples"):
        found = installed.run("python", "-c", f"import {name}")
        assert "ModuleNotFoundError" in found.stderr


def test_it_is_ready_and_keeps_its_data_in_the_folder_of_the_user(installed, up):
    url = up.wait_until_ready()
    until_ready(url)
    assert f"Everything is kept in {installed.data}." in up.output
    assert (installed.data / "chancery.sqlite3").exists()
    assert installed.data.stat().st_mode & 0o777 == 0o700
    assert list((installed.folder / "empty").iterdir()) == []


def test_a_person_signs_in_and_gets_pages_with_styles_in_their_language(up):
    url = up.wait_until_ready()
    browser = requests.Session()
    browser.headers["Accept-Language"] = "de"
    form = browser.get(f"{url}/admin/login/", timeout=LONG)
    fields = {
        "username": "reviewer",
        "password": up.secret("password"),
        "csrfmiddlewaretoken": re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form.text)[1],
    }
    page = browser.post(f"{url}/admin/login/", fields, headers={"Referer": url}, timeout=LONG)
    assert page.status_code == 200
    assert page.url == f"{url}/admin/"
    assert '<html lang="de"' in page.text
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.text)
    assert styles
    for style in styles:
        sheet = browser.get(url + style, timeout=LONG)
        assert sheet.status_code == 200
        assert sheet.headers["Content-Type"].startswith("text/css")


def test_an_agent_calls_the_api_and_the_rules_have_read_the_mail(up):
    url = up.wait_until_ready()
    agent = requests.Session()
    agent.headers["Authorization"] = f"Bearer {up.secret('token')}"
    [inbox] = agent.get(f"{url}/api/v1/inboxes", timeout=LONG).json()["inboxes"]
    asked = {"inbox_id": inbox["id"], "query": "refund card"}
    found = agent.post(f"{url}/api/tools/search_inbox", json=asked, timeout=LONG).json()
    message = {"message_id": found["results"][0]["message_id"]}
    taxonomies = agent.get(f"{url}/api/v1/taxonomies", timeout=LONG).json()["taxonomies"]
    asked = {**message, "taxonomy_id": taxonomies[0]["id"]}
    triaged = agent.post(f"{url}/api/tools/triage_message", json=asked, timeout=LONG)
    assert triaged.status_code == 200, triaged.text


def test_an_agent_is_served_over_the_streams_of_a_process(installed, up):
    up.wait_until_ready()
    said = installed.run("chancery", "mcp", "--agent", "Clerk", text=json.dumps(HELLO) + "\n")
    assert json.loads(said.stdout)["result"]["serverInfo"]["name"], said.stderr


def test_the_doctor_has_nothing_to_mend(installed, up):
    up.wait_until_ready()
    found = installed.run("chancery", "doctor")
    assert found.returncode == 0, found.stdout + found.stderr
    assert str(installed.data) in found.stdout


def test_several_processes_of_the_web_start_from_it(installed, up):
    up.wait_until_ready()
    port = free_port()
    program = str(installed.folder / "venv" / "bin" / "chancery")
    command = [program, "web", "--port", str(port), "--workers", "2"]
    process = subprocess.Popen(command, **installed.how)
    try:
        until_ready(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(LONG)


def test_it_stops_when_told_to(up):
    up.wait_until_ready()
    code, _ = up.stop()
    assert code == 0
    assert "Stopped." in up.output


def test_the_client_needs_the_same_by_itself_and_as_an_extra():
    own = tomllib.loads((BASE_DIR / "client" / "pyproject.toml").read_text())["project"]
    lines = (BASE_DIR / "requirements" / "client.in").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == own["dependencies"]


def named(line):
    """The distribution that a requirement names."""
    return plain(re.split(r"[\[~=<>;( ]", line)[0])
