//! Prompts: instructions for models, in versioned files next to the strategies
//! (`prompts/<strategy>.<step>.v<n>.md`).
//!
//! A file has two parts: the instructions, which a custom strategy may override, and after a
//! separator line the form of the answer, which is fixed. The text of a released file never
//! changes, because records name their prompt: a change is a new version in a new file.
//!
//! To add a prompt, add its file, a `Prompt` next to the strategy that uses it, one line in
//! [`PROMPTS`], and its digest in the test.

use loci_model::Result;
use loci_model::memory::prompt::PromptId;
use loci_model::memory::strategy::StepOverride;
use loci_model::ports::language_model::OutputForm;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::prompt_input;
use super::question::{Ask, BadReply, Question, extraction_step};
use crate::consolidation::decisions::model_decisions;
use crate::strategies::episodes::{episodic_model, reflection_model};
use crate::strategies::facts::semantic_model;
use crate::strategies::preferences::preference_model;
use crate::strategies::summaries::summary_model;

/// Separator between the two parts of a file.
const DIVIDER: &str = "\n=== schema ===\n";
/// Number of hex digits that distinguish overridden instructions.
const DIGEST_CHARS: usize = 8;
/// Default maximum tokens of an answer.
pub const OUTPUT_TOKENS_MAX: u32 = 4_096;

/// A version of a prompt for language models.
pub struct Prompt {
    /// The name of the prompt, `<strategy>.<step>`.
    pub name: &'static str,
    /// The version of the prompt, from 1.
    pub version: u32,
    /// The text of the prompt's file.
    pub text: &'static str,
    /// The form of an answer in a few lines, for people and for a client's own agent.
    pub grammar: &'static str,
    /// The check that returns the number of entries of an answer, or all defects that the answer
    /// alone shows.
    pub entries: fn(&str) -> std::result::Result<usize, BadReply>,
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prompt({}@{})", self.name, self.version)
    }
}

/// The prompts of strategies and of consolidation.
pub static PROMPTS: &[&Prompt] = &[
    &semantic_model::EXTRACT,
    &model_decisions::FACTS,
    &preference_model::EXTRACT,
    &model_decisions::PREFERENCES,
    &summary_model::CONSOLIDATE,
    &episodic_model::EXTRACT,
    &episodic_model::CONSOLIDATE,
    &reflection_model::REFLECT,
];

/// Returns the prompt of that id, with or without overridden instructions.
pub fn named(prompts: impl IntoIterator<Item = &'static Prompt>, id: &PromptId) -> Option<&'static Prompt> {
    let plain = id.as_str().split_once('+').map_or(id.as_str(), |(plain, _)| plain);
    let (name, version) = plain.split_once('@')?;
    prompts.into_iter().find(|prompt| prompt.name == name && prompt.version.to_string() == version)
}

/// The variable parts of a question.
#[derive(Debug, Clone, Default)]
pub struct Filling<'a> {
    /// Overrides of a custom strategy.
    pub replaced: Option<&'a StepOverride>,
    /// Lines after the form of the answer: members that this memory's strategy needs.
    pub more: Option<String>,
    /// The input of the question.
    pub input: String,
    /// JSON Schema of one entry of the answer's list, or of the answer's single object.
    pub entry: Value,
}

impl Prompt {
    /// Returns the instructions and the form of the answer.
    fn parts(&self) -> (&'static str, &'static str) {
        self.text.split_once(DIVIDER).unwrap_or((self.text, ""))
    }

    /// Returns its name in records; with the digest of the instructions if they are overridden.
    ///
    /// # Errors
    /// Never for the prompts of [`PROMPTS`].
    pub fn id(&self, replaced: Option<&StepOverride>) -> Result<PromptId> {
        let id = PromptId::parse(format!("{}@{}", self.name, self.version))?;
        match replaced.map(|step| step.append_to_prompt.as_str()).filter(|text| !text.is_empty()) {
            None => Ok(id),
            Some(text) => {
                let digest: String = hex::encode(Sha256::digest(text)).chars().take(DIGEST_CHARS).collect();
                id.with_instructions(&digest)
            }
        }
    }

    /// Returns the question for entries of this form from a conversation.
    pub fn extraction(&self, ask: &Ask<'_>, mut entry: Value) -> Option<Question> {
        let more = ask.add_metadata(&mut entry);
        let input = prompt_input::conversation(ask.context, ask.batch.turns);
        self.list_question(Filling { replaced: extraction_step(ask.strategy), more, input, entry })
    }

