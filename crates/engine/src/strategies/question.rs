//! A strategy's half that asks a model: its question, and what is wrong with an answer. No strategy asks yet.

use loci_model::ports::language_model::OutputForm;
use loci_model::prompt::PromptId;
use loci_model::strategy;

use super::{Batch, Turn};

/// What a question is about.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The new turns, and what the strategy continues.
    pub batch: Batch<'a>,
    /// Turns before them, told along.
    pub context: &'a [Turn],
    /// The strategy as configured.
    pub strategy: &'a strategy::Strategy,
    /// Tokens of the input, at most.
    pub input_tokens_max: usize,
}

/// A question to a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The prompt it is made from.
    pub prompt: PromptId,
    /// The model the strategy names.
    pub model_id: Option<String>,
    /// The instructions.
    pub system: String,
    /// What they are about.
    pub input: String,
    /// The form of the answer, for programs.
    pub output: OutputForm,
    /// The form of the answer, for people and for a caller's own agent.
    pub grammar: &'static str,
    /// The answer is cut off after so many tokens.
    pub max_output_tokens: u32,
}

impl std::fmt::Debug for Question {
    /// Content is sensitive: only what identifies the question is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("prompt", &self.prompt)
            .field("model_id", &self.model_id)
            .field("input_bytes", &self.input.len())
            .finish_non_exhaustive()
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BadReply {
    /// Everything, at most twenty lines; safe to show, with at most eighty characters of the answer each.
    pub violations: Vec<String>,
}

impl BadReply {
    /// One thing that is wrong.
    pub fn of(violation: impl Into<String>) -> Self {
        Self { violations: vec![violation.into()] }
    }
}

/// Who decides what becomes of a strategy's candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deciding {
    /// Consolidation, as of facts.
    Facts,
    /// Consolidation, as of preferences: by key first.
    Preferences,
    /// The strategy itself, by its joinings.
    Own,
}
