"""What went wrong somewhere: a webhook that is given up, mail that could not be taken in."""

from pathlib import Path

from django.utils import timezone

from agents.models import WebhookEndpoint
from agents.operations.webhooks.deliveries import PATIENCE
from agents.operations.webhooks.event_log import write_log
from inbox.background.jobs import publish, run_due
from inbox.intake.sources import open_source
from inbox.models import Import, Inbox, Job, Message, RemoteFolder, RemoteMessage
from inbox.operations.mail.imports import import_mail
from inbox.syncing.incoming.fetching import NOT_HANDED_OUT


def give_up(message: Message, endpoint: WebhookEndpoint) -> WebhookEndpoint:
    """Have an event told to an endpoint that has answered nothing for days."""
    WebhookEndpoint.objects.update(failing_since=timezone.now() - PATIENCE)
    publish("message.received", {"message_ids": [message.pk]}, workspace_id=message.workspace_id)
    write_log()
    Job.objects.exclude(kind="webhook.deliver").delete()
    run_due()
    return WebhookEndpoint.objects.get(pk=endpoint.pk)


def import_what_is_no_mail(inbox: Inbox, folder: Path) -> Import:
    """Import an empty file, one that is no mail, and a link that leads outside."""
    (folder / "empty.eml").write_bytes(b" ")
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4")
    (folder / "away.eml").symlink_to("/etc/hostname")
    return import_mail(inbox=inbox, source=open_source(folder))


def leave_at_the_server(inbox: Inbox) -> None:
    """Note that a server did not hand a message over."""
    folder = RemoteFolder.objects.create(
        account=inbox.account, mailbox=inbox.mailboxes.first(), name="INBOX"
    )
    RemoteMessage.objects.create(folder=folder, uid=1, problem=NOT_HANDED_OUT)
