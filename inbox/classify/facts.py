"""What the rules are given, and what they answer."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from inbox.reasons import ReasonText

ActivityKind: TypeAlias = Literal["request", "information", "action_required", "fyi", "event"]
UrgencyWord: TypeAlias = Literal["low", "normal", "high"]
TriageUrgency: TypeAlias = Literal["low", "medium", "high"]
Sentiment: TypeAlias = Literal["negative", "neutral", "positive"]


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """What is known of the message that an activity came from, beyond its words.

    `headers` are lower-case names to values (list-unsubscribe, precedence, auto-submitted, …),
    `anomalies` the parser's codes, `attachments` content types. `addressed` says where our address
    stands: in To, in Cc, or in neither. `received` and `sent` count earlier messages from and to
    the sender. `answered` says that we answered the sender later in the thread, `answers_others`
    that it answers a message that is not ours. `imitates` is the known address or domain that the
    sender's only looks like. `html_text` is what the HTML part says, shown or hidden, where there
    is one.
    `link_hosts` are the first hosts that its links lead to.
    """

    headers: dict[str, str] = field(default_factory=dict)
    list_id: str = ""
    authentication: str = "none"  # pass, fail or none
    authentication_results: dict[str, str] = field(default_factory=dict)
    anomalies: tuple[str, ...] = ()
    language: str = ""
    attachments: tuple[str, ...] = ()
    has_calendar: bool = False
    addressed: Literal["to", "cc", "neither"] = "to"
    recipients: int = 1
    answers_us: bool = False
    answers_others: bool = False
    answered: bool = False
    received: int = 0
    sent: int = 0
    reply_to: str = ""
    imitates: str = ""
    html_text: str = ""
    link_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a classification rests on; equal facts give equal answers."""

    title: str = ""
    content: str = ""
    sender_email: str = ""
    sender_name: str = ""
    starts_at: datetime | None = None
    message: MessageFacts | None = None


@dataclass(frozen=True, slots=True)
class Classification:
    """What `classify_activity` answers: tier 1-4, confidence 0-1, one to three actions."""

    activity_type: ActivityKind
    urgency: UrgencyWord
    autonomy_tier: int
    confidence: float
    personas: tuple[str, ...]
    reasoning: ReasonText
    suggested_actions: tuple[ReasonText, ...]
    option_framing: ReasonText | None


@dataclass(frozen=True, slots=True)
class Triage:
    """What `triage_message` answers."""

    intent: str
    urgency: TriageUrgency
    sentiment: Sentiment
    confidence: float
    suggested_route: str
