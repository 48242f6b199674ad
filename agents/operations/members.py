"""Who belongs to a workspace, and what they may do there; every change leaves a receipt.

Only persons do this, so that refusals speak the reader's language. The workspace's row is locked
meanwhile, so that two owners never remove each other at once.
"""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents import receipts
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Membership, Role, StartPassword, Workspace
from inbox.reasons import phrase as _

START_PASSWORD_DAYS = 7
# Neither 0 nor O, neither 1 nor l: it is read to somebody over the telephone.
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_GROUPS = 4


def add_member(*, workspace: Workspace, username: str, role: str, by: User) -> Membership:
    """Add somebody who can sign in already.

    Raises DomainError where there is nobody of that name, or (`conflict`) who is there already.
    Whoever has not chosen a password yet may be somebody else: only who made them adds them.
    """
    known = User.objects.filter(username=username.strip(), is_active=True, is_staff=True)
    with transaction.atomic():
        person = known.select_for_update().first()
        if person is None or (_is_new(person) and _belongs_elsewhere(person, by)):
            raise invalid("username", _("No user is named “%(name)s”.", name=username))
        return _join(workspace, person, role, by)


def add_new_person(
    *, workspace: Workspace, username: str, role: str, by: User
) -> tuple[Membership, str]:
    """Make somebody who can sign in, and return the place and the password to begin with.

    The password is told here and never again; it does for a week, and for choosing another. Raises
    DomainError where the name is none, or (`conflict`) where it is taken.
    """
    name = User.normalize_username(username.strip())
    try:
        User._meta.get_field("username").run_validators(name)
    except ValidationError as error:
        accepted = _("letters, digits and @ . + - _")
        raise invalid("username", _("This is not a valid user name."), accepted) from error
    with transaction.atomic():
        person = _make_person(name)
        password = _give_start_password(person)
        return _join(workspace, person, role, by), password


def reset_password(*, membership: Membership, by: User) -> str:
    """Return a new password to begin with, for a member who forgot theirs; it ends their sessions.

    It is told here and never again. A second factor stays as it is. Raises DomainError `conflict`
    for one's own, and for whoever has a say where the owner has none.
    """
    with transaction.atomic():
        found = _locked(membership)
        person = User.objects.select_for_update().get(pk=found.user_id)
        if person.pk == by.pk:
            raise DomainError("conflict", _("Change your own password under “Your settings”."))
        if _belongs_elsewhere(person, by) or not person.is_active:
            words = _(
                "You cannot reset this password alone. Ask the operator of this Chancery to do it."
            )
            raise DomainError("conflict", words)
        password = _give_start_password(person)
        _record(found, by, "member.password_reset", {})
    return password


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


def _make_person(name: str) -> User:
    """Make somebody without a password; raises DomainError `conflict` where there is one."""
    words = _("“%(name)s” already exists.", name=name)
    taken = DomainError("conflict", words, field="username")
    if User.objects.filter(username__iexact=name).exists():
        raise taken
    try:
        with transaction.atomic():
            return User.objects.create_user(name, is_staff=True)
    except IntegrityError:
        # Another owner was quicker.
        raise taken from None


def _give_start_password(person: User) -> str:
    password = "-".join(
        "".join(secrets.choice(_LETTERS) for _letter in range(4)) for _group in range(_GROUPS)
    )
    person.set_password(password)
    person.save(update_fields=["password"])
    expires_at = timezone.now() + timedelta(days=START_PASSWORD_DAYS)
    StartPassword.objects.create(user=person, expires_at=expires_at)
    return password


def _is_new(person: User) -> bool:
    return StartPassword.objects.filter(user=person).exists()


def _belongs_elsewhere(person: User, by: User) -> bool:
    """Return True if signing in as this person would let the owner do more than they may now."""
    owned = Membership.objects.filter(user=by, role=Role.OWNER).values("workspace_id")
    elsewhere = Membership.objects.filter(user=person).exclude(workspace_id__in=owned)
    operates = person.is_superuser and not by.is_superuser
    may_more = not person.get_all_permissions() <= by.get_all_permissions()
    return operates or may_more or elsewhere.exists()


def _join(workspace: Workspace, person: User, role: str, by: User) -> Membership:
    membership, is_new = Membership.objects.get_or_create(
        user=person, workspace=workspace, defaults={"role": _known(role)}
    )
    if not is_new:
        words = _("%(name)s is already a member.", name=person.get_username())
        raise DomainError("conflict", words, field="username")
    _record(membership, by, "member.added", {"role": role})
    return membership


def _known(role: str) -> str:
    if role not in Role.values:
        raise invalid(
            "role", _("There is no role %(role)s.", role=repr(role)), ", ".join(Role.values)
        )
    return role


def _locked(membership: Membership) -> Membership:
    """Return a membership as it is now, its workspace locked; raises DomainError `not_found`."""
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    rows = Membership.objects.select_related("user")
    found = rows.filter(pk=membership.pk).first()
    if found is None:
        raise DomainError("not_found", _("They are no longer a member."))
    return found


def _keep_an_owner(leaving: Membership) -> None:
    """Raise DomainError `conflict` unless another owner is there, who has signed in themselves.

    A password to begin with may lapse unused.
    """
    others = Membership.objects.filter(
        workspace_id=leaving.workspace_id, role=Role.OWNER, user__is_active=True,
        user__is_staff=True, user__start_password=None,
    ).exclude(pk=leaving.pk)  # fmt: skip
    if not others.exists():
        words = _(
            "A workspace needs at least one owner who has signed in. Make someone else an "
            "owner first."
        )
        raise DomainError("conflict", words, field="role")


def _record(membership: Membership, by: User, tool: str, more: dict[str, str]) -> None:
    actor = Actor(
        kind="person",
        id=by.pk,
        name=by.get_username(),
        workspace_ids=(membership.workspace_id,),
    )
    receipts.record(
        actor, ReceiptEntry(tool=tool, arguments={"person": str(membership.user), **more})
    )
