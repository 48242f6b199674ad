"""Where a superuser who is in no workspace finds nothing to do, and is led to make one."""

from django.http import HttpRequest
from django.urls import reverse

from inbox.models import Membership
from project.admin_site import PLACES

# Where somebody without a workspace finds nothing that they could do: all that the top of a page
# leads to but Everything, and what is added first.
_WANTING = (
    *(view for _name, _key, view, _others in PLACES if view != "everything"),
    "admin:inbox_account_add", "admin:agents_agent_add", "members-everywhere",
)  # fmt: skip


def wants_workspace(request: HttpRequest) -> bool:
    """Return True if a superuser without a workspace asks for a page that needs one."""
    user = request.user
    if not (user.is_active and user.is_superuser and request.method in {"GET", "HEAD"}):
        return False
    if request.path not in {reverse(name) for name in _WANTING}:
        return False
    return not Membership.objects.filter(user_id=user.pk).exists()
