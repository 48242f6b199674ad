"""What a page is about, found for whoever looks, and what they may do with it."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from inbox.models.base import M
from inbox.viewer import viewer_of


def first_or_404(rows: QuerySet[M], kind: str) -> M:
    """Return the first of the rows that one may see.

    Raises Http404, alike for what is not there and what is foreign.
    """
    found = rows.first()
    if found is None:
        raise Http404(f"There is no such {kind}.")
    return found


def let_decide(request: HttpRequest, workspace_id: int) -> None:
    """Raise PermissionDenied for whoever only reads there."""
    if not viewer_of(request).may_decide(workspace_id):
        raise PermissionDenied


def let_manage(request: HttpRequest, workspace_id: int) -> None:
    """Raise PermissionDenied for whoever does not set the workspace up."""
    if not viewer_of(request).may_manage(workspace_id):
        raise PermissionDenied


def person_of(request: HttpRequest) -> User:
    """Return who is signed in; raises PermissionDenied where nobody is."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
