"""Fill an empty database as an installation in use has it: rows in every table, and files.

What waits for a person should do so for decades: CHANCERY_APPROVAL_HOURS says that.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import models, transaction
from django.utils import timezone

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, WebhookEndpoint
from agents.notices.preferences import NoticePreferences, change_settings
from agents.operations.correcting import apply
from agents.operations.presence import note_presence
from agents.operations.sample_checks import check_activity, silent_activities
from agents.operations.setup.demo import make_demo
from agents.operations.webhooks.endpoints import create_webhook
from agents.operations.webhooks.event_log import write_log
from inbox.accounts.credentials import encrypt
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Account, Activity, Import
from inbox.operations.activities.corrections import CorrectedValues, make_correction
from inbox.viewer import viewer_of_user
from project.schema.shape import APPS
from tests import factories
from tests.agents.furnishing import World, calls_of, furnish
from tests.agents.planted.making import plant_item

PASSWORD = "open sesame"


def populate() -> dict[str, Any]:
    """Make all of it; the rows of each table, the letter that waits, and the account's password."""
    make_demo()
    run_due()
    # Where the demo's mail lay for a moment.
    Import.objects.update(source="examples/demo_mail")
    world = furnish("lantern", "walnut")
    reviewer = factories.make_person_user(world.workspace, role="owner", name="rhea")
    oversee(world, reviewer)
    use_every_tool(world)
    plant_item(world.actor, world.inbox, "password_in_the_text")
    send_and_reject(world, reviewer)
    run_due()
    write_log()
    WebhookEndpoint.objects.update(is_enabled=False)
    for model in our_models():
        if not model._base_manager.exists():
            fill(model)
    cache.set("lamp", "lit", None)
    waiting = world.rows["approval"]
    waiting.refresh_from_db()
    return {
        "rows": {one._meta.db_table: one._base_manager.count() for one in our_models()},
        "approval": waiting.public_id, "sha256": waiting.sha256, "state": waiting.state,
        "account": world.account.public_id, "password": PASSWORD,
    }  # fmt: skip


def use_every_tool(world: World) -> None:
    """Call each tool once, as an agent does; what is refused by then has its receipt as well."""
    for _, name, arguments in calls_of(world):
        with suppress(DomainError, ToolError):
            call(name, arguments, world.actor)


def oversee(world: World, reviewer: User) -> None:
    """Do what people and other programs do around the agents: correct, check, be told."""
    Account.objects.filter(pk=world.account.pk).update(secret=encrypt(PASSWORD))
    actor = viewer_of_user(reviewer).actor
    create_webhook(
        workspace=world.workspace, by=actor, url="https://hooks.walnut.example/1", facts=()
    )
    change_settings(user=reviewer, wishes=wishes(world))
    activity = world.rows["activity"]
    correction = make_correction(
        by=reviewer, activity=activity, scope="sender", says=CorrectedValues(urgency="high")
    )
    apply(correction=correction, by=reviewer)
    note_presence(user_id=reviewer.pk, item=activity)
    owner = viewer_of_user(User.objects.get(username="reviewer")).actor
    now = timezone.now()
    silent = silent_activities(actor=owner, begins=now - timedelta(days=400), ends=now)
    check_activity(actor=owner, activity=silent.first(), verdict="right")


def wishes(world: World) -> NoticePreferences:
    quiet = timezone.now().time()
    return NoticePreferences(
        kinds=["approval"], workspaces=[world.workspace], by_mail=False, mail_address="",
        by_webhook=False, webhook_url="", by_browser=True, every_minutes=5, is_quiet=False,
        quiet_from=quiet, quiet_to=quiet, quiet_days=[0, 6], quiet_zone="Europe/Berlin",
        tells_expiring=True, language="de",
    )  # fmt: skip


def send_and_reject(world: World, reviewer: User) -> None:
    """Let one letter leave, into the local Maildir, and refuse another."""
    Account.objects.filter(pk=world.account.pk).update(undo_seconds=0)
    for text in ("The lamp is lit.", "The lamp is out."):
        message = factories.make_message(world.inbox, subject=text)
        letter = {
            "thread_id": message.thread.public_id, "body_or_draft_id": text,
            "idempotency_key": uuid.uuid4().hex,
        }  # fmt: skip
        approval = Approval.objects.get(pk=call("send_reply", letter, world.actor).approval.pk)
        factories.activities_from_messages([message.pk])
        approval.activities.add(Activity.objects.get(message=message))
        if "lit" in text:
            lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
        else:
            lifecycle.reject(approval=approval, by=reviewer, reason="It is not.")
        run_due()


# -- what no operation here makes: what other servers and processes leave --------------------------
def our_models() -> Iterator[type[models.Model]]:
    """Yield every model of ours with a table."""
    for app in APPS:
        for model in apps.get_app_config(app).get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy:
                yield model


def fill(model: type[models.Model]) -> models.Model:
    """Make one row of a table, of the first rows of those that it points to."""
    values = dict(_values(model))
    with transaction.atomic():
        made = model(**values)
        made.save(force_insert=True)
    return made


def _values(model: type[models.Model]) -> Iterator[tuple[str, Any]]:
    for each in model._meta.local_concrete_fields:
        if each.is_relation and not each.null:
            target = each.related_model
            yield each.name, target._base_manager.order_by("pk").first() or fill(target)
        elif not (each.has_default() or each.null or each.generated or each.primary_key):
            yield each.attname, _value(each)


def _value(each: models.Field) -> Any:
    if isinstance(each, models.DateTimeField):
        return timezone.now()
    if isinstance(each, models.DateField):
        return timezone.now().date()
    if isinstance(each, models.BooleanField):
        return False
    if isinstance(each, models.IntegerField):
        return 1
    if isinstance(each, models.BinaryField):
        return b"lamp"
    if isinstance(each, models.JSONField):
        return {}
    return str(each.choices[0][0]) if each.choices else "lamp"[: each.max_length]
