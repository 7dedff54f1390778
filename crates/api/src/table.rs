//! The table of operations of the kernel. To add an operation, add one line here.

use crate::Nothing;
use crate::admin::{
    Backup, BackupReport, DoctorAsk, DoctorReport, ExportAsk, Forget, ForgetReceipt, ImportReport,
};
use crate::delivery::{DeliveryList, DeliveryListing, DeliveryRetried, TargetList, TargetTest, TargetTried};
use crate::event::{
    ActorList, Event, EventCreate, EventCreated, EventList, EventListing, EventPlace, Paging, SessionList,
};
use crate::hook::{AlertAnswer, HookAnswer, HookDelivery, HookDeliveryList, HookDeliveryListing};
use crate::identity::Identity;
use crate::job::{ExtractionState, ExtractionWait, Job, JobList, JobListing, JobStarted};
use crate::key::{KeyCreate, KeyIssued, KeyList};
use crate::memory::ensure::{MemoryEnsure, MemoryEnsured};
use crate::memory::recreate::{MemoryRecreate, MemoryRecreated};
use crate::memory::{
    Memory, MemoryCreate, MemoryList, MemoryListing, MemorySettings, MemoryUpdate, TagKeys, Tags,
};
use crate::operation::{Bytes, Lines, operations};
use crate::profile::{Profile, ProfileApplied, ProfileApply, ProfileList};
use crate::pull::{JobGivenUp, JobNext, JobResult, JobResultTaken, PulledJob, SessionEnded};
use crate::quarantine::{Quarantine, QuarantineDecision, QuarantineList, QuarantineListing, Quarantined};
use crate::record::feedback::{RecordFeedback, RecordFeedbackStanding};
use crate::record::sources::{RecordSources, RecordSourcesAsk};
use crate::record::{
    BatchOutcome, Record, RecordHistory, RecordList, RecordListing, RecordRevert, RecordsCreate,
    RecordsDelete, RecordsReverted, RecordsUpdate,
};
use crate::search::{Search, SearchAnswer};
use crate::tool::{ToolArguments, ToolList, ToolListing, ToolResult};

