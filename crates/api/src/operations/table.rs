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
        "Get the part of a worker agent's prompt that states when and how it stores knowledge.";
    AGENT_RESPONSE = accept "/v1/investigations/{incident}/agent-response":
        AgentResponse => AgentResponseTaken,
        "Store a worker agent's answer. A job extracts knowledge and contacts from it.";
    AGENT_RESPONSE_READ = get "/v1/investigations/{incident}/agent-response/{job}":
        AgentResponseWait => AgentResponseRead,
        "Get the result of the extraction from an agent's answer, with an optional wait.";
    SRE_DOCTOR = get "/v1/memories/{memory}/sre/doctor": Nothing => SreDoctorReport,
        "Find records of operations memory that no read will ever match.";
    SRE_HISTORY = get "/v1/memories/{memory}/history": SreHistoryAsk => SreHistory,
        "List all versions of the knowledge about a service.";
    INVESTIGATION_COMPLETE = post "/v1/investigations/{incident}/complete":
        InvestigationComplete => InvestigationCompleted,
        "Store an investigation's findings and learnings. Repeated content updates the same record.";
    INVESTIGATION_MESSAGES = post "/v1/investigations/{incident}/messages":
        InvestigationMessages => InvestigationMessagesKept,
        "Store a complete turn of an investigation's conversation, and return its displayed form.";
    INVESTIGATION_OUTCOME = post "/v1/investigations/{incident}/outcome":
        InvestigationOutcome => InvestigationOutcomeTold,
        "Report the outcome of an investigation. Only its user or an administrator may do so.";
    INVESTIGATION_START = create "/v1/investigations": InvestigationStart => InvestigationStarted,
        "Start an investigation (201), or join the open one of the same alert (200), and get known context.";
    ME_RECORDS = get "/v1/me/records": MeRecordsAsk => SreExported,
        "List the caller's own records in the memory of operations agents.";
    ME_RECORD_CORRECT = patch "/v1/me/records": MeRecordCorrect => SreKept,
        "Correct one of the caller's own records.";
    ME_RECORDS_DELETE = delete "/v1/me/records": MeRecordsDelete => MeRecordsDeleted,
        "Delete some or all of the caller's own records.";
    SRE_PREFERENCES_LIST = get "/v1/memories/{memory}/preferences":
        SrePreferencesListing => SrePreferenceList,
        "List preferences of users of operations agents, those that await a decision first.";
    SRE_PREFERENCES = get "/v1/memories/{memory}/preferences/{user}": Nothing => SreUserPreferences,
        "Get all preferences of a user of operations agents, with their current effect.";
    SRE_PREFERENCE_HISTORY = get "/v1/memories/{memory}/preferences/{user}/history":
        SrePreferenceHistoryQuery => SrePreferenceHistory,
        "List the history of a user's preferences, newest first.";
    SRE_PREFERENCES_APPLY = post "/v1/memories/{memory}/preferences:apply":
        SrePreferencesApply => SrePreferencesApplied,
        "Apply a file of user preferences by key, all or nothing, or preview the changes.";
    SRE_PREFERENCE_CONFIRM = post "/v1/preferences/{preference}/confirm":
        SrePreferenceDecision => SreKept,
        "Confirm a pending preference. Only a person may do so.";
    SRE_PREFERENCE_REJECT = post "/v1/preferences/{preference}/reject":
        SrePreferenceDecision => SreKept,
        "Reject a pending preference. Only a person may do so.";
    SRE_RETRIEVE = post "/v1/memories/{memory}/retrieve": SreRetrieve => SreRetrieved,
        "Get preferences, service knowledge and investigations from a memory of the profile `sre`.", read;
    SRE_SAVE = post "/v1/memories/{memory}/save": SreSave => SreSaved,
        "Store a preference, service knowledge or an investigation in a memory of the profile `sre`.";
    SRE_STATS = get "/v1/sre/stats": SreStatsAsk => SreStats,
        "Get statistics of investigations: duration, confidence and frequency.";
    SRE_PENDING_OUTCOMES = get "/v1/sre/pending-outcomes": PendingOutcomesAsk => PendingOutcomes,
        "List investigations without an outcome for two weeks.";
    SRE_EXPORT = get "/v1/memories/{memory}/sre/export": SreExportAsk => SreExported,
        "Export operations records of a type as JSON lines that the import accepts.";
    SRE_IMPORT = post "/v1/memories/{memory}/sre/import": SreImport => SreImported,
        "Import the lines of an export, or validate them. Each line succeeds or fails independently.";
}
