"""What a call would do, worked out before anything changes: the protocol of what may wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agents.contracts.records import AnswerT, Planned
from agents.models import Approval
from inbox.flags import Finding
from inbox.models import Activity, Submission
from inbox.reasons import ReasonText


@dataclass(frozen=True, slots=True)
class MailContent:
    """What a message would say to whom: two that are equal are the same, whichever tool sends it.

    `sender` and the recipients are addresses, `files` the name and SHA-256 of each. `thread` is the
    public id of the thread that it answers, empty where it begins one.
    """

    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    thread: str = ""
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SealedMail:
    """A message that a call proposes, as sealed bytes."""

    submission: Submission
    # Further messages of the same call, to others: each waits for itself.
    further: "tuple[SealedMail, ...]" = ()


class Approved(NamedTuple):
    """A stored call that a person has approved, and how long at least its mail can be undone."""

    approval: Approval
    undo_seconds: int = 0


class Plan(Planned[AnswerT]):
    """What a call would do, worked out once; nothing is changed before it is applied or sealed.

    A tool that may need a person returns one. Without a reason to ask a person it is applied at
    once. Otherwise what would leave is sealed and the call waits; once it is approved, what was
    sealed is released, or, where nothing leaves, the call is planned anew and applied.
    """

    @property
    def needs_person(self) -> ReasonText | None:
        """Why a person is asked first; None: nobody is, unless the tool's effect is to send."""
        return None

    @property
    def content(self) -> MailContent | None:
        """What the same proposal has in common; None: the arguments of the call say it."""
        return None

    @property
    def activities(self) -> Sequence[Activity]:
        """The activities that it is about, for the reviewer's page."""
        return ()

    @property
    def touches(self) -> Sequence[Finding]:
        """What of it the flows of a policy are about, beside the text of a message."""
        return ()

    def apply(self) -> AnswerT:
        """Do it, and return the answer."""
        raise NotImplementedError

    def seal(self) -> SealedMail | None:
        """Return what would leave, sealed; None where nothing would."""
        return None

    @classmethod
    def release(cls, approved: Approved) -> AnswerT:
        """Let what was sealed leave, and return the answer."""
        raise NotImplementedError

    @classmethod
    def answer(cls, approval: Approval) -> AnswerT:
        """Return the answer as what was sealed stands, before and after it has left."""
        raise NotImplementedError
