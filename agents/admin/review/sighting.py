"""How somebody looked at what they decide on, as their page tells it, and as far as it is believed.

The page comes with a signed note of when it was given out. Its script says how long it was in
front, and of which items the end was on the screen; both are claims, and the time is never more
than since the page was given out. Without a script that time counts whole, and what was on the
screen is unknown.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.http import HttpRequest
from django.utils import timezone

from agents.models import Approval, DecisionWay, Sight, Sighting
from agents.oversight.measuring import LONGEST_LOOK, count_words, text_of
from inbox.viewer import viewer_of

BATCH = "batch"
_SALT = "agents.sighting"
# An older page tells nothing any more.
_KEPT = timedelta(days=7)
_LONGEST_LIST = 4000


def stamp_page(request: HttpRequest, shown: str) -> str:
    """Return the signed note that this person was given a page now, which shows this item."""
    now = int(timezone.now().timestamp() * 1000)
    return signing.dumps([viewer_of(request).actor.id, shown, now], salt=_SALT)


def read_sighting(request: HttpRequest, public_id: str, shown: str = "") -> Sighting:
    """Return how an item was looked at on the page that a form came from; `shown`: on a batch's."""
    way = DecisionWay.BATCH if shown == BATCH else DecisionWay.PAGE
    opened_at = _opened_at(request, shown or public_id)
    if opened_at is None:
        return Sighting(way)
    passed = int((timezone.now() - opened_at).total_seconds() * 1000)
    elapsed = min(max(passed, 0), LONGEST_LOOK)
    claimed = request.POST.get("shown", "")
    if not (claimed.isascii() and claimed.isdigit() and len(claimed) <= 12):
        return Sighting(way, opened_at, elapsed)
    return Sighting(
        way, opened_at, min(int(claimed), elapsed), _sight(request, "end_seen", public_id),
        _sight(request, "source_seen", public_id),
    )  # fmt: skip


def read_shared(request: HttpRequest, approvals: Sequence[Approval]) -> dict[str, Sighting]:
    """Return how each of a batch was looked at: the page's time is shared by their words."""
    words = {one.public_id: count_words(text_of(one)) for one in approvals}
    whole = sum(words.values())
    shares = {}
    for public_id, count in words.items():
        found = read_sighting(request, public_id, BATCH)
        if found.milliseconds is not None:
            share = count / whole if whole else 1 / len(words)
            found = replace(found, milliseconds=round(found.milliseconds * share))
        shares[public_id] = found
    return shares


def _opened_at(request: HttpRequest, shown: str) -> datetime | None:
    try:
        told = signing.loads(request.POST.get("opened", ""), salt=_SALT, max_age=_KEPT)
    except signing.BadSignature:
        return None
    user_id, item, at = told
    if (user_id, item) != (viewer_of(request).actor.id, shown):
        return None
    return datetime.fromtimestamp(at / 1000, UTC)


def _sight(request: HttpRequest, name: str, public_id: str) -> Sight:
    told = request.POST.get(name, "")[:_LONGEST_LIST].split()
    return Sight.SEEN if public_id in told else Sight.UNSEEN
