//! Recovery after an outage of the model: messages that were extracted deterministically are
//! extracted again when the job is restarted, and the new records replace the old ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use loci_engine::records::RecordUpdate;
use loci_model::RecordId;
use loci_model::event::Role::User;
use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobState};
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings};
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::clock::Clock;
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::RecordState;
use loci_model::record::derivation::MakingMode;
use loci_testkit_ports::ScriptedReply::Fails;
use loci_testkit_ports::{Script, ScriptedModel, ScriptedReply, block_on};

use super::{all_added, facts, model, part, text};
use crate::fixture::{World, said};

fn start(world: &World, job: &Job) {
    world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
}

#[test]
fn a_restart_replaces_what_the_deterministic_half_made() {
    let denied = Fails(ModelErrorKind::Denied);
    let model = model(vec![denied, facts(&[("Alice lives in Bern.", &[1]), ("I live in Bern", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.texts(), ["I live in Bern"]);
    start(&world, &world.extraction());
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    // Equal texts now belong to the model.
    assert_eq!(world.texts(), ["Alice lives in Bern.", "I live in Bern"]);
    assert!(world.active().iter().all(|record| record.making.as_ref().unwrap().mode == MakingMode::Model));
    let old = world.records(&[RecordState::Superseded]);
    assert_eq!(old.len(), 1);
    assert!(old[0].state_reason.as_deref().unwrap().starts_with("the model's reading"));
    let job = world.extraction();
    assert_eq!((job.state, job.fallback, job.messages.len()), (JobState::Done, false, 0));
}

#[test]
fn a_restart_that_fails_again_changes_nothing() {
    let model = model(vec![Fails(ModelErrorKind::Denied)]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    world.work();
    let before = world.active();
    start(&world, &world.extraction());
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.active(), before);
    assert_eq!(world.extraction().messages.len(), 1);
}

#[test]
fn the_session_goes_on_beside_a_failed_job() {
    let about = |said: &'static str, then: Vec<ScriptedReply>| Script {
        when: Box::new(move |asked| part(&asked.input, "current_conversation").contains(said)),
        then,
    };
    let model = Arc::new(ScriptedModel::new(vec![
        about("in Bern", vec![Fails(ModelErrorKind::Denied), facts(&[("Alice lives in Bern.", &[1])])]),
        about("a dog", vec![facts(&[("Alice has a dog.", &[1])])]),
        about("nothing more", vec![text("[]")]),
    ]));
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    assert_eq!(world.work().failed, 1);
    let failed = world.extraction();
    world.say("s1", User, "I have a dog");
    world.work();
    assert_eq!(world.texts(), ["Alice has a dog.", "I live in Bern"]);
    // A newer job is open when the failed one is restarted: neither takes over the other's work.
    world.say("s1", User, "and nothing more to say");
    start(&world, &failed);
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts(), ["Alice has a dog.", "Alice lives in Bern."]);
    let read: Vec<String> =
        model.asked().iter().map(|asked| part(&asked.input, "current_conversation").to_owned()).collect();
    assert_eq!(read.len(), 4, "{read:#?}");
    assert_eq!(read.iter().filter(|input| input.contains("I live in Bern")).count(), 2);
}

#[test]
fn a_backlog_is_read_at_once_where_the_model_is_out_of_service() {
    let model = model(vec![Fails(ModelErrorKind::Denied), text("[]")]);
    let world = World::with_model(&[Semantic], &model);
    for number in 0..3 {
        let many = (0..30).map(|at| said(User, &format!("talk {number}/{at} about boats"))).collect();
        world.create(world.event("s1", many));
    }
    assert_eq!(world.work().failed, 1);
    // After one failed call, the model is not asked about the other windows of the same try.
    assert_eq!((model.calls(), world.active().len()), (1, 90));
    let job = world.extraction();
    assert_eq!((job.fallback, job.messages.len()), (true, 90));
    start(&world, &job);
    assert!(world.work().complete);
    assert_eq!((model.calls(), world.active().len()), (4, 0));
}

#[test]
fn what_is_owed_outlives_being_overtaken() {
    let model = model(vec![Fails(ModelErrorKind::Denied), facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    assert_eq!(world.work().failed, 1);
    start(&world, &world.extraction());
    // Others write in parallel whenever the job reads the existing records: it yields more than
    // once.
    let mut other = world.active().remove(0);
    other.state = RecordState::Superseded;
    let left = Arc::new(AtomicUsize::new(20));
    let counted = left.clone();
    *world.store.searching.lock().unwrap() = Some(Box::new(move |store| {
        let Ok(number) = counted.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) else { return };
        other.id = RecordId::compose(&format!("00000000-0000-4000-8000-{number:012}")).unwrap();
        let record = other.clone();
        block_on(store.write(move |tx| tx.records_mut().insert(&record))).unwrap();
    }));
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed, left.load(SeqCst)), (true, 0, 0));
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
    assert_eq!((world.extraction().state, world.extraction().messages.len()), (JobState::Done, 0));
}

#[test]
fn data_that_is_kept_for_extraction_alone_is_read_again() {
    let model = model(vec![Fails(ModelErrorKind::Denied), facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.ingest("s1", vec![said(User, "I live in Bern")]);
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.texts(), ["I live in Bern"]);
    let job = world.extraction();
    let kept = || {
        let (job, now) = (job.clone(), world.clock.now());
        let store: &dyn Store = &*world.store;
        world.drive(store.read(move |tx| {
            let (actor, session) = (job.actor.clone().unwrap(), job.session.clone().unwrap());
            let event = &job.messages[0].event;
            Ok(tx.events().source(&job.memory, &actor, &session, event, now)?.is_some())
        }))
    };
    assert!(kept().unwrap(), "a model is still to read it");
    start(&world, &job);
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
    assert!(!kept().unwrap(), "it is read");
}

#[test]
fn what_a_person_corrected_stays() {
    let model = model(vec![Fails(ModelErrorKind::Denied), facts(&[("Alice owns a boat.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    world.work();
    let made = world.active().remove(0);
    let update = RecordUpdate {
        id: made.id.clone(),
        text: Some("Alice lived in Bern until May".into()),
        timestamp: made.timestamp,
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    world.drive(world.engine.records_update(&world.caller, &world.memory.id, vec![update], None)).unwrap();
    start(&world, &world.extraction());
    assert!(world.work().complete);
    assert_eq!(world.texts(), ["Alice lived in Bern until May", "Alice owns a boat."]);
}

#[test]
fn what_the_deterministic_half_had_superseded_comes_back() {
    let jest = "The project uses Jest for unit tests.";
    let denied = Fails(ModelErrorKind::Denied);
    let model = model(vec![denied.clone(), denied, facts(&[("Alice likes ferries.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    let consolidation = ConsolidationSettings { verbatim: true, ..ConsolidationSettings::default() };
    let settings = MemorySettings { consolidation, ..MemorySettings::default() };
    world.drive(world.engine.memory_settings_put(&world.caller, &world.memory.id, settings)).unwrap();
    world.say("s1", User, jest);
    world.work();
    world.say("s1", User, "The project uses Vitest for unit tests.");
    assert_eq!(world.work().failed, 2);
    assert_eq!(world.texts(), ["The project uses Vitest for unit tests."]);
    // Restarts the later of the two failed jobs.
    start(&world, &world.jobs()[0]);
    assert!(world.work().complete);
    assert_eq!(world.texts(), ["Alice likes ferries.", jest]);
    assert_eq!(world.missing_vectors(), 0);
}

#[test]
fn what_was_read_but_not_settled_gives_way_when_it_is_read_again() {
    let jest = "The project uses Jest for unit tests.";
    let vitest = "The project uses Vitest for unit tests.";
    let model = Arc::new(ScriptedModel::new(vec![
        Script::of_step(
            Step::Extract,
            vec![
                facts(&[("Alice walks her dog Pixel at the lake.", &[1]), (jest, &[1])]),
                facts(&[
                    ("Alice walks her dog Pixel near the lake on Sundays.", &[1]),
                    ("Pixel swims.", &[1]),
                ]),
                facts(&[("On Sundays Alice is at the lake with her dog Pixel.", &[1]), (vitest, &[1])]),
            ],
        ),
        Script::of_step(
            Step::Consolidate,
            vec![Fails(ModelErrorKind::Denied), ScriptedReply::Made(all_added)],
        ),
    ]));
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I walk my dog Pixel at the lake");
    assert_eq!(world.work().failed, 0);
    world.say("s1", User, "On Sundays I walk Pixel near the lake, and he swims");
    assert_eq!(world.work().failed, 1, "{:?}", world.texts());
    assert!(world.texts().contains(&"Pixel swims.".to_owned()), "{:?}", world.texts());
    let failed = world.jobs().into_iter().find(|job| job.fallback).unwrap();
    start(&world, &failed);
    assert_eq!(world.work().failed, 0);
    let texts = world.texts();
    assert!(!texts.iter().any(|text| text.contains("near the lake") || text.contains("swims")), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("On Sundays")), "{texts:?}");
    // Records that the rules had superseded were active again, and the new extraction supersedes
    // them.
    assert!(!texts.iter().any(|text| text == jest), "{texts:?}");
    let of = |state: RecordState, text: &str| {
        world.records(&[state]).into_iter().find(|record| record.text == text).unwrap()
    };
    let (old, new) = (of(RecordState::Superseded, jest), of(RecordState::Active, vitest));
    assert_eq!(
        (old.superseded_by.as_ref(), new.supersedes.as_slice()),
        (Some(&new.id), &[old.id.clone()][..])
    );
}
