"""The command, as an operator runs it; one that is killed is really killed."""

import io
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from inbox.models import Message, Person, Thread
from tests import factories
from tests.fork_server import Forked, start
from tests.inbox.letters import letter
from tests.patience import LONG
from tests.processes import process_environment

ADDRESS = "office@lantern.example"


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "letters"
    path.mkdir()
    return path


def write(folder: Path, count: int) -> None:
    for number in range(count):
        raw = letter(str(number), references=[str(number // 7 * 7)], day=number / 50)
        (folder / f"{number:05}.eml").write_bytes(raw)


def run(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command(
        "import_mail", str(path), "--inbox", ADDRESS, *options, stdout=out, stderr=io.StringIO()
    )
    return out.getvalue()


@pytest.mark.django_db
def test_it_says_what_it_did_and_what_was_wrong(inbox, folder):
    write(folder, 3)
    (folder / "broken.eml").write_bytes(b"")
    said = run(folder)
    assert "4 in " in said
    assert "3 stored, 0 known already, 1 not stored." in said
    assert "broken.eml: is empty" in said


@pytest.mark.django_db
def test_a_broken_file_with_a_name_that_is_no_utf_8_is_listed(inbox, folder):
    write(folder, 1)
    (folder / os.fsdecode(b"\xff\xfe.eml")).write_bytes(b"")
    said = run(folder)
    assert "1 stored, 0 known already, 1 not stored" in said
    assert "\\xff\\xfe.eml: is empty" in said


def test_it_names_the_inboxes_that_there_are(inbox, folder):
    write(folder, 1)
    with pytest.raises(
        CommandError, match=r"no inbox sales@x\.example.*office@lantern\.example \(lantern\)"
    ):
        call_command("import_mail", str(folder), "--inbox", "sales@x.example")


@pytest.mark.django_db
def test_without_any_inbox_it_says_so(folder):
    write(folder, 1)
    with pytest.raises(CommandError, match="There is none yet"):
        run(folder)


@pytest.mark.django_db
def test_an_address_of_two_workspaces_needs_the_workspace(inbox, folder):
    write(folder, 1)
    factories.make_inbox(factories.make_workspace("second"), ADDRESS)
    with pytest.raises(CommandError, match=r"say --workspace, one of .*second"):
        run(folder)
    run(folder, "--workspace", "second")
    assert Message.objects.get().workspace.slug == "second"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone", None, "does not exist"),
        ("a.pdf", b"%PDF-1.7", "is not mail"),
        ("a", b"", "is empty"),
    ],
)
def test_what_cannot_be_read_is_said_in_plain_words(inbox, tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CommandError, match=f"{words}.*a Maildir, an mbox"):
        run(tmp_path / name)


UNNAMED = (
    b"Authentication-Results: spf=pass smtp.mailfrom=customer.example\r\n"
    b"Received: from mx.customer.example (198.51.100.9) by edge.lantern.example with SMTP; now\r\n"
)


def test_results_without_a_server_name_count_only_where_the_operator_names_the_servers(
    inbox, tmp_path
):
    inbox.account.settings = {"own_servers": "lantern.example"}
    inbox.account.save()
    for name, options in (("a", ()), ("b", ("--own-servers", "lantern.example"))):
        path = tmp_path / f"{name}.eml"
        path.write_bytes(UNNAMED + letter(name))
        run(path, *options)
    verdicts = Message.objects.order_by("message_id_header").values_list(
        "authentication", flat=True
    )
    assert list(verdicts) == ["none", "pass"]
    with pytest.raises(CommandError, match=r"--own-servers: 'localhost' is neither"):
        run(path, "--own-servers", "localhost")


# -- in a process of its own -----------------------------------------------------------------------
def bring(folder: Path, settings, limit: int = 0) -> Forked:
    """Start the command on the test's database and storage; `limit` is the largest file, in bytes."""
    code = (
        "import os, resource, signal, sys\n"
        "os.setsid()\n"
        # Whoever runs the tests may ignore Ctrl-C, as a shell does for what it runs beside itself.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"limit = {limit}\n"
        "if limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "import django; django.setup()\n"
        "from inbox.operations.mail import imports\n"
        "imports.BATCH, imports.FEW = 20, 10\n"
        "from django.core.management import call_command\n"
        f"call_command('import_mail', {str(folder)!r}, '--inbox', {ADDRESS!r})\n"
    )
    return start(
        ["-c", code], env=process_environment(CHANCERY_VAR=str(settings.MEDIA_ROOT.parent)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def said(process: Forked) -> tuple[str, str]:
    """Return what it wrote, and its errors, once the last process that holds the pipes has ended."""
    with process.stdout as written, process.stderr as errors:
        words = written.read().decode(), errors.read().decode()
    process.wait(LONG)
    return words


def largest_file() -> int:
    """Return the size of the database's largest file where it is files of this process, in bytes."""
    if connection.vendor != "sqlite":
        return 0
    path = Path(connection.settings_dict["NAME"])
    return max(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))


def wait_for_messages(count: int) -> None:
    end = time.monotonic() + 60
    while Message.objects.count() < count and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_was_killed_is_gone_on_with(inbox, folder, settings):
    write(folder, 420)
    kills = 0
    for goal in (1, 90, 200):
        process = bring(folder, settings)
        wait_for_messages(goal)
        process.kill()
        said(process)
        kills += process.returncode == -signal.SIGKILL
        assert_whole()
    assert kills
    assert "420 in " in said(bring(folder, settings))[0]
    assert Message.objects.count() == 420
    assert Thread.objects.current().count() == 60
    assert Person.objects.get().contact_count == 420
    assert_whole()


def assert_whole() -> None:
    """Every message that there is has its bytes, its thread's count and its mailbox."""
    messages = list(Message.objects.select_related("blob").prefetch_related("mailboxes"))
    for message in messages:
        assert message.blob.read()
        assert message.mailboxes.count() == 1
    assert sum(Thread.objects.values_list("message_count", flat=True)) == len(messages)


@pytest.mark.django_db(transaction=True)
def test_the_workers_of_a_killed_run_end_too(inbox, folder, settings):
    write(folder, 400)
    process = bring(folder, settings)
    wait_for_messages(1)
    process.kill()
    reader = threading.Thread(target=said, args=[process], daemon=True)
    reader.start()
    reader.join(30)
    assert not reader.is_alive()


@pytest.mark.django_db(transaction=True)
def test_a_disk_that_takes_no_more_is_named_and_nothing_is_lost(inbox, folder, settings):
    write(folder, 60)
    limit = largest_file() + 2_000_000
    (folder / "00030.eml").write_bytes(letter("large", text="x" * (limit + 1_000_000)))
    process = bring(folder, settings, limit=limit)
    assert "Run the same command again" in said(process)[1]
    assert process.returncode
    assert_whole()
    assert said(bring(folder, settings))[0]
    assert Message.objects.count() == 60
    assert_whole()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="the database is another process")
def test_a_disk_that_was_full_from_the_start_is_named_too(inbox, folder, settings):
    write(folder, 20)
    assert "Run the same command again" in said(bring(folder, settings, limit=1000))[1]
    assert not Message.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_ctrl_c_stops_it_with_one_line(inbox, folder, settings):
    write(folder, 2000)
    process = bring(folder, settings)
    wait_for_messages(1)
    os.killpg(process.pid, signal.SIGINT)
    assert "Stopped. Run the same command again" in said(process)[1]
    assert_whole()
