"""Django's own pages of users, for whoever operates it: open to a fresh login only."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.utils.decorators import method_decorator

from inbox.admin.fresh_login import freshly

# Django has registered its own by the import above.
admin.site.unregister(User)


@admin.register(User)
class Users(UserAdmin):  # type: ignore[type-arg]
    """Whoever sets a password, their own without the old one included, shows who they are first."""

    @method_decorator(freshly)
    def user_change_password(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Set a password."""
        return super().user_change_password(*args, **kwargs)

    @method_decorator(freshly)
    def add_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Make somebody."""
        return super().add_view(*args, **kwargs)

    @method_decorator(freshly)
    def change_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Change what somebody may do."""
        return super().change_view(*args, **kwargs)

    @method_decorator(freshly)
    def delete_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Remove somebody."""
        return super().delete_view(*args, **kwargs)
