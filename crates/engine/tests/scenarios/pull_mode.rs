//! Pull mode: the client's own model fetches questions and submits the answers.

use futures::future::join;
use loci_api::pull::JobResult;
use loci_engine::events::NewEvent;
use loci_engine::language_models::pull_verbs::{QuestionAnswered, QuestionAsk, QuestionTaken};
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::records::RecordDelete;
use loci_model::event::Role::User;
use loci_model::job::JobState;
use loci_model::job::exchange::Step;
use loci_model::memory::settings::{MemorySettings, ModelMode};
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::clock::Clock as _;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::derivation::MakingMode;
use loci_model::{ActorId, ErrorKind, MemoryId, Reason, Result};
use loci_products::Loci;
use loci_testkit_ports::block_on;

use crate::fixture::{World, said, strategy, template};

/// The rules leave the relation of the second fact to the first open.
const TWO: &str = r#"[{"fact":"Alice walks along the river in Bern every morning.","sources":[1]},
                      {"fact":"Alice walks along the river in Bern with a friend.","sources":[1]}]"#;
const GOOD: &str = r#"[{"fact":"Alice lives in Bern.","sources":[1]}]"#;

fn pulled() -> World {
    let settings = Some(MemorySettings { model_mode: Some(ModelMode::Pull), ..MemorySettings::default() });
    let strategies = vec![strategy(Semantic)];
    let world = World::of(NewMemory { strategies, settings, ..NewMemory::default() });
    world.say("s1", User, "I live in Bern");
    world
}

fn ask() -> QuestionAsk {
    QuestionAsk { memory: None, steps: Vec::new(), lease_ms: 60_000, wait_ms: 0 }
}

impl World {
    fn next_as(&self, caller: &Principal) -> Option<QuestionTaken> {
        self.drive(self.engine.question_next(caller, &ask())).unwrap()
    }

    fn answer_as(&self, caller: &Principal, taken: &QuestionTaken, output: &str) -> Result<QuestionAnswered> {
        let reply =
            JobResult { output: output.to_owned(), model: Some("own-model".into()), cost_usd: Some(0.01) };
        let memories = [self.memory.id.clone()];
        let id = &taken.exchange.id;
        let answering = self.engine.question_answer(caller, &self.memory.id, id, reply);
        // The host runs in parallel. It starts after the answer, because without it there is no
        // work.
        let working = async {
            self.clock.sleep(20).await;
            self.engine.run_due(&memories, 4_000).await
        };
        let (answered, _) = self.drive(join(answering, working));
        answered
    }
}

fn named(name: &str) -> Principal {
    Principal { name: name.into(), grants: vec![Grant::everything()] }
}

#[test]
fn a_question_is_asked_answered_and_read() {
    let world = pulled();
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.pending, outcome.waiting), (false, 1, 1));
    assert!(world.active().is_empty());
    let job = world.extraction();
    assert_eq!((job.state, job.waits, job.attempts), (JobState::Pending, true, 0));
    let taken = world.next_as(&world.caller).unwrap();
    assert_eq!((taken.exchange.step, taken.exchange.prompt.as_str()), (Step::Extract, "semantic.extract@1"));
    assert!(taken.exchange.input.contains("I live in Bern") && taken.exchange.grammar.contains("\"fact\""));
    let answered = world.answer_as(&world.caller, &taken, GOOD).unwrap();
    assert_eq!((answered.accepted, answered.discarded, answered.job), (1, 0, JobState::Done));
    let active = world.active();
    assert_eq!(answered.records, [active[0].id.clone()]);
    let making = active[0].making.clone().unwrap();
    assert_eq!((making.mode, making.model.as_deref()), (MakingMode::Pull, Some("own-model")));
    assert_eq!(world.exchanges_of(&job), 0);
    // A repetition gets the same result; a different answer is too late.
    assert_eq!(world.answer_as(&world.caller, &taken, GOOD).unwrap(), answered);
    let error = world.answer_as(&world.caller, &taken, "[]").unwrap_err();
    assert_eq!((error.kind, error.reason), (ErrorKind::Conflict, Some(Reason::AlreadyAnswered)));
    assert_eq!(world.active().len(), 1);
}

