"""What is forked off a process that has loaded a lot is as one that Python starts."""

import signal
import subprocess
import sys
from contextlib import closing
from sqlite3 import connect

import pytest

from project.settings import BASE_DIR
from tests.fork_server import _may_have_apps, python, run, start
from tests.up import clean_environment

# What a process can see of itself; the settings are its own.
SEEN = """
import os, signal, sys, threading
from django.conf import settings
print(settings.configured, sys.argv, sys.stdin.read(), sorted(os.environ.items()))
import django, multiprocessing, random
django.setup()
print(settings.VAR_DIR, settings.CREDENTIAL_KEYS, settings.DATABASES, settings.BASE_URL)
print(os.getcwd(), __name__, signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
print(threading.active_count(), sorted(os.listdir("/proc/self/fd")))
print(sys.path[0] in ("", os.getcwd()), sys.modules["__main__"].__name__)
print([name for name in sys.modules if "pytest" in name])
import later
print(later.HERE)
"""


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "later.py").write_text("HERE = __file__")
    return {
        **clean_environment(), "CHANCERY_VAR": str(tmp_path), "PYTHONPATH": str(tmp_path),
        "CHANCERY_BASE_URL": "https://lamp.example", "DJANGO_SETTINGS_MODULE": "project.settings",
    }  # fmt: skip


def test_it_sees_what_one_that_python_starts_sees(environment):
    arguments = ["-c", SEEN, "one", "two words"]
    started = subprocess.run(
        [sys.executable, *arguments], cwd=BASE_DIR, env=environment, input="a line",
        capture_output=True, check=True, text=True,
        # Tests that were put in the background are not interrupted, nor what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    forked = run(arguments, env=environment, stdin=b"a line")
    assert forked.stderr == started.stderr
    assert forked.stdout == started.stdout
    assert "https://lamp.example" in forked.stdout


@pytest.mark.parametrize(("given", "expected"), [
    ({"CHANCERY_REQUIRE_MFA": "all", "CHANCERY_LOG_FORMAT": "json"},
     {"REQUIRE_MFA": "all", "LOG_FORMAT": "json"}),
    # Each of these two has it forked off one that has loaded no apps.
    ({"CHANCERY_DEBUG": "1", "CELERY_BROKER_URL": "redis://nowhere.example"},
     {"DEBUG": True, "CELERY_BROKER_URL": "redis://nowhere.example"}),
])  # fmt: skip
def test_its_settings_are_those_of_its_environment(given, expected, environment):
    asked = f"{{name: getattr(django.conf.settings, name) for name in {[*expected]}}}"
    done = run(["-c", f"import django; django.setup(); print({asked})"], env=environment | given)
    assert (done.stdout.strip(), done.stderr) == (str(expected), "")


def test_the_apps_are_loaded_before_only_for_settings_that_do_not_change_them(environment):
    assert _may_have_apps(environment | {"CHANCERY_LOG_FORMAT": "json"})
    for changed in (
        {"CHANCERY_DEBUG": "1"}, {"CELERY_BROKER_URL": "redis://nowhere.example"},
        {"DJANGO_SETTINGS_MODULE": "tests.settings"}, {"DATABASE_URL": "postgres:///x"},
    ):  # fmt: skip
        assert not _may_have_apps(environment | changed)


def test_it_fails_where_the_apps_were_loaded_with_other_settings(environment):
    """It would have pages and models that its settings do not ask for."""
    change = "import project.settings as one; one.MIDDLEWARE = []; import django; django.setup()"
    done = run(["-c", f"{change}; django.conf.settings.DEBUG"], env=environment)
    assert done.returncode == 1
    assert "['MIDDLEWARE'] are others than those that the apps were loaded with" in done.stderr


@pytest.mark.parametrize(("code", "ends"), [
    ("", 0), ("import sys; sys.exit(7)", 7), ("import sys; sys.exit('no')", 1), ("1 / 0", 1),
    ("import sys; sys.exit()", 0), ("import sys; sys.exit(300)", 44), ("exit(True)", 1),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9),
    ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -2),
    ("import atexit, os; atexit.register(os._exit, 5)", 5),
    ("import os, threading, time\ndef last():\n time.sleep(.2)\n os._exit(6)\n"
     "threading.Thread(target=last).start()", 6),
])  # fmt: skip
def test_it_ends_as_one_that_python_starts(code, ends, environment):
    assert run(["-c", code], env=environment).returncode == ends


def test_at_its_end_the_database_is_closed_and_what_it_wrote_is_there(environment, tmp_path):
    """The last who closes an SQLite database leaves nothing beside it."""
    use = "import django; django.setup(); from django.db import connection; connection.cursor().execute('CREATE TABLE kept (word)')"
    leave = "import sys; sys.stdout.write('half'); sys.stderr.write('a line'); sys.exit('no')"
    done = run(["-c", f"{use}; {leave}"], env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (1, "half", "a lineno\n")
    assert sorted(path.name for path in tmp_path.glob("chancery.sqlite3*")) == ["chancery.sqlite3"]
    with closing(connect(tmp_path / "chancery.sqlite3")) as database:
        assert database.execute("SELECT * FROM kept").fetchall() == []


def test_it_is_told_signals_and_its_end_is_seen(environment):
    process = start(
        ["-c", "import time; print('here', flush=True); time.sleep(60)"], env=environment,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    with process.stdout as lines:
        assert lines.readline() == b"here\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.terminate()
        assert process.wait(30) == -signal.SIGTERM
        # Nobody else holds what it wrote to.
        assert lines.read() == b""
    process.kill()
    assert process.poll() == -signal.SIGTERM


def test_modules_and_scripts_are_run_by_name(environment):
    assert run(["manage.py", "version"], env=environment).returncode == 0
    asked = run(["-m", "json.tool"], env=environment, stdin=b"[1]")
    assert asked.stdout.split() == ["[", "1", "]"]


def test_others_start_it_by_a_command_in_their_folder(environment, tmp_path):
    """Its streams, its end and the signals that reach it are those of the command."""
    code = "import os, sys; print(os.getcwd(), sys.argv, sys.stdin.read()); sys.exit(3)"
    done = subprocess.run(
        [*python(), "-c", code, "two words"], cwd=tmp_path, env=environment, input="a line",
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == f"{tmp_path} ['-c', 'two words'] a line\n"

    waiting = "import time; print('here', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [*python(), "-c", waiting], env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"here\n"
        process.terminate()
        assert process.wait(30) == -signal.SIGTERM
