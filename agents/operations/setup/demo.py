"""The demo: a small company's workspace, with the mail of its last three weeks and its office."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.operations.agents import authenticate
from agents.operations.setup.demo_mail import copy_moved
from agents.operations.setup.demo_office import begin_work, furnish_office
from agents.operations.setup.logins import Keys, open_desk
from inbox.intake.sources import open_source
from inbox.models import Inbox
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace
from inbox.operations.mail.imports import import_mail
from inbox.viewer import viewer_of_user

SLUG = "kettlewheel"
ADDRESS = "hello@kettlewheel.example"
# The company's own mail server; only its Authentication-Results count.
AUTHSERV_ID = "mx.kettlewheel.example"
DEMO_MAIL = Path(settings.BASE_DIR) / "examples" / "demo_mail"


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made; `keys` are for showing once, None where they were made before."""

    inbox: Inbox
    keys: Keys | None


def make_demo(*, now: datetime | None = None) -> Demo:
    """Make the demo, or finish making it after an interruption; nothing is made twice.

    Its account has the provider `local`: what is sent goes into a Maildir and to nobody.
    """
    inbox = Inbox.objects.filter(workspace__slug=SLUG, address=ADDRESS).first() or _make_inbox()
    if not inbox.messages.exists():
        with TemporaryDirectory() as folder:
            copy_moved(DEMO_MAIL, Path(folder), now or timezone.now())
            import_mail(inbox=inbox, source=open_source(Path(folder)))
    with transaction.atomic():
        keys = open_desk(inbox=inbox)
        if keys is not None:
            _furnish(inbox, keys, now or timezone.now())
    return Demo(inbox, keys)


def _furnish(inbox: Inbox, keys: Keys, now: datetime) -> None:
    """Make the office as the reviewer would, and have the agent begin."""
    reviewer = viewer_of_user(User.objects.get(username=keys.username)).actor
    furnish_office(person=reviewer, account=inbox.account, now=now)
    begin_work(agent=authenticate(keys.token), now=now)


def _make_inbox() -> Inbox:
    with transaction.atomic():
        account = create_account(
            workspace=create_workspace(name="Kettlewheel", slug=SLUG),
            address=ADDRESS,
            name="Imogen at Kettlewheel",
            authserv_id=AUTHSERV_ID,
        )
    return Inbox.objects.get(account=account)
