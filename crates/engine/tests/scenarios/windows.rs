//! Windows of a model: their time, their content, and their context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loci_engine::Models;
use loci_engine::memories::NewMemory;
use loci_model::event::Role::{Assistant, User};
use loci_model::memory::settings::{MemorySettings, ModelMode, WindowSettings};
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::language_model::{Completion, Finish, LanguageModel, ModelError, Reply};
use loci_model::{ActorId, SessionId};
use loci_testkit_ports::ManualClock;

use super::{facts, model, part, text};
use crate::fixture::{World, said, strategy};

fn with_window(window: WindowSettings, model: &Arc<loci_testkit_ports::ScriptedModel>) -> World {
    let settings = Some(MemorySettings { window, ..MemorySettings::default() });
    World::of_model(
        NewMemory { strategies: vec![strategy(Semantic)], settings, ..NewMemory::default() },
        model,
    )
}

/// Returns the half seconds until the job is due, rounded up, because the clock advances slightly
/// while the store works.
fn due(world: &World) -> i64 {
    let millis = world.extraction().due.millis() - world.clock.now().millis();
    (millis.max(0) + 499) / 500
}

#[test]
fn a_window_is_due_when_it_is_full_or_after_a_pause() {
    let world =
        with_window(WindowSettings { messages: 3, ..WindowSettings::default() }, &model(vec![text("[]")]));
    world.say("s1", User, "one of three messages");
    assert_eq!(due(&world), 4);
    world.say("s1", Assistant, "two of three messages");
    assert_eq!(due(&world), 4, "the pause begins again");
    world.say("s1", User, "three of three messages");
    assert_eq!(due(&world), 0);

    let tokens = WindowSettings { tokens: 100, ..WindowSettings::default() };
    let world = with_window(tokens, &model(vec![text("[]")]));
    world.say("s1", User, "short");
    assert_eq!(due(&world), 4);
    world.say("s1", User, &"many words ".repeat(40));
    assert_eq!(due(&world), 0);
}

#[test]
fn who_never_pauses_is_read_all_the_same() {
    let window = WindowSettings { messages: 50, idle_ms: 3_000, ..WindowSettings::default() };
    let world = with_window(window, &model(vec![text("[]")]));
    let mut last = 0;
    for number in 0..40 {
        // One event per second: the pause of three seconds never occurs.
        world.say("s1", User, &format!("message {number} of a long talk"));
        last = due(&world);
    }
    assert_eq!(last, 0, "ten pauses after the first message it is due");
}

#[test]
fn the_end_of_a_session_makes_it_due() {
    let world = with_window(
        WindowSettings { idle_ms: 3_000_000, ..WindowSettings::default() },
        &model(vec![text("[]")]),
    );
    world.say("s1", User, "I live in Bern");
    assert_eq!(due(&world), 6_000);
    let (actor, session) = (ActorId::parse("alice").unwrap(), SessionId::parse("s1").unwrap());
    let other = SessionId::parse("s2").unwrap();
    let end = |session: &SessionId| {
        world.drive(world.engine.session_end(&world.caller, &world.memory.id, &actor, session)).unwrap()
    };
    assert_eq!((end(&other), end(&session)), (0, 1));
    assert_eq!(due(&world), 0);
}

#[test]
fn earlier_messages_are_told_along_and_not_read_again() {
    let model = model(vec![text("[]")]);
    let world = with_window(WindowSettings { context_messages: 2, ..WindowSettings::default() }, &model);
    for told in ["the first message", "the second message", "the third message"] {
        world.say("s1", User, told);
    }
    world.say("s2", User, "another session");
    world.work();
    world.say("s1", User, "the fourth message");
    world.work();
    let asked = model.asked();
    let last = &asked.last().unwrap().input;
    let (past, current) = (part(last, "past_conversation"), part(last, "current_conversation"));
    assert!(past.contains("second") && past.contains("third") && !past.contains("first"), "{past}");
    assert!(!past.contains("another") && !past.contains("\"turn\""), "{past}");
    assert!(
        current.contains("\"turn\":1") && current.contains("fourth") && !current.contains("third"),
        "{current}"
    );
    assert_eq!(part(&asked[0].input, "past_conversation"), "");
}

#[test]
fn what_is_sent_again_is_context() {
    let model = model(vec![text("[]")]);
    let world = with_window(WindowSettings::default(), &model);
    let (one, two) = (said(User, "Where is the key of the garden door?"), said(Assistant, "Under the mat."));
    world.create(world.event("s1", vec![one.clone(), two.clone()]));
    world.work();
    world.create(world.event("s1", vec![one.clone(), two.clone(), said(User, "Found it, thanks")]));
    world.work();
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    let (past, current) =
        (part(&asked[1].input, "past_conversation"), part(&asked[1].input, "current_conversation"));
    assert!(past.contains("mat") && !current.contains("mat") && current.contains("Found"), "{current}");
    // A repetition contains nothing new: the model is not asked, and the events count as processed.
    world.create(world.event("s1", vec![one, two]));
    assert!(world.work().complete);
    assert_eq!(model.calls(), 2);
}

