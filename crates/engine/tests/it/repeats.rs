//! Statements that are repeated, rephrased, or no longer true.

use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::event::Role::{Assistant, User};
use loci_model::memory::strategy::StrategyBase::{Semantic, UserPreference};
use loci_model::record::RecordState::{Active, Superseded};
use loci_model::{Namespace, Timestamp};

use crate::fixture::{World, said};

#[test]
fn an_exact_repeat_adds_a_source_and_keeps_the_first_place() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "the dog is called Pixel");
    world.work();
    for session in ["s1", "s2"] {
        world.say(session, User, "the dog  is called Pixel");
        world.work();
    }
    let records = world.records(&[Active, Superseded]);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].provenance.sources.len(), 3);
    assert_eq!(records[0].provenance.session.as_ref().unwrap().as_str(), "s1");
}

#[test]
fn a_sentence_sent_a_hundred_times_is_one_record() {
    let world = World::with(&[Semantic]);
    for _ in 0..5 {
        world
            .create(world.event("s1", (0..20).map(|_| said(User, "my cello lesson is in Denver")).collect()));
    }
    world.work();
    assert_eq!(world.texts(), ["my cello lesson is in Denver"]);
    assert_eq!(world.active()[0].provenance.sources.len(), 100);
}

#[test]
fn near_duplicates_are_superseded_but_not_what_differs_in_a_number() {
    let check = |first: (loci_model::event::Role, &str), second, superseded: usize| {
        for together in [false, true] {
            let world = World::with(&[Semantic]);
            world.say("s1", first.0, first.1);
            if !together {
                world.work();
            }
            let (role, text) = second;
            world.say("s1", role, text);
            world.work();
            let old = world.records(&[Superseded]);
            assert_eq!(old.len(), superseded, "{first:?} {text} {together}");
            assert_eq!(world.active().len(), 2 - superseded);
            if let Some(old) = old.first() {
                let new = &world.active()[0];
                assert_eq!((old.text.as_str(), new.text.as_str()), (first.1, text));
                assert_eq!(
                    (old.superseded_by.as_ref(), &new.supersedes),
                    (Some(&new.id), &vec![old.id.clone()])
                );
                let changes = world
                    .drive(world.engine.record_changes(&world.caller, &world.memory.id, &old.id))
                    .unwrap();
                assert_eq!(changes.iter().map(|change| change.to).collect::<Vec<_>>(), [Active, Superseded]);
            }
        }
    };
    let said = "the red bicycle stands behind the garden house near the old wooden gate";
    check(
        (User, said),
        (User, "The red bicycle stands behind the garden house, near the old wooden gate!"),
        1,
    );
    check(
        (User, said),
        (Assistant, "The red bicycle stands behind the garden house, near the old wooden gate!"),
        0,
    );
    check(
        (User, "the train leaves at 7 from platform four"),
        (User, "The train leaves at 8 from platform four."),
        0,
    );
    check(
        (User, "we can ship the parcel on the evening plane"),
        (User, "We cannot ship the parcel on the evening plane"),
        0,
    );
}

#[test]
fn a_changed_preference_takes_the_older_ones_place() {
    let world = World::with(&[UserPreference]);
    world.say("s1", User, "I prefer dark mode");
    world.say("s1", User, "I like sushi with tuna");
    world.work();
    world.say("s2", User, "I prefer light mode.");
    world.say("s2", User, "I no longer like sushi.");
    world.say("s2", User, "i prefer light mode!");
    world.work();
    let old: Vec<_> = world.records(&[Superseded]).into_iter().map(|record| record.text).collect();
    assert_eq!(old.len(), 2, "{old:?}");
    assert!(old[0].contains("dark mode") && old[1].contains("sushi with tuna"), "{old:?}");
    let active = world.active();
    assert_eq!(active.len(), 2);
    assert_eq!(active.iter().map(|record| record.provenance.sources.len()).max(), Some(2));
}

#[test]
fn an_older_statement_that_arrives_late_is_history() {
    let world = World::with(&[UserPreference]);
    world.say("s1", User, "My favourite colour is blue");
    world.work();
    let mut late = world.event("s2", vec![said(User, "My favourite colour is green")]);
    late.time = Some(Timestamp::clamped(1_000_000_000_000));
    world.create(late);
    world.work();
    assert!(world.active()[0].text.contains("blue"));
    assert!(world.records(&[Superseded])[0].text.contains("green"));
}

/// A value that returns is the newest one, for a repeated turn and for a preference under a key.
#[test]
fn a_repeated_statement_has_the_time_of_its_last_telling() {
    let at = |day: i64| Timestamp::clamped(1_767_225_600_000).plus_days(u32::try_from(day).unwrap());
    let tell = |world: &World, session: &str, day: i64, text: &str| {
        let mut event = world.event(session, vec![said(User, text)]);
        event.time = Some(at(day));
        world.create(event);
        world.work();
    };
    let world = World::with(&[Semantic]);
    let (here, gone) = ("Alex is assigned to Payments.", "Alex is not assigned to Payments any more.");
    for (session, day, text) in [("s1", 5, here), ("s2", 12, gone), ("s3", 25, here)] {
        tell(&world, session, day, text);
    }
    let time = |text: &str| {
        let all = world.active();
        all.iter().find(|record| record.text == text).map(|record| record.timestamp)
    };
    assert_eq!((time(here), time(gone)), (Some(at(25)), Some(at(12))));
    // A late event of an earlier day does not make it newer.
    tell(&world, "s4", 20, here);
    assert_eq!(time(here), Some(at(25)));
    let first = world.active().into_iter().find(|record| record.text == here).unwrap();
    assert_eq!(first.provenance.session.as_ref().unwrap().as_str(), "s1", "it stays in its first place");
    assert_eq!((first.provenance.sources.len(), first.valid_from), (3, at(5)));

    let world = World::with(&[UserPreference]);
    tell(&world, "s1", 5, "My favourite colour is blue");
    tell(&world, "s2", 9, "My favourite colour is blue");
    assert_eq!(world.active().iter().map(|record| record.timestamp).collect::<Vec<_>>(), [at(9)]);
}

#[test]
fn what_a_client_wrote_is_nobodys_duplicate() {
    let world = World::with(&[Semantic]);
    let strategy = world.memory.strategies[0].id.clone();
    let namespace = Namespace::parse(format!("/strategies/{strategy}/actors/alice/")).unwrap();
    let mut new =
        NewRecord::fact("r".into(), vec![namespace], "the dog is called Pixel".into(), Timestamp::EPOCH);
    new.strategy = Some(strategy);
    let request = RecordsCreate { memory: world.memory.id.clone(), records: vec![new], expiry: None };
    world.drive(world.engine.records_create(&world.caller, request, None)).unwrap();
    world.say("s1", User, "the dog is called Pixel");
    world.say("s1", User, "The dog is called Pixel!");
    world.work();
    // The client's own record stays; of the two turns, the later one represents both.
    assert_eq!(world.active().len(), 2);
    assert_eq!(world.records(&[Superseded]).len(), 1);
}
