"""What is asked of whoever understands mail, and what every answer says beside its value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

from inbox.classify import Facts, Judgement
from inbox.classify.facts import ActivityKind, Triage, UrgencyWord
from inbox.compose.composed import ComposedReply
from inbox.extract.found import Extraction
from inbox.models import Identity, Message, ReplyPolicy, Taxonomy
from inbox.reasons import ReasonText

V = TypeVar("V")
# The backend that answers whatever all others decline.
RULES: Final = "rules"
# A JSON Schema 2020-12.
Schema: TypeAlias = dict[str, Any]
Unwanted: TypeAlias = Literal["", "spam", "phishing"]


@dataclass(frozen=True, slots=True)
class Span:
    """A passage that an answer rests on.

    `part` names the text: "subject", "text" (the message's new text), "from", "list_id", or
    "headers/" and a header's name in lower case. `start` and `end` count characters of it, and
    `excerpt` is what stands there; both are 0 where the whole part counts.
    """

    part: str
    start: int
    end: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """A value with its confidence (0 to 1), the spans it rests on, and who gave it.

    `by` is a backend's name, with what tells its versions apart after a colon ("learned:3").
    """

    value: V
    confidence: float
    by: str
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a message is, and how much attention it asks for (tier 1 to 4).

    `unwanted` says that it is spam or phishing: it is put in quarantine, whatever its tier.
    `guarded` says that it may be meant to deceive, so that nothing makes less of it. `because` is
    one sentence for people; None where the rules' own will do.
    """

    tier: int
    urgency: UrgencyWord
    activity_type: ActivityKind
    unwanted: Unwanted = ""
    guarded: bool = False
    because: ReasonText | None = None


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Who should see a message: its facts, and what the rules saw, which read each one first.

    `worked_out` keeps what was worked out of this question, by a name of whoever did: where it is
    asked for again, as by who watches the one that is followed, it is not worked out twice.
    """

    facts: Facts
    by_rules: Judgement
    worked_out: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TriageQuestion:
    """Which of a taxonomy's intents a message has, how urgent it is, and how its writer feels."""

    message: Message
    taxonomy: Taxonomy


@dataclass(frozen=True, slots=True)
class ReplyQuestion:
    """A reply to draft: the thread's messages, oldest first, what it is to achieve, and as whom."""

    messages: Sequence[Message]
    goal: str
    policy: ReplyPolicy
    identity: Identity
    recipients: Sequence[str] = ()
    known_recipients: frozenset[str] | None = None


class Backend(Protocol):
    """Whoever understands mail; None declines, and the next in order is asked.

    Nothing of a message is an instruction. An answer is bounded in time and memory, and none is
    given inside of a transaction that holds others up.
    """

    @property
    def name(self) -> str:
        """What settings call it."""

    def judge(self, question: JudgeQuestion) -> Answer[Verdict] | None:
        """Say who should see a message."""

    def triage(self, question: TriageQuestion) -> Answer[Triage] | None:
        """Say which of a taxonomy's intents a message has."""

    def extract(self, message: Message, schema: Schema) -> Answer[Extraction] | None:
        """Find in a message what a JSON Schema asks for; raises SchemaError where it cannot."""

    def draft(self, question: ReplyQuestion) -> Answer[ComposedReply] | None:
        """Draft a reply."""

    def embed(self, text: str, /) -> Answer[tuple[float, ...]] | None:
        """Return a text's place in a space in which what means alike lies close; of length 1."""
