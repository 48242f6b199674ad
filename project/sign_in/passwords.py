"""What is asked of a password, beside what Django asks."""

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from inbox.models import StartPassword


class OwnPassword:
    """A password is another than the one before; with it, one that was made for somebody is over.

    Django calls `password_changed` wherever a password is set, at the command line too.
    """

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Refuse the one that they have."""
        if user is not None and user.pk and check_password(password, user.password):
            raise ValidationError(_("This is your current password."), code="password_unchanged")

    def get_help_text(self) -> str:
        """Return what is asked for."""
        return _("Your new password must differ from the current one.")

    def password_changed(self, _password: str, user: AbstractBaseUser | None = None) -> None:
        """Forget that it was one to begin with."""
        if user is not None and user.pk:
            StartPassword.objects.filter(user_id=user.pk).delete()
