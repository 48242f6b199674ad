"""What the tools of house take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class FindFreeSlotsWorkingHours(TypedDict):
    start: NotRequired[str]
    """Like 09:00."""
    end: NotRequired[str]
    """Like 09:00."""
    days: NotRequired[list[Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]]]
    """On which days of the week."""


class FindFreeSlotsAnswerSlots(TypedDict):
    start: str
    """When it begins."""
    end: str
    """When it ends."""


class FindFreeSlotsAnswer(TypedDict):
    slots: list[FindFreeSlotsAnswerSlots]
    """The times at which all have time."""
    unknown: list[str]
    """Addresses of whose time nothing is known."""
    as_of: str
    """As of when the oldest of the calendars was in step with its server."""


class GetCurrentTimeAnswer(TypedDict):
    utc: str
    """The time in UTC."""
    timezone: str
    """The IANA time zone."""
    local: str
    """The time on the clock of the zone."""
    date: str
    """The day."""
    weekday: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    """The day of the week."""
    utc_offset: str
    """How far the zone is from UTC."""


class ApprovalRiskFlagsItems(TypedDict):
    reason: str
    """Why."""
    excerpt: NotRequired[str]
    """The words of the message that raised it."""
    source: NotRequired[str]
    """The message it comes from."""


class ApprovalRiskFlags(TypedDict):
    flag: Literal["policy_blocked", "lookalike_sender", "hidden_text", "recipient_from_stranger", "link_from_stranger", "deceptive_link", "argument_from_stranger", "steered", "read_differently", "uninspectable", "risky_attachment", "not_for_these_readers", "content_from_other_thread", "contains_sensitive_data", "address_changed", "guests_not_told", "overwrites_attached", "destroys", "invitation", "new_recipient", "recipient_added", "same_as", "external_link", "forbidden_phrase", "missing_disclosure", "low_confidence", "too_long"]
    """Which flag it is."""
    reason: str
    """Why."""
    excerpt: NotRequired[str]
    """The words of the message that raised it."""
    source: NotRequired[str]
    """The message it comes from."""
    count: int
    """How many there are."""
    items: list[ApprovalRiskFlagsItems]
    """Each thing that raised it."""


class ApprovalCameBack(TypedDict):
    kind: Literal["failed", "delayed", "delivered", "relayed", "expanded", "away"]
    """What kind of report it is."""
    recipient: NotRequired[str]
    """Whom it was sent to."""
    status: NotRequired[str]
    """An enhanced status code (RFC 3463)."""
    words: NotRequired[str]
    """What the report says, in its own words."""
    message_id: NotRequired[str]
    """The message."""
    at: str
    """When it came."""


class Approval(TypedDict):
    approval_id: str
    """The approval that it waits for, or that decided on it."""
    tool: str
    """The tool that was called."""
    state: Literal["waiting", "approved", "rejected", "returned", "expired", "voided", "canceled"]
    """Where it stands."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""
    expires_at: str
    """Until when it counts."""
    reason: str
    """Why."""
    risk_flags: list[ApprovalRiskFlags]
    """What a reviewer is to look at, one for each kind."""
    note: NotRequired[str]
    """Why it was rejected or sent back, or what ended it."""
    feedback: NotRequired[str]
    """What the reviewer wrote when sending it back."""
    decided_at: NotRequired[str]
    """When a person decided."""
    message_id: NotRequired[str]
    """The message."""
    thread_id: NotRequired[str]
    """The thread it belongs to."""
    draft_id: NotRequired[str]
    """The draft."""
    submission_state: NotRequired[str]
    """Where the message stands."""
    waits_since: NotRequired[str]
    """Since when it waits for a login that works."""
    came_back: NotRequired[list[ApprovalCameBack]]
    """Bounces, delays and automatic answers to it, newest first."""
    replaced_by: NotRequired[str]
    """The approval that took its place."""
    review_url: str
    """Where a person decides on it."""


class ListApprovalsAnswer(TypedDict):
    approvals: list[Approval]
    """The approvals."""
    next_cursor: NotRequired[str]
    """Goes on where this page ends; absent at the end."""


class FileShareAnswer(TypedDict):
    status: Literal["queued", "sent"]
    """Where it stands."""
    message_id: str
    """The message."""
    approval_id: str
    """The approval that it waits for, or that decided on it."""
    review_url: str
    """Where a person decides on it."""


