"""Lists whose search box takes what the search of mail takes, and puts the best hits first."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.views.main import ORDER_VAR
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest

from inbox.actor import Actor
from inbox.admin.base import WorkspaceAdmin
from inbox.admin.refusals import words_of
from inbox.admin.restoring import DeletedFilter
from inbox.errors import DomainError
from inbox.models import Inbox, Message
from inbox.search import MOST_SEARCHED, rank_messages
from inbox.viewer import viewer_of

_MOST_FOUND = 500


class SearchedAdmin(WorkspaceAdmin):
    """Rows that are found by words and operators, the best first."""

    # What its search takes is explained below the box.
    explains_search: ClassVar[bool] = True

    def found(self, actor: Actor, query: str) -> Sequence[int]:
        """Return the keys of what is found, best first; raises DomainError."""
        return find_messages(actor, query)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Keep what is found, best first unless a column was chosen; say what is no search.

        What was deleted is in no index, and is looked for in the columns.
        """
        if not search_term.strip() or request.GET.get(DeletedFilter.parameter_name) == "yes":
            return super().get_search_results(request, queryset, search_term)
        try:
            keys = self.found(viewer_of(request).actor, search_term)
        except DomainError as error:
            messages.error(request, words_of(error))
            return queryset.none(), False
        rows = queryset.filter(pk__in=keys)
        if keys and ORDER_VAR not in request.GET:
            places = [When(pk=key, then=Value(place)) for place, key in enumerate(keys)]
            rows = rows.order_by(Case(*places), *rows.query.order_by)
        return rows, False


def find_messages(actor: Actor, query: str) -> list[int]:
    """Return the keys of the messages that are found, best first; raises DomainError."""
    inboxes = list(Inbox.objects.visible_to(actor).order_by("pk")[:MOST_SEARCHED])
    return list(rank_messages(inboxes=inboxes, query=query, limit=_MOST_FOUND))


def find_threads(actor: Actor, query: str) -> list[int]:
    """Return the keys of the threads of what is found, that of the best hit first."""
    keys = find_messages(actor, query)
    rows = Message.objects.visible_to(actor).filter(pk__in=keys)
    threads = dict(rows.values_list("pk", "thread_id"))
    return list(dict.fromkeys(threads[key] for key in keys if key in threads))
