"""The states of a submission, and the one table of its legal moves."""

from django.db import models
from django.utils.translation import pgettext_lazy


class SubmissionState(models.TextChoices):
    """Where a submission stands; the legal moves are `SUBMISSION_MOVES`."""

    HELD = "held", pgettext_lazy("choice", "Held")
    PENDING = "pending", pgettext_lazy("choice", "Pending")
    SENDING = "sending", pgettext_lazy("choice", "Sending")
    SENT = "sent", pgettext_lazy("choice", "Sent")
    FAILED = "failed", pgettext_lazy("choice", "Failed")
    UNKNOWN = "unknown", pgettext_lazy("choice", "Unknown")
    REJECTED = "rejected", pgettext_lazy("choice", "Rejected")
    CANCELED = "canceled", pgettext_lazy("choice", "Canceled")
    VOIDED = "voided", pgettext_lazy("choice", "Voided")
    EXPIRED = "expired", pgettext_lazy("choice", "Expired")


S = SubmissionState

# The one table of legal moves; `inbox.database_rules` has the database refuse every other.
SUBMISSION_MOVES: dict[str, frozenset[str]] = {
    S.HELD: frozenset({S.PENDING, S.REJECTED, S.CANCELED, S.VOIDED, S.EXPIRED}),
    # Back to held only where a backup was restored: nobody knows what left after it was taken.
    # Failed from there where it waited for a login that works, until its time was over.
    S.PENDING: frozenset({S.SENDING, S.CANCELED, S.VOIDED, S.HELD, S.FAILED}),
    # Back to pending only where the server certainly did not take it (a 4xx answer, no connection).
    S.SENDING: frozenset({S.PENDING, S.SENT, S.FAILED, S.UNKNOWN, S.VOIDED, S.HELD}),
    # A person, or the Sent folder, settles what became of it.
    S.UNKNOWN: frozenset({S.SENT, S.FAILED}),
    S.SENT: frozenset(),
    S.FAILED: frozenset(),
    S.REJECTED: frozenset(),
    S.CANCELED: frozenset(),
    S.VOIDED: frozenset(),
    S.EXPIRED: frozenset(),
}
# In these the approved hash must be the hash of the bytes.
APPROVED_STATES: frozenset[str] = frozenset({S.PENDING, S.SENDING, S.SENT, S.FAILED, S.UNKNOWN})
# A draft has at most one submission in these: what may still leave, may have left, or has left.
LIVE_STATES: frozenset[str] = frozenset({S.HELD, S.PENDING, S.SENDING, S.SENT, S.UNKNOWN})
