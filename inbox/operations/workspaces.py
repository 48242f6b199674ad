"""Making a workspace."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from inbox.errors import DomainError, invalid
from inbox.models import Membership, Role, Workspace
from inbox.operations.understanding import ensure_defaults


def create_workspace(*, name: str, slug: str, owner: User | None = None) -> Workspace:
    """Make a workspace with the default taxonomy, schemas and reply policy, and its owner if given.

    Raises DomainError where the slug is none, or (`conflict`) where it is taken.
    """
    name = name.strip()
    if not name or len(name) > 200:
        raise invalid("name", "A workspace needs a name.", "at most 200 characters")
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise invalid("slug", f"{slug!r} is no slug.", "letters, digits, - and _") from error
    if len(slug) > 50:
        raise invalid("slug", "The slug is too long.", "at most 50 characters")
    with transaction.atomic():
        workspace, made = Workspace.objects.get_or_create(slug=slug, defaults={"name": name})
        if not made:
            raise DomainError("conflict", f"There is a workspace {slug!r} already.", field="slug")
        ensure_defaults(workspace)
        if owner is not None:
            Membership.objects.create(user=owner, workspace=workspace, role=Role.OWNER)
    return workspace
