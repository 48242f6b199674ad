"""`manage.py connect`: connect a mail account to its servers, or change how it is reached."""

import getpass
import json
import sys
from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.views.decorators.debug import sensitive_variables

from inbox.accounts.account_settings import SECURITIES, SETTINGS
from inbox.accounts.credentials import Secret, Tokens
from inbox.errors import DomainError
from inbox.management.importing import read_file
from inbox.models import Account, Workspace
from inbox.operations.accounts.connecting import (
    Credential,
    Trial,
    change_connection,
    connect_account,
    try_account,
    try_connection,
)
from inbox.providers.base import Finding
from inbox.providers.presets import PORTS, guess, preset_for, presets

_CONNECTED = (
    "connected. Agents see nothing of it until it is ticked on their page in the admin, or granted "
    "by a code that they ask for."
)
_MARKS = {"good": "works ", "warn": "note  ", "bad": "FAILS "}
_LARGEST = 100_000
# Given as options of their own name, with hyphens.
_PLAIN = ("username", "oauth_client_id", "oauth_token_url", "oauth_scope")


class Command(BaseCommand):
    help = (
        "Connect a mail account to its servers, or change how one is reached. The servers of many "
        "providers are known; others are guessed or named. The connection is tried first. "
        "The password is asked for, or read as one line from standard input or a file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", help="the mail address of the account")
        parser.add_argument("--workspace", metavar="SLUG", help="needed where there are several")
        parser.add_argument("--name", default="", help="what correspondents see, for a new one")
        parser.add_argument(
            "--preset", choices=sorted(presets()), metavar="NAME",
            help=f"the provider, where the address does not tell: {', '.join(sorted(presets()))}",
        )  # fmt: skip
        for protocol in PORTS:
            parser.add_argument(f"--{protocol}-host", metavar="HOST")
            parser.add_argument(f"--{protocol}-port", metavar="PORT", type=int)
            parser.add_argument(f"--{protocol}-security", choices=SECURITIES)
        for name in _PLAIN:
            parser.add_argument(f"--{name.replace('_', '-')}", metavar="TEXT")
        parser.add_argument(
            "--sent-by-server", action=BooleanOptionalAction, default=None,
            help="whether the provider files what was sent by itself",
        )  # fmt: skip
        parser.add_argument(
            "--ca-file", metavar="PEM", help="certificates to trust, in place of the system's"
        )
        parser.add_argument(
            "--set", action="append", default=[], metavar="KEY=VALUE", dest="others",
            help="another setting, such as imap_timeout=30",
        )  # fmt: skip
        secrets = parser.add_mutually_exclusive_group()
        secrets.add_argument("--password-file", type=Path, metavar="FILE")
        secrets.add_argument(
            "--tokens-file", type=Path, metavar="JSON",
            help="what OAuth gave: refresh_token, access_token, client_secret",
        )  # fmt: skip
        secrets.add_argument(
            "--keep-credential", action="store_true", help="use the one that is kept"
        )
        parser.add_argument("--test", action="store_true", help="try it only, and keep nothing")
        parser.add_argument("--anyway", action="store_true", help="keep it untried")

    @sensitive_variables("credential", "trial")
    def handle(self, *_: Any, **options: Any) -> None:
        workspace = _workspace(options["workspace"])
        address = options["address"].strip().lower()
        account = Account.objects.filter(workspace=workspace, address=address).first()
        settings = _settings(address, account, options)
        if options["test"] and options["tokens_file"]:
            raise CommandError("Trying tokens may use them up: leave --test out.")
        if options["keep_credential"] and account is None:
            raise CommandError(f"There is no account {address} whose credential could be kept.")
        credential = None if options["keep_credential"] else _credential(options)
        try:
            if not options["anyway"]:
                trial = _tried(address, account, settings, credential)
                self._tell(trial)
                credential = trial.credential or credential
            if not options["test"]:
                whose = {"workspace": workspace, "address": address, "name": options["name"]}
                _keep(account, settings, credential, **whose)
                self.stdout.write(f"{address} is {'changed.' if account else _CONNECTED}")
        except DomainError as error:
            accepted = f" Accepted: {error.accepted}." if error.accepted else ""
            raise CommandError(f"{error.field}: {error.message}{accepted}") from error

    def _tell(self, trial: Trial) -> None:
        for finding in trial.findings:
            self.stdout.write(f"{_MARKS[finding.kind]} {_line(finding)}")
        if not trial.is_sound:
            raise CommandError("It does not work yet, and nothing was kept (--anyway keeps it).")


