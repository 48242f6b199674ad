"""Lists whose search box takes what the search of mail takes, and puts the best hits first."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from inbox.actor import Actor
from inbox.admin.base import WorkspaceAdmin
from inbox.admin.refusals import words_of
from inbox.admin.restoring import DeletedFilter
from inbox.errors import DomainError
from inbox.models import Inbox, Message
from inbox.search import MOST_SEARCHED, rank_messages
from inbox.viewer import viewer_of

MOST_FOUND = 500


@dataclass(frozen=True, slots=True)
class Found:
    """Keys, that of the best hit first, and by word that no mail has what was looked for.

    `looked_through` is how many messages were asked, where not all were.
    """

    keys: Sequence[int]
    instead: Mapping[str, str]
    looked_through: int = 0


class SearchedAdmin(WorkspaceAdmin):
    """Rows that are found by words and operators, the best first."""

    searched_as: ClassVar[str] = "mail"

    def found(self, actor: Actor, query: str) -> Found:
        """Return what is found; raises DomainError."""
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
            found = self.found(viewer_of(request).actor, search_term)
        except DomainError as error:
            messages.error(request, words_of(error))
            return queryset.none(), False
        if found.instead:
            messages.info(request, _say_instead(request, search_term, found.instead))
        if found.looked_through:
            words = _("Only the newest %(most)s messages were looked through.")
            messages.info(request, words % {"most": found.looked_through})
        keys = found.keys
        rows = queryset.filter(pk__in=keys)
        if keys and ORDER_VAR not in request.GET:
            places = [When(pk=key, then=Value(place)) for place, key in enumerate(keys)]
            rows = rows.order_by(Case(*places), *rows.query.order_by)
        return rows, False


def _say_instead(request: HttpRequest, query: str, instead: Mapping[str, str]) -> SafeString:
    """Return the line that says what is shown, with a link to look for what was typed."""
    literal = query
    for word in instead:
        literal = re.sub(rf'(?<![\w"]){re.escape(word)}(?![\w"])', f'"{word}"', literal)
    given = request.GET.copy()
    given[SEARCH_VAR] = literal
    given.pop(PAGE_VAR, None)
    typed, shown = (", ".join(words) for words in (instead, instead.values()))
    return format_html(
        '{} <a href="?{}">{}</a>',
        _("Nothing for %(typed)s, showing %(shown)s.") % {"typed": typed, "shown": shown},
        given.urlencode(),
        _("Search for the words as typed"),
    )


def find_messages(actor: Actor, query: str) -> Found:
    """Return the messages that are found; raises DomainError."""
    inboxes = list(Inbox.objects.visible_to(actor).order_by("pk")[:MOST_SEARCHED])
    scores = rank_messages(inboxes=inboxes, query=query, limit=MOST_FOUND)
    return Found(list(scores), scores.instead, scores.looked_through)


def find_threads(actor: Actor, query: str) -> Found:
    """Return the threads of what is found, that of the best hit first; raises DomainError."""
    found = find_messages(actor, query)
    rows = Message.objects.visible_to(actor).filter(pk__in=found.keys)
    threads = dict(rows.values_list("pk", "thread_id"))
    keys = list(dict.fromkeys(threads[key] for key in found.keys if key in threads))
    return Found(keys, found.instead, found.looked_through)
