"""What each kind of work in the background is called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

JOBS: dict[str, str | Promise] = {
    "account.send_again": _("Send what was paused"),
    "account.sync": _("Sync an account"),
    "agents.classify": _("Sort new mail"),
    "agents.fire_schedule": _("Run a schedule"),
    "approval.check": _("Check a proposal"),
    "approval.read": _("Read a proposal with the language model"),
    "cache.task": _("Read ahead"),
    "calendar.apply_sent": _("Update the calendar after sending"),
    "calendar.inform_activities": _("Connect invitations with the queue"),
    "calendar.take_invitations": _("Read invitations"),
    "learned.train": _("Learn from decisions"),
    "mirror.refresh": _("Refresh cached data"),
    "model.ask": _("Ask the language model"),
    "search.forms": _("Prepare earlier mail for the search"),
    "submission.copy": _("Copy a sent message to the mailbox"),
    "submission.file": _("File a sent message"),
    "submission.look": _("Look whether a message was sent"),
    "submission.mark_answered": _("Mark a message as answered"),
    "submission.raise_bounces": _("Report returned mail"),
    "submission.recover": _("Recover an interrupted send"),
    "submission.reports": _("Read delivery reports"),
    "submission.send": _("Send a message"),
    "webhook.deliver": _("Deliver to a webhook"),
}
