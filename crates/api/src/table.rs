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
        "Erase what a memory holds about a person, now.";
    BACKUP = post "/v1/backup": Backup => BackupReport,
        "Write a consistent copy of the store to a file on the server.";
    DOCTOR = post "/v1/doctor": DoctorAsk => DoctorReport,
        "Look at the store, the indexes, and what is called outside.", read;
    CONFIG = get "/v1/config": Nothing => serde_json::Value,
        "The configuration in force, without secrets.";
    DELIVERY_LIST = get "/v1/memories/{memory}/deliveries": DeliveryListing => DeliveryList,
        "List notifications, newest first.";
    DELIVERY_RETRY = post "/v1/memories/{memory}/deliveries/{delivery}/retry":
        Nothing => DeliveryRetried,
        "Try a notification again that waits or was given up.";
    TARGET_LIST = get "/v1/targets": Nothing => TargetList,
        "The configured targets of notifications.";
    TARGET_TEST = post "/v1/targets:test": TargetTest => TargetTried,
        "Send a test notification to a configured target.";
    EVENT_CREATE = create "/v1/memories/{memory}/events": EventCreate => EventCreated,
        "Store an event.", key;
    EVENT_LIST = get "/v1/memories/{memory}/events": EventListing => EventList,
        "List events of a session, newest first.";
    EVENT_GET = get "/v1/memories/{memory}/events/{event}": EventPlace => Event,
        "Get an event.";
    EVENT_DELETE = delete "/v1/memories/{memory}/events/{event}": EventPlace => Nothing,
        "Delete an event; its records stay.";
    ACTOR_LIST = get "/v1/memories/{memory}/actors": Paging => ActorList,
        "List actors.";
    SESSION_LIST = get "/v1/memories/{memory}/actors/{actor}/sessions": Paging => SessionList,
        "List sessions of an actor, newest first.";
    SESSION_END = post "/v1/memories/{memory}/actors/{actor}/sessions/{session}/end":
        Nothing => SessionEnded,
        "End a session: what is left to read of it is due now. Its next event opens it again.";
    HOOK_DELIVER = post "/v1/hooks/github": Bytes => HookAnswer,
        "Take what GitHub sends, by its signature.";
    HOOK_DELIVERY_LIST = get "/v1/hooks/deliveries": HookDeliveryListing => HookDeliveryList,
        "List what hooks brought in, newest first.";
    HOOK_DELIVERY_RETRY = post "/v1/hooks/deliveries/{guid}/retry": Nothing => HookDelivery,
        "Deal again with a delivery that failed.";
    IDENTITY = get "/v1/identity": Nothing => Identity,
        "Who the caller is, what it may do, and the server's version.";
    JOB_LIST = get "/v1/memories/{memory}/jobs": JobListing => JobList,
        "List jobs, latest change first.";
    JOB_GET = get "/v1/memories/{memory}/jobs/{job}": Nothing => Job,
        "Get a job.";
    JOB_START = post "/v1/memories/{memory}/jobs/{job}/start": Nothing => JobStarted,
        "Start a failed job again.", key;
    EXTRACTION_WAIT = post "/v1/memories/{memory}/extraction:wait":
        ExtractionWait => ExtractionState,
        "Make pending extraction due now and wait until nothing is pending.", read;
    KEY_CREATE = create "/v1/keys": KeyCreate => KeyIssued,
        "Make a key; its secrets are shown this once.";
    KEY_LIST = get "/v1/keys": Nothing => KeyList,
        "List keys.";
    KEY_ROTATE = post "/v1/keys/{key}/rotate": Nothing => KeyIssued,
        "Replace the secrets of a key.";
    KEY_REVOKE = delete "/v1/keys/{key}": Nothing => Nothing,
        "Revoke a key.";
    MEMORY_ENSURE = put "/v1/memories/{memory}": MemoryEnsure => MemoryEnsured,
        "Make a memory of this exact name, or complete the one there is with the strategies it lacks by name; again, it changes nothing.";
    MEMORY_CREATE = create "/v1/memories": MemoryCreate => Memory,
        "Make a memory.", key;
    MEMORY_LIST = get "/v1/memories": MemoryListing => MemoryList,
        "List memories, newest first.";
    MEMORY_GET = get "/v1/memories/{memory}": Nothing => Memory,
        "Get a memory.";
    MEMORY_UPDATE = patch "/v1/memories/{memory}": MemoryUpdate => Memory,
        "Change a memory.", key;
    MEMORY_DELETE = delete "/v1/memories/{memory}": Nothing => Nothing,
        "Delete a memory with all it holds.";
    SETTINGS_PUT = put "/v1/memories/{memory}/settings": MemorySettings => Memory,
        "Replace the settings that the wire lacks.";
    TAGS_LIST = get "/v1/memories/{memory}/tags": Nothing => Tags,
        "List tags.";
    TAGS_ADD = post "/v1/memories/{memory}/tags": Tags => Nothing,
        "Add or replace tags.";
    TAGS_REMOVE = delete "/v1/memories/{memory}/tags": TagKeys => Nothing,
        "Take tags off.";
    MEMORY_RECREATE = post "/v1/memories/{memory}/recreate": MemoryRecreate => MemoryRecreated,
        "Destroy all that a memory holds and make it anew; without its name once more, say what it holds.";
    PROFILE_LIST = get "/v1/profiles": Nothing => ProfileList,
        "The profiles there are.";
    PROFILE_GET = get "/v1/profiles/{profile}": Nothing => Profile,
        "A profile with its file.";
    PROFILE_APPLY = post "/v1/memories/{memory}/profile": ProfileApply => ProfileApplied,
        "Give a memory a profile's settings and strategies, or say what that would change.";
    PULLED_NEXT = post "/v1/jobs/next": JobNext => PulledJob,
        "Come for a question to the caller's own model; 204 where there is none.";
    PULLED_RESULT = post "/v1/jobs/{job}/result": JobResult => JobResultTaken,
        "Bring the answer to a question.";
    PULLED_FAIL = post "/v1/jobs/{job}/fail": JobGivenUp => Nothing,
        "Give a question up: it is open for others.";
    RECORDS_QUARANTINE = post "/v1/memories/{memory}/quarantine": Quarantine => Quarantined,
        "Hold records back, or say which would be.";
    QUARANTINE_LIST = get "/v1/memories/{memory}/quarantine": QuarantineListing => QuarantineList,
        "Records that are held back, newest first.";
    QUARANTINE_RELEASE = post "/v1/memories/{memory}/quarantine/release":
        QuarantineDecision => Quarantined,
        "Make held records active again.";
    QUARANTINE_REJECT = post "/v1/memories/{memory}/quarantine/reject":
        QuarantineDecision => Quarantined,
        "Mark held records as wrong, for good.";
    RECORD_FEEDBACK = post "/v1/memories/{memory}/records/{record}/feedback":
        RecordFeedback => RecordFeedbackStanding,
        "Say that a record is useful, or wrong; what two principals call wrong, or a person who administers the memory, is quarantined.";
    RECORDS_CREATE = create "/v1/memories/{memory}/records": RecordsCreate => BatchOutcome,
        "Make records; each succeeds or fails alone.", key;
    RECORDS_UPDATE = patch "/v1/memories/{memory}/records": RecordsUpdate => BatchOutcome,
        "Change records: the next version of each.";
    RECORDS_DELETE = delete "/v1/memories/{memory}/records": RecordsDelete => BatchOutcome,
        "Delete records; each succeeds or fails alone.";
    RECORD_LIST = post "/v1/memories/{memory}/records:list": RecordListing => RecordList,
        "List records, newest first.", read;
    RECORD_GET = get "/v1/memories/{memory}/records/{record}": Nothing => Record,
        "Get a record.";
    RECORD_DELETE = delete "/v1/memories/{memory}/records/{record}": Nothing => Nothing,
        "Delete a record.";
    RECORD_HISTORY = get "/v1/memories/{memory}/records/{record}/history": Nothing => RecordHistory,
        "All versions, and changes of state.";
    RECORD_REVERT = post "/v1/memories/{memory}/records/{record}/revert":
        RecordRevert => RecordsReverted,
        "Go back to an earlier version, or undo the decision a record stands in.";
    RECORD_SOURCES = get "/v1/records/{record}/sources": RecordSourcesAsk => RecordSources,
        "The events that a record was made from, whoever's they are.";
    SEARCH = post "/v1/search": Search => SearchAnswer,
        "Find records for a question.", read;
    TOOL_LIST = get "/v1/tools": ToolListing => ToolList,
        "List the tools that the caller may call.";
    TOOL_CALL = post "/v1/tools/{name}": ToolArguments => ToolResult,
        "Call a tool, by its underscored or its dotted name.";
    MEMORY_EXPORT = get "/v1/memories/{memory}/export": ExportAsk => Lines,
        "A memory, a namespace of it, or what it holds about a person, as JSON lines: everything needed to write it again.";
    MEMORY_IMPORT = post "/v1/import": Lines => ImportReport,
        "Write what an export holds, into memories that are not there yet.";
    ALERT_DELIVER_ALERTMANAGER = post "/v1/hooks/alertmanager/{memory}": Bytes => AlertAnswer,
        "Take what Alertmanager sends, by its secret.";
    ALERT_DELIVER_PAGERDUTY = post "/v1/hooks/pagerduty/{memory}": Bytes => AlertAnswer,
        "Take what PagerDuty sends, by its signature.";
    ALERT_DELIVER_OPSGENIE = post "/v1/hooks/opsgenie/{memory}": Bytes => AlertAnswer,
        "Take what Opsgenie sends, by its secret.";
    ALERT_DELIVER_GENERIC = post "/v1/hooks/generic/{memory}": Bytes => AlertAnswer,
        "Take alerts of any other system, by their signature.";
}
