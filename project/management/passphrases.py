"""The passphrase that the keys in a backup are encrypted with, never as an argument to be seen."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

_SHORTEST = 12


def add_passphrase(parser: ArgumentParser, effect: str) -> None:
    """Add `--passphrase-file`."""
    parser.add_argument(
        "--passphrase-file", type=Path, metavar="FILE", help=f"a file whose first line {effect}"
    )


def read_passphrase(options: dict[str, Any]) -> str:
    """Return the passphrase, empty where none is given; raises CommandError for a useless one."""
    path: Path | None = options["passphrase_file"]
    if path is None:
        return ""
    try:
        line = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--passphrase-file {path} cannot be read: {error}") from error
    if len(line) < _SHORTEST:
        raise CommandError(f"--passphrase-file {path}: take {_SHORTEST} characters or more")
    return line
