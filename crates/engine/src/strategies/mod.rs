//! Strategies: convert events to records. Pure: a strategy depends on turns and settings, never on
//! a store, a clock or a model.
//!
//! Each strategy works without a model, and may work with one by a question and a parser of its
//! answer, which `language_models` asks. A custom strategy uses those of its base with its own
//! instructions; a self-managed one has none, because its client extracts. Consolidation, or the
//! candidate's [`JoinMode`], decides if a candidate is added, repeated or superseding.
//!
//! To add a strategy, add one file with its deterministic extraction in the folder of its subject,
//! and one line in [`STRATEGIES`]. To support a model, add one file `<strategy>_model.rs` next to
//! it with its prompt, question and parser, the prompt's text in `prompts/`, one line in
//! [`model_questions::prompt::PROMPTS`], and the methods of [`Strategy`] after [`Strategy::asks`].

pub mod candidate;
pub mod earlier_records;
pub mod episodes;
pub mod facts;
pub mod learnings;
pub mod metadata;
pub mod model_questions;
pub mod preferences;
pub(super) mod self_managed;
pub mod summaries;
pub mod task_event;
pub mod turns;

use loci_model::SessionId;
use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase;

pub use candidate::{Candidate, JoinMode};
pub use earlier_records::EarlierRecord;
pub use model_questions::question::{Ask, BadReply, DecisionMethod, Question};
pub use turns::turn::Turn;

/// The input of one extraction: new messages of one session, branch and namespace. A turn is one
/// message, or a part of it.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The session of the turns.
    pub session: &'a SessionId,
    /// The new turns, in order of the conversation.
    pub turns: &'a [Turn],
    /// The earlier records of this session that [`Strategy::builds_on`] requests, oldest first.
    pub standing: &'a [EarlierRecord],
}

/// The extraction of records by one built-in strategy, with and without a language model.
pub trait Strategy: Sync {
    /// Returns the kind of built-in strategy.
    fn base(&self) -> StrategyBase;

    /// Returns the subtypes of a session's earlier records that [`Strategy::extract`] needs.
    fn builds_on(&self, session: &SessionId) -> Vec<String>;

    /// Returns the maximum number of turns that one round extracts; events are not divided.
    fn turns_per_round(&self) -> usize;

    /// Proposes records for new turns, in order, without a model.
    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate>;

    /// Returns true if the strategy can use a language model. The methods below are called only
    /// for these strategies.
    fn asks(&self) -> bool {
        false
    }

    /// Returns the name of the question's step, which clients see in pull mode.
    fn step(&self, _ask: &Ask<'_>) -> Step {
        Step::Extract
    }

    /// Returns the question that asks a model to extract new turns; `None` if there is nothing to
    /// ask.
    fn extraction(&self, _ask: &Ask<'_>) -> Option<Question> {
        None
    }

    /// Parses the records that a model's answer proposes.
    ///
    /// # Errors
    /// All defects of the answer.
    fn read_extraction(&self, _reply: &str, _ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        Err(BadReply::of("this strategy asks no model: nothing was asked"))
    }

    /// Returns the method that compares the proposed records with existing ones.
    fn decides(&self) -> DecisionMethod {
        DecisionMethod::Own
    }
}

/// All strategies that work without a model, one for each kind of built-in strategy.
pub static STRATEGIES: &[&dyn Strategy] = &[
    &facts::semantic::Semantic,
    &summaries::summary::Summary,
    &preferences::preference::UserPreference,
    &episodes::episodic::Episodic,
];

/// Returns the strategy of a kind; `None` for self-managed, whose client extracts records itself.
pub fn of(base: StrategyBase) -> Option<&'static dyn Strategy> {
    STRATEGIES.iter().copied().find(|strategy| strategy.base() == base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_but_the_callers_own_has_one() {
        use StrategyBase as B;
        for base in [B::Semantic, B::Summary, B::UserPreference, B::Episodic] {
            assert_eq!(STRATEGIES.iter().filter(|strategy| strategy.base() == base).count(), 1);
            assert_eq!(of(base).unwrap().base(), base);
        }
        assert!(of(B::SelfManaged).is_none());
    }
}
