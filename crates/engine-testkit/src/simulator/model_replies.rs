//! The language model of a simulation. Its answers depend only on the question.

use std::sync::Arc;

use loci_engine::Models;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::language_model::{Completion, LanguageModel, OutputForm};

use loci_store_conformance::plain_answers::{Form, answer};
use loci_testkit_ports::{Script, ScriptedModel, ScriptedReply};

/// Returns the models of an engine that uses it.
pub(super) fn models() -> Models {
    let always = Script { when: Box::new(|_| true), then: vec![ScriptedReply::Made(said)] };
    let model: Arc<dyn LanguageModel> = Arc::new(ScriptedModel::new(vec![always]));
    Models { mode: ModelMode::Provider, default: Some(model), ..Models::default() }
}

fn said(asked: &Completion) -> String {
    let schema = match &asked.output {
        OutputForm::Json { schema, .. } => serde_json::from_str(schema).ok(),
        OutputForm::Text => None,
    };
    answer(Form::of(&asked.system, schema.as_ref()), &asked.input)
}
