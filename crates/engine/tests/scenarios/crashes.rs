//! Any write may fail in any way while a model extracts: the effect occurs exactly once.

use std::sync::Arc;

use loci_api::pull::JobResult;
use loci_engine::language_models::pull_verbs::QuestionAsk;
use loci_engine::memories::NewMemory;
use loci_model::Timestamp;
use loci_model::event::Role::{Assistant, User};
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings, ModelMode};
use loci_model::memory::strategy::StrategyBase::{Episodic, Semantic, Summary, UserPreference};
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::record::RecordKind;
use loci_model::record::RecordState::{Active, Quarantined, Superseded};
use loci_testkit_ports::ScriptedReply::Fails;
use loci_testkit_ports::{Script, ScriptedModel};

use super::custom_strategies::knowing;
use super::{facts, text};
use crate::fixture::{Fault, World, said, strategy};

fn talk(world: &World) {
    let talk = [
        (User, "I live in Bern and prefer dark mode. My dog is called Pixel."),
        (Assistant, "Noted: Pixel is your dog."),
        (User, "I prefer light mode now."),
    ];
    for (minute, (role, text)) in (1..).zip(talk) {
        let mut event = world.event("s1", vec![said(role, text)]);
        // Ids and order of events are the same in every world.
        event.time = Some(Timestamp::clamped(minute * 60_000));
        world.create(event);
    }
}

/// Returns the content and making of the records without ids and times.
fn outcome(world: &World) -> Vec<(String, String, usize)> {
    let mut seen: Vec<_> = world
        .records(&[Active, Superseded, Quarantined])
        .into_iter()
        .map(|record| {
            let mode = record.making.as_ref().map(|making| making.mode);
            (record.text.clone(), format!("{:?} {mode:?}", record.state), record.provenance.sources.len())
        })
        .collect();
    seen.sort();
    seen
}

fn reader() -> Arc<ScriptedModel> {
    let light = r#"[{"context":"","preference":"Prefers dark mode","categories":["technology"],"sources":[1]},
                    {"context":"","preference":"Prefers light mode now","categories":["technology"],"sources":[3]}]"#;
    Arc::new(ScriptedModel::new(vec![
        Script { when: Box::new(|asked| asked.system.contains("`preference`")), then: vec![text(light)] },
        Script {
            when: Box::new(|_| true),
            then: vec![facts(&[("Alice lives in Bern.", &[1]), ("Alice's dog is called Pixel.", &[1, 2])])],
        },
    ]))
}

fn any_write_may_fail(told: impl Fn() -> World, expect_failed: u64) {
    let calm = told();
    let before = calm.store.writes();
    let done = calm.work();
    assert_eq!((done.complete, done.failed), (true, expect_failed));
    let expect = outcome(&calm);
    assert!(!expect.is_empty());
    for number in 1..calm.store.writes() - before {
        for fault in [Fault::Before, Fault::Within, Fault::After] {
            let world = told();
            world.store.fail_write(number, fault);
            let done = world.work();
            assert_eq!((done.complete, done.failed), (true, expect_failed), "{number} {fault:?} {done:?}");
            assert_eq!(outcome(&world), expect, "write {number} failed: {fault:?}");
            assert_eq!(world.missing_vectors(), 0);
            for job in world.jobs() {
                assert_eq!(world.exchanges_of(&job), 0, "write {number} failed: {fault:?}");
            }
        }
    }
}

#[test]
fn any_write_may_fail_while_a_model_reads() {
    any_write_may_fail(
        || {
            let world = World::with_model(&[Semantic, UserPreference], &reader());
            talk(&world);
            world
        },
        0,
    );
}

#[test]
fn any_write_may_fail_while_sessions_are_summarised_noted_and_reflected_on() {
    let told = || {
        let consolidation = ConsolidationSettings {
            reflect_every: 2,
            reflect_min_episodes: 2,
            ..ConsolidationSettings::default()
        };
        let settings = Some(MemorySettings { consolidation, ..MemorySettings::default() });
        let strategies = vec![strategy(Summary), strategy(Episodic)];
        let world = World::of_model(NewMemory { strategies, settings, ..NewMemory::default() }, &knowing());
        world.say("s1", User, "Sail the ship to Bern");
        world.say("s2", User, "Sail the other ship");
        world
    };
    let calm = told();
    calm.work();
    let reflected = calm.active().into_iter().filter(|record| record.kind == RecordKind::Reflection).count();
    assert_eq!(reflected, 1);
    any_write_may_fail(told, 0);
}

#[test]
fn any_write_may_fail_while_the_deterministic_half_takes_its_place() {
    any_write_may_fail(
        || {
            let model = super::model(vec![Fails(ModelErrorKind::Denied)]);
            let world = World::with_model(&[Semantic, UserPreference], &model);
            talk(&world);
            world
        },
        2,
    );
}

#[test]
fn any_write_may_fail_while_old_messages_are_read_again() {
    let failed = || {
        let denied = Fails(ModelErrorKind::Denied);
        let model = super::model(vec![denied, facts(&[("Alice lives in Bern.", &[1])])]);
        let world = World::with_model(&[Semantic], &model);
        talk(&world);
        assert_eq!(world.work().failed, 1);
        let job = world.extraction();
        world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
        world
    };
    any_write_may_fail(failed, 0);
}

/// Answers questions until none is left.
fn serve(world: &World) {
    for _ in 0..20 {
        let ask = QuestionAsk {
            memory: Some(world.memory.id.clone()),
            steps: Vec::new(),
            lease_ms: 1_000,
            wait_ms: 0,
        };
        let next = world.drive(world.engine.question_next(&world.caller, &ask));
        if let Ok(Some(taken)) = next {
            let output = match taken.exchange.prompt.as_str() {
                "semantic.extract@1" => r#"[{"fact":"Alice lives in Bern.","sources":[1]}]"#,
                _ => r#"[{"preference":"Prefers light mode now","categories":["technology"],"sources":[3]}]"#,
            };
            let reply = JobResult { output: output.into(), model: Some("own".into()), cost_usd: None };
            let id = taken.exchange.id.clone();
            let answer = || world.engine.question_answer(&world.caller, &world.memory.id, &id, reply.clone());
            if world.drive(answer()).is_err() {
                // A client without a response submits its answer again.
                world.drive(answer()).unwrap();
            }
        }
        world.clock.advance_ms(2_000);
        let worked = world.drive(world.engine.run_due(std::slice::from_ref(&world.memory.id), 60_000));
        if worked.is_ok_and(|done| done.complete) {
            return;
        }
    }
}

#[test]
fn any_write_may_fail_while_a_callers_model_reads() {
    let told = || {
        let settings =
            Some(MemorySettings { model_mode: Some(ModelMode::Pull), ..MemorySettings::default() });
        let strategies = vec![strategy(Semantic), strategy(UserPreference)];
        let world = World::of(NewMemory { strategies, settings, ..NewMemory::default() });
        talk(&world);
        world
    };
    let calm = told();
    let before = calm.store.writes();
    calm.work();
    serve(&calm);
    let expect = outcome(&calm);
    assert_eq!(expect.len(), 2, "{expect:?}");
    for number in 1..calm.store.writes() - before {
        for fault in [Fault::Before, Fault::Within, Fault::After] {
            let world = told();
            world.store.fail_write(number, fault);
            // The first write of a run makes jobs due; its caller gets the error.
            let _ = world.drive(world.engine.run_due(std::slice::from_ref(&world.memory.id), 60_000));
            serve(&world);
            assert_eq!(outcome(&world), expect, "write {number} failed: {fault:?}");
        }
    }
}
