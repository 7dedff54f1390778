//! Extraction prompts evaluated by the configured model: it is asked about every case, and the
//! results are stored with the version. A failing model leaves no results.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures::future::{BoxFuture, join};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::NewMemory;
use loci_engine::{EngineSettings, Models};
use loci_model::ErrorKind;
use loci_model::job::exchange::{Step, Usage};
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::language_model::{
    Completion, Finish, LanguageModel, ModelError, ModelErrorKind, Reply,
};
use loci_testkit_ports::ScriptedReply::{self, Fails, Hangs, Panics};
use loci_testkit_ports::{Script, ScriptedModel};

use super::text;
use crate::fixture::World;

fn world(first: ScriptedReply, others: ScriptedReply) -> (World, Arc<ScriptedModel>, CallContext) {
    let scripts =
        vec![Script::holding("SessionStore.get", vec![first]), Script::of_step(Step::Extract, vec![others])];
    let model = Arc::new(ScriptedModel::new(scripts));
    let world = World::with_model(&[Semantic], &model);
    let standing = CallContext { memory: Some(world.memory.name.clone()), ..CallContext::default() };
    (world, model, standing)
}

#[test]
fn a_configured_model_answers_every_case() {
    let nothing = text("No new repository learnings.");
    let (world, model, standing) = world(text("**[Auth]:** `SessionStore.clear` first."), nothing);
    let evaluated = world.engine.coding.prompt_evaluate(&world.caller, &standing, "learnings", None);
    let found = world.drive(evaluated).unwrap();
    let by = (found.prompt.as_str(), found.model.as_str(), found.is_pulled);
    assert_eq!(by, ("learnings@1", "scripted", false));
    let score = found.score;
    assert_eq!((score.cases, score.met, score.items, score.right, score.discarded), (8, 1, 1, 1, 0));
    assert_eq!(model.calls(), 8);
    assert!(model.asked().iter().all(|asked| asked.system.contains("the repository acme/shop.")));
    let listed = world.engine.coding.prompt_evaluations(&world.caller, &standing, "learnings");
    assert_eq!(world.drive(listed).unwrap(), [found]);
}

#[test]
fn a_model_that_fails_leaves_no_figures() {
    for (reply, words) in [
        (Fails(ModelErrorKind::Unavailable), "failed as scripted: try again when it answers"),
        (Fails(ModelErrorKind::Denied), "failed as scripted: check the model and the key"),
        (Panics, "it broke down: see the server's log"),
        (Hangs, "the model did not answer in time: try again"),
    ] {
        let (world, model, standing) = world(text("**[Auth]:** `SessionStore.clear` first."), reply);
        let evaluated = world.engine.coding.prompt_evaluate(&world.caller, &standing, "learnings@1", None);
        let error = world.drive(evaluated).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Upstream);
        assert!(error.message.contains("did not answer case l-02, after 1 of 8 cases"), "{error:?}");
        assert!(error.message.contains(words), "{error:?}");
        assert!(model.calls() < 8, "the first case without an answer ends it");
        let listed = world.engine.coding.prompt_evaluations(&world.caller, &standing, "learnings@1");
        assert!(world.drive(listed).unwrap().is_empty());
    }
}

/// A model that counts its concurrent calls.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl LanguageModel for Crowd {
    fn name(&self) -> &str {
        "crowd"
    }

    fn model_id(&self) -> &str {
        "crowd"
    }

    fn complete<'a>(&'a self, _: &'a Completion) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let mut waits = 20;
            std::future::poll_fn(|context| {
                waits -= 1;
                context.waker().wake_by_ref();
                if waits == 0 { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            let text = "No new repository learnings.".to_owned();
            Ok(Reply { text, model: "crowd".to_owned(), finish: Finish::Complete, usage: Usage::default() })
        })
    }
}

#[test]
fn evaluations_share_the_calls_of_jobs_and_come_one_after_another() {
    for (jobs_at_once, most) in [(1, 1), (3, 3), (64, 4)] {
        let model = Arc::new(Crowd::default());
        let mut settings = EngineSettings::default();
        settings.pipeline.jobs_at_once = jobs_at_once;
        let default: Option<Arc<dyn LanguageModel>> = Some(model.clone());
        let world = World::made(NewMemory::default(), settings, |parts| {
            parts.models = Models { mode: ModelMode::Provider, default, ..Models::default() };
        });
        let standing = CallContext { memory: Some(world.memory.name.clone()), ..CallContext::default() };
        let evaluate = || world.engine.coding.prompt_evaluate(&world.caller, &standing, "learnings", None);
        let (first, second) = world.drive(join(evaluate(), evaluate()));
        assert_eq!((first.unwrap().score.cases, second.unwrap().score.cases), (8, 8));
        assert_eq!(model.most.load(Ordering::SeqCst), most, "{jobs_at_once} jobs at once");
    }
}
