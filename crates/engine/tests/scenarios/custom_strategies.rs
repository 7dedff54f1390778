//! Custom strategies: their instructions and model replace ours in the overridden step; the form of
//! the answer, and the other steps, stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_engine::Models;
use loci_engine::memories::{NewMemory, NewReflection, NewStrategy};
use loci_model::event::Role::User;
use loci_model::job::exchange::Step;
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings, ModelMode};
use loci_model::memory::strategy::StrategyBase::{self, Episodic, Semantic, Summary, UserPreference};
use loci_model::memory::strategy::{CustomConfiguration, StepOverride};
use loci_model::ports::language_model::{Completion, LanguageModel};
use loci_testkit_ports::{Script, ScriptedModel, ScriptedReply};
use serde_json::json;

use super::episodes::episode;
use super::reflections::{insight, insights};
use super::summaries::summary;
use super::{facts, part, text};
use crate::fixture::{World, strategy};

const WORDS: &str = "Note ships alone.";

/// Returns a model that answers every question of every strategy in its form.
pub(crate) fn knowing() -> Arc<ScriptedModel> {
    let on = |name: &'static str, then: ScriptedReply| Script {
        when: Box::new(move |asked: &Completion| asked.system.contains(name)),
        then: vec![then],
    };
    let added = |asked: &Completion| {
        let new = part(&asked.input, "memories").lines().count();
        json!({"items": vec![json!({"memory": {"fact": "as it is"}, "operation": "AddMemory"}); new]})
            .to_string()
    };
    let preferences = json!({"items": [
        {"context": "", "preference": "Alice lives in Bern.", "categories": ["home"], "about": "town"},
        {"context": "", "preference": "I live in Bern", "categories": ["home"], "about": "place"},
    ]});
    Arc::new(ScriptedModel::new(vec![
        on("UpdateMemory", ScriptedReply::Made(added)),
        on("`preference`", text(&preferences.to_string())),
        on("`fact`", facts(&[("Alice lives in Bern.", &[1]), ("I live in Bern", &[1])])),
        on("<global_summary>", summary("A ship.", &[("Ship", "It sails.")])),
        on("`predicate`", insights(&[insight("Ships sail", &[1, 2])])),
        on("`turn_id`", episode("Sail the ship", "success", &[(1, "sailed")])),
    ]))
}

fn step() -> StepOverride {
    StepOverride { append_to_prompt: WORDS.to_owned(), model_id: "big".to_owned() }
}

/// Returns the questions to the default and the named model: steps, with true for custom
/// instructions.
fn asked(new: NewStrategy) -> [Vec<(Step, bool)>; 2] {
    let (usual, big) = (knowing(), knowing());
    let (default, named): (Arc<dyn LanguageModel>, Arc<dyn LanguageModel>) = (usual.clone(), big.clone());
    let consolidation = ConsolidationSettings {
        reflect_every: 2,
        reflect_min_episodes: 2,
        ..ConsolidationSettings::default()
    };
    let settings = Some(MemorySettings { consolidation, ..MemorySettings::default() });
    let world =
        World::reading(NewMemory { strategies: vec![new], settings, ..NewMemory::default() }, |_| Models {
            mode: ModelMode::Provider,
            default: Some(default),
            by_id: BTreeMap::from([("big".to_owned(), named)]),
        });
    for session in ["s1", "s1", "s2"] {
        world.say(session, User, "I live in Bern and sail my ship");
        let done = world.work();
        assert_eq!((done.complete, done.failed), (true, 0), "{:?}", world.jobs());
    }
    for record in world.active() {
        let making = record.making.unwrap();
        let by_big = making.prompt.as_ref().unwrap().as_str().contains("+custom:");
        assert!(making.model.is_some() && (by_big || making.prompt.unwrap().as_str().ends_with("@1")));
    }
    [usual, big].map(|model| {
        let mut seen: Vec<(Step, bool)> = Vec::new();
        for asked in model.asked() {
            let what = (asked.step, asked.system.starts_with(&format!("{WORDS}\n\n")));
            assert!(asked.system.contains("No other "), "the form stays: {}", asked.system);
            if !seen.contains(&what) {
                seen.push(what);
            }
        }
        seen.sort_by_key(|(step, custom)| (step.as_str(), *custom));
        seen
    })
}

#[test]
fn each_step_has_its_words_and_its_model() {
    use Step::{Consolidate, Extract, Reflect, Summarise};
    let check = |base: StrategyBase, replaced: &[Step], usual: &[Step]| {
        let has = |step: Step| replaced.contains(&step).then(self::step);
        let consolidation = has(Consolidate).or(has(Summarise));
        let custom = CustomConfiguration { extraction: has(Extract), consolidation, self_managed: None };
        let reflection =
            has(Reflect).map(|step| NewReflection { template: None, schema: None, step: Some(step) });
        let found = asked(NewStrategy { custom: Some(custom), reflection, ..strategy(base) });
        let of = |steps: &[Step], custom: bool| steps.iter().map(|step| (*step, custom)).collect::<Vec<_>>();
        assert_eq!(found, [of(usual, false), of(replaced, true)], "{base:?} {replaced:?}");
    };
    check(Semantic, &[Extract], &[Consolidate]);
    check(Semantic, &[Consolidate], &[Extract]);
    check(Semantic, &[Consolidate, Extract], &[]);
    check(Semantic, &[], &[Consolidate, Extract]);
    check(UserPreference, &[Extract], &[Consolidate]);
    check(UserPreference, &[Consolidate], &[Extract]);
    check(Summary, &[Summarise], &[]);
    check(Summary, &[], &[Summarise]);
    check(Episodic, &[Extract], &[Consolidate, Reflect]);
    check(Episodic, &[Consolidate], &[Extract, Reflect]);
    check(Episodic, &[Reflect], &[Consolidate, Extract]);
    check(Episodic, &[Consolidate, Extract, Reflect], &[]);
}
