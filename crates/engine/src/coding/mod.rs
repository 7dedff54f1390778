//! Tasks of coding agents, and what they leave behind (coding-agent-memory.md): a task is on a repository, which is its actor;
//! everything that is written for it carries its session.
//!
//! | file | idea |
//! |---|---|
//! | `acting` | what the agent of a task may do, and in which verbs |
//! | `envelope` | what log lines of this area carry, and how failures are told |
//! | `alerts` | holding back what a task with a security alert wrote, and writes |
//! | `task_place` | the repository of a new task, by name and by its forge's number |
//! | `task_secrets` | masking the names that a task is told by |
//! | `task_shown` | the task of an answer to a write, for those who may not read it |
//! | `place` | the actor, the session and the namespaces of a task, and who may touch it |
//! | `newest_commit` | the commit that a task has come to |
//! | `checks` | what the members of a task must be |
//! | `co_change` | files that change together, out of a repository's history and what tasks changed |
//! | `dependencies` | imports of a repository's files, by names |
//! | `learnings` | statements out of what an agent wrote: pure |
//! | `repository_docs`, `reading_docs` | what a repository says itself, and reading it |
//! | `consolidating`, `conflicts` | what becomes of a learning beside what is known, and what a person must decide |
//! | `documented` | what a repository has come to say itself, which expires |
//! | `completion`, `report` | what an agent reports, and the text of an episode |
//! | `learned`, `episode_writing` | writing learnings, and the one episode of a task |
//! | `hydration` | what is remembered, for the prompt of a task |
//! | `settings`, `repository_settings` | the settings of the server, and of a repository |
//! | `setting_names` | secrets in the settings of a repository |
//! | `arm` | the tasks that belong to the control group |
//! | `task_create`, `task_get`, `task_list`, `task_patch`, `task_alert`, `task_note`, `task_learnings`, `task_complete`, `task_finalize`, `task_feedback`, `task_explain`, `exposure_get` | the verbs |
//! | `outcomes` | what came of tasks: pull requests, checks, reverts, graded |
//! | `metrics`, `evaluations` | how well tasks went, and what evaluations found |
//! | `task_commits`, `blame` | commits that hooks report, and what a commit leads back to |
//! | `sessions` | what an agent says while it works, what of it is kept, and what becomes a learning |
//! | `attribution` | which tasks, prompts and people something leads back to, and what was said there |
//! | `repository_counts` | how much is remembered of a repository |
//! | `repository_progress` | the marks of work on a repository that is done again and again |
//! | `reviews` | reviews, pull requests, pushes and checks, as forges tell of them |
//! | `safeguards` | holding back, deciding about what waits, going back to a snapshot, erasing |
//! | `rules_list`, `rules` | the rules that reviews left: listed; learned, decided about, shown where from |
//! | `assembling` | the user prompt of a task, out of what its forge says: pure |
//! | `preferences` | what people want of the agents that work for them |
//! | `reflection` | what several tasks have in common |
//! | `themes` | what several tasks lacked |
//! | `extraction_prompts` | what agents are asked at the end of a task: shipped, and one's own |
//! | `prompt_evaluation` | extraction prompts against a labelled set, and the figures of each version |
//! | `prompts` | versions of the prompts that agents are given |
//!
//! A verb: one file with an `impl Engine` block, its request and answer beside it. Everything that one call writes is one write:
//! a report is stored whole or not at all.

mod acting;
pub(crate) mod alerts;
mod arm;
pub mod assembling;
mod attribution;
mod blame;
mod checks;
mod co_change;
mod completion;
pub(crate) mod conflicts;
mod consolidating;
mod dead_letters;
mod dependencies;
mod documented;
mod envelope;
mod episode_writing;
mod evaluations;
mod exposure_get;
mod extraction_prompts;
mod hooks;
pub mod hydration;
pub(crate) mod jobs;
mod learned;
mod metrics;
mod newest_commit;
mod outcomes;
mod place;
mod preferences;
mod product;
mod prompt_evaluation;
mod prompts;
mod reading_docs;
pub(crate) mod reflection;
mod report;
mod repository_counts;
mod repository_docs;
mod repository_progress;
mod repository_settings;
mod reviews;
pub mod rules;
mod rules_list;
mod safeguards;
mod scanners;
mod sessions;
mod setting_names;
pub mod settings;
mod sweep;
mod task_alert;
mod task_commits;
mod task_complete;
mod task_create;
mod task_explain;
mod task_feedback;
mod task_finalize;
mod task_get;
mod task_learnings;
mod task_list;
mod task_note;
mod task_patch;
mod task_place;
mod task_secrets;
mod task_shown;
mod themes;