#[test]
fn a_long_backlog_is_read_in_windows() {
    let model = model(vec![text("[]")]);
    let world =
        with_window(WindowSettings { idle_ms: 3_000_000, messages: 50, ..WindowSettings::default() }, &model);
    for number in 0..3 {
        let many = (0..30).map(|at| said(User, &format!("message {number}/{at} of a talk"))).collect();
        world.create(world.event("s1", many));
    }
    assert!(world.work().complete);
    let turns = |input: &str| part(input, "current_conversation").lines().count();
    let seen: Vec<usize> = model.asked().iter().map(|asked| turns(&asked.input)).collect();
    assert_eq!(seen, [30, 30, 30]);
}

/// A model that answers after half a second of the clock, and counts concurrent calls.
struct Slow {
    clock: ManualClock,
    waiting: AtomicUsize,
    most: Arc<AtomicUsize>,
}

impl LanguageModel for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn model_id(&self) -> &str {
        "slow"
    }

    fn complete<'a>(&'a self, completion: &'a Completion) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(waiting, Ordering::SeqCst);
            self.clock.sleep(500).await;
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            let turn = part(&completion.input, "current_conversation").to_owned();
            let number =
                turn.split("message of ").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
            let text = format!(r#"[{{"fact":"A fact of {number}.","sources":[1]}}]"#);
            let usage = loci_model::job::exchange::Usage::default();
            Ok(Reply { text, model: "slow".into(), usage, finish: Finish::Complete })
        })
    }
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let new = NewMemory { strategies: vec![strategy(Semantic)], ..NewMemory::default() };
    let most = Arc::new(AtomicUsize::new(0));
    let world = World::reading(new, |clock| Models {
        mode: ModelMode::Provider,
        default: Some(Arc::new(Slow {
            clock: clock.clone(),
            waiting: AtomicUsize::new(0),
            most: most.clone(),
        })),
        ..Models::default()
    });
    for number in 0..16 {
        world.say(&format!("s{number}"), User, &format!("message of session {number}"));
    }
    assert!(world.work().complete);
    assert_eq!(world.active().len(), 16);
    // The benchmark `pipeline-load` measures the duration; this test checks the concurrency.
    let most = most.load(Ordering::SeqCst);
    assert!(most >= 8, "{most} at once");
}

#[test]
fn two_windows_of_one_session_build_on_each_other() {
    let model = model(vec![facts(&[("Alice has a dog.", &[1])]), facts(&[("Alice has a cat.", &[1])])]);
    let world = with_window(WindowSettings::default(), &model);
    world.say("s1", User, "I have a dog");
    world.work();
    world.say("s1", User, "and a cat");
    world.work();
    assert_eq!(world.texts(), ["Alice has a cat.", "Alice has a dog."]);
}

#[test]
fn who_goes_back_to_what_was_said_is_heard() {
    let model = model(vec![text("[]")]);
    let world = with_window(WindowSettings::default(), &model);
    let jest = "I use Jest for all the tests of this project";
    for told in [jest, "Vitest is what I use now, for all of them", jest] {
        world.say("s1", User, told);
        assert!(world.work().complete);
    }
    let asked = model.asked();
    assert_eq!(asked.len(), 3);
    assert!(part(&asked[2].input, "current_conversation").contains("Jest"));
}

#[test]
fn what_comes_while_a_window_is_read_has_its_own() {
    let model = model(vec![facts(&[("Alice has a dog.", &[1])]), facts(&[("Alice has a cat.", &[1])])]);
    let idle_ms = 3_000_000;
    let world = with_window(WindowSettings { idle_ms, ..WindowSettings::default() }, &model);
    world.say("s1", User, "I have a dog");
    let (engine, caller, clock) = (world.engine.clone(), world.caller.clone(), world.clock.clone());
    let event = world.event("s1", vec![said(User, "and a cat")]);
    *world.embedder.meanwhile.lock().unwrap() = Some(Box::new(move || {
        clock.advance_ms(10);
        loci_testkit_ports::block_on(engine.event_create(&caller, event, None)).unwrap();
    }));
    let start = world.clock.now();
    assert!(world.work().complete);
    assert_eq!(world.texts(), ["Alice has a cat.", "Alice has a dog."]);
    let took = world.clock.now().millis() - start.millis();
    assert!(took >= i64::try_from(idle_ms).unwrap(), "{took} ms");
}
