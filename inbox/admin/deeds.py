"""What a person can do with a row of a list, as buttons above its page."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from inbox.admin.base import WorkspaceAdmin
from inbox.viewer import viewer_of


class Deed(NamedTuple):
    """A button: the page that it leads to, its words and key, and for which rows it is there.

    `named_by` is the attribute by which the page names the row.
    """

    page: str
    label: Any
    key: str
    fits: Callable[[Any], bool]
    named_by: str = "public_id"
    wants_owner: bool = False


class DeedsAdmin(WorkspaceAdmin):
    """Rows whose page has buttons for what a person can do with them."""

    deeds: ClassVar[tuple[Deed, ...]] = ()
    change_form_template = "chancery/by_hand/change_form.html"

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the buttons that fit the row and the person."""
        row = context.get("original")
        if row is not None:
            context["deeds"] = [
                (reverse(one.page, args=[getattr(row, one.named_by)]), one.label, one.key)
                for one in self.deeds
                if one.fits(row) and self._may(request, row, one)
            ]
        return super().render_change_form(request, context, *args, **kwargs)

    def _may(self, request: HttpRequest, row: Any, deed: Deed) -> bool:
        viewer, place = viewer_of(request), self.workspace_of(row)
        return viewer.may_manage(place) if deed.wants_owner else viewer.may_decide(place)
