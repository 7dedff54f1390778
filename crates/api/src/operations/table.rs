//! The table of operations of operations memory. To add an operation, add one line here.

use crate::Nothing;
use crate::operation::operations;
use crate::operations::doctor::SreDoctorReport;
use crate::operations::investigation::{
    AgentPrompt, AgentResponse, AgentResponseRead, AgentResponseTaken, AgentResponseWait,
    InvestigationComplete, InvestigationCompleted, InvestigationMessages, InvestigationMessagesKept,
    InvestigationOutcome, InvestigationOutcomeTold, InvestigationStart, InvestigationStarted,
    PendingOutcomes, PendingOutcomesAsk, SreStats, SreStatsAsk,
};
use crate::operations::knowledge::{
    SreHistory, SreHistoryAsk, SreKept, SreRetrieve, SreRetrieved, SreSave, SreSaved,
};
use crate::operations::me::{MeRecordCorrect, MeRecordsAsk, MeRecordsDelete, MeRecordsDeleted};
use crate::operations::preference::{
    SrePreferenceDecision, SrePreferenceHistory, SrePreferenceHistoryQuery, SrePreferenceList,
    SrePreferencesApplied, SrePreferencesApply, SrePreferencesListing, SreUserPreferences,
};
use crate::operations::transfer::{SreExportAsk, SreExported, SreImport, SreImported};

operations! {
    PROFILE_AGENT_PROMPT = get "/v1/profiles/{profile}/agent-prompt": Nothing => AgentPrompt,
        "A part of the prompt of a profile's worker agents: when to write down what they learn, and how.";
    AGENT_RESPONSE = accept "/v1/investigations/{incident}/agent-response":
        AgentResponse => AgentResponseTaken,
        "Take what a worker agent answered; a job reads it for knowledge and contacts.";
    AGENT_RESPONSE_READ = get "/v1/investigations/{incident}/agent-response/{job}":
        AgentResponseWait => AgentResponseRead,
        "What came of an agent's answer; may wait for it.";
    SRE_DOCTOR = get "/v1/memories/{memory}/sre/doctor": Nothing => SreDoctorReport,
        "Look through operations memory for what nobody will read as it is meant.";
    SRE_HISTORY = get "/v1/memories/{memory}/history": SreHistoryAsk => SreHistory,
        "List every version of what is known of a service.";
    INVESTIGATION_COMPLETE = post "/v1/investigations/{incident}/complete":
        InvestigationComplete => InvestigationCompleted,
        "Save what an investigation found, with what its agents learned. The same said again is the same record.";
    INVESTIGATION_MESSAGES = post "/v1/investigations/{incident}/messages":
        InvestigationMessages => InvestigationMessagesKept,
        "Store a turn of an investigation's conversation, whole, and be told how it is shown.";
    INVESTIGATION_OUTCOME = post "/v1/investigations/{incident}/outcome":
        InvestigationOutcome => InvestigationOutcomeTold,
        "Tell what came of an investigation: its user in person, or an administrator.";
    INVESTIGATION_START = create "/v1/investigations": InvestigationStart => InvestigationStarted,
        "Begin an investigation, or join the one of the same alert that is open, and be told what is known; 200 where it is joined.";
    ME_RECORDS = get "/v1/me/records": MeRecordsAsk => SreExported,
        "List the caller's own records in the memory of operations agents.";
    ME_RECORD_CORRECT = patch "/v1/me/records": MeRecordCorrect => SreKept,
        "Say what is right, of a record of the caller's own.";
    ME_RECORDS_DELETE = delete "/v1/me/records": MeRecordsDelete => MeRecordsDeleted,
        "Delete records of the caller's own, or all of them.";
    SRE_PREFERENCES_LIST = get "/v1/memories/{memory}/preferences":
        SrePreferencesListing => SrePreferenceList,
        "List preferences of users of operations agents, those that wait for a person first.";
    SRE_PREFERENCES = get "/v1/memories/{memory}/preferences/{user}": Nothing => SreUserPreferences,
        "Show everything that a user of operations agents wants, and what it means now.";
    SRE_PREFERENCE_HISTORY = get "/v1/memories/{memory}/preferences/{user}/history":
        SrePreferenceHistoryQuery => SrePreferenceHistory,
        "List everything that was said of a user's preferences, the newest first.";
    SRE_PREFERENCES_APPLY = post "/v1/memories/{memory}/preferences:apply":
        SrePreferencesApply => SrePreferencesApplied,
        "Make preferences of users what a file declares, by key, all or nothing; or say what that would change.";
    SRE_PREFERENCE_CONFIRM = post "/v1/preferences/{preference}/confirm":
        SrePreferenceDecision => SreKept,
        "Put a preference that waits in force, as a person.";
    SRE_PREFERENCE_REJECT = post "/v1/preferences/{preference}/reject":
        SrePreferenceDecision => SreKept,
        "Put a preference that waits away, as a person.";
    SRE_RETRIEVE = post "/v1/memories/{memory}/retrieve": SreRetrieve => SreRetrieved,
        "Ask a memory of the profile sre for preferences, what is known of services, and investigations.", read;
    SRE_SAVE = post "/v1/memories/{memory}/save": SreSave => SreSaved,
        "Remember a preference, what is known of a service, or an investigation, in a memory of the profile sre.";
    SRE_STATS = get "/v1/sre/stats": SreStatsAsk => SreStats,
        "Numbers over investigations: how long, how sure, how often.";
    SRE_PENDING_OUTCOMES = get "/v1/sre/pending-outcomes": PendingOutcomesAsk => PendingOutcomes,
        "Investigations whose outcome nobody told for two weeks.";
    SRE_EXPORT = get "/v1/memories/{memory}/sre/export": SreExportAsk => SreExported,
        "What operations agents remember of a type, as lines that an import reads.";
    SRE_IMPORT = post "/v1/memories/{memory}/sre/import": SreImport => SreImported,
        "Write lines of an export, or say what is wrong with them; each succeeds or fails alone.";
}
