"""Whether anybody would be told that something waits in a workspace: no working way is a risk."""

from typing import Any

from django.db.models import Exists, OuterRef, Q

from agents.models import NoticeSettings, PushSubscription
from agents.notices import mail_channel
from inbox.models import Role
from inbox.operations.sending.notices import accounts_for_notices
from inbox.viewer import UNTOLD


def nobody_told(has_server: bool) -> Any:
    """Return, for a membership, whether no owner or reviewer of its workspace would be told.

    `has_server` says whether the operator has a mail server for notices; without one, an account
    has to be allowed to send them.
    """
    ways = Q(by_browser=True) | (Q(by_webhook=True) & ~Q(webhook_url=""))
    ways |= Q(Exists(PushSubscription.objects.filter(user=OuterRef("user"))))
    by_mail = Q(by_mail=True, mail_confirmed_at__isnull=False)
    if not has_server:
        by_mail &= Q(Exists(accounts_for_notices(OuterRef("user"))))
    ways |= by_mail
    here = OuterRef("workspace")
    told = NoticeSettings.objects.filter(
        ways, Q(workspaces=None) | Q(workspaces=here), ~Q(kinds=[]), user__is_active=True,
        user__memberships__workspace=here,
        user__memberships__role__in=[Role.OWNER, Role.REVIEWER],
    )  # fmt: skip
    return ~Exists(told)


UNTOLD[:] = [(mail_channel.has_server, nobody_told)]
