"""The one-time code by which whoever reads the server's terminal becomes its first person.

It keeps a passer-by on the network from an installation that nobody owns yet. Only its hash is
kept, where all web processes find it; it is over once somebody exists, and after a day.
"""

import hashlib
import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import reverse
from django.utils.crypto import constant_time_compare

# Without those that are mistaken for each other: it may be typed on a phone.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_GROUPS = 3
_KEY = "setup.code"
LASTS_HOURS = 24


def is_unowned() -> bool:
    """Return True while nobody can sign in, so that the first person may be made in the browser."""
    return not User.objects.exists()


def make_code() -> str:
    """Return a new code of 60 bits, such as `K7QF-9M2T-XW4B`; the one before counts no more."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(_GROUPS))
    code = "-".join(groups)
    cache.set(_KEY, _digest(code), timeout=LASTS_HOURS * 3600)
    return code


def setup_address() -> str:
    """Return the address of the first page, with a new code in it."""
    return f"{settings.BASE_URL}{reverse('start')}?code={make_code()}"


def is_right(code: str) -> bool:
    """Return True if this is the code that counts, however it was typed."""
    kept = cache.get(_KEY)
    return isinstance(kept, str) and constant_time_compare(kept, _digest(code))


def use_code(code: str) -> bool:
    """Return True if this is the code, which is over by that: for one only, of two who give it."""
    return is_right(code) and bool(cache.delete(_KEY))


def _digest(code: str) -> str:
    typed = "".join(code.split()).replace("-", "").upper()
    return hashlib.sha256(typed.encode("utf-8", "replace")).hexdigest()