class LookAroundAnswerYou(TypedDict):
    kind: Literal["agent", "person", "system"]
    """What kind it is."""
    name: str
    """The name."""
    agent_id: NotRequired[str]
    """The agent."""
    workspaces: list[str]
    """Your workspaces."""
    scopes: list[str]
    """What the token may."""
    tools: NotRequired[list[str]]
    """The only tools that the token is for; absent where it is for all that its scopes open."""


class Listed(TypedDict):
    id: str
    """Its id."""
    address: NotRequired[str]
    """The address."""
    name: NotRequired[str]
    """The name."""
    path: NotRequired[str]
    """The path."""
    description: NotRequired[str]
    """More about it, as plain text."""
    role: NotRequired[str]
    """What it is there for."""
    inbox_id: NotRequired[str]
    """The inbox it belongs to."""
    account_id: NotRequired[str]
    """The account it belongs to."""
    default: NotRequired[bool]
    """Whether it counts where none is given."""


class LookAroundAnswer(TypedDict):
    you: NotRequired[LookAroundAnswerYou]
    """Who you are."""
    accounts: NotRequired[list[Listed]]
    """The accounts."""
    identities: NotRequired[list[Listed]]
    """As whom one may write."""
    inboxes: NotRequired[list[Listed]]
    """The inboxes."""
    mailboxes: NotRequired[list[Listed]]
    """The mailboxes."""
    calendars: NotRequired[list[Listed]]
    """The calendars."""
    policies: NotRequired[list[Listed]]
    """The reply policies."""
    taxonomies: NotRequired[list[Listed]]
    """The taxonomies."""
    schemas: NotRequired[list[Listed]]
    """The extraction schemas."""
    files: NotRequired[list[Listed]]
    """The files."""
    agents: NotRequired[list[Listed]]
    """The agents of the workspace."""
    more: NotRequired[list[Literal["accounts", "identities", "inboxes", "mailboxes", "calendars", "policies", "taxonomies", "schemas", "files", "agents"]]]
    """The kinds of which there are others."""
    next_cursor: NotRequired[str]
    """Goes on where this page ends; absent at the end."""


class PolicyCheckAnswer(TypedDict):
    outcome: Literal["held", "blocked", "refused"]
    """What came of it."""
    reasons: list[str]
    """Why, each in a sentence."""
    asks_a_person: bool
    """Whether a person would be asked."""
    risk_flags: list[ApprovalRiskFlags]
    """What a reviewer is to look at, one for each kind."""
    to_add: list[str]
    """Texts that the policy requires and that are missing."""
    policy_id: NotRequired[str]
    """The reply policy."""
    policy_version: NotRequired[int]
    """Which version of the policy it is."""


class ThreadUpdateAnswer(TypedDict):
    id: str
    """Its id."""
    inbox_id: str
    """The inbox it belongs to."""
    subject: str
    """The subject."""
    status: Literal["open", "closed", "snoozed"]
    """Where it stands."""
    snoozed_until: NotRequired[str]
    """Until when it stays away."""
    labels: list[str]
    """The mailboxes it is in."""
    updated_at: str
    """When it last changed."""


class TextOriginDerivedFrom(TypedDict):
    id: str
    """Its id."""
    origin: Literal["owner", "system", "known", "agent", "stranger"]
    """Whose words it holds."""


class TextOriginVersions(TypedDict):
    version: int
    """How often it was written."""
    origin: Literal["owner", "system", "known", "agent", "stranger"]
    """Whose words it holds."""
    author: NotRequired[str]
    """Who wrote it, as `agent:` or `person:` and a name."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""


class TextOrigin(TypedDict):
    origin: Literal["owner", "system", "known", "agent", "stranger"]
    """Whose words it holds."""
    author: NotRequired[str]
    """Who wrote the newest version."""
    authenticated: NotRequired[Literal["pass", "fail", "none"]]
    """Of mail that came in, whether its sender was authenticated."""
    warnings: NotRequired[list[str]]
    """What is odd about it, by codes such as `lookalike_sender`."""
    hidden: NotRequired[list[str]]
    """What its sender hid from the eye; a person who reads it does not see that."""
    id: str
    """Its id."""
    derived_from: list[TextOriginDerivedFrom]
    """What its author had been shown, strangers' texts first; of a thread its messages."""
    written_at: NotRequired[str]
    """When an agent wrote it last."""
    raised_by: NotRequired[str]
    """The person who vouches for it, as `person:` and a name."""
    raised_at: NotRequired[str]
    """When a person vouched for it."""
    versions: NotRequired[list[TextOriginVersions]]
    """Its newest versions, the newest first."""


class ExplainOriginAnswer(TypedDict):
    origins: list[TextOrigin]
    """Where each came from, in the order asked for."""