pub use attribution::{Attributed, AttributionAsk, Snippet};
pub use blame::{Blame, BlameAsk, BlamedTask};
pub use co_change::{
    CoChange, CoChanges, FileSet, GraphAbout, HistoryState, Impact, ImpactOf, ImpactRow, Thresholds,
};
pub(crate) use co_change::{Graphs, ask_where_unread};
pub use completion::{Completed, Completion, Learned, LearnedAction};
pub use conflicts::{ConflictDecision, ConflictListing, ConflictResolved, ConflictShown};
pub(crate) use dependencies::ImportGraphs;
pub use dependencies::{Basis as ImportBasis, ImportSite};
pub use evaluations::{EvaluationAdded, EvaluationListing, NewEvaluation, NewFinding};
pub use extraction_prompts::{ExtractionPrompt, ExtractionPromptChanged, NewExtractionPrompt, OWN_FROM};
pub use hydration::Hydrated;
pub use metrics::{Cut, Measure, Metrics, MetricsAsk, MetricsBy, TaskMeasures, Usefulness};
pub use outcomes::{OutcomeByHand, OutcomeSet, PullRequestSeen};
pub(crate) use preferences::SCANNERS as PREFERENCE_SCANNERS;
pub use preferences::{
    PreferencePut, PreferenceSet, PreferencesListed, UserExport, UserForgotten, UserSettingsPut, UserShown,
};
pub(crate) use product::product;
pub use prompt_evaluation::{PromptAnswers, PromptQuestion, PromptQuestions};
pub use prompts::{NewPrompt, PromptAdded, PromptDiff, PromptDigests, PromptParts};
pub use reflection::{ReflectionFound, RepositoryReflectAsk, RepositoryReflected};
pub use repository_counts::RecordCount;
pub use repository_settings::{RepositoryChange, RepositoryShown};
pub(crate) use reviews::SCANNERS as REVIEW_SCANNERS;
pub use reviews::{
    BackfillAsked, HookDelivery, HookDeliveryShown, HookState, NewReview, ReviewsPolled, ReviewsPulled,
    intake_of,
};
pub use rules::{NewRule, ReviewLearned, RuleDecision, RuleExposure, RulePromotion, RuleProvenance};
pub use rules_list::RuleListing;
pub use safeguards::{
    HeldDecision, HeldListing, NotUndone, PurgeAsk, Purged, RepositoryQuarantineAsk, RollbackAsk, RolledBack,
    Selection, SnapshotOf, SnapshotShown,
};
pub(crate) use scanners::SCANNERS;
use sessions::forgetting;
pub use sessions::{
    NewSessionItem, Promoted, SessionAppended, SessionEvents, SessionListing, SessionPromoted, of_event,
};
pub use settings::{CodingSettings, RuleSettings, share_of};
pub use task_alert::TaskAlerted;
pub use task_commits::{CommitReport, CommitsTaken, NewCommit};
pub use task_create::{NewTask, TaskCreated};
pub use task_explain::{Explained, ExplainedRecord};
pub use task_feedback::{FeedbackTaken, NewFeedback};
pub use task_finalize::{Finalization, Finalized};
pub use task_learnings::LearningsTaken;
pub use task_list::TaskListing;
pub use task_note::{TaskNote, TaskNoted};
pub use task_patch::{TaskPatch, TaskPatched};
pub use themes::{ProposalOf, Theme, ThemeClosed, ThemeProposal, ThemeProposalAccepted, ThemeState, Themes};
