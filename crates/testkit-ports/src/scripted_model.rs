//! A language model that replies by a script: the same questions get the same replies, including
//! failures and missing replies.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use loci_model::job::exchange::{Step, Usage};
use loci_model::ports::BoxFuture;
use loci_model::ports::language_model::{
    Completion, Finish, LanguageModel, ModelError, ModelErrorKind, Reply,
};

/// The behaviour for a question.
#[derive(Debug, Clone)]
pub enum ScriptedReply {
    /// Replies with this text.
    Text(String),
    /// Replies with a text made from the question.
    Made(fn(&Completion) -> String),
    /// Replies, but is cut off at its limit.
    CutOff(String),
    /// Refuses to reply.
    Refused,
    /// Fails.
    Fails(ModelErrorKind),
    /// Never replies: the future stays pending for ever.
    Hangs,
    /// The future panics.
    Panics,
}

/// The behaviour for questions that meet a condition: the first reply for the first question, and
/// so on; the last one for all that follow.
pub struct Script {
    /// The condition.
    pub when: Box<dyn Fn(&Completion) -> bool + Send + Sync>,
    /// The replies, in order; if empty, the script does not apply.
    pub then: Vec<ScriptedReply>,
}

impl Script {
    /// Returns a script for every question of a step.
    pub fn of_step(step: Step, then: Vec<ScriptedReply>) -> Self {
        Self { when: Box::new(move |completion| completion.step == step), then }
    }

    /// Returns a script for every question whose input contains `part`.
    pub fn holding(part: impl Into<String>, then: Vec<ScriptedReply>) -> Self {
        let part = part.into();
        Self { when: Box::new(move |completion| completion.input.contains(&part)), then }
    }
}

/// The questions so far.
#[derive(Default)]
struct QuestionLog {
    asked: Vec<Completion>,
    /// The number of uses of each script.
    used: BTreeMap<usize, usize>,
}

/// A model that replies by a script. The first script with a matching condition applies. Without
/// one, the model is unavailable and reports that nothing was scripted.
pub struct ScriptedModel {
    name: String,
    scripts: Vec<Script>,
    seen: Mutex<QuestionLog>,
}

impl ScriptedModel {
    /// Returns a model called `scripted`.
    pub fn new(scripts: Vec<Script>) -> Self {
        Self { name: "scripted".to_owned(), scripts, seen: Mutex::default() }
    }

    /// Returns the model with another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Returns the number of questions.
    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).asked.len()
    }

    /// Returns the questions, in order.
    pub fn asked(&self) -> Vec<Completion> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }

    fn next(&self, completion: &Completion) -> Option<ScriptedReply> {
        let found = self.scripts.iter().position(|script| (script.when)(completion));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.asked.push(completion.clone());
        let at = found?;
        let used = seen.used.entry(at).or_default();
        let replies = &self.scripts.get(at)?.then;
        let reply = replies.get(*used).or_else(|| replies.last()).cloned();
        *used += 1;
        reply
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn model_id(&self) -> &str {
        &self.name
    }

    #[expect(clippy::panic, reason = "a model that breaks down, as scripted")]
    fn complete<'a>(&'a self, completion: &'a Completion) -> BoxFuture<'a, Result<Reply, ModelError>> {
        let next = self.next(completion);
        Box::pin(async move {
            let reply = |text: String, finish: Finish| Reply {
                usage: usage(completion, &text),
                text,
                model: self.name.clone(),
                finish,
            };
            match next {
                None => Err(ModelError::new(
                    ModelErrorKind::Unavailable,
                    "nothing was scripted for this question",
                )),
                Some(ScriptedReply::Text(text)) => Ok(reply(text, Finish::Complete)),
                Some(ScriptedReply::Made(make)) => Ok(reply(make(completion), Finish::Complete)),
                Some(ScriptedReply::CutOff(text)) => Ok(reply(text, Finish::CutOff)),
                Some(ScriptedReply::Refused) => {
                    Ok(reply(String::new(), Finish::Refused("scripted".to_owned())))
                }
                Some(ScriptedReply::Fails(kind)) => Err(ModelError::new(kind, "failed as scripted")),
                Some(ScriptedReply::Hangs) => std::future::pending().await,
                Some(ScriptedReply::Panics) => panic!("broke down as scripted"),
            }
        })
    }
}

fn usage(completion: &Completion, reply: &str) -> Usage {
    let tokens = |text: &str| u64::from(loci_text::tokens::estimate_tokens(text));
    Usage {
        input_tokens: tokens(&completion.system).saturating_add(tokens(&completion.input)),
        output_tokens: tokens(reply),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;
    use loci_model::ports::language_model::OutputForm;

    fn question(step: Step, input: &str) -> Completion {
        Completion {
            step,
            system: "Answer.".into(),
            input: input.into(),
            output: OutputForm::Text,
            max_output_tokens: 16,
        }
    }

    #[test]
    fn the_first_script_that_fits_answers_in_order() {
        let text = |text: &str| ScriptedReply::Text(text.into());
        let model = ScriptedModel::new(vec![
            Script::holding("tea", vec![ScriptedReply::Refused, text("tea it is")]),
            Script::of_step(Step::Extract, vec![ScriptedReply::Fails(ModelErrorKind::Throttled)]),
        ]);
        let ask = |step, input: &str| block_on(model.complete(&question(step, input)));
        assert_eq!(ask(Step::Extract, "tea").unwrap().finish, Finish::Refused("scripted".into()));
        assert_eq!(ask(Step::Extract, "tea").unwrap().text, "tea it is");
        assert_eq!(ask(Step::Extract, "tea").unwrap().text, "tea it is");
        assert_eq!(ask(Step::Extract, "milk").unwrap_err().kind, ModelErrorKind::Throttled);
        assert_eq!(ask(Step::Reflect, "milk").unwrap_err().kind, ModelErrorKind::Unavailable);
        assert_eq!(model.calls(), 5);
        assert_eq!(model.asked()[4].step, Step::Reflect);
    }
}