#[test]
fn two_workers_never_get_one_question() {
    let world = pulled();
    world.say("s2", User, "I have a dog");
    world.work();
    let (one, other) = (named("one"), named("other"));
    let (first, second) = (world.next_as(&one).unwrap(), world.next_as(&other).unwrap());
    assert_ne!(first.exchange.id, second.exchange.id);
    assert!(world.next_as(&other).is_none());
    // An expired lease gives the question to others; the answer of its former holder is rejected.
    world.clock.advance_ms(60_001);
    let again = world.next_as(&other).unwrap();
    assert_eq!(again.exchange.id, first.exchange.id);
    let error = world.answer_as(&one, &first, GOOD).unwrap_err();
    assert_eq!(error.reason, Some(Reason::LeaseLost));
    assert_eq!(world.answer_as(&other, &again, GOOD).unwrap().accepted, 1);
    // Without another holder, a late answer is accepted.
    assert_eq!(world.answer_as(&one, &second, GOOD).unwrap().job, JobState::Done);
}

#[test]
fn a_bad_answer_is_refused_at_once_and_the_question_open_again() {
    let world = pulled();
    world.work();
    for attempt in 1..=3 {
        let taken = world.next_as(&world.caller).unwrap();
        let error = world.answer_as(&world.caller, &taken, r#"[{"text":"Bern"}]"#).unwrap_err();
        assert_eq!((error.kind, error.reason), (ErrorKind::Invalid, Some(Reason::BadReply)), "{attempt}");
        assert!(error.details.iter().any(|line| line.contains("`fact` is missing")), "{:?}", error.details);
    }
    // After three attempts deterministic extraction replaces the answer.
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 1));
    assert!(world.next_as(&world.caller).is_none());
    assert_eq!(world.texts(), ["I live in Bern"]);
    let job = world.extraction();
    assert!(job.fallback && job.failure_reason.unwrap().starts_with("MODEL_GAVE_NO_ANSWER: "));
    // After a restart, it asks again.
    world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
    world.work();
    let taken = world.next_as(&world.caller).unwrap();
    assert_eq!(world.answer_as(&world.caller, &taken, GOOD).unwrap().job, JobState::Done);
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
}

#[test]
fn who_gives_up_leaves_it_to_others() {
    let world = pulled();
    world.work();
    for _ in 0..2 {
        let taken = world.next_as(&world.caller).unwrap();
        let id = &taken.exchange.id;
        world
            .drive(world.engine.question_give_up(&world.caller, &world.memory.id, id, "out of credit"))
            .unwrap();
    }
    let taken = world.next_as(&world.caller).unwrap();
    // Without a return, three expired leases count as three attempts.
    world.clock.advance_ms(60_001);
    assert!(world.next_as(&world.caller).is_none());
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.texts(), ["I live in Bern"]);
    let error = world.answer_as(&world.caller, &taken, GOOD).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
}

#[test]
fn what_the_last_one_said_is_told_with_the_job() {
    let world = pulled();
    world.work();
    for said in ["too slow", "no idea", "out of\ncredit"] {
        let id = world.next_as(&world.caller).unwrap().exchange.id;
        let giving_up = world.engine.question_give_up(&world.caller, &world.memory.id, &id, said);
        world.drive(giving_up).unwrap();
    }
    assert_eq!(world.work().failed, 1);
    let reason = world.extraction().failure_reason.unwrap();
    assert!(reason.contains("in 3 attempts; the last one said: out of credit"), "{reason}");
}

