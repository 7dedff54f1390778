//! Questions of a strategy to a model: the input, the question, and the defects of an answer.

use loci_model::Timestamp;
use loci_model::memory::prompt::PromptId;
use loci_model::memory::strategy::{self, StepOverride};
use loci_model::ports::language_model::OutputForm;
use loci_model::record::metadata::MetadataSchemaEntry;
use loci_model::record::provenance::Source;
use serde_json::Value;

use crate::strategies::metadata::inferred_values;
use crate::strategies::{Batch, Turn};

/// Maximum number of sources of one candidate. A window has no more messages, but a message may
/// have several parts.
const SOURCES_MAX: usize = 100;

/// The input from which a strategy makes a question to a model.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The new turns to extract, and the earlier records that the strategy continues.
    pub batch: Batch<'a>,
    /// Earlier turns, which the question shows as context.
    pub context: &'a [Turn],
    /// The strategy as the memory configures it.
    pub strategy: &'a strategy::Strategy,
    /// The maximum number of tokens of the conversation in the question.
    pub input_tokens_max: usize,
}

impl<'a> Ask<'a> {
    /// Returns the sources of the new turns with these numbers, in order, and the time of the
    /// newest. Numbers without a turn are invented and dropped; if none is left, all new turns are
    /// meant. `None` without any turn.
    pub fn named(&self, numbers: &[u64]) -> Option<(Vec<Source>, Timestamp)> {
        let turns = self.batch.turns;
        let named: Vec<&Turn> = (1u64..)
            .zip(turns)
            .filter(|(number, _)| numbers.contains(number))
            .map(|(_, turn)| turn)
            .collect();
        let named = if named.is_empty() { turns.iter().collect() } else { named };
        let time = named.iter().map(|turn| turn.time).max()?;
        let mut sources: Vec<Source> = Vec::new();
        for turn in named {
            if !sources.contains(&turn.source) && sources.len() < SOURCES_MAX {
                sources.push(turn.source.clone());
            }
        }
        Some((sources, time))
    }

    /// Returns the schema of the strategy's records.
    pub fn schema(&self) -> &'a [MetadataSchemaEntry] {
        self.strategy.schema.as_deref().unwrap_or_default()
    }

    /// Adds the member for inferred values to the JSON Schema of an entry, if there are any, and
    /// returns the instructions on them.
    pub fn add_metadata(&self, entry: &mut Value) -> Option<String> {
        inferred_values::add(self.schema(), entry)
    }
}

/// Returns the overrides of a custom strategy for extraction.
pub fn extraction_step(strategy: &strategy::Strategy) -> Option<&StepOverride> {
    strategy.custom.as_ref().and_then(|custom| custom.extraction.as_ref())
}

/// Returns the overrides of a custom strategy for consolidation.
pub fn consolidation_step(strategy: &strategy::Strategy) -> Option<&StepOverride> {
    strategy.custom.as_ref().and_then(|custom| custom.consolidation.as_ref())
}

/// A question to a language model.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The id of the prompt from which the question is made.
    pub prompt: PromptId,
    /// The id of the model that the strategy names; `None` for the default model.
    pub model_id: Option<String>,
    /// The instructions for the model, sent as the system prompt.
    pub system: String,
    /// The input of the question: the conversation and other data.
    pub input: String,
    /// The required form of the answer, such as a JSON Schema.
    pub output: OutputForm,
    /// The required form of the answer in words, for people and for a client's own agent.
    pub grammar: &'static str,
    /// The maximum number of tokens in the answer.
    pub max_output_tokens: u32,
}

impl std::fmt::Debug for Question {
    /// Content is sensitive, so only identifying fields are printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("prompt", &self.prompt)
            .field("model_id", &self.model_id)
            .field("input_bytes", &self.input.len())
            .finish_non_exhaustive()
    }
}

/// The defects of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BadReply {
    /// All defects, at most twenty lines; safe to display, with at most eighty characters of the
    /// answer each.
    pub violations: Vec<String>,
}

impl BadReply {
    /// Creates the list of a single defect.
    pub fn of(violation: impl Into<String>) -> Self {
        Self { violations: vec![violation.into()] }
    }
}

/// The method that compares the records a strategy proposes with existing ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionMethod {
    /// Consolidation by the rules for facts.
    Facts,
    /// Consolidation by the rules for preferences, which compare keys first.
    Preferences,
    /// The [`JoinMode`](crate::strategies::candidate::JoinMode) of each proposed record, without
    /// consolidation.
    Own,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use loci_model::memory::strategy::StrategyBase;
    use loci_model::{NamespaceTemplate, SessionId, StrategyId};
    use std::sync::LazyLock;

    static SESSION: LazyLock<SessionId> = LazyLock::new(|| SessionId::parse("s1").unwrap());

    /// Returns a configured strategy with a base and defaults.
    pub(crate) fn strategy(base: StrategyBase) -> loci_model::memory::strategy::Strategy {
        loci_model::memory::strategy::Strategy {
            id: StrategyId::parse("facts-0123456789").unwrap(),
            name: "facts".into(),
            description: None,
            base,
            custom: None,
            template: NamespaceTemplate::parse("/facts/{actorId}/").unwrap(),
            reflection: None,
            schema: None,
            record_expiry_days: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        }
    }

    /// Returns the input of a question on new turns.
    pub(crate) fn asking<'a>(
        strategy: &'a loci_model::memory::strategy::Strategy,
        turns: &'a [Turn],
        context: &'a [Turn],
    ) -> Ask<'a> {
        let batch = Batch { session: &SESSION, turns, standing: &[] };
        Ask { batch, context, strategy, input_tokens_max: 20_000 }
    }
}
