//! Summaries by a model: each session has its own running summary, and a part for each topic of
//! each window.

use std::sync::Arc;

use loci_model::event::Role::{Assistant, User};
use loci_model::memory::settings::{MemorySettings, ModelMode};
use loci_model::memory::strategy::StrategyBase::Summary;
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::record::derivation::MakingMode;
use loci_model::record::{Record, RecordState};
use loci_testkit_ports::ScriptedReply::{self, Fails};
use loci_testkit_ports::{Script, ScriptedModel};

use super::{model, part, text};
use crate::fixture::World;

/// Returns an answer with a running summary and topics.
pub(crate) fn summary(whole: &str, topics: &[(&str, &str)]) -> ScriptedReply {
    let topics: String =
        topics.iter().map(|(name, told)| format!("<topic name=\"{name}\">{told}</topic>\n")).collect();
    text(&format!(
        "<global_summary>{whole}</global_summary>\n<delta_detailed_summary>\n{topics}</delta_detailed_summary>"
    ))
}

/// Returns the records of a session: its running summary, and its parts, sorted.
fn of(world: &World, session: &str) -> (Record, Vec<String>) {
    let mut records = world.active();
    records.retain(|record| record.provenance.session.as_ref().unwrap().as_str() == session);
    let at = records.iter().position(|record| record.subtype.as_deref() == Some("session")).unwrap();
    let running = records.remove(at);
    let mut parts: Vec<String> = records.into_iter().map(|record| record.text).collect();
    parts.sort();
    (running, parts)
}

#[test]
fn three_sessions_each_with_a_running_summary_and_parts() {
    let about = |said: &'static str, then| Script {
        when: Box::new(move |asked| part(&asked.input, "current_conversation").contains(said)),
        then: vec![then],
    };
    let model = Arc::new(ScriptedModel::new(vec![
        about("lease", summary("The user moves to Bern.", &[("Lease", "The lease begins on 2026-05-01.")])),
        about(
            "deposit",
            summary(
                "The user moves to Bern; the deposit is open.",
                &[("Deposit", "The bank is asked."), ("Keys", "They are handed over in May.")],
            ),
        ),
        about("boat", summary("The user paints a boat.", &[("Paint", "It is blue.")])),
        about("sail", summary("The user paints a boat and mends its sail.", &[("Sail", "It is torn.")])),
        about("bread", summary("The user bakes bread.", &[("Flour", "Rye is used.")])),
    ]));
    let world = World::with_model(&[Summary], &model);
    for (session, told) in [
        ("s1", "The lease in Bern begins on 2026-05-01"),
        ("s2", "I paint my boat blue"),
        ("s1", "And the deposit, and the keys?"),
        ("s3", "How do I bake bread with rye?"),
        ("s2", "The sail is torn"),
    ] {
        world.say(session, User, told);
        world.say(session, Assistant, "Let me see.");
        assert_eq!((world.work().complete, world.work().failed), (true, 0));
    }
    let topic = |name: &str, told: &str| format!("<topic name=\"{name}\">\n{told}\n</topic>");
    let (running, parts) = of(&world, "s1");
    assert_eq!(running.text, topic("Session", "The user moves to Bern; the deposit is open."));
    assert_eq!((running.version, running.provenance.sources.len()), (2, 4));
    assert_eq!(
        parts,
        [
            topic("Deposit", "The bank is asked."),
            topic("Keys", "They are handed over in May."),
            topic("Lease", "The lease begins on 2026-05-01.")
        ]
    );
    let making = running.making.clone().unwrap();
    assert_eq!((making.prompt.unwrap().as_str(), making.mode), ("summary.consolidate@1", MakingMode::Model));
    let (running, parts) = of(&world, "s2");
    assert_eq!((running.version, parts.len()), (2, 2));
    let (running, parts) = of(&world, "s3");
    assert_eq!((running.version, parts.len()), (1, 1));
    // Each question contains the earlier summary of this session, and nothing of others.
    let asked = model.asked();
    assert_eq!(asked.len(), 5);
    let told = |at: usize| {
        let input = &asked[at].input;
        (part(input, "global_summary").to_owned(), part(input, "previous_detailed_summary").to_owned())
    };
    assert_eq!(told(0), (String::new(), String::new()));
    assert_eq!(told(3), (String::new(), String::new()));
    let (whole, parts) = told(2);
    assert!(
        whole.contains("The user moves to Bern.") && parts.contains("\"topic\":\"Lease\""),
        "{whole} {parts}"
    );
    for at in [1, 3, 4] {
        assert!(!asked[at].input.contains("Bern"), "{}", asked[at].input);
    }
    assert!(told(4).0.contains("paints a boat"));
}

