"""Drafts by which a message leaves from here: no mail of their own while that goes on.

Some providers send what lies among the drafts, where a sync may see it before it is sent, or after
a worker was killed in between. Such a draft is set aside, and is read once it is no draft any more
or its submission has ended: then it is our own copy, or what was left of it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from inbox.intake.prepared import Prepared
from inbox.models.remote import RemoteMessage
from inbox.syncing.incoming.own_copies import LEFT, find_submissions
from inbox.syncing.visits import ChangesVisit


def set_aside(
    visit: ChangesVisit,
    prepared: Mapping[int, Prepared],
    places: Mapping[int, Collection[RemoteMessage]],
    role_of: Mapping[int, str],
) -> set[int]:
    """Set the drafts among what was read aside, and return their numbers.

    `places` are the rows of each, and `role_of` says which role their folders have. Runs inside
    `visit.writing()`.
    """
    drafts = {
        number: each
        for number, each in prepared.items()
        if any(_is_draft(role_of.get(it.folder_id, ""), it.keywords) for it in places[number])
    }
    submissions = find_submissions(visit, drafts)
    rows = [place for number in submissions for place in places[number]]
    for place in rows:
        place.submission_id = submissions[place.uid].pk
    RemoteMessage.objects.bulk_update(rows, ["submission"])
    return set(submissions)


def take_up(visit: ChangesVisit) -> None:
    """Have what was set aside be read that is no draft any more, or whose submission has ended."""
    held = RemoteMessage.objects.filter(folder__account=visit.account, submission__isnull=False)
    waiting: dict[str, bool] = defaultdict(bool)
    told = held.values_list("remote_id", "folder__role", "keywords", "submission__state")
    for one, role, keywords, state in told:
        waiting[one or ""] |= state in LEFT and _is_draft(role, keywords)
    if over := [one for one, is_waiting in waiting.items() if not is_waiting]:
        with visit.writing():
            held.filter(remote_id__in=over).update(submission=None)


def _is_draft(role: str, keywords: Collection[str]) -> bool:
    return role == "drafts" or "$draft" in keywords
