"""Making a workspace."""

import itertools

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils.text import slugify

from inbox.actor import Actor, system_actor
from inbox.background.jobs import publish
from inbox.errors import DomainError, invalid
from inbox.models import Membership, Role, Workspace
from inbox.operations.accounts.setup_facts import OPERATOR
from inbox.operations.activities.understanding import ensure_defaults
from inbox.reasons import phrase as _


def create_workspace(
    *, name: str, slug: str, owner: User | None = None, by: Actor | None = None
) -> Workspace:
    """Make a workspace with the default taxonomy, schemas and reply policy, and its owner if given.

    With an owner it is told of as the fact `workspace.created`, for its receipt: `by` None is the
    operator, on the command line. Raises DomainError where the slug is none, or (`conflict`) where
    it is taken.
    """
    name = name.strip()
    if not name or len(name) > 200:
        raise invalid("name", _("A workspace needs a name."), _("at most 200 characters"))
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise invalid(
            "slug",
            _("%(slug)s is not a valid short name.", slug=repr(slug)),
            _("letters, digits, - and _"),
        ) from error
    if len(slug) > 50:
        raise invalid("slug", _("The short name is too long."), _("at most 50 characters"))
    with transaction.atomic():
        workspace, made = Workspace.objects.get_or_create(slug=slug, defaults={"name": name})
        if not made:
            raise DomainError(
                "conflict",
                _("A workspace %(slug)s already exists.", slug=repr(slug)),
                field="slug",
            )
        ensure_defaults(workspace)
        if owner is not None:
            Membership.objects.create(user=owner, workspace=workspace, role=Role.OWNER)
            _tell(workspace, owner, by or system_actor(workspace.pk, OPERATOR))
    return workspace


def free_slug(name: str) -> str:
    """Return a slug that no workspace has: a.b@c.example and a-b@c.example would share one."""
    stem = slugify(name)[:40].strip("-_") or "workspace"
    taken = set(Workspace.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    numbered = (f"{stem}-{number}" for number in itertools.count(2))
    return next(slug for slug in itertools.chain([stem], numbered) if slug not in taken)


def _tell(workspace: Workspace, owner: User, by: Actor) -> None:
    payload = {
        "workspace_id": workspace.pk, "name": workspace.name, "owner": owner.get_username(),
        "by_kind": by.kind, "by_id": by.id, "by_name": by.name,
    }  # fmt: skip
    publish("workspace.created", payload, workspace_id=workspace.pk)
