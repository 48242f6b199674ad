"""A few words to every browser of somebody, through the guard that webhooks go through."""

import json

from django.conf import settings as configured

from agents.models import PushSubscription
from agents.push.encryption import read_keys, seal
from agents.push.vapid import authorization
from inbox.providers.http.outbound import NotAllowed, NotReached, post
from inbox.reasons import ReasonText, of_error, own

SECONDS = 10.0
# A push service keeps it for so long while the browser is away.
_KEPT = 12 * 3600
# The browser is subscribed no more.
_GONE = {404, 410}


class NotPushed(Exception):  # noqa: N818
    """No browser was told; `for_good`: nor will one be."""

    def __init__(self, words: ReasonText, *, for_good: bool) -> None:
        super().__init__(words)
        self.words = words
        self.for_good = for_good


def push(user_id: int, *, title: str, path: str) -> ReasonText:
    """Tell all of somebody's browsers; return what one answered. Raises NotPushed where none did.

    Each is told by itself. Those that are subscribed no more are forgotten.
    """
    body = json.dumps({"title": title, "path": path}, ensure_ascii=False).encode()
    said, failed = None, NotPushed(own("410"), for_good=True)
    for row in PushSubscription.objects.filter(user_id=user_id).order_by("pk"):
        try:
            said = _push(row, body)
        except NotPushed as error:
            failed = error if failed.for_good else failed
    if said is None:
        raise failed
    return said


def _push(row: PushSubscription, body: bytes) -> ReasonText:
    headers = {
        "content-type": "application/octet-stream", "content-encoding": "aes128gcm",
        "ttl": str(_KEPT), "urgency": "high", "topic": "chancery",
        "authorization": authorization(row.endpoint),
    }  # fmt: skip
    sealed = seal(body, *read_keys(row.key, row.auth))
    try:
        answered = post(
            row.endpoint, body=sealed, headers=headers, allowed=configured.WEBHOOK_ALLOW,
            seconds=SECONDS,
        )  # fmt: skip
    except NotAllowed as error:
        raise NotPushed(of_error(error), for_good=True) from error
    except NotReached as error:
        raise NotPushed(of_error(error), for_good=False) from error
    words = own(f"HTTP {answered.status}")
    if answered.status in _GONE:
        row.delete()
    if not 200 <= answered.status < 300:
        is_final = 400 <= answered.status < 500 and answered.status != 429
        raise NotPushed(words, for_good=is_final)
    return words