#[test]
fn nothing_to_tell_leaves_the_running_summary() {
    let model = model(vec![summary("The user lives in Bern.", &[("Home", "Bern.")]), summary("", &[])]);
    let world = World::with_model(&[Summary], &model);
    for told in ["I live in Bern", "ok thanks"] {
        world.say("s1", User, told);
        assert!(world.work().complete);
    }
    let (running, parts) = of(&world, "s1");
    assert_eq!((running.version, parts.len()), (1, 1));
}

#[test]
fn addresses_of_earlier_windows_are_no_inventions() {
    let first =
        summary("Notes are at https://notes.example.org/a?x=1&y=2.", &[("Notes", "Run `make \"all\"`.")]);
    let second = summary(
        "Notes are at https://notes.example.org/a?x=1&y=2; `make \"all\"` builds.",
        &[("Build", "It works.")],
    );
    let world = World::with_model(&[Summary], &model(vec![first, second]));
    world.say("s1", User, "Notes are at https://notes.example.org/a?x=1&y=2, run `make \"all\"`");
    assert!(world.work().complete);
    for number in 0..6 {
        world.say("s1", User, &format!("it works, {number}"));
    }
    assert!(world.work().complete);
    assert!(world.records(&[RecordState::Quarantined]).is_empty());
    assert_eq!(of(&world, "s1").0.version, 2);
}

#[test]
fn what_was_summarised_without_the_model_is_continued_by_it() {
    let model = model(vec![
        summary("The user lives in Bern.", &[("Home", "Bern.")]),
        Fails(ModelErrorKind::Denied),
        Fails(ModelErrorKind::Denied),
        summary("The user lives in Bern with a dog.", &[("Dog", "It is called Pixel.")]),
    ]);
    let world = World::with_model(&[Summary], &model);
    world.say("s1", User, "I live in Bern");
    assert!(world.work().complete);
    world.say("s1", User, "My dog is called Pixel");
    assert_eq!(world.work().failed, 1);
    let before = world.active();
    assert_eq!(of(&world, "s1").0.version, 2);
    let failed = || world.jobs().into_iter().find(|job| job.fallback).unwrap();
    let start =
        || world.drive(world.engine.job_start(&world.caller, &world.memory.id, &failed().id, None)).unwrap();
    // A second failure adds nothing twice.
    start();
    assert_eq!(world.work().failed, 1);
    assert_eq!(world.active(), before);
    start();
    let done = world.work();
    assert_eq!((done.complete, done.failed), (true, 0));
    let (running, parts) = of(&world, "s1");
    assert!(running.text.contains("with a dog") && running.version == 3, "{}", running.text);
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert!(world.active().iter().all(|record| record.making.as_ref().unwrap().mode == MakingMode::Model));
    // The deterministic summary of earlier windows was part of the context too.
    assert!(part(&model.asked()[3].input, "global_summary").contains("Bern"));
}

#[test]
fn an_event_too_long_for_one_question_is_one_summary() {
    let many = |word: &str| vec![format!("{word} is a word of this."); 2_500].join(" ");
    let model = model(vec![
        summary("First half.", &[("One", "First.")]),
        summary("Both halves.", &[("Two", "Second.")]),
    ]);
    let world = World::with_model(&[Summary], &model);
    world.create(world.event(
        "s1",
        vec![crate::fixture::said(User, &many("boat")), crate::fixture::said(User, &many("sail"))],
    ));
    assert!(world.work().complete);
    let asked = model.asked();
    assert!(asked.len() >= 2, "{}", asked.len());
    assert!(part(&asked[1].input, "global_summary").contains("First half."));
    let (running, parts) = of(&world, "s1");
    assert_eq!((running.version, running.text.contains("Both halves."), parts.len()), (1, true, asked.len()));
}

#[test]
fn what_was_told_in_the_models_place_is_not_told_twice_without_a_model() {
    let world = World::with_model(&[Summary], &model(vec![Fails(ModelErrorKind::Denied)]));
    world.say("s1", User, "I live in Bern with my dog Pixel");
    assert_eq!(world.work().failed, 1);
    let before = world.active();
    let settings = MemorySettings { model_mode: Some(ModelMode::None), ..MemorySettings::default() };
    world.drive(world.engine.memory_settings_put(&world.caller, &world.memory.id, settings)).unwrap();
    let job = world.extraction();
    world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
    world.say("s1", User, "The boat is painted blue");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    let (running, parts) = of(&world, "s1");
    assert_eq!((running.version, running.text.matches("Bern").count()), (2, 1), "{}", running.text);
    assert_eq!(parts.iter().filter(|part| part.contains("Bern")).count(), 1, "{parts:?}");
    assert!(running.text.contains("boat") && before.len() < world.active().len());
}
