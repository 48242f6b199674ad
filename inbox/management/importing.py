"""What commands that bring a file in have in common: whose it becomes, and its bytes."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import CommandError

from inbox.models import Account


def add_file_and_account(parser: ArgumentParser) -> None:
    """Have a command ask for a file and for the account whose it becomes."""
    parser.add_argument("path", type=Path, help="the file")
    parser.add_argument("--account", required=True, metavar="ADDRESS", help="whose it becomes")
    parser.add_argument(
        "--workspace", metavar="SLUG", help="needed where two workspaces have the account"
    )


def find_account(address: str, workspace: str | None) -> Account:
    """Return the account of an address; raises CommandError naming the way out."""
    rows = Account.objects.filter(address__iexact=address.strip()).select_related("workspace")
    if workspace:
        rows = rows.filter(workspace__slug=workspace)
    found = list(rows)
    if len(found) == 1:
        return found[0]
    if found:
        slugs = ", ".join(account.workspace.slug for account in found)
        raise CommandError(f"Several workspaces have {address}: say --workspace, one of {slugs}.")
    raise CommandError(f"There is no account {address}.")


def read_file(path: Path, largest: int) -> bytes:
    """Return a file's bytes, one more than the `largest` at the most; raises CommandError."""
    try:
        with path.open("rb") as file:
            return file.read(largest + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