    /// Returns a question whose answer is a list of entries.
    pub fn list_question(&self, mut filling: Filling<'_>) -> Option<Question> {
        let schema = json!({
            "type": "object",
            "properties": { "items": { "type": "array", "items": filling.entry.take() } },
            "required": ["items"],
            "additionalProperties": false,
        });
        self.question(filling, OutputForm::Json { name: "items", schema: schema.to_string() })
    }

    /// Returns a question whose answer is one object with this name.
    pub fn object_question(&self, name: &'static str, mut filling: Filling<'_>) -> Option<Question> {
        let schema = filling.entry.take().to_string();
        self.question(filling, OutputForm::Json { name, schema })
    }

    /// Returns a question whose answer is text with its own tags.
    pub fn text_question(&self, filling: Filling<'_>) -> Option<Question> {
        self.question(filling, OutputForm::Text)
    }

    fn question(&self, filling: Filling<'_>, output: OutputForm) -> Option<Question> {
        let Filling { replaced, more, input, .. } = filling;
        let (instructions, form) = self.parts();
        let own = replaced.map(|step| step.append_to_prompt.as_str()).filter(|text| !text.is_empty());
        let mut system = format!("{}\n\n{}", own.unwrap_or(instructions).trim(), form.trim());
        if let Some(more) = more {
            system.push('\n');
            system.push_str(&more);
        }
        Some(Question {
            prompt: self.id(replaced).ok()?,
            model_id: replaced.map(|step| step.model_id.clone()).filter(|id| !id.is_empty()),
            system,
            input,
            output,
            grammar: self.grammar,
            max_output_tokens: OUTPUT_TOKENS_MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records name their prompt, so a version's text must not change. Another text needs a new
    /// file and a new line here.
    #[test]
    fn released_words_stay() {
        let digests: Vec<(String, String)> = PROMPTS
            .iter()
            .map(|prompt| {
                let id = prompt.id(None).unwrap();
                (id.to_string(), hex::encode(Sha256::digest(prompt.text))[..16].to_owned())
            })
            .collect();
        let expect = [
            ("semantic.extract@1", "503aa86c16cdef82"),
            ("semantic.consolidate@1", "cdc0542600011f10"),
            ("user_preference.extract@1", "645f2f917b6c85c3"),
            ("user_preference.consolidate@1", "0cc30fba376e4be4"),
            ("summary.consolidate@1", "6fc7b205ed577579"),
            ("episodic.extract@1", "010ba131590ada33"),
            ("episodic.consolidate@1", "fa82984abd4d9402"),
            ("episodic.reflect@1", "34541fa84767baf3"),
        ];
        let expect = expect.map(|(id, digest)| (id.to_owned(), digest.to_owned()));
        assert_eq!(digests, expect);
    }

    #[test]
    fn instructions_are_replaced_and_the_form_is_not() {
        let step = StepOverride { append_to_prompt: "Note tools alone.".into(), model_id: "big".into() };
        let known = |id: &PromptId| named(PROMPTS.iter().copied(), id);
        for prompt in PROMPTS {
            let (instructions, form) = prompt.parts();
            assert!(!instructions.is_empty() && !form.is_empty(), "{prompt:?}");
            assert!(!prompt.text.contains('\r') && form.contains("No other "), "{prompt:?}");
            let of = |replaced| {
                prompt.list_question(Filling { replaced, input: "in".into(), ..Filling::default() }).unwrap()
            };
            let (usual, custom) = (of(None), of(Some(&step)));
            assert!(usual.system.starts_with(instructions.trim()) && usual.model_id.is_none());
            assert!(custom.system.starts_with("Note tools alone.\n\n"), "{}", custom.system);
            assert!(custom.system.ends_with(form.trim()) && usual.system.ends_with(form.trim()));
            assert_eq!(custom.model_id.as_deref(), Some("big"));
            let id = custom.prompt.to_string();
            assert!(id.starts_with(&format!("{}@1+custom:", prompt.name)), "{id}");
            assert!(std::ptr::eq(known(&custom.prompt).unwrap(), *prompt));
            assert!(std::ptr::eq(known(&usual.prompt).unwrap(), *prompt));
        }
        assert!(known(&PromptId::parse("semantic.extract@9").unwrap()).is_none());
    }
}
