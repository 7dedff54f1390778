//! Stories with a model that answers by a script: what becomes of what people say, and of answers that are none.
//!
//! One file per idea. The model says what the script says, so nothing here tells how well a real one reads.

mod bad_replies;
mod crashes;
mod falling_back;
mod pulling;
mod reading;
mod windows;

use std::sync::Arc;

use loci_model::job::{Job, JobKind};
use loci_model::ports::store::{Store, StoreExt};
use loci_testkit::{Script, ScriptedModel, ScriptedReply};
use serde_json::{Value, json};

use crate::world::World;

/// An answer with these facts and the turns they come from.
pub(crate) fn facts(said: &[(&str, &[u64])]) -> ScriptedReply {
    let items: Vec<Value> =
        said.iter().map(|(fact, sources)| json!({"fact": fact, "sources": sources, "scope": null})).collect();
    ScriptedReply::Text(json!({ "items": items }).to_string())
}

pub(crate) fn text(text: &str) -> ScriptedReply {
    ScriptedReply::Text(text.to_owned())
}

/// A model that gives these answers to every question, in order.
pub(crate) fn model(then: Vec<ScriptedReply>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(vec![Script { when: Box::new(|_| true), then }]))
}

/// What is behind `tag` in a question's input.
pub(crate) fn part<'a>(input: &'a str, tag: &str) -> &'a str {
    let (_, behind) = input.split_once(&format!("<{tag}>\n")).unwrap();
    behind.split_once(&format!("</{tag}>")).unwrap().0
}

impl World {
    /// The one extraction job.
    pub(crate) fn extraction(&self) -> Job {
        let mut jobs = self.jobs();
        jobs.retain(|job| job.kind == JobKind::Extract);
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        jobs.remove(0)
    }

    /// Questions that are kept for a job.
    pub(crate) fn exchanges_of(&self, job: &Job) -> usize {
        let (memory, id) = (job.memory.clone(), job.id.clone());
        let store: &dyn Store = &*self.store;
        self.drive(store.read(move |tx| Ok(tx.exchanges().of_job(&memory, &id)?.len()))).unwrap()
    }
}