#[test]
fn questions_are_for_those_who_may_read_and_write_the_whole_memory() {
    let world = pulled();
    world.work();
    let both: &[Capability] = &[Capability::Read, Capability::Write];
    let grant = |memory: Option<MemoryId>, actor: Option<&str>, capabilities: &[Capability]| Grant {
        memory,
        actor: actor.map(|actor| ActorId::parse(actor).unwrap()),
        capabilities: capabilities.iter().copied().collect(),
        ..Grant::everything()
    };
    let own = Some(world.memory.id.clone());
    let other = Some(MemoryId::parse("other-0123456789").unwrap());
    let check = |grant: Grant, expect: Option<ErrorKind>, sees: bool| {
        let caller = Principal { name: "someone".into(), grants: vec![grant] };
        let found = world.drive(world.engine.question_next(&caller, &ask()));
        match (found, expect) {
            (Ok(found), None) => assert_eq!(found.is_some(), sees),
            (Err(error), Some(kind)) => assert_eq!(error.kind, kind),
            (found, _) => panic!("{found:?}"),
        }
        let of_it = QuestionAsk { memory: own.clone(), ..ask() };
        let asked = world.drive(world.engine.question_next(&caller, &of_it));
        assert_eq!(asked.is_err(), !sees);
    };
    check(grant(own.clone(), Some("alice"), both), Some(ErrorKind::Denied), false);
    check(grant(own.clone(), None, &[Capability::Read]), Some(ErrorKind::Denied), false);
    check(grant(own.clone(), None, &[Capability::Write]), Some(ErrorKind::Denied), false);
    check(grant(None, None, &[Capability::Write]), Some(ErrorKind::Denied), false);
    check(grant(other, None, both), None, false);
    check(grant(own.clone(), None, both), None, true);
}

#[test]
fn a_question_is_waited_for() {
    let world = pulled();
    let long = QuestionAsk { wait_ms: 30_000, ..ask() };
    let asking = world.engine.question_next(&world.caller, &long);
    let memories = [world.memory.id.clone()];
    let (taken, _) = world.drive(join(asking, world.engine.run_due(&memories, 5_000)));
    assert!(taken.unwrap().is_some());
    let none = QuestionAsk { wait_ms: 2_000, ..ask() };
    assert!(world.drive(world.engine.question_next(&world.caller, &none)).unwrap().is_none());
    for (lease_ms, wait_ms) in [(999, 0), (3_600_001, 0), (1_000, 60_001)] {
        let wrong = QuestionAsk { lease_ms, wait_ms, ..ask() };
        let error = world.drive(world.engine.question_next(&world.caller, &wrong)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
    }
}

#[test]
fn a_job_that_waits_is_read_by_whoever_reads_now() {
    let world = pulled();
    world.work();
    let settings = MemorySettings { model_mode: Some(ModelMode::None), ..MemorySettings::default() };
    let put = world.engine.memory_settings_put(&world.caller, &world.memory.id, settings);
    world.drive(put).unwrap();
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts(), ["I live in Bern"]);
    assert!(world.next_as(&world.caller).is_none(), "the question went with the job's result");
    // This server has no model: the mode is rejected in advance.
    let settings = MemorySettings { model_mode: Some(ModelMode::Provider), ..MemorySettings::default() };
    let put = world.engine.memory_settings_put(&world.caller, &world.memory.id, settings);
    assert_eq!(world.drive(put).unwrap_err().field.as_deref(), Some("model_mode"));
}

#[test]
fn an_event_deleted_meanwhile_takes_its_question_along() {
    let world = pulled();
    world.say("s1", User, "and my dog is called Pixel");
    world.work();
    let taken = world.next_as(&world.caller).unwrap();
    let listing = loci_engine::events::EventListing {
        memory: world.memory.id.clone(),
        actor: ActorId::parse("alice").unwrap(),
        session: loci_model::SessionId::parse("s1").unwrap(),
        branch: None,
        metadata: Vec::new(),
        before: None,
        limit: 10,
        with_payload: false,
    };
    let event = world.drive(world.engine.event_list(&world.caller, listing)).unwrap().items.remove(0);
    let (actor, session) = (&event.actor, &event.session);
    let delete = world.engine.event_delete(&world.caller, &world.memory.id, actor, session, &event.id);
    world.drive(delete).unwrap();
    assert_eq!(world.answer_as(&world.caller, &taken, GOOD).unwrap_err().kind, ErrorKind::NotFound);
    world.work();
    let again = world.next_as(&world.caller).unwrap();
    assert!(!again.exchange.input.contains("Pixel") && again.exchange.input.contains("Bern"));
    assert_eq!(world.answer_as(&world.caller, &again, GOOD).unwrap().accepted, 1);
}

