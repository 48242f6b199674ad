"""What the image and the compose file name is there; their commands run, on services of ours."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import uuid
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import yaml
from cryptography.fernet import Fernet
from django.core.management import get_commands

from agents.management.reference import settings_source
from project.settings import BASE_DIR
from tests.ports import free_port
from tests.services import need_redis, postgresql_url

COMPOSE = yaml.safe_load((BASE_DIR / "compose.yaml").read_text())
DOCKERFILE = (BASE_DIR / "Dockerfile").read_text().replace("\\\n", " ")
SETTINGS = settings_source(BASE_DIR)
PAGE = BASE_DIR / "docs" / "how-to" / "run-at-scale.md"
OURS = {name: one for name, one in COMPOSE["services"].items() if one.get("image") == "chancery"}
READ_BY_OTHERS = {"FORWARDED_ALLOW_IPS", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
# Where the programs of our environment are.
PROGRAMS = Path(sys.executable).parent


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)


def command_of(service: dict) -> list[str]:
    return service.get("command") or json.loads(instructions("CMD")[-1])


def test_every_process_has_its_service():
    assert OURS.keys() == {"web", "sender", "worker", "beat", "watch", "migrate"}


def test_what_the_image_is_made_of_is_there_and_not_ignored():
    kept = {
        line[1:]
        for line in (BASE_DIR / ".dockerignore").read_text().splitlines()
        if line[:1] == "!"
    }
    wheel = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    made_of = wheel["targets"]["wheel"]
    parts = {*made_of["only-include"], "pyproject.toml", "README.md", "LICENSE"}
    moved = {path for path in made_of["force-include"] if not path.startswith("project/")}
    assert kept == {*parts, *moved, "requirements"}
    assert all((BASE_DIR / part).exists() for part in kept)
    copied = [line.split()[0] for line in instructions("COPY") if not line.startswith("--from")]
    assert {source.partition("/")[0] for source in copied} <= {".", *kept}
    assert all((BASE_DIR / source).exists() for source in copied)


def test_uvicorn_and_celery_find_the_packages_where_pip_puts_them():
    [version] = {line.split("-")[0].removeprefix("python:") for line in instructions("FROM")}
    [place] = re.findall(r"PYTHONPATH=(\S+)", DOCKERFILE)
    assert place == f"/opt/venv/lib/python{version}/site-packages/chancery"


def test_the_image_runs_as_nobody_in_particular_and_tells_whether_it_lives():
    assert instructions("USER") == ["chancery"]
    assert "/health/live" in instructions("HEALTHCHECK")[0]
    assert all(":" in line and "latest" not in line for line in instructions("FROM"))


def test_the_image_is_built_once_and_never_taken_from_a_registry():
    assert [name for name, one in OURS.items() if "build" in one] == ["migrate"]
    policies = {name: one["pull_policy"] for name, one in OURS.items()}
    assert policies.pop("migrate") == "build"
    assert set(policies.values()) == {"never"}


def test_what_cannot_be_written_at_a_start_is_compiled_before():
    installed = [line for line in instructions("RUN") if "pip install" in line]
    assert installed
    assert not any("--no-compile" in line for line in installed)


def test_every_package_from_outside_is_checked_by_its_hash():
    for line in instructions("RUN"):
        for install in re.findall(r"pip install ([^&]+)", line):
            assert "--require-hashes" in install or {"--no-index", "--no-deps"} <= {
                *install.split()
            }


@pytest.mark.parametrize("name", OURS)
def test_a_process_writes_nowhere_but_to_its_data_and_something_ends_what_it_leaves(name):
    service = OURS[name]
    assert service["read_only"] is service["init"] is True
    assert service["volumes"] == ["data:/data"]


def test_the_database_is_asked_as_those_ask_who_wait_for_it():
    # While it is made, a server answers on the socket that is not the one to come.
    _, check = COMPOSE["services"]["db"]["healthcheck"]["test"]
    assert "--host 127.0.0.1" in check


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one_that_there_is(name):
    program, *rest = command_of(OURS[name])
    if program == "chancery":
        assert rest[0] in get_commands()
    else:
        assert (PROGRAMS / program).exists()


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_one_that_is_read(name):
    for variable in OURS[name]["environment"]:
        assert f'"{variable}"' in SETTINGS or variable in READ_BY_OTHERS


def test_what_has_to_be_given_is_named_on_the_page():
    page = PAGE.read_text()
    required = set(re.findall(r"\$\{(\w+):\?", (BASE_DIR / "compose.yaml").read_text()))
    [written] = re.findall(r"cat > \.env <<EOF\n(.+?)\nEOF", page, re.DOTALL)
    assert {line.partition("=")[0] for line in written.splitlines()} == required


def test_what_the_page_runs_in_a_service_is_there():
    ran = re.findall(
        r"docker compose \S*.*?(?:exec|run --rm)(?: -T)? (\w+) chancery (\w+)",
        PAGE.read_text(),
    )
    assert {"setup_code", "backup", "restore"} <= {each[1] for each in ran}
    for service, command in ran:
        assert service in OURS
        assert command in get_commands()


def test_what_a_service_waits_for_and_keeps_is_declared():
    for service in COMPOSE["services"].values():
        for other, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in COMPOSE["services"][other]
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in COMPOSE["volumes"]


def test_no_secret_stands_in_the_files_and_no_port_is_open_to_the_world():
    for name, service in COMPOSE["services"].items():
        for variable, value in service.get("environment", {}).items():
            if any(word in variable for word in ("SECRET", "PASSWORD", "KEYS", "TOKEN")):
                assert value.startswith("${"), (name, variable)
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


# -- the commands, run -----------------------------------------------------------------------------
@pytest.fixture
def database():
    url = postgresql_url()
    if url is None:
        pytest.skip("PostgreSQL does not answer")
    name = f"chancery_compose_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield f"{url.rpartition('/')[0]}/{name}"
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def environment_of(name: str, database: str, var: Path) -> dict[str, str]:
    """Return the service's environment, with what an operator gives and our own servers."""
    given = {
        "CHANCERY_BASE_URL": "https://chancery.example.org",
        "CHANCERY_HOSTS": "chancery.example.org",
        "CHANCERY_SECRET_KEY": secrets.token_urlsafe(50),
        "CHANCERY_CREDENTIAL_KEYS": Fernet.generate_key().decode(),
    }
    ours = {
        variable: re.sub(r"\$\{(\w+):[-?]([^}]*)\}", lambda m: given.get(m[1], ""), value)
        for variable, value in OURS[name]["environment"].items()
    }
    servers = {"DATABASE_URL": database, "CELERY_BROKER_URL": need_redis()}
    place = {"CHANCERY_VAR": str(var), "DJANGO_SETTINGS_MODULE": "project.settings"}
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    return {"PATH": path, **ours, "CHANCERY_LOG_LEVEL": "WARNING", **servers, **place}


def ready(port: int) -> dict:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)
    except OSError as error:
        return {"status": str(error)}


@pytest.mark.services
def test_the_commands_together_are_a_set_up_that_is_ready(database, tmp_path):
    port = free_port()

    def start(name: str) -> subprocess.Popen:
        command = [
            str(port) if part == "8000" else part.replace("/tmp/beat", str(tmp_path / "beat"))
            for part in command_of(OURS[name])
        ]
        if command[0] == "chancery":
            command[:1] = ["python", "manage.py"]
        environment = environment_of(name, database, tmp_path / "data")
        return subprocess.Popen(command, cwd=BASE_DIR, env=environment)

    assert start("migrate").wait(300) == 0
    with ExitStack() as stack:
        for name in ("web", "sender", "worker", "beat", "watch"):
            process = start(name)
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
        end = time.monotonic() + 180
        while (found := ready(port))["status"] != "ok":
            assert time.monotonic() < end, found
            time.sleep(0.5)
        [line] = re.findall(r"HEALTHCHECK .* CMD (.+)", DOCKERFILE)
        _, *check = json.loads(line.replace("8000", str(port)))
        assert subprocess.run([sys.executable, *check], check=False).returncode == 0
