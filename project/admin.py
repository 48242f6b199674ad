"""Django's own pages of users, for whoever operates it: open to a fresh login only."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator

from inbox.admin.base import LIGHT_MEDIA
from inbox.admin.fresh_login import freshly

# Django has registered its own by the import above.
admin.site.unregister([User, Group])


class LightList:
    """A list without jQuery, which the form of a row needs for what opens beside it."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list."""
        context = {"media": LIGHT_MEDIA, **(extra_context or {})}
        return super().changelist_view(request, context)  # type: ignore[misc, no-any-return]


@admin.register(Group)
class Groups(LightList, GroupAdmin):
    """Groups of permissions."""


@admin.register(User)
class Users(LightList, UserAdmin):  # type: ignore[type-arg]
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
