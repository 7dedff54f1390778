//! Hooks on questions: prompts and steps that a product asks models by.

use loci_model::job::exchange::{Exchange, Step};
use loci_model::memory::prompt::PromptId;

use super::Products;
use crate::strategies::model_questions::prompt::{self, Prompt};
use crate::strategies::model_questions::question::BadReply;

/// Returns the number of entries of an answer, or everything that is wrong with it.
pub type ReplyEntries = fn(&str) -> Result<usize, BadReply>;

/// A step of a product's jobs in which models are asked.
#[derive(Debug, Clone, Copy)]
pub struct QuestionKind {
    /// The step.
    pub step: Step,
    /// Questions of the step quote records, of any strategy and of none: they are dropped when
    /// records go.
    pub quotes_records: bool,
    /// The form of answers, where the prompt's own does not say it.
    pub entries: Option<ReplyEntries>,
}

impl Products {
    /// Returns the prompt of that id, replaced instructions or not.
    pub(crate) fn prompt(&self, id: &PromptId) -> Option<&'static Prompt> {
        let of_products = self.0.iter().flat_map(|product| &product.prompts).copied();
        prompt::named(of_products.chain(prompt::PROMPTS.iter().copied()), id)
    }

    fn questions(&self) -> impl Iterator<Item = &QuestionKind> {
        self.0.iter().flat_map(|product| &product.questions)
    }

    /// Returns the steps whose questions quote records of any strategy.
    pub(crate) fn quoting_steps(&self) -> Vec<Step> {
        self.questions().filter(|kind| kind.quotes_records).map(|kind| kind.step).collect()
    }

    /// Returns the number of entries of an answer as far as the answer alone says it; where it says
    /// nothing, the job judges it.
    ///
    /// # Errors
    /// Everything that is wrong with the answer.
    pub(crate) fn reply_entries(&self, exchange: &Exchange, reply: &str) -> Result<usize, BadReply> {
        let of_step = self.questions().find(|kind| kind.step == exchange.step).and_then(|kind| kind.entries);
        let entries = of_step.or_else(|| self.prompt(&exchange.prompt).map(|prompt| prompt.entries));
        entries.map_or(Ok(1), |entries| entries(reply))
    }
}
