"""Who belongs to a workspace, and what they may do there; every change leaves a receipt.

The workspace's row is locked meanwhile, so that two owners never remove each other at once.
"""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.receipts import Deed
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Membership, Role, StartPassword, Workspace

START_PASSWORD_DAYS = 7
# Neither 0 nor O, neither 1 nor l: it is read to somebody over the telephone.
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_GROUPS = 4


def add_member(*, workspace: Workspace, username: str, role: str, by: User) -> Membership:
    """Add somebody who can sign in already.

    Raises DomainError where there is nobody of that name, or (`conflict`) who is there already.
    """
    person = User.objects.filter(username=username.strip(), is_active=True, is_staff=True).first()
    if person is None:
        raise invalid("username", f"Nobody signs in as {username!r}.")
    with transaction.atomic():
        return _join(workspace, person, role, by)


def add_new_person(
    *, workspace: Workspace, username: str, role: str, by: User
) -> tuple[Membership, str]:
    """Make somebody who can sign in, and return the place and the password to begin with.

    The password is told here and never again; it does for a week, and for choosing another. Raises
    DomainError where the name is none, or (`conflict`) where it is taken.
    """
    name = username.strip()
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError as error:
        raise invalid(
            "username", "This is no user name.", "letters, digits and @ . + - _"
        ) from error
    password = "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(_GROUPS))
    with transaction.atomic():
        if User.objects.filter(username__iexact=name).exists():
            raise DomainError("conflict", f"There is a {name!r} already.", field="username")
        person = User.objects.create_user(name, password=password, is_staff=True)
        expires_at = timezone.now() + timedelta(days=START_PASSWORD_DAYS)
        StartPassword.objects.create(user=person, expires_at=expires_at)
        return _join(workspace, person, role, by), password


def change_role(*, membership: Membership, role: str, by: User) -> Membership:
    """Give a member another role; raises DomainError `conflict` for the last owner's."""
    with transaction.atomic():
        found = _locked(membership)
        old = found.role
        if old == role:
            return found
        if old == Role.OWNER:
            _keep_an_owner(found)
        found.role = _known(role)
        found.save(update_fields=["role"])
        _record(found, by, "member.role_changed", {"from": old, "to": role})
    return found


def remove_member(*, membership: Membership, by: User) -> None:
    """Take somebody out of a workspace; raises DomainError `conflict` for the last owner."""
    with transaction.atomic():
        found = _locked(membership)
        if found.role == Role.OWNER:
            _keep_an_owner(found)
        _record(found, by, "member.removed", {"role": found.role})
        found.delete()


def _join(workspace: Workspace, person: User, role: str, by: User) -> Membership:
    membership, is_new = Membership.objects.get_or_create(
        user=person, workspace=workspace, defaults={"role": _known(role)}
    )
    if not is_new:
        words = f"{person.get_username()} is there already."
        raise DomainError("conflict", words, field="username")
    _record(membership, by, "member.added", {"role": role})
    return membership


def _known(role: str) -> str:
    if role not in Role.values:
        raise invalid("role", f"There is no role {role!r}.", ", ".join(Role.values))
    return role


def _locked(membership: Membership) -> Membership:
    """Return it as it is now, with the workspace's row locked; raises DomainError `not_found`."""
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    rows = Membership.objects.select_related("user")
    found: Membership | None = rows.filter(pk=membership.pk).first()
    if found is None:
        raise DomainError("not_found", "They are a member no more.")
    return found


def _keep_an_owner(leaving: Membership) -> None:
    """Raise DomainError `conflict` unless another owner is there, who can sign in."""
    others = Membership.objects.filter(
        workspace_id=leaving.workspace_id, role=Role.OWNER, user__is_active=True
    ).exclude(pk=leaving.pk)
    if not others.exists():
        raise DomainError(
            "conflict", "A workspace keeps an owner: make somebody else one first.", field="role"
        )


def _record(membership: Membership, by: User, tool: str, more: dict[str, str]) -> None:
    actor = Actor(
        kind="person",
        id=by.pk,
        name=by.get_username(),
        workspace_ids=(membership.workspace_id,),
    )
    receipts.record(actor, Deed(tool=tool, arguments={"person": str(membership.user), **more}))
