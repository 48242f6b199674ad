"""What pages show of a decision that was made just before."""

from typing import Any

from django import template
from django.contrib.messages import get_messages
from django.http import HttpRequest

from agents.admin.activities.finding import UNDO_TAG
from agents.admin.review.just_decided import TEMPLATE, read_just_decided
from agents.admin.review.queue_path import BEFORE, read_wanted
from inbox.viewer import viewer_of

register = template.Library()


@register.inclusion_tag(TEMPLATE, takes_context=True)
def just_decided(context: dict[str, Any]) -> dict[str, Any]:
    """Show the line about what was decided just before, as the address names it."""
    request = context.get("request")
    shown = {name: context.get(name) for name in ("csrf_token", "request")}
    if not isinstance(request, HttpRequest) or BEFORE not in request.GET:
        return shown
    # One key takes one action back: that of the line above, if there is one.
    is_taken = any(UNDO_TAG in message.tags.split() for message in get_messages(request))
    query = read_wanted(request).to_query()
    found = read_just_decided(viewer_of(request), request.GET[BEFORE])
    return {**shown, **found, "query": query, "has_key": not is_taken}
