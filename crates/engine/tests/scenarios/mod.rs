//! Scenarios with a scripted model: records of conversations, and the handling of invalid answers.
//!
//! One file per idea. The model returns scripted answers, so these tests do not measure the quality
//! of a real one.

mod bad_replies;
mod crashes;
mod custom_strategies;
mod episodes;
mod every_strategy;
mod model_extraction;
mod model_outage;
mod process_death;
mod prompt_evaluation;
mod pull_mode;
mod reflections;
mod repository_reflections;
mod review_rules;
mod stories;
mod summaries;
mod tree_plans;
mod windows;

use std::sync::Arc;

use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobKind};
use loci_model::ports::language_model::Completion;
use loci_model::ports::store::{Store, StoreExt};
use loci_testkit_ports::{Script, ScriptedModel, ScriptedReply};
use serde_json::{Value, json};

use crate::fixture::World;

/// Returns an answer with these facts and the turns they come from.
pub(crate) fn facts(said: &[(&str, &[u64])]) -> ScriptedReply {
    let items: Vec<Value> =
        said.iter().map(|(fact, sources)| json!({"fact": fact, "sources": sources, "scope": null})).collect();
    ScriptedReply::Text(json!({ "items": items }).to_string())
}

pub(crate) fn text(text: &str) -> ScriptedReply {
    ScriptedReply::Text(text.to_owned())
}

/// Returns a model that gives these answers to extraction questions in order, and adds every new
/// memory in consolidation questions.
pub(crate) fn model(then: Vec<ScriptedReply>) -> Arc<ScriptedModel> {
    let read = Script { when: Box::new(|asked| asked.step != Step::Consolidate), then };
    let decide = Script::of_step(Step::Consolidate, vec![ScriptedReply::Made(all_added)]);
    Arc::new(ScriptedModel::new(vec![read, decide]))
}

/// Returns the answer that adds every new memory as different from the existing ones.
fn all_added(asked: &Completion) -> String {
    let new = part(&asked.input, "memories").lines().count();
    let item = json!({"memory": {"fact": "as it is"}, "operation": "AddMemory"});
    json!({ "items": vec![item; new] }).to_string()
}

/// Returns the content of `tag` in a question's input.
pub(crate) fn part<'a>(input: &'a str, tag: &str) -> &'a str {
    let (_, behind) = input.split_once(&format!("<{tag}>\n")).unwrap();
    behind.split_once(&format!("</{tag}>")).unwrap().0
}

impl World {
    /// Returns the only extraction job.
    pub(crate) fn extraction(&self) -> Job {
        let mut jobs = self.jobs();
        jobs.retain(|job| job.kind == JobKind::EXTRACT);
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        jobs.remove(0)
    }

    /// Returns the number of stored questions of a job.
    pub(crate) fn exchanges_of(&self, job: &Job) -> usize {
        let (memory, id) = (job.memory.clone(), job.id.clone());
        let store: &dyn Store = &*self.store;
        self.drive(store.read(move |tx| Ok(tx.exchanges().of_job(&memory, &id)?.len()))).unwrap()
    }
}
