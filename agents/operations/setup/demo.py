"""The demo: a small company's workspace, with the mail of its last three weeks and its office."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.operations.agents import authenticate
from agents.operations.setup.demo_mail import copy_moved
from agents.operations.setup.demo_names import ADDRESS, AUTHSERV_ID, NAME, SLUG
from agents.operations.setup.demo_office import begin_work, furnish_office
from agents.operations.setup.logins import Keys, open_desk
from inbox.actor import Actor
from inbox.background.jobs import Payload, enqueue
from inbox.intake.sources import open_source
from inbox.models import FileNode, Inbox, Job, JobState, Workspace
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace
from inbox.operations.mail.imports import import_mail
from inbox.viewer import viewer_of_user

DEMO_MAIL = Path(settings.BASE_DIR) / "examples" / "demo_mail"
FILL = "demo.fill"
FILL_LEASE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made; `keys` are for showing once, None where they were made before."""

    inbox: Inbox
    keys: Keys | None


@dataclass(frozen=True, slots=True)
class Filling:
    """How far the demo is brought in: `messages` so far, and whether that is all, or never will."""

    messages: int
    is_done: bool
    is_failed: bool


def make_demo(*, now: datetime | None = None) -> Demo:
    """Make the demo, or finish making it after an interruption; nothing is made twice.

    Its account has the provider `local`: what is sent goes into a Maildir and to nobody.
    """
    now = now or timezone.now()
    inbox = Inbox.objects.filter(workspace__slug=SLUG, address=ADDRESS).first()
    if inbox is None:
        with transaction.atomic():
            inbox = _make_inbox(create_workspace(name=NAME, slug=SLUG))
    _bring_mail(inbox, now)
    with transaction.atomic():
        keys = open_desk(inbox=inbox)
        if keys is not None:
            _furnish(inbox, User.objects.get(username=keys.username), now)
            begin_work(agent=authenticate(keys.token), now=now)
    return Demo(inbox, keys)


def begin_demo(*, owner: User, by: Actor) -> Workspace:
    """Make the demo's workspace for its owner, and have it filled in the background.

    It has no agent yet. Raises DomainError `conflict` where there is a demo already.
    """
    with transaction.atomic():
        workspace = create_workspace(name=NAME, slug=SLUG, owner=owner, by=by)
        inbox = _make_inbox(workspace)
        given = {"inbox_id": inbox.pk, "owner_id": owner.pk}
        # Urgent: somebody waits for it, and nothing else is there to be done.
        enqueue(FILL, given, workspace_id=workspace.pk, key=_key(workspace), priority=1)
    return workspace


def fill(payload: Payload) -> None:
    """Bring the demo's mail in, and furnish its office."""
    inbox = Inbox.objects.select_related("account").get(pk=payload["inbox_id"])
    now = timezone.now()
    _bring_mail(inbox, now)
    with transaction.atomic():
        _furnish(inbox, User.objects.get(pk=payload["owner_id"]), now)


def read_filling(workspace: Workspace) -> Filling:
    """Return how far the demo's mail is brought in."""
    given_up = Job.objects.filter(key=_key(workspace), state=JobState.FAILED)
    inbox = Inbox.objects.filter(workspace=workspace, address=ADDRESS).first()
    if inbox is None:
        return Filling(0, is_done=False, is_failed=True)
    is_done = FileNode.objects.filter(account_id=inbox.account_id).exists()
    is_failed = not is_done and given_up.exists()
    return Filling(inbox.messages.count(), is_done=is_done, is_failed=is_failed)


def _key(workspace: Workspace) -> str:
    return f"{FILL}:{workspace.pk}"


def _bring_mail(inbox: Inbox, now: datetime) -> None:
    if inbox.messages.exists():
        return
    with TemporaryDirectory() as folder:
        copy_moved(DEMO_MAIL, Path(folder), now)
        import_mail(inbox=inbox, source=open_source(Path(folder)))


def _furnish(inbox: Inbox, person: User, now: datetime) -> None:
    """Make the office as this person would."""
    furnish_office(person=viewer_of_user(person).actor, account=inbox.account, now=now)


def _make_inbox(workspace: Workspace) -> Inbox:
    account = create_account(
        workspace=workspace, address=ADDRESS, name="Imogen at Kettlewheel", authserv_id=AUTHSERV_ID
    )
    return Inbox.objects.get(account=account)
