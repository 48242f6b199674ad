"""The tools of concierge.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import Carrier
from chancery_client.generated.shapes.concierge import (
    ClassifyActivityAnswer,
    QueryActivitiesAnswer,
    QueryPeopleAnswer,
    UpdateActivitiesAnswer,
    UpdateActivitiesUpdates,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Concierge:
    """The tools of concierge."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier

    def classify_activity(
        self,
        *,
        activity_id: str,
        content: str,
        title: str,
        sender_email: str | None | Omitted = OMITTED,
        starts_at: str | None | Omitted = OMITTED,
    ) -> ClassifyActivityAnswer:
        """Classify what came in, by rules; the same input always gets the same answer.

        It rests on what is given, and on what is stored of the activity where `activity_id` is one
        that the caller may see. `reasoning` names the signals that decided. Nothing is changed:
        `update_activities` does that.

        activity_id: The activity; an id that is not known is taken too, and says nothing.
        content: The text.
        title: What it is called.
        sender_email: Who sent it.
        starts_at: When what it is about begins.
        """
        given: dict[str, Any] = {
            "activity_id": activity_id,
            "content": content,
            "title": title,
            "sender_email": sender_email,
            "starts_at": starts_at,
        }
        answer: ClassifyActivityAnswer = self._carrier.read("classify_activity", given)
        return answer

    def update_activities(
        self,
        *,
        activity_ids: list[str],
        updates: UpdateActivitiesUpdates,
        idempotency_key: str | None = None,
    ) -> UpdateActivitiesAnswer | Held[UpdateActivitiesAnswer]:
        """Set the status or parts of the classification of activities; null leaves as is.

        An agent may raise attention. What lowers it (a lower tier or urgency, a status that asks
        for less, leaving quarantine) waits for a person: the error `approval_required` names the
        approval. Where no status is given, a raised tier goes to where its tier belongs. All are
        changed or none; the answer names those that really changed. `option_framing` is for tiers 3
        and 4, and puts options: neither it nor an action says "you should", "don't forget", "you
        haven't" or "you're behind".

        activity_ids: The activities, each by its id.
        updates: What to set; null leaves as is.
        """
        given: dict[str, Any] = {
            "activity_ids": activity_ids,
            "updates": updates,
        }
        answer: UpdateActivitiesAnswer | Held[UpdateActivitiesAnswer]
        answer = self._carrier.propose("update_activities", given, idempotency_key)
        return answer

    def query_activities(
        self,
        *,
        status: Literal["pending", "needs_review", "quarantined", "surfaced", "processed", "archived"] | None | Omitted = OMITTED,
        limit: int | None | Omitted = OMITTED,
        since: str | None | Omitted = OMITTED,
        before: str | None | Omitted = OMITTED,
    ) -> QueryActivitiesAnswer:
        """List activities, newest first, by status and time of creation.

        `since` is inclusive and `before` exclusive; `limit` is 20 unless given, and at most 200.

        status: Where it stands.
        limit: At most so many.
        since: Created then or later.
        before: Created before then; that very time is not among them.
        """
        given: dict[str, Any] = {
            "status": status,
            "limit": limit,
            "since": since,
            "before": before,
        }
        answer: QueryActivitiesAnswer = self._carrier.read("query_activities", given)
        return answer

    def query_people(
        self,
        *,
        email: str | None | Omitted = OMITTED,
        search: str | None | Omitted = OMITTED,
        limit: int | None | Omitted = OMITTED,
    ) -> QueryPeopleAnswer:
        """Look up people, those most in contact first.

        `email` is exact, without regard to case, and wins over `search`, which looks in names,
        addresses, numbers, organisations and notes: first who has every word, then who has some.
        There "…" keeps words together, -word leaves out and OR takes either; conditions are name:
        email: company: title: phone: note: has: is:contact after: and before: (the last contact).
        `limit` is 20 unless given, and at most 200. Whom no account that the caller was granted has
        met is not there, and the counts are of those accounts.

        email: An address, whatever its case; it wins over `search`.
        search: A part of a name, address or organisation.
        limit: At most so many.
        """
        given: dict[str, Any] = {
            "email": email,
            "search": search,
            "limit": limit,
        }
        answer: QueryPeopleAnswer = self._carrier.read("query_people", given)
        return answer
