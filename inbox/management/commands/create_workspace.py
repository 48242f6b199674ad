"""`manage.py create_workspace NAME --owner USERNAME`: the first step of a set-up without a demo."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from inbox.errors import DomainError
from inbox.operations.accounts.workspaces import create_workspace


class Command(BaseCommand):
    help = "Make a workspace, and somebody who can sign in its owner."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what people will know it by")
        parser.add_argument(
            "--owner", required=True, metavar="USERNAME",
            help="who sets it up; `createsuperuser` makes the first",
        )  # fmt: skip
        parser.add_argument("--slug", help="its name in commands (default: made from the name)")

    def handle(self, *_: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"--owner: nobody signs in as {options['owner']!r}.")
        if not (owner.is_active and owner.is_staff):
            raise CommandError(f"--owner: {owner.username} may not sign in to the admin.")
        name = options["name"].strip()
        slug = options["slug"] if options["slug"] is not None else slugify(name)[:50]
        if not slug and name and options["slug"] is None:
            raise CommandError(f"{name!r} makes no slug: say one with --slug.")
        try:
            workspace = create_workspace(name=name, slug=slug, owner=owner)
        except DomainError as error:
            accepted = f" Accepted: {error.accepted}." if error.accepted else ""
            raise CommandError(f"{error.field}: {error.message}{accepted}") from error
        self.stdout.write(f"{workspace.name} ({workspace.slug}) is {owner.username}'s to set up.")