def _line(finding: Finding) -> str:
    part = f"{finding.part}: " if finding.kind == "bad" else ""
    words = f"{part}{finding.heading}. {finding.words}".strip()
    return f"{words} ({finding.reply})" if finding.reply else words


def _workspace(slug: str | None) -> Workspace:
    found = list(Workspace.objects.filter(slug=slug) if slug else Workspace.objects.all()[:2])
    if len(found) == 1:
        return found[0]
    if not found:
        raise CommandError(
            f"There is no workspace {slug or 'yet'}: "
            f"`{settings.COMMAND} create_workspace` makes one."
        )
    raise CommandError("There are several workspaces: say --workspace.")


def _settings(address: str, account: Account | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept, or the preset or the guess, with what was given in its place."""
    preset = presets().get(options["preset"] or "") or preset_for(address)
    usual: dict[str, Any] = preset.settings if preset else guess(address)
    if account is not None and account.settings and not options["preset"]:
        usual = account.settings
    given = {name: options[name] for name in SETTINGS if options.get(name) is not None}
    if options["tokens_file"]:
        given["auth"] = "oauth"
    for protocol, ports in PORTS.items():
        security = given.get(f"{protocol}_security")
        if security and f"{protocol}_port" not in given:
            given[f"{protocol}_port"] = ports[security]
        if options["ca_file"]:
            given[f"{protocol}_ca_file"] = options["ca_file"]
    return {"username": address, **usual, **given, **_others(options["others"])}


def _others(given: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in given:
        key, _, text = each.partition("=")
        try:
            found[key] = json.loads(text)
        except ValueError:
            found[key] = text
    return found


@sensitive_variables()
def _credential(options: dict[str, Any]) -> Credential:
    if options["tokens_file"]:
        return _tokens(options["tokens_file"])
    if options["password_file"]:
        text = read_file(options["password_file"], _LARGEST).decode("utf-8", "replace")
    elif sys.stdin.isatty():
        text = getpass.getpass("Password (it is not shown): ")
    else:
        text = sys.stdin.readline()
    password = text.strip("\r\n")
    if not password.isprintable():
        raise CommandError("A password is one line of characters that can be seen.")
    return Secret(password)


@sensitive_variables()
def _tokens(path: Path) -> Tokens:
    try:
        given = json.loads(read_file(path, _LARGEST))
        names = ("access_token", "refresh_token", "client_secret")
        access, refresh, secret = (Secret(str(given.get(name) or "")) for name in names)
    except (ValueError, AttributeError):
        words = f"{path} must hold a JSON object with refresh_token or access_token."
        raise CommandError(words) from None
    if not access and not refresh:
        raise CommandError(f"{path} holds neither refresh_token nor access_token.")
    return Tokens(access, refresh, secret)


def _tried(
    address: str, account: Account | None, settings: dict[str, Any], credential: Credential | None
) -> Trial:
    if credential is None and account is not None:
        return try_account(account=account, settings=settings)
    return try_connection(address=address, settings=settings, credential=credential or Secret(""))


def _keep(
    account: Account | None, settings: dict[str, Any], credential: Credential | None, **new: Any
) -> None:
    if account is not None:
        change_connection(account=account, settings=settings, credential=credential)
    else:
        connect_account(settings=settings, credential=credential or Secret(""), **new)
