//! Episodes by a model: one per session, continued in place.

use std::sync::Arc;

use loci_model::event::Role::{Assistant, Tool, User};
use loci_model::memory::strategy::StrategyBase::Episodic;
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::record::RecordKind;
use loci_model::record::derivation::MakingMode;
use loci_testkit_ports::ScriptedReply::{self, Fails};
use loci_testkit_ports::{Script, ScriptedModel};
use serde_json::{Value, json};

use super::{part, text};
use crate::fixture::World;

/// Returns an answer with an episode of these steps: the message that begins each step, and its
/// action.
pub(crate) fn episode(intent: &str, assessment: &str, steps: &[(u64, &str)]) -> ScriptedReply {
    let steps: Vec<Value> = steps
        .iter()
        .map(|(begins, action)| {
            json!({"turn_id": begins, "situation": "", "intent": intent, "action": action, "thought": "",
                   "assessment_assistant": "unknown", "assessment_user": "unknown"})
        })
        .collect();
    let answer = json!({"situation": "the repository shop", "intent": intent, "assessment": assessment,
                        "justification": "", "reflection": "Round before comparing.", "turns": steps});
    text(&answer.to_string())
}

/// Returns a model that gives these answers in order for any step, because its later questions
/// belong to another step than the first.
fn model(then: Vec<ScriptedReply>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(vec![Script { when: Box::new(|_| true), then }]))
}

fn told(world: &World) -> Vec<(u32, Value)> {
    world
        .active()
        .into_iter()
        .map(|record| (record.version, serde_json::from_str(&record.text).unwrap()))
        .collect()
}

#[test]
fn an_episode_goes_on_from_window_to_window() {
    let model = model(vec![
        episode("Fix the cart", "failure", &[(1, "ran pytest")]),
        episode("Fix the cart", "success", &[(1, "rounded the total"), (3, "said thanks")]),
        episode("Write the report", "unknown", &[(1, "asked")]),
    ]);
    let world = World::with_model(&[Episodic], &model);
    world.say("s1", User, "Fix the failing test of the cart");
    world.say("s1", Tool, "error in total");
    assert!(world.work().complete);
    world.say("s1", User, "Round the total");
    world.say("s1", Tool, "12 passed");
    world.say("s1", User, "Thanks");
    assert!(world.work().complete);
    world.say("s2", User, "Write the report");
    world.say("s2", Assistant, "About what?");
    assert!(world.work().complete);
    let found = told(&world);
    assert_eq!(found.len(), 2);
    let (version, first) = &found[0];
    assert_eq!((*version, first["assessment"].as_str()), (2, Some("success")));
    let actions: Vec<_> =
        first["turns"].as_array().unwrap().iter().map(|step| step["action"].clone()).collect();
    assert_eq!(actions, ["ran pytest", "rounded the total", "said thanks"]);
    let ids: Vec<_> = first["turns"].as_array().unwrap().iter().map(|step| step["turn_id"].clone()).collect();
    assert!(ids.iter().all(|id| id.as_str().unwrap().contains("/0.0")), "{ids:?}");
    let record = &world.active()[0];
    assert_eq!((record.kind, record.provenance.sources.len()), (RecordKind::Episode, 5));
    let making = record.making.clone().unwrap();
    assert_eq!((making.prompt.unwrap().as_str(), making.mode), ("episodic.consolidate@1", MakingMode::Model));
    let asked = model.asked();
    let steps: Vec<&str> = asked.iter().map(|asked| asked.step.as_str()).collect();
    assert_eq!(steps, ["extract", "consolidate", "extract"]);
    assert!(part(&asked[1].input, "episode").contains("ran pytest"));
    assert!(!asked[2].input.contains("cart"));
}

#[test]
fn what_was_noted_without_the_model_is_read_again_by_it() {
    let model = model(vec![
        Fails(ModelErrorKind::Denied),
        Fails(ModelErrorKind::Denied),
        episode("Fix the cart", "success", &[(1, "rounded the total")]),
    ]);
    let world = World::with_model(&[Episodic], &model);
    world.say("s1", User, "Fix the failing test of the cart");
    world.say("s1", Assistant, "It is fixed.");
    assert_eq!(world.work().failed, 1);
    let before = world.active();
    assert_eq!(before[0].making.as_ref().unwrap().mode, MakingMode::Fallback);
    let start = || {
        let job = world.extraction();
        world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
    };
    start();
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.active(), before);
    start();
    assert_eq!((world.work().complete, world.work().failed), (true, 0));
    let found = told(&world);
    assert_eq!((found.len(), found[0].0), (1, 2));
    let steps = found[0].1["turns"].as_array().unwrap();
    assert_eq!((steps.len(), steps[0]["action"].as_str()), (1, Some("rounded the total")));
    assert_eq!(model.asked()[2].step.as_str(), "extract", "nothing stood but what is read again");
}
