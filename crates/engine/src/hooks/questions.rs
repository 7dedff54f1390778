//! Hooks on questions: the prompts with which a product asks language models, and the steps of
//! its jobs that ask.

use loci_model::job::exchange::{Exchange, Step};
use loci_model::memory::prompt::PromptId;
use loci_model::{Error, Result};

use super::{KERNEL, Products};
use crate::strategies::model_questions::prompt::{self, Prompt};
use crate::strategies::model_questions::question::BadReply;

/// A check of a model's reply. It returns the number of entries in the reply, or all its defects.
pub type ReplyEntries = fn(&str) -> std::result::Result<usize, BadReply>;

/// A step of a product's jobs that asks a language model.
#[derive(Debug, Clone, Copy)]
pub struct QuestionKind {
    /// The name of the step.
    pub step: Step,
    /// True if the questions of the step quote records of any strategy. An erasure of records
    /// then removes these questions.
    pub quotes_records: bool,
    /// The check of the model's replies in this step; `None` to use the check of the prompt.
    pub entries: Option<ReplyEntries>,
}

impl Products {
    /// Returns the prompt with this id, whether or not its instructions are overridden.
    pub(crate) fn prompt(&self, id: &PromptId) -> Option<&'static Prompt> {
        let of_products = self.0.iter().flat_map(|product| &product.prompts).copied();
        prompt::named(of_products.chain(prompt::PROMPTS.iter().copied()), id)
    }

    /// Checks that each version of a prompt is registered only once.
    ///
    /// # Errors
    /// A bug that names the prompt and both registrations.
    pub(super) fn check_prompts(&self) -> Result<()> {
        let of_products =
            self.0.iter().flat_map(|product| product.prompts.iter().map(|prompt| (product.name, *prompt)));
        let of_kernel = prompt::PROMPTS.iter().map(|prompt| (KERNEL, *prompt));
        let mut known: Vec<(&str, &Prompt)> = Vec::new();
        for (product, prompt) in of_products.chain(of_kernel) {
            let (name, version) = (prompt.name, prompt.version);
            if let Some((first, _)) = known.iter().find(|(_, one)| (one.name, one.version) == (name, version))
            {
                return Err(Error::bug(format!(
                    "the prompt {name}@{version} is registered by {first}, and again by {product}"
                )));
            }
            known.push((product, prompt));
        }
        Ok(())
    }

    fn questions(&self) -> impl Iterator<Item = &QuestionKind> {
        self.0.iter().flat_map(|product| &product.questions)
    }

    /// Returns the steps whose questions quote records of any strategy.
    pub(crate) fn quoting_steps(&self) -> Vec<Step> {
        self.questions().filter(|kind| kind.quotes_records).map(|kind| kind.step).collect()
    }

    /// Returns the number of entries in a model's reply, if the reply alone determines it.
    /// Otherwise the job that asked checks the reply.
    ///
    /// # Errors
    /// All defects of the reply.
    pub(crate) fn reply_entries(
        &self,
        exchange: &Exchange,
        reply: &str,
    ) -> std::result::Result<usize, BadReply> {
        let of_step = self.questions().find(|kind| kind.step == exchange.step).and_then(|kind| kind.entries);
        let entries = of_step.or_else(|| self.prompt(&exchange.prompt).map(|prompt| prompt.entries));
        entries.map_or(Ok(1), |entries| entries(reply))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::Product;

    static FIRST: Prompt =
        Prompt { name: "letters.read", version: 1, text: "Read.", grammar: "", entries: |_| Ok(1) };
    static SECOND: Prompt =
        Prompt { name: "letters.read", version: 2, text: "Read on.", grammar: "", entries: |_| Ok(1) };

    #[test]
    fn a_version_of_a_prompt_is_registered_once() {
        let check = |first: &'static Prompt, second: &'static Prompt| {
            let product = |name, prompt| Product { name, prompts: vec![prompt], ..Product::default() };
            Products::new(vec![product("letters", first), product("papers", second)]).check()
        };
        check(&FIRST, &SECOND).unwrap();
        let error = check(&FIRST, &FIRST).unwrap_err();
        let expect = "the prompt letters.read@1 is registered by letters, and again by papers";
        assert_eq!(error.message.to_string(), expect);
        let error = check(&FIRST, prompt::PROMPTS[0]).unwrap_err();
        assert!(error.message.contains("@1 is registered by papers, and again by the kernel"), "{error:?}");
    }
}
