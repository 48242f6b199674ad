"""The browsers in which somebody wants to be told though no page is open."""

import hashlib

from django.conf import settings as configured
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.models import NoticeSettings, PushSubscription
from agents.push.encryption import read_keys
from inbox.errors import invalid
from inbox.formats.user_agents import read_user_agent
from inbox.providers.http.outbound import NotAllowed, check_url
from inbox.reasons import of_error
from inbox.reasons import phrase as _

# Of one person; a further one takes the place of the oldest.
MOST = 10


def subscribe(
    *, user: User, endpoint: str, key: str, auth: str, user_agent: str
) -> PushSubscription:
    """Keep where a browser is told, and with which keys; raises DomainError naming the field.

    Somebody else's subscription in the same browser is over: it tells one person.
    """
    try:
        check_url(endpoint, configured.WEBHOOK_ALLOW)
    except NotAllowed as error:
        accepted = _("the address of a push service, such as https://push.example.com/1")
        raise invalid("endpoint", _("%(error)s.", error=of_error(error)), accepted) from None
    try:
        read_keys(key, auth)
    except ValueError:
        words = _("These are not a browser's keys.")
        raise invalid("keys", words, _("what PushSubscription.getKey() gives")) from None
    device = read_user_agent(user_agent)
    digest = hashlib.sha256(endpoint.encode()).hexdigest()
    given = {
        "user": user, "endpoint": endpoint, "key": key, "auth": auth, "created_at": timezone.now(),
        "software": device.browser, "system": device.system,
    }  # fmt: skip
    with transaction.atomic():
        NoticeSettings.objects.get_or_create(
            user=user, defaults={"kinds": ["approval"], "quiet_days": list(range(7))}
        )
        kept, _made = PushSubscription.objects.update_or_create(digest=digest, defaults=given)
        rows = PushSubscription.objects.filter(user=user).order_by("-created_at", "-pk")
        old = list(rows.values_list("pk", flat=True)[MOST:])
        PushSubscription.objects.filter(pk__in=old).delete()
    return kept


def unsubscribe(*, user: User, subscription_id: int) -> bool:
    """Forget one of the person's own; return whether it was there."""
    rows = PushSubscription.objects.filter(user=user, pk=subscription_id)
    return bool(rows.delete()[0])
