"""Who looks at a page, and what they may do in each of their workspaces."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import BooleanField, Value
from django.http import HttpRequest

from inbox.actor import Actor
from inbox.models import Membership, Role
from inbox.prepared import Prepared

_CACHE = "_chancery_viewer"
# The cookie in which a page's script tells the browser's time zone.
ZONE_COOKIE = "tz"
_LONGEST_ZONE = 64
# Whether nobody would be told that something waits in the workspace of a membership. It is read
# along with the memberships; what knows of notices puts it here: whether the operator has a mail
# server for them, and what makes an expression of that.
UNTOLD: list[tuple[Callable[[], bool], Callable[[bool], Any]]] = []


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person with their workspaces: `roles` and `names` by the workspace's key."""

    actor: Actor
    roles: dict[int, str]
    names: dict[int, str]
    # Those in which nobody would be told that something waits.
    untold: frozenset[int] = frozenset()

    @property
    def has_several(self) -> bool:
        """Whether rows of more than one workspace meet on a page, and so want marking."""
        return len(self.roles) > 1

    def is_member(self, workspace_id: int | None) -> bool:
        """Whether they belong to this workspace; None asks for any at all."""
        return bool(self.roles) if workspace_id is None else workspace_id in self.roles

    def may_decide(self, workspace_id: int | None = None) -> bool:
        """Whether they may approve, reject and move things there: reviewers and owners."""
        return self._has(workspace_id, {Role.OWNER, Role.REVIEWER})

    def may_manage(self, workspace_id: int | None = None) -> bool:
        """Whether they may set the workspace up: owners."""
        return self._has(workspace_id, {Role.OWNER})

    @property
    def managed(self) -> list[int]:
        """The workspaces that they set up."""
        return [key for key, role in self.roles.items() if role == Role.OWNER]

    def _has(self, workspace_id: int | None, roles: set[Role]) -> bool:
        if workspace_id is None:
            return any(role in roles for role in self.roles.values())
        return self.roles.get(workspace_id) in roles


def viewer_of_user(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    """Return the viewer that a user is; one who is in no workspace sees none, superuser or not."""
    key = user.pk or 0
    places = list(_MEMBERSHIPS.rows(*(has_server() for has_server, _ in UNTOLD), user=key))
    actor = Actor(
        kind="person",
        id=key,
        name=user.get_username(),
        workspace_ids=tuple(place[0] for place in places),
    )
    return Viewer(
        actor,
        roles={place[0]: place[1] for place in places},
        names={place[0]: place[2] for place in places},
        untold=frozenset(place[0] for place in places if place[3]),
    )


def _memberships(*has_server: bool, user: int) -> list[Any]:
    is_untold = UNTOLD[0][1](*has_server) if has_server else Value(False, BooleanField())
    rows: Any = Membership.objects.filter(user_id=user).annotate(is_untold=is_untold)
    rows = rows.values_list("workspace_id", "role", "workspace__name", "is_untold")
    return [rows.order_by("workspace_id")]


_MEMBERSHIPS = Prepared(_memberships)


def viewer_of(request: HttpRequest) -> Viewer:
    """Return who looks, read once a request."""
    kept = request.__dict__.get(_CACHE)
    if not isinstance(kept, Viewer):
        kept = request.__dict__[_CACHE] = viewer_of_user(request.user)
    return kept


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the time zone that the browser says it is in; UTC where it says none that exists."""
    name = request.COOKIES.get(ZONE_COOKIE, "")
    if not name.isascii() or not 0 < len(name) <= _LONGEST_ZONE:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # A folder of the zones' files is no zone, nor is what lies outside of them.
        return UTC