/// Returns a round in which the rules leave the relation of the second fact to the first open, and
/// the question on it.
fn undecided() -> (World, QuestionTaken) {
    let world = pulled();
    world.work();
    let taken = world.next_as(&world.caller).unwrap();
    let answered = world.answer_as(&world.caller, &taken, TWO).unwrap();
    assert!(answered.waits, "rules leave the second fact open");
    let asked = world.next_as(&world.caller).unwrap();
    assert_eq!(asked.exchange.step, Step::Consolidate);
    (world, asked)
}

#[test]
fn a_question_about_facts_of_one_round_takes_its_own_answer() {
    let (world, asked) = undecided();
    assert!(asked.exchange.input.contains(r#""id":"k1""#), "{}", asked.exchange.input);
    let skip = r#"{"items":[{"memory":{"fact":"it"},"operation":"SkipMemory","update_id":"k1"}]}"#;
    let answered = world.answer_as(&world.caller, &asked, skip).unwrap();
    assert_eq!((answered.job, answered.waits), (JobState::Done, false));
    assert_eq!(world.texts(), ["Alice walks along the river in Bern every morning."]);
    assert!(world.next_as(&world.caller).is_none());
}

#[test]
fn an_answer_that_the_job_refuses_can_be_mended() {
    let (world, asked) = undecided();
    let wrong = r#"{"items":[{"memory":{"fact":"it"},"operation":"SkipMemory","update_id":"k9"}]}"#;
    let right = r#"{"items":[{"memory":{"fact":"it"},"operation":"SkipMemory","update_id":"k1"}]}"#;
    assert!(world.answer_as(&world.caller, &asked, wrong).unwrap().waits);
    let again = world.next_as(&world.caller).unwrap();
    assert_eq!((&again.exchange.id, again.exchange.turn), (&asked.exchange.id, 2));
    let input = &again.exchange.input;
    assert!(input.starts_with(&asked.exchange.input) && input.contains("<violations>\n- item 1: update_id"));
    let answered = world.answer_as(&world.caller, &again, right).unwrap();
    assert_eq!((answered.job, world.texts().len()), (JobState::Done, 1));
    // A repetition of either answer gets the same result, a different one is too late.
    assert_eq!(world.answer_as(&world.caller, &again, right).unwrap().job, JobState::Done);
    let error = world.answer_as(&world.caller, &again, "[]").unwrap_err();
    assert_eq!(error.reason, Some(Reason::AlreadyAnswered));
}

#[test]
fn answers_that_the_job_refuses_are_attempts_also_of_those_who_never_came() {
    let (world, asked) = undecided();
    let wrong = r#"{"items":[{"memory":{"fact":"it"},"operation":"SkipMemory","update_id":"k9"}]}"#;
    for left in [true, true, false] {
        assert_eq!(world.answer_as(&world.caller, &asked, wrong).unwrap().waits, left);
    }
    // Rules alone decide, and both stay.
    assert_eq!(world.texts().len(), 2);
    assert!(world.extraction().failure_reason.unwrap().starts_with("MODEL_INVALID_RESPONSE: "));
}

/// Answers the extraction question with both facts; `concurrent_changes` runs before the question
/// on their relation.
fn undecided_while(
    world: &World,
    meanwhile: impl FnOnce(&Loci, &Principal, &MemoryId) + Send + 'static,
) -> QuestionAnswered {
    world.work();
    let taken = world.next_as(&world.caller).unwrap();
    let (engine, caller, memory) = (world.engine.clone(), world.caller.clone(), world.memory.id.clone());
    *world.embedder.meanwhile.lock().unwrap() = Some(Box::new(move || meanwhile(&engine, &caller, &memory)));
    let answered = world.answer_as(&world.caller, &taken, TWO).unwrap();
    assert!(world.embedder.meanwhile.lock().unwrap().is_none());
    answered
}

#[test]
fn nothing_is_asked_for_a_job_that_is_gone() {
    let world = pulled();
    world.work();
    let job = world.extraction();
    undecided_while(&world, |engine, caller, memory| {
        let alice = ActorId::parse("alice").unwrap();
        block_on(engine.forget_actor(caller, memory, &alice)).unwrap();
    });
    assert_eq!(world.exchanges_of(&job), 0);
    assert!(world.next_as(&world.caller).is_none());
}

#[test]
fn nothing_is_asked_about_an_event_that_is_deleted_before() {
    let world = pulled();
    world.clock.advance_ms(1_000);
    let pixel = world.event("s1", vec![said(User, "and my dog is called Pixel")]);
    let pixel = world.drive(world.engine.event_create(&world.caller, pixel, None)).unwrap();
    undecided_while(&world, move |engine, caller, memory| {
        let delete =
            engine.event_delete(caller, memory, &pixel.event.actor, &pixel.event.session, &pixel.event.id);
        block_on(delete).unwrap();
    });
    world.work();
    let asked = world.next_as(&world.caller).unwrap().exchange;
    assert_eq!((asked.step, world.exchanges_of(&world.extraction())), (Step::Extract, 1));
    assert!(asked.input.contains("Bern") && !asked.input.contains("Pixel"), "{}", asked.input);
}

/// Returns Alice's fact in a shared namespace, and a question on Bob's fact that quotes it.
fn quoting() -> (World, QuestionTaken) {
    let settings = Some(MemorySettings { model_mode: Some(ModelMode::Pull), ..MemorySettings::default() });
    let shared = NewStrategy { template: Some(template("/team/")), ..strategy(Semantic) };
    let world = World::of(NewMemory { strategies: vec![shared], settings, ..NewMemory::default() });
    for (actor, fact) in [("alice", "every morning"), ("bob", "with a friend")] {
        world.clock.advance_ms(1_000);
        let said = world.event("s1", vec![said(User, "I walk along the river in Bern")]);
        world.create(NewEvent { actor: ActorId::parse(actor).unwrap(), ..said });
        world.work();
        let taken = world.next_as(&world.caller).unwrap();
        let fact = format!(r#"[{{"fact":"The team walks along the river in Bern {fact}.","sources":[1]}}]"#);
        world.answer_as(&world.caller, &taken, &fact).unwrap();
    }
    let asked = world.next_as(&world.caller).unwrap();
    assert!(asked.exchange.step == Step::Consolidate && asked.exchange.input.contains("every morning"));
    (world, asked)
}

#[test]
fn questions_go_with_the_records_they_quote() {
    let check = |goes: &dyn Fn(&World)| {
        let (world, asked) = quoting();
        goes(&world);
        let skip = r#"{"items":[{"memory":{"fact":"it"},"operation":"SkipMemory","update_id":"k1"}]}"#;
        let error = world.answer_as(&world.caller, &asked, skip).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        world.work();
        assert!(world.next_as(&world.caller).is_none(), "nothing is left to ask");
        assert_eq!(world.texts(), ["The team walks along the river in Bern with a friend."]);
    };
    check(&|world| {
        let alice = ActorId::parse("alice").unwrap();
        world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &alice)).unwrap();
    });
    check(&|world| {
        let delete = RecordDelete { id: world.active()[0].id.clone(), namespace: None };
        world.drive(world.engine.record_delete(&world.caller, &world.memory.id, delete)).unwrap();
    });
    check(&|world| {
        let delete = vec![RecordDelete { id: world.active()[0].id.clone(), namespace: None }];
        world.drive(world.engine.records_delete(&world.caller, &world.memory.id, delete)).unwrap();
    });
}

#[test]
fn questions_go_with_the_events_they_quote() {
    let world = pulled();
    world.work();
    let (job, taken) = (world.extraction(), world.next_as(&world.caller).unwrap());
    assert_eq!(world.exchanges_of(&job), 1);
    world.clock.advance_ms(400 * 24 * 3_600_000);
    world.drive(world.engine.sweep()).unwrap();
    assert_eq!(world.exchanges_of(&job), 0);
    assert!(world.answer_as(&world.caller, &taken, GOOD).is_err());
    assert!(world.work().complete && world.texts().is_empty());
}
