//! Tasks of coding agents and their results. A task belongs to a repository, which is its actor,
//! and all data written for the task carries its session.
//!
//! | folder | idea |
//! |---|---|
//! | `tasks` | the verbs on a task; its sessions, its reports, and its exposures |
//! | `commits` | commits that hooks report, and the tasks that code leads back to |
//! | `learnings` | writing learnings, their consolidation, and conflicts that a person decides |
//! | `repositories` | settings, counts, progress, and documents of a repository |
//! | `hydration` | the memory of a repository, for the prompt of a task |
//! | `outcomes`, `metrics` | the graded outcomes of tasks; measures of tasks, and evaluations |
//! | `reviews` | reviews, pull requests, pushes and checks from forges |
//! | `rules` | the rules that reviews state: learned, decided, listed, with provenance |
//! | `safeguards` | quarantine, review queue, rollback to a snapshot, deletion |
//! | `preferences` | preferences of the people that agents work for |
//! | `reflection` | common findings of several tasks, and themes of their self-feedback |
//! | `code_graph` | files that change together, and imports of files |
//! | `prompts` | prompt versions, the prompt of a task, extraction prompts, their evaluation |
//! | `settings` | the settings of the server |
//! | `jobs`, `sweep` | the jobs, the list of failed jobs, and the parts of the sweep |
//!
//! To add a verb: a file with an `impl Coding` block and the types of its request and answer. A
//! call writes all its data in one write: a report is stored whole or not at all.

mod code_graph;
mod commits;
mod hooks;
pub mod hydration;
mod jobs;
mod learnings;
mod metrics;
mod outcomes;
mod preferences;
mod product;
pub mod prompts;
mod reflection;
mod repositories;
mod reviews;
pub mod rules;
mod safeguards;
mod scanners;
pub mod settings;
mod shelves;
mod sweep;
mod tasks;

pub use code_graph::co_change::{CoChange, ImpactOf, Thresholds};
pub use commits::attribution::Attributed;
pub use commits::blame::BlameAsk;
pub use hydration::Hydrated;
pub use learnings::conflicts::{ConflictDecision, ConflictResolved, ConflictShown};
pub use metrics::evaluations::EvaluationAdded;
pub use metrics::{Cut, Metrics, MetricsBy};
pub use outcomes::{OutcomeByHand, OutcomeSet, PullRequestSeen};
pub use preferences::{PreferencePut, PreferenceSet, PreferencesListed, preference_shown};
pub use product::CodingParts;
pub use prompts::evaluation::PromptAnswers;
pub use prompts::extraction::{ExtractionPrompt, ExtractionPromptChanged, NewExtractionPrompt, OWN_FROM};
pub use prompts::versions::{NewPrompt, PromptAdded, PromptDiff, PromptDigests, PromptParts};
pub use reflection::themes::{ProposalOf, Theme, ThemeState, Themes};
pub use repositories::repository_settings::{RepositoryChange, RepositoryShown};
pub use reviews::{BackfillAsked, HookDelivery, HookState, NewReview, intake_of};
pub use rules::{ReviewLearned, RuleDecision, RuleExposure, RuleProvenance};
pub use safeguards::{HeldDecision, PurgeAsk, RepositoryQuarantineAsk, Selection};
pub use scanners::scanners;
pub use settings::{CodingSettings, RuleSettings, share_of};
pub use tasks::alert::TaskAlerted;
pub use tasks::create::TaskCreated;
pub use tasks::exposures::exposure_get::exposure_shown;
pub use tasks::exposures::feedback::{FeedbackTaken, NewFeedback};
pub use tasks::patch::{TaskPatched, pull_request};
pub use tasks::reports::completion::{Completion, CompletionRecords, Learned, LearnedAction};
pub use tasks::reports::learnings::LearningsTaken;
pub use tasks::reports::note::TaskNoted;
pub use tasks::sessions::{
    NewSessionItem, Promoted, SessionEvents, SessionListing, SessionPromoted, of_event,
};

use loci_engine::Engine;
use loci_verified::Verified;

/// The memory of coding agents over an engine and its facts: cheap to clone, shared by all doors.
#[derive(Clone)]
pub struct Coding {
    pub(crate) engine: Engine,
    pub(crate) verified: Verified,
    pub(crate) parts: CodingParts,
}

impl Coding {
    /// Returns coding memory over verified memory, whose engine has the parts of both registered.
    pub fn new(verified: Verified, parts: &CodingParts) -> Self {
        Self { engine: verified.engine().clone(), verified, parts: parts.clone() }
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &CodingSettings {
        &self.parts.settings
    }

    /// Returns a handle that embeds one query once, however many searches use it.
    pub(crate) fn asking_once(&self) -> Self {
        Self::new(self.verified.asking_once(), &self.parts)
    }

    /// Returns the parts of this handle.
    pub(crate) fn registered(&self) -> product::Registered {
        product::Registered { parts: self.parts.clone(), verified: self.verified.parts().clone() }
    }
}
