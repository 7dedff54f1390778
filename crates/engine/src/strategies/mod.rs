//! Strategies: how events become records. Pure: a strategy sees turns and settings, never a store, a clock or a model.
//!
//! Each has a half that needs no model, and a half that does: a question, and how its answer is
//! read. `language_models` asks. A custom strategy uses the halves of its base with its own
//! instructions; a self-managed one has none, for its caller extracts. What becomes of a candidate
//! (added, repeated, superseding) is decided by consolidation, or by the candidate's [`Joining`].
//!
//! To add a strategy: one file with its deterministic half in the folder of its noun, one line in
//! [`STRATEGIES`]. To let a model read for it: one file `<strategy>_model.rs` beside it with its
//! prompt, question and reading, the prompt's words in `prompts/`, one line in
//! [`model_questions::prompt::PROMPTS`], and the methods of [`Strategy`] behind [`Strategy::asks`].

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

pub use candidate::{Candidate, Joining};
pub use earlier_records::Standing;
pub use model_questions::question::{Ask, BadReply, Deciding, Question};
pub use turns::turn::Turn;

/// What one extraction reads: new turns of one session, branch and namespace.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The new turns, in order.
    pub turns: &'a [Turn],
    /// Of this session, what the strategy asked for in [`Strategy::builds_on`], oldest first.
    pub standing: &'a [Standing],
}

/// A strategy: its deterministic half, and its questions to a model where it has any.
pub trait Strategy: Sync {
    /// What it makes.
    fn base(&self) -> StrategyBase;

    /// Subtypes of earlier records that [`Strategy::extract`] continues.
    fn builds_on(&self, session: &SessionId) -> Vec<String>;

    /// Turns that one round reads at most, as whole events.
    fn turns_per_round(&self) -> usize;

    /// New turns into candidates, in order.
    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate>;

    /// A model can read for it: what follows is asked only then, and windows open and close as the memory's settings say.
    fn asks(&self) -> bool {
        false
    }

    /// What its question is in the words of pull mode.
    fn step(&self, _ask: &Ask<'_>) -> Step {
        Step::Extract
    }

    /// The question by which a model reads new turns; `None`: there is nothing to ask.
    fn extraction(&self, _ask: &Ask<'_>) -> Option<Question> {
        None
    }

    /// The candidates of a model's answer.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn read_extraction(&self, _reply: &str, _ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        Err(BadReply::of("this strategy asks no model: nothing was asked"))
    }

    /// Who decides what becomes of its candidates.
    fn decides(&self) -> Deciding {
        Deciding::Own
    }
}

/// Every strategy that extracts without a model: one of each base.
pub static STRATEGIES: &[&dyn Strategy] = &[
    &facts::semantic::Semantic,
    &summaries::summary::Summary,
    &preferences::preference::UserPreference,
    &episodes::episodic::Episodic,
];

/// The strategy of that base; `None` for a self-managed one.
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
