"""Who acts, what waits for a person, and what was done."""

from agents.models.approvals import QUOTAS, Approval, ApprovalState, HeldBy
from agents.models.device_flows import DeviceFlow, FlowState, WrongCode
from agents.models.events import EVENT_PREFIX, FactNote, LoggedEvent, LogHead
from agents.models.exposure import Exposure, Origin, Provenance
from agents.models.identity import Agent, AgentStatus, Connection, Grant, Token
from agents.models.memory import Memory, MemoryVector, MemoryWord
from agents.models.mesh import (
    AgentMessage,
    ContextEntry,
    ContextSubscription,
    MessagePriority,
    MessageType,
    WaitingContext,
)
from agents.models.notices import (
    NoticeBundle,
    NoticeDelivery,
    NoticeItem,
    NoticeKind,
    NoticeSettings,
    NoticeState,
    NoticeWay,
    PushSubscription,
)
from agents.models.oversight import (
    Absence,
    DecisionMeasure,
    DecisionVerb,
    PlantedItem,
    PlantedVerdict,
    PlantingSetting,
)
from agents.models.presence import Presence
from agents.models.quotas import QuotaUse
from agents.models.receipts import Decision, Outcome, Receipt, ReceiptHead, StoredAnswer
from agents.models.sample_checks import SampleCheck, Verdict
from agents.models.saved_filters import SavedFilter
from agents.models.schedules import Schedule, ScheduleState, ScheduleType
from agents.models.tasks.a2a import A2AMessage, A2APush, A2ATask, TaskState
from agents.models.tasks.cache import CacheTask, CacheTaskState
from agents.models.webhooks import DeliveryState, WebhookDelivery, WebhookEndpoint
from agents.sightings import DecisionWay, Sight, Sighting

__all__ = [
    "EVENT_PREFIX",
    "QUOTAS",
    "A2AMessage",
    "A2APush",
    "A2ATask",
    "Absence",
    "Agent",
    "AgentMessage",
    "AgentStatus",
    "Approval",
    "ApprovalState",
    "CacheTask",
    "CacheTaskState",
    "Connection",
    "ContextEntry",
    "ContextSubscription",
    "Decision",
    "DecisionMeasure",
    "DecisionVerb",
    "DecisionWay",
    "DeliveryState",
    "DeviceFlow",
    "Exposure",
    "FactNote",
    "FlowState",
    "Grant",
    "HeldBy",
    "LogHead",
    "LoggedEvent",
    "Memory",
    "MemoryVector",
    "MemoryWord",
    "MessagePriority",
    "MessageType",
    "NoticeBundle",
    "NoticeDelivery",
    "NoticeItem",
    "NoticeKind",
    "NoticeSettings",
    "NoticeState",
    "NoticeWay",
    "Origin",
    "Outcome",
    "PlantedItem",
    "PlantedVerdict",
    "PlantingSetting",
    "Presence",
    "Provenance",
    "PushSubscription",
    "QuotaUse",
    "Receipt",
    "ReceiptHead",
    "SampleCheck",
    "SavedFilter",
    "Schedule",
    "ScheduleState",
    "ScheduleType",
    "Sight",
    "Sighting",
    "StoredAnswer",
    "TaskState",
    "Token",
    "Verdict",
    "WaitingContext",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WrongCode",
]