operations! {
    ACTOR_FORGET = post "/v1/memories/{memory}/forget": Forget => ForgetReceipt,
        "Erase all data of a memory about a person immediately.";
    BACKUP = post "/v1/backup": Backup => BackupReport,
        "Write a consistent copy of the store to a file on the server.";
    DOCTOR = post "/v1/doctor": DoctorAsk => DoctorReport,
        "Check the store, the indexes and the external services.", read;
    CONFIG = get "/v1/config": Nothing => serde_json::Value,
        "Get the effective configuration, without secrets.";
    DELIVERY_LIST = get "/v1/memories/{memory}/deliveries": DeliveryListing => DeliveryList,
        "List notifications, newest first.";
    DELIVERY_RETRY = post "/v1/memories/{memory}/deliveries/{delivery}/retry":
        Nothing => DeliveryRetried,
        "Retry a notification that is pending or failed.";
    TARGET_LIST = get "/v1/targets": Nothing => TargetList,
        "List the configured targets of notifications.";
    TARGET_TEST = post "/v1/targets:test": TargetTest => TargetTried,
        "Send a test notification to a configured target.";
    EVENT_CREATE = create "/v1/memories/{memory}/events": EventCreate => EventCreated,
        "Store an event.", key;
    EVENT_LIST = get "/v1/memories/{memory}/events": EventListing => EventList,
        "List events of a session, newest first.";
    EVENT_GET = get "/v1/memories/{memory}/events/{event}": EventPlace => Event,
        "Get an event.";
    EVENT_DELETE = delete "/v1/memories/{memory}/events/{event}": EventPlace => Nothing,
        "Delete an event, and keep its records.";
    ACTOR_LIST = get "/v1/memories/{memory}/actors": Paging => ActorList,
        "List actors.";
    SESSION_LIST = get "/v1/memories/{memory}/actors/{actor}/sessions": Paging => SessionList,
        "List sessions of an actor, newest first.";
    SESSION_END = post "/v1/memories/{memory}/actors/{actor}/sessions/{session}/end":
        Nothing => SessionEnded,
        "End a session: its pending extraction is due now. Its next event reopens it.";
    HOOK_DELIVER = post "/v1/hooks/github": Bytes => HookAnswer,
        "Receive a webhook delivery of GitHub, authenticated by its signature.";
    HOOK_DELIVERY_LIST = get "/v1/hooks/deliveries": HookDeliveryListing => HookDeliveryList,
        "List webhook deliveries, newest first.";
    HOOK_DELIVERY_RETRY = post "/v1/hooks/deliveries/{guid}/retry": Nothing => HookDelivery,
        "Process a failed webhook delivery again.";
    IDENTITY = get "/v1/identity": Nothing => Identity,
        "Get the caller's identity and permissions, and the server's version.";
    JOB_LIST = get "/v1/memories/{memory}/jobs": JobListing => JobList,
        "List jobs, latest change first.";
    JOB_GET = get "/v1/memories/{memory}/jobs/{job}": Nothing => Job,
        "Get a job.";
    JOB_START = post "/v1/memories/{memory}/jobs/{job}/start": Nothing => JobStarted,
        "Restart a failed job.", key;
    EXTRACTION_WAIT = post "/v1/memories/{memory}/extraction:wait":
        ExtractionWait => ExtractionState,
        "Make pending extraction due now and wait until nothing is pending.", read;
    KEY_CREATE = create "/v1/keys": KeyCreate => KeyIssued,
        "Create a key. Its secrets are returned only once.";
    KEY_LIST = get "/v1/keys": Nothing => KeyList,
        "List keys.";
    KEY_ROTATE = post "/v1/keys/{key}/rotate": Nothing => KeyIssued,
        "Replace the secrets of a key.";
    KEY_REVOKE = delete "/v1/keys/{key}": Nothing => Nothing,
        "Revoke a key.";
    MEMORY_ENSURE = put "/v1/memories/{memory}": MemoryEnsure => MemoryEnsured,
        "Create a memory of this name, or add missing strategies to the existing one. Idempotent.";
    MEMORY_CREATE = create "/v1/memories": MemoryCreate => Memory,
        "Create a memory.", key;
    MEMORY_LIST = get "/v1/memories": MemoryListing => MemoryList,
        "List memories, newest first.";
    MEMORY_GET = get "/v1/memories/{memory}": Nothing => Memory,
        "Get a memory.";
    MEMORY_UPDATE = patch "/v1/memories/{memory}": MemoryUpdate => Memory,
        "Change a memory.", key;
    MEMORY_DELETE = delete "/v1/memories/{memory}": Nothing => Nothing,
        "Delete a memory with all its content.";
    SETTINGS_PUT = put "/v1/memories/{memory}/settings": MemorySettings => Memory,
        "Replace the settings that the AgentCore API lacks.";
    TAGS_LIST = get "/v1/memories/{memory}/tags": Nothing => Tags,
        "List tags.";
    TAGS_ADD = post "/v1/memories/{memory}/tags": Tags => Nothing,
        "Add or replace tags.";
    TAGS_REMOVE = delete "/v1/memories/{memory}/tags": TagKeys => Nothing,
        "Remove tags.";
    MEMORY_RECREATE = post "/v1/memories/{memory}/recreate": MemoryRecreate => MemoryRecreated,
        "Destroy a memory's content and recreate it. Without the name as confirmation, count the content.";
    PROFILE_LIST = get "/v1/profiles": Nothing => ProfileList,
        "List profiles.";
    PROFILE_GET = get "/v1/profiles/{profile}": Nothing => Profile,
        "Get a profile with its file.";
    PROFILE_APPLY = post "/v1/memories/{memory}/profile": ProfileApply => ProfileApplied,
        "Apply a profile's settings and strategies to a memory, or preview the changes.";
    PULLED_NEXT = post "/v1/jobs/next": JobNext => PulledJob,
        "Lease a question for the caller's own model. The status is 204 if there is none.";
    PULLED_RESULT = post "/v1/jobs/{job}/result": JobResult => JobResultTaken,
        "Submit the answer to a question.";
    PULLED_FAIL = post "/v1/jobs/{job}/fail": JobGivenUp => Nothing,
        "Release a question, so that others can lease it.";
    RECORDS_QUARANTINE = post "/v1/memories/{memory}/quarantine": Quarantine => Quarantined,
        "Quarantine records, or preview the selection.";
    QUARANTINE_LIST = get "/v1/memories/{memory}/quarantine": QuarantineListing => QuarantineList,
        "List quarantined records, newest first.";
    QUARANTINE_RELEASE = post "/v1/memories/{memory}/quarantine/release":
        QuarantineDecision => Quarantined,
        "Release quarantined records, which makes them active again.";
    QUARANTINE_REJECT = post "/v1/memories/{memory}/quarantine/reject":
        QuarantineDecision => Quarantined,
        "Reject quarantined records permanently.";
    RECORD_FEEDBACK = post "/v1/memories/{memory}/records/{record}/feedback":
        RecordFeedback => RecordFeedbackStanding,
        "Rate a record as useful or wrong. Ratings of two principals or an administrator quarantine it.";
    RECORDS_CREATE = create "/v1/memories/{memory}/records": RecordsCreate => BatchOutcome,
        "Create records. Each succeeds or fails independently.", key;
    RECORDS_UPDATE = patch "/v1/memories/{memory}/records": RecordsUpdate => BatchOutcome,
        "Update records: each update creates the next version.";
    RECORDS_DELETE = delete "/v1/memories/{memory}/records": RecordsDelete => BatchOutcome,
        "Delete records. Each succeeds or fails independently.";
    RECORD_LIST = post "/v1/memories/{memory}/records:list": RecordListing => RecordList,
        "List records, newest first.", read;
    RECORD_GET = get "/v1/memories/{memory}/records/{record}": Nothing => Record,
        "Get a record.";
    RECORD_DELETE = delete "/v1/memories/{memory}/records/{record}": Nothing => Nothing,
        "Delete a record.";
    RECORD_HISTORY = get "/v1/memories/{memory}/records/{record}/history": Nothing => RecordHistory,
        "List the versions and the state changes of a record.";
    RECORD_REVERT = post "/v1/memories/{memory}/records/{record}/revert":
        RecordRevert => RecordsReverted,
        "Revert a record to an earlier version, or undo a consolidation decision.";
    RECORD_SOURCES = get "/v1/records/{record}/sources": RecordSourcesAsk => RecordSources,
        "List the source events of a record, regardless of their actor.";
    SEARCH = post "/v1/search": Search => SearchAnswer,
        "Search records by a query.", read;
    TOOL_LIST = get "/v1/tools": ToolListing => ToolList,
        "List the tools that the caller may call.";
    TOOL_CALL = post "/v1/tools/{name}": ToolArguments => ToolResult,
        "Call a tool by its name, with underscores or dots.";
    MEMORY_EXPORT = get "/v1/memories/{memory}/export": ExportAsk => Lines,
        "Export a memory, a namespace or the data about a person as JSON lines that the import accepts.";
    MEMORY_IMPORT = post "/v1/import": Lines => ImportReport,
        "Import an export into memories that do not exist yet.";
    ALERT_DELIVER_ALERTMANAGER = post "/v1/hooks/alertmanager/{memory}": Bytes => AlertAnswer,
        "Receive alerts of Alertmanager, authenticated by its secret.";
    ALERT_DELIVER_PAGERDUTY = post "/v1/hooks/pagerduty/{memory}": Bytes => AlertAnswer,
        "Receive alerts of PagerDuty, authenticated by its signature.";
    ALERT_DELIVER_OPSGENIE = post "/v1/hooks/opsgenie/{memory}": Bytes => AlertAnswer,
        "Receive alerts of Opsgenie, authenticated by its secret.";
    ALERT_DELIVER_GENERIC = post "/v1/hooks/generic/{memory}": Bytes => AlertAnswer,
        "Receive alerts of any other system, authenticated by their signature.";
}
