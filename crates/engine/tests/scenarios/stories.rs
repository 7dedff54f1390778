//! Model-extracted facts over time: a newer fact supersedes in the same scope, other scopes stay,
//! temporary facts coexist. The model returns scripted facts; where possible, the tests also run
//! without one.

use std::sync::Arc;

use loci_engine::memories::NewMemory;
use loci_model::event::Role::User;
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings};
use loci_model::memory::strategy::StrategyBase::{Semantic, UserPreference};
use loci_model::record::{Record, RecordState};
use loci_testkit_ports::{Script, ScriptedModel, ScriptedReply};
use serde_json::json;

use super::text;
use crate::fixture::{World, strategy};

/// A fact and its scope.
type Fact<'a> = (&'a str, Option<&'a str>);

/// Returns a model that extracts one fact from each message in turn, and is asked nothing else: the
/// rules decide.
fn reads(facts: &[Fact<'_>]) -> Arc<ScriptedModel> {
    let answer = |(fact, scope): &Fact<'_>| {
        text(&json!({"items": [{"fact": fact, "sources": [1], "scope": scope}]}).to_string())
    };
    let then: Vec<ScriptedReply> = facts.iter().map(answer).collect();
    Arc::new(ScriptedModel::new(vec![Script {
        when: Box::new(|asked| asked.step == loci_model::job::exchange::Step::Extract),
        then,
    }]))
}

/// Returns a memory after a model extracted these facts one by one.
fn told(facts: &[Fact<'_>]) -> World {
    let model = reads(facts);
    let world = World::with_model(&[Semantic], &model);
    for (number, (fact, _)) in facts.iter().enumerate() {
        world.say(&format!("s{number}"), User, fact);
        let done = world.work();
        assert_eq!((done.complete, done.failed), (true, 0), "{fact}");
    }
    assert_eq!(model.calls(), facts.len(), "rules alone decide");
    world
}

fn superseded(world: &World) -> Vec<Record> {
    world.records(&[RecordState::Superseded])
}

/// Checks that of two statements of one scope the newer one remains; the older one has its end of
/// validity and its successor.
fn changes(old: &str, new: &str, scope: Option<&str>) {
    let world = told(&[(old, scope), (new, scope)]);
    assert_eq!(world.texts(), [new]);
    let (newer, older) = (world.active().remove(0), superseded(&world).remove(0));
    assert_eq!((older.text.as_str(), older.superseded_by.as_ref()), (old, Some(&newer.id)));
    assert_eq!(newer.supersedes, std::slice::from_ref(&older.id));
    assert_eq!(older.valid_to, Some(newer.valid_from), "{old}");
    assert!(older.valid_from < newer.valid_from);
    let decided = newer.making.unwrap().decided.unwrap();
    assert_eq!((decided.action.as_str(), decided.by.as_str()), ("supersede", "deterministic@1"));
    assert!(!decided.reason.is_empty() && older.state_reason.is_some_and(|reason| !reason.is_empty()));
}

#[test]
fn jest_becomes_vitest() {
    changes("The project uses Jest for unit tests.", "The project uses Vitest for unit tests.", None);
    let scope = Some("packages/web/**");
    changes("Unit tests are run with Jest.", "Unit tests are run with Vitest instead of Jest.", scope);
}

#[test]
fn tabs_become_spaces() {
    changes("Go code is indented with tabs.", "Go code is indented with spaces.", None);
}

#[test]
fn an_address_changes() {
    changes("Clara lives at 14 Mill Lane, Oxford.", "Clara lives at 3 Station Road, Oxford.", None);
}

#[test]
fn what_was_true_is_denied() {
    changes("The user is vegetarian.", "The user is no longer vegetarian.", None);
}

#[test]
fn redux_and_context_each_in_its_scope() {
    let (legacy, new) = (Some("src/legacy/**"), Some("src/v2/**"));
    let redux = "State is managed with Redux.";
    let context = "State is managed with React Context.";
    let world = told(&[(redux, legacy), (context, new)]);
    assert_eq!(world.texts(), [context, redux]);
    assert!(superseded(&world).is_empty());
    // It changes in one scope; the other scope stays.
    let zustand = "State is managed with Zustand.";
    let world = told(&[(redux, legacy), (context, new), (zustand, Some("./src/v2"))]);
    assert_eq!(world.texts(), [redux, zustand]);
    assert_eq!(superseded(&world)[0].text, context);
}

#[test]
fn a_temporary_endpoint_stands_beside_the_usual_one() {
    let usual = "The API endpoint is https://api.acme.example.";
    let now = "For this week the API endpoint is https://tmp.acme.example.";
    let world = told(&[(usual, None), (now, None)]);
    assert_eq!(world.texts(), [now, usual]);
    assert!(superseded(&world).is_empty());
    // The usual value changes permanently: the temporary one stays unaffected.
    let next = "The API endpoint is https://next.acme.example.";
    let world = told(&[(usual, None), (now, None), (next, None)]);
    assert_eq!(world.texts(), [now, next]);
    assert_eq!(superseded(&world)[0].text, usual);
}

#[test]
fn what_is_told_late_of_earlier_times_is_history() {
    let model = reads(&[
        ("The project uses Vitest for unit tests.", None),
        ("The project uses Jest for unit tests.", None),
    ]);
    let world = World::with_model(&[Semantic], &model);
    for (session, days, said) in [("s1", 10, "We use Vitest"), ("s2", 1, "We use Jest")] {
        let mut event = world.event(session, vec![crate::fixture::said(User, said)]);
        event.time = Some(loci_model::Timestamp::clamped(days * 24 * 3_600_000));
        world.create(event);
        assert!(world.work().complete);
    }
    assert_eq!(world.texts(), ["The project uses Vitest for unit tests."]);
    assert_eq!(superseded(&world)[0].text, "The project uses Jest for unit tests.");
}

#[test]
fn a_preference_is_updated_with_a_model_and_without() {
    let said = |preference: &str| {
        let item = json!({"context": "", "preference": preference, "categories": ["technology"], "sources": [1],
                          "about": null});
        text(&json!({ "items": [item] }).to_string())
    };
    let model = super::model(vec![said("Prefers dark mode"), said("Prefers light mode now")]);
    let check = |world: World| {
        for told in ["I prefer dark mode", "I prefer light mode now"] {
            world.say("s1", User, told);
            assert!(world.work().complete);
        }
        let active = world.active();
        assert_eq!(active.len(), 1);
        assert!(active[0].text.to_lowercase().contains("light"), "{}", active[0].text);
        assert_eq!(superseded(&world)[0].superseded_by.as_ref(), Some(&active[0].id));
    };
    check(World::with_model(&[UserPreference], &model));
    check(World::with(&[UserPreference]));
}

#[test]
fn scopes_stay_apart_without_a_model() {
    let consolidation = ConsolidationSettings { verbatim: true, ..ConsolidationSettings::default() };
    let settings = Some(MemorySettings { consolidation, ..MemorySettings::default() });
    let world =
        World::of(NewMemory { strategies: vec![strategy(Semantic)], settings, ..NewMemory::default() });
    let (redux, context) = (
        "In src/legacy/** state is managed with Redux.",
        "In src/v2/** state is managed with React Context.",
    );
    for told in [redux, context] {
        world.say("s1", User, told);
        assert!(world.work().complete);
    }
    assert_eq!(world.texts(), [redux, context]);
}
