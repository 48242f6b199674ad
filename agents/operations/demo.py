"""The demo: a small company's workspace, with the mail of its last three weeks."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.operations.demo_mail import copy_moved
from agents.operations.desk import Keys, open_desk
from inbox.intake.sources import open_source
from inbox.models import Inbox
from inbox.operations.accounts import create_account
from inbox.operations.imports import import_mail
from inbox.operations.workspaces import create_workspace

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
    return Demo(inbox, open_desk(inbox=inbox))


def _make_inbox() -> Inbox:
    with transaction.atomic():
        account = create_account(
            workspace=create_workspace(name="Kettlewheel", slug=SLUG),
            address=ADDRESS,
            name="Imogen at Kettlewheel",
            authserv_id=AUTHSERV_ID,
        )
    return Inbox.objects.get(account=account)
