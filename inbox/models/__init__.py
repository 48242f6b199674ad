"""The domain's rows."""

from inbox.activity_choices import ActivityType, Urgency
from inbox.files.storage import store_bytes
from inbox.models.accounts import (
    Account,
    CacheEntry,
    Identity,
    Membership,
    OutsideIdentity,
    PersonBrowser,
    Role,
    StartPassword,
    Workspace,
)
from inbox.models.activities import Activity, ActivitySource, ActivityStatus
from inbox.models.blobs import Blob, store_blob
from inbox.models.corrections import (
    ActivityChange,
    Correction,
    CorrectionRoute,
    CorrectionScope,
)
from inbox.models.drafts import (
    Draft,
    DraftAttachment,
    DraftStatus,
    DraftVersion,
    PlantedDraft,
    Submission,
)
from inbox.models.files import FileNode, FileVersion, NodeKind
from inbox.models.imports import Import, ImportProblem
from inbox.models.inboxes import Inbox, InboxStatus, Mailbox
from inbox.models.jobs import Job, JobState, Pace, PeriodicRun, WorkerProcess
from inbox.models.language_model import ModelAnswer, ModelSetting, ModelTask, ModelUse
from inbox.models.mail import (
    Attachment,
    Authentication,
    Direction,
    Importance,
    Inference,
    Message,
    MessageMailbox,
    Thread,
    ThreadReference,
    ThreadStatus,
    as_address,
)
from inbox.models.people import (
    Correspondence,
    Person,
    PersonEmail,
    PersonPhone,
    PhoneKind,
    SharedAddress,
)
from inbox.models.remote import MirrorEntry, RemoteFolder, RemoteMessage, SyncState, SyncStatus
from inbox.models.remote_collections import (
    RemoteCollection,
    RemoteItem,
    RemoteSource,
    SyncConflict,
)
from inbox.models.reports import DeliveryReport, ReportKind
from inbox.models.understanding import (
    ExtractionSchema,
    ExtractionSchemaVersion,
    ReplyPolicy,
    ReplyPolicyVersion,
    Taxonomy,
    TaxonomyVersion,
)

__all__ = [
    "Account",
    "Activity",
    "ActivityChange",
    "ActivitySource",
    "ActivityStatus",
    "ActivityType",
    "Attachment",
    "Authentication",
    "Blob",
    "CacheEntry",
    "Correction",
    "CorrectionRoute",
    "CorrectionScope",
    "Correspondence",
    "DeliveryReport",
    "Direction",
    "Draft",
    "DraftAttachment",
    "DraftStatus",
    "DraftVersion",
    "ExtractionSchema",
    "ExtractionSchemaVersion",
    "FileNode",
    "FileVersion",
    "Identity",
    "Import",
    "ImportProblem",
    "Importance",
    "Inbox",
    "InboxStatus",
    "Inference",
    "Job",
    "JobState",
    "Mailbox",
    "Membership",
    "Message",
    "MessageMailbox",
    "MirrorEntry",
    "ModelAnswer",
    "ModelSetting",
    "ModelTask",
    "ModelUse",
    "NodeKind",
    "OutsideIdentity",
    "Pace",
    "PeriodicRun",
    "Person",
    "PersonBrowser",
    "PersonEmail",
    "PersonPhone",
    "PhoneKind",
    "PlantedDraft",
    "RemoteCollection",
    "RemoteFolder",
    "RemoteItem",
    "RemoteMessage",
    "RemoteSource",
    "ReplyPolicy",
    "ReplyPolicyVersion",
    "ReportKind",
    "Role",
    "SharedAddress",
    "StartPassword",
    "Submission",
    "SyncConflict",
    "SyncState",
    "SyncStatus",
    "Taxonomy",
    "TaxonomyVersion",
    "Thread",
    "ThreadReference",
    "ThreadStatus",
    "Urgency",
    "WorkerProcess",
    "Workspace",
    "as_address",
    "store_blob",
    "store_bytes",
]
