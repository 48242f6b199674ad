"""What the page of a workspace's people shows."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from django.db.models import Case, Exists, OuterRef, Value, When

from inbox.models import Membership, Role, StartPassword
from inbox.viewer import Viewer

# So many are shown; a workspace is a team.
MOST = 500


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with a place: `has_factor`: a second step guards them; `is_new`: never chose one."""

    membership: Membership
    has_factor: bool
    is_new: bool
    is_self: bool


def read_members(viewer: Viewer, workspace_id: int) -> list[Member]:
    """Return the members, owners first, each with how they sign in."""
    factors = Authenticator.objects.filter(
        user_id=OuterRef("user_id"), type=Authenticator.Type.TOTP
    )
    starts = StartPassword.objects.filter(user_id=OuterRef("user_id"))
    rank = Case(*(When(role=role, then=Value(at)) for at, role in enumerate(Role.values)))
    rows = (
        Membership.objects.visible_to(viewer.actor)
        .filter(workspace_id=workspace_id)
        .select_related("user")
        .annotate(has_factor=Exists(factors), is_new=Exists(starts), rank=rank)
        .order_by("rank", "user__username")[:MOST]
    )
    return [Member(row, row.has_factor, row.is_new, row.user_id == viewer.actor.id) for row in rows]
