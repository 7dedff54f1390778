//! Reflections on several tasks of a repository, phrased by a client's model and counted by the
//! engine.

use loci_api::coding::reflection::RepositoryReflect;
use loci_api::coding::task::TaskCreate;
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::Completion;
use loci_engine::calls::call_context::CallContext;
use loci_model::job::JobState;
use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::record::derivation::MakingMode;
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::TaskStatus;
use loci_model::{RecordId, TaskId};

use super::reflections::{answer, pulled, taken};
use crate::fixture::{World, strategy};

fn standing(world: &World) -> CallContext {
    CallContext { memory: Some(world.memory.name.clone()), ..CallContext::default() }
}

/// Completes this number of tasks, and returns their episodes.
fn ended(world: &World, count: u32) -> Vec<RecordId> {
    let (caller, standing) = (&world.caller, standing(world));
    let add = RepositoryAdd { name: Some("acme/shop".to_owned()), ..RepositoryAdd::default() };
    world.drive(world.engine.verified.repository_add(caller, &standing, add)).unwrap();
    let one = |number| {
        // One after the other, because supporting episodes are listed in the order of the tasks.
        world.clock.advance_ms(1_000);
        let id = TaskId::parse(format!("t-{number:03}")).unwrap();
        let new = TaskCreate {
            task_id: Some(id.to_string()),
            repo: Some("acme/shop".to_owned()),
            user: Some("bob".to_owned()),
            description: "Add a route.".to_owned(),
            ..TaskCreate::default()
        };
        world.drive(world.engine.coding.task_create(caller, &standing, new, None)).unwrap();
        let said = Completion {
            status: Some(TaskStatus::Completed),
            summary: Some("Added it; the OpenAPI spec came later.".to_owned()),
            ..Completion::default()
        };
        world.drive(world.engine.coding.task_complete(caller, &standing, &id, said, None)).unwrap().episode
    };
    (1..=count).map(one).collect()
}

fn reflections(world: &World) -> Vec<Record> {
    let mut records = world.active();
    records.retain(|record| record.kind == RecordKind::Reflection);
    records
}

#[test]
fn a72_a_model_s_counts_are_thrown_away() {
    let world = pulled(strategy(Semantic));
    let episodes = ended(&world, 5);
    let standing = standing(&world);
    let asked = world.engine.coding.repository_reflect(
        &world.caller,
        &standing,
        "acme/shop",
        RepositoryReflect::default(),
    );
    world.drive(asked).unwrap();
    let question = taken(&world);
    assert_eq!(question.exchange.step, Step::Reflect);
    assert_eq!(question.exchange.prompt.as_str(), "repository.reflect@1");
    assert!(question.exchange.input.contains(episodes[0].as_str()), "{}", question.exchange.input);
    let line =
        |text: &str, ids: &[&str]| format!("REFLECTION: {text} [Evidence: 9/9; Episodes: {}]", ids.join(" "));
    let [a, b, c] = [episodes[0].as_str(), episodes[1].as_str(), episodes[2].as_str()];
    let output = [
        line("The OpenAPI spec is forgotten when routes change", &[a, b, c, "mem-invented"]),
        line("Two tasks are no pattern", &[a, b, b]),
    ];
    let answered = answer(&world, &question, &output.join("\n"));
    assert_eq!((answered.job, answered.accepted), (JobState::Done, 1), "{answered:?}");
    let kept = reflections(&world).remove(0);
    let making = kept.making.clone().unwrap();
    let evidence = making.evidence.unwrap();
    assert_eq!((evidence.hits, evidence.of, making.mode), (3, 5, MakingMode::Pull));
    assert_eq!(kept.derived_from, episodes[..3]);
    assert_eq!(kept.text, "The OpenAPI spec is forgotten when routes change (3 of the last 5 tasks)");
    assert_eq!(reflections(&world).len(), 1);
}
