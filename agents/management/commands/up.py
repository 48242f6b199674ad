"""`manage.py up`: everything by one command, with something to look at."""

import os
import signal
import socket
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from tqdm import tqdm

from agents.management.processors import usable_processors
from agents.management.serving import serve
from agents.management.supervising import Supervisor
from agents.models import Agent
from agents.operations.setup.codes import LASTS_HOURS, is_unowned, setup_address
from agents.operations.setup.demo import make_demo
from agents.operations.setup.logins import REVIEWER, Keys
from agents.operations.setup.own_mail import bring_own_mail, guess_address
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.intake.sources import Source, open_source
from inbox.operations.mail.imports import ImportStoppedError
from inbox.rfc5322.addresses.parsing import check_address

# Where one's own machine reaches what listens everywhere.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
# So many processes answer at most unless somebody wants more: each takes memory.
MOST_BY_DEFAULT = 4
# How somebody who has just started it runs another command.
_SHELL = "chancery" if settings.IS_INSTALLED else ".venv/bin/python manage.py"


class Command(BaseCommand):
    help = "Serve the web and carry jobs; an empty installation is set up in the browser."
    requires_migrations_checks = False
    _is_interrupted = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--demo", action="store_true",
            help="make the demo first, with a login and a token that are printed once",
        )  # fmt: skip
        parser.add_argument(
            "--mail", metavar="PATH", type=Path,
            help="bring in mail first: a Maildir, an mbox, a folder of .eml files or one message",
        )  # fmt: skip
        parser.add_argument(
            "--address", help="with --mail: whose mail it is (default: to whom most of it was sent)"
        )
        parser.add_argument(
            "--authserv-id", default="",
            help="with --mail: the id of the server whose Authentication-Results count (RFC 8601)",
        )  # fmt: skip
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
        parser.add_argument("--port", default=8000, type=int, help="the port to listen on")
        parser.add_argument(
            "--web-processes", metavar="N", default=settings.WEB_PROCESSES, type=int,
            help="how many processes answer requests; 1: everything is in one "
            f"(default: CHANCERY_WEB_PROCESSES; 0: one a processor, {MOST_BY_DEFAULT} at most)",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        # TERM ends what comes before serving the way Ctrl-C does.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, self._interrupt)
        try:
            self._up(options)
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
        except (DomainError, ImportStoppedError) as error:
            raise CommandError(str(error)) from error

    def _interrupt(self, number: int, frame: object) -> None:
        # Remembered as well: an exception that falls into a finalizer goes no further.
        self._is_interrupted = True
        raise KeyboardInterrupt

    def _up(self, options: dict[str, Any]) -> None:
        if options["address"] and not options["mail"]:
            raise CommandError("--address says whose mail --mail brings in; give both.")
        if options["demo"] and options["mail"]:
            raise CommandError("Choose one: --demo or --mail.")
        web_processes = self._count(options["web_processes"])
        source = open_source(options["mail"]) if options["mail"] else None
        address = self._address(source, options["address"]) if source else ""
        listening = self._listen(options["host"], options["port"])
        self._migrate()
        if source:
            self._bring(source, address, options["authserv_id"])
        elif options["demo"] and not Agent.objects.exists():
            self._make_demo()
        elif not is_unowned():
            self._say(self._where_keys_are())
        hint = self._hint(options["host"])
        if hint:
            self._say(hint)
        self._say(f"Everything is kept in {settings.VAR_DIR}.")
        welcome = self._welcome()
        self._serve(listening, web_processes, lambda: self._say(welcome))
        self._say("Stopped.")

    def _count(self, given: int) -> int:
        """Return how many processes are to answer; raises CommandError for a number below 0."""
        if given < 0:
            raise CommandError(
                f"--web-processes {given}: give 1 or more, or 0 for one a processor."
            )
        return given or min(usable_processors(), MOST_BY_DEFAULT)

    def _serve(
        self, listening: socket.socket, web_processes: int, on_ready: Callable[[], None]
    ) -> None:
        if web_processes > 1:
            Supervisor(listening, web_processes, on_ready).run()
        else:
            serve(listening, on_ready=on_ready)

    def _make_demo(self) -> None:
        self._say("Making the demo: three weeks of mail to a small company …")
        keys = make_demo().keys
        # What the worker would do first: whoever looks at once finds the mail classified.
        run_due()
        self._show(keys)

    def _where_keys_are(self) -> str:
        """Return how to come in where the login is lost, in the words of the shell."""
        first = User.objects.filter(is_active=True, is_staff=True).order_by("pk").first()
        return (
            "The login and the token were shown when they were made. New ones:\n"
            f"  {_SHELL} changepassword {first.get_username() if first else REVIEWER}\n"
            f"  {_SHELL} create_agent --help"
        )

    def _welcome(self) -> str:
        """Return what is said once it serves, which is no moment to ask the database."""
        here = f"Chancery is at {settings.BASE_URL}   (Ctrl-C stops it)"
        if not is_unowned():
            return here
        return (
            f"{here}\n"
            f"Set it up in your browser (this address works once, within {LASTS_HOURS} hours):\n"
            f"  {setup_address()}"
        )

    def _address(self, source: Source, given: str | None) -> str:
        address = given or guess_address(source)
        if not address:
            raise CommandError(
                f"{source.name} does not tell whose mail it is; "
                "say so with --address you@example.org"
            )
        try:
            return check_address(address)
        except ValueError as error:
            raise CommandError(
                f"--address {address!r} is not an email address: {error}."
            ) from error

    def _listen(self, host: str, port: int) -> socket.socket:
        """Take the port before anything is made; raises CommandError, naming the option."""
        if not 0 <= port <= 65535:
            raise CommandError(f"--port {port}: a port is a number from 0 to 65535")
        try:
            family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listening = socket.socket(family, socket.SOCK_STREAM)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(128)
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(
                f"Cannot listen on {host}:{port} ({why}). "
                f"Choose another port with --port {port + 1}."
            ) from error
        # Links to pages, as in `review_url`, lead to where this is served.
        place = _LOOPBACK.get(host, host)
        name = f"[{place}]" if family == socket.AF_INET6 else place
        if "CHANCERY_BASE_URL" not in os.environ:
            settings.BASE_URL = f"http://{name}:{listening.getsockname()[1]}"
        return listening

    def _migrate(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            self._say("Preparing the database …")
        # It also refuses a database whose schema is not this version's.
        call_command("migrate", verbosity=0, interactive=False)

    def _bring(self, source: Source, address: str, authserv_id: str) -> None:
        self._say(f"Bringing in {source.total} messages ({source.kind}) for {address} …")
        # The bar's own thread would keep the import from forking.
        tqdm.monitor_interval = 0
        with tqdm(total=source.total, unit=" messages", disable=None) as bar:

            def advance(count: int) -> None:
                bar.update(count)

            done = bring_own_mail(
                source=source, address=address, authserv_id=authserv_id, on_progress=advance
            )
        problems = done.run.problems.count()
        listed = f", {problems} could not be read whole and are listed" if problems else ""
        self._say(f"{done.run.stored} new, {done.run.known} known{listed}.")
        self._show(done.keys)

    def _show(self, keys: Keys | None) -> None:
        if keys is None:
            return
        password = keys.password or "(as before)"
        self._say(
            "Shown this once:\n"
            f"  reviewer  {keys.username}   password  {password}\n"
            f"  agent     {keys.agent}   token  {keys.token}"
        )

    def _hint(self, host: str) -> str:
        """Return what to set so that other machines are answered; empty where nothing is needed."""
        if host in settings.ALLOWED_HOSTS or "CHANCERY_HOSTS" in os.environ:
            return ""
        names = ", ".join(settings.ALLOWED_HOSTS)
        return (
            f"Only requests to {names} are answered. For other machines, start it with\n"
            "  CHANCERY_HOSTS=name-or-address CHANCERY_BASE_URL=http://name-or-address:port"
        )

    def _say(self, text: str) -> None:
        if self._is_interrupted:
            raise KeyboardInterrupt
        self.stdout.write(text)
        self.stdout.flush()
