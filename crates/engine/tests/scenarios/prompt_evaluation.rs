//! Extraction prompts evaluated by the configured model: it is asked about every case, and the
//! figures
//! stay with the version. A model that fails leaves no figures.

use std::sync::Arc;

use loci_engine::verified::Standing;
use loci_model::ErrorKind;
use loci_model::exchange::Step;
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::strategy::StrategyBase::Semantic;
use loci_testkit::ScriptedReply::{self, Fails};
use loci_testkit::{Script, ScriptedModel};

use super::text;
use crate::world::World;

fn world(first: ScriptedReply, others: ScriptedReply) -> (World, Arc<ScriptedModel>, Standing) {
    let scripts =
        vec![Script::holding("SessionStore.get", vec![first]), Script::of_step(Step::Extract, vec![others])];
    let model = Arc::new(ScriptedModel::new(scripts));
    let world = World::with_model(&[Semantic], &model);
    let standing = Standing { memory: Some(world.memory.name.clone()), ..Standing::default() };
    (world, model, standing)
}

#[test]
fn a_configured_model_answers_every_case() {
    let nothing = text("No new repository learnings.");
    let (world, model, standing) = world(text("**[Auth]:** `SessionStore.clear` first."), nothing);
    let evaluated = world.engine.prompt_evaluate(&world.caller, &standing, "learnings", None);
    let found = world.drive(evaluated).unwrap();
    let by = (found.prompt.as_str(), found.model.as_str(), found.is_pulled);
    assert_eq!(by, ("learnings@1", "scripted", false));
    let score = found.score;
    assert_eq!((score.cases, score.met, score.items, score.right, score.discarded), (8, 1, 1, 1, 0));
    assert_eq!(model.calls(), 8);
    assert!(model.asked().iter().all(|asked| asked.system.contains("the repository acme/shop.")));
    let listed = world.engine.prompt_evaluations(&world.caller, &standing, "learnings");
    assert_eq!(world.drive(listed).unwrap(), [found]);
}

#[test]
fn a_model_that_fails_leaves_no_figures() {
    let fails = || Fails(ModelErrorKind::Unavailable);
    let (world, _, standing) = world(text("**[Auth]:** `SessionStore.clear` first."), fails());
    let evaluated = world.engine.prompt_evaluate(&world.caller, &standing, "learnings@1", None);
    let error = world.drive(evaluated).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Upstream);
    assert!(error.message.contains("did not answer case l-02"), "{error:?}");
    let listed = world.engine.prompt_evaluations(&world.caller, &standing, "learnings@1");
    assert!(world.drive(listed).unwrap().is_empty());
}
