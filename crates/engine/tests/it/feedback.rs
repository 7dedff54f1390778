//! Feedback of principals on a record: one agent hides nothing, two agents do, and so does one
//! administrator; held records are released as usual.

use std::collections::BTreeSet;

use loci_engine::records::{FeedbackStanding, RecordFeedback, RecordRevert, RecordUpdate, Verdict};
use loci_engine::retrieval::SearchRequest;
use loci_model::event::Role;
use loci_model::memory::strategy::StrategyBase;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::RecordState;
use loci_model::record::feedback::FeedbackVerdict::{self, Useful, Wrong};
use loci_model::{ActorId, ErrorKind, RecordId, limits};

use super::fixture::World;

const BOAT: &str = "My boat is called Vesna and lies in Trieste";

/// Returns a memory with one fact of Alice's.
fn world() -> (World, RecordId) {
    let world = World::with(&[StrategyBase::Semantic]);
    world.say("s", Role::User, BOAT);
    world.work();
    let id = world.active()[0].id.clone();
    (world, id)
}

/// Returns a caller with these capabilities on Alice's data.
fn caller(name: &str, capabilities: &[Capability]) -> Principal {
    let actor = Some(ActorId::parse("alice").unwrap());
    let capabilities: BTreeSet<_> = capabilities.iter().copied().collect();
    Principal { name: name.to_owned(), grants: vec![Grant { actor, capabilities, ..Grant::everything() }] }
}

fn agent(name: &str) -> Principal {
    caller(name, &[Capability::Read, Capability::Write])
}

fn say(
    world: &World,
    by: &Principal,
    id: &RecordId,
    verdict: FeedbackVerdict,
    reason: Option<&str>,
) -> Result<FeedbackStanding, ErrorKind> {
    world.clock.advance_ms(1_000);
    say_as(world, by, id, verdict, reason, false)
}

fn say_as(
    world: &World,
    by: &Principal,
    id: &RecordId,
    verdict: FeedbackVerdict,
    reason: Option<&str>,
    by_human: bool,
) -> Result<FeedbackStanding, ErrorKind> {
    let reason = reason.map(str::to_owned);
    let feedback = RecordFeedback { id: id.clone(), verdict, reason, by_human };
    let said = world.drive(world.engine.record_feedback(by, &world.memory.id, feedback));
    said.map_err(|error| error.kind)
}

/// Returns the counts useful and wrong, and the state.
fn counts(said: Result<FeedbackStanding, ErrorKind>) -> (usize, usize, RecordState) {
    let said = said.unwrap();
    (said.useful, said.wrong, said.state)
}

fn rows(world: &World, id: &RecordId) -> Vec<String> {
    let changes = world.drive(world.engine.record_changes(&world.caller, &world.memory.id, id)).unwrap();
    changes.into_iter().map(|row| format!("{} {}", row.by, row.reason)).collect()
}

fn is_found(world: &World) -> bool {
    let request = SearchRequest {
        memory: world.memory.id.clone(),
        query: "the boat in Trieste".into(),
        namespaces: Vec::new(),
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        citing: None,
        as_of: None,
        top_k: 10,
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
        include_system: false,
    };
    !world.drive(world.engine.search(&world.caller, request)).unwrap().hits.is_empty()
}

#[test]
fn one_agent_hides_nothing_and_two_do() {
    use RecordState::{Active, Quarantined};
    let (world, id) = world();
    let (ann, bob, eve) = (agent("ann"), agent("bob"), agent("eve"));
    assert_eq!(counts(say(&world, &ann, &id, Useful, None)), (1, 0, Active));
    for _ in 0..3 {
        assert_eq!(counts(say(&world, &eve, &id, Wrong, Some("no"))), (1, 1, Active));
    }
    assert!(is_found(&world));
    assert_eq!(counts(say(&world, &eve, &id, Useful, None)), (2, 0, Active));
    assert_eq!(counts(say(&world, &eve, &id, Wrong, None)), (1, 1, Active));
    let held = say(&world, &bob, &id, Wrong, Some("it lies in Piran")).unwrap();
    assert_eq!((held.useful, held.wrong, held.state), (1, 2, Quarantined));
    assert_eq!(held.state_reason.as_deref(), Some("called wrong by 2 principals"));
    assert!(!is_found(&world));
    let told = rows(&world, &id);
    let said: Vec<_> = told.iter().filter(|row| row.contains("feedback")).map(String::as_str).collect();
    let expect = [
        "ann feedback: useful",
        "eve feedback: wrong: no",
        "eve feedback: useful",
        "eve feedback: wrong",
        "bob feedback: wrong: it lies in Piran",
    ];
    assert_eq!(said, expect, "a verdict that is said again adds nothing");
    assert!(told.last().unwrap().starts_with("bob called wrong by 2 principals"));
    // Taking the verdict back releases nothing.
    assert_eq!(counts(say(&world, &bob, &id, Useful, None)), (2, 1, Quarantined));
}

#[test]
fn an_administrator_is_enough_and_a_release_decides_what_was_said() {
    use RecordState::{Active, Quarantined};
    let (world, id) = world();
    let (ann, bob) = (agent("ann"), agent("bob"));
    let part = caller("keeper", &[Capability::Read, Capability::Write, Capability::Admin]);
    assert_eq!(counts(say(&world, &part, &id, Wrong, None)), (0, 1, Active), "of a part alone");
    say(&world, &ann, &id, Useful, None).unwrap();
    assert_eq!(counts(say(&world, &world.caller, &id, Wrong, None)), (1, 2, Quarantined));
    let (caller, memory) = (&world.caller, &world.memory.id);
    let ids = vec![id.clone()];
    let release = world.engine.quarantine_decide(caller, memory, ids, Verdict::Release, "it is so".into());
    world.drive(release).unwrap();
    assert!(is_found(&world));
    assert_eq!(counts(say(&world, &ann, &id, Useful, Some("still"))), (1, 0, Active));
    assert_eq!(
        counts(say(&world, &bob, &id, Wrong, None)),
        (1, 1, Active),
        "what was decided counts no more"
    );
    // A repeated verdict of the same principal counts again after the release.
    assert_eq!(counts(say(&world, &part, &id, Wrong, None)), (1, 2, Quarantined));
    let revert = RecordRevert { id: id.clone(), to_version: None, if_version: None };
    world.drive(world.engine.record_revert(caller, memory, revert)).unwrap();
    assert!(is_found(&world));
}

#[test]
fn an_agent_with_all_rights_is_an_agent() {
    use RecordState::{Active, Quarantined};
    let (world, id) = world();
    let everything = &world.caller;
    assert_eq!(counts(say_as(&world, everything, &id, Wrong, None, false)), (0, 1, Active));
    assert_eq!(say_as(&world, &agent("ann"), &id, Wrong, None, true), Err(ErrorKind::Denied));
    assert_eq!(counts(say_as(&world, everything, &id, Wrong, None, true)), (0, 1, Quarantined));
}

#[test]
fn a_new_version_begins_anew() {
    let (world, id) = world();
    say(&world, &agent("ann"), &id, Wrong, None).unwrap();
    let update = RecordUpdate {
        id: id.clone(),
        timestamp: world.engine.now(),
        text: Some("The boat lies in Piran".into()),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    world.drive(world.engine.records_update(&world.caller, &world.memory.id, vec![update], None)).unwrap();
    let said = say(&world, &agent("bob"), &id, Wrong, None).unwrap();
    assert_eq!((said.version, said.wrong, said.state), (2, 1, RecordState::Active));
}

#[test]
fn who_may_say_it_and_what() {
    let (world, id) = world();
    let check = |by: &Principal, reason: Option<&str>, expect: Option<ErrorKind>| {
        assert_eq!(say(&world, by, &id, Useful, reason).err(), expect, "{} {reason:?}", by.name);
    };
    check(&agent("ann"), None, None);
    check(&caller("reader", &[Capability::Read]), None, Some(ErrorKind::Denied));
    check(&caller("writer", &[Capability::Write]), None, Some(ErrorKind::Denied));
    let mut reads_all = caller("half", &[Capability::Read]);
    let elsewhere = Grant { actor: Some(ActorId::parse("bob").unwrap()), ..Grant::everything() };
    reads_all.grants.push(elsewhere.clone());
    check(&reads_all, None, Some(ErrorKind::Denied));
    let other = Principal { name: "other".into(), grants: vec![elsewhere] };
    check(&other, None, Some(ErrorKind::NotFound));
    check(&agent("ann"), Some(&"x".repeat(limits::REASON_CHARS_MAX)), None);
    check(&agent("ann"), Some(&"x".repeat(limits::REASON_CHARS_MAX + 1)), Some(ErrorKind::Invalid));
    let unknown = RecordId::of_uuid(7);
    assert_eq!(say(&world, &agent("ann"), &unknown, Useful, None).err(), Some(ErrorKind::NotFound));
    say(&world, &agent("ann"), &id, Wrong, Some("the key AKIAIOSFODNN7EXAMPLE is old")).unwrap();
    assert!(!rows(&world, &id).join("\n").contains("AKIAIOSFODNN7EXAMPLE"));
}

#[test]
fn what_is_said_of_a_record_is_forgotten_with_it() {
    let (world, id) = world();
    say(&world, &agent("ann"), &id, Wrong, Some("Vesna lies in Piran")).unwrap();
    say(&world, &agent("bob"), &id, Wrong, Some("Vesna was sold")).unwrap();
    assert_eq!(rows(&world, &id).iter().filter(|row| row.contains("Vesna")).count(), 2);
    let alice = ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &alice)).unwrap();
    let left = rows(&world, &id);
    assert!(!left.iter().any(|row| row.contains("Vesna")), "{left:?}");
    // The rows of the changes stay, but their texts and authors are erased.
    assert!(!left.is_empty() && left.iter().all(|row| row.trim().is_empty()), "{left:?}");
}

#[test]
fn nobody_fills_the_history_of_a_record() {
    let (world, id) = world();
    let verdict = |number: usize| if number.is_multiple_of(2) { Useful } else { Wrong };
    for number in 0..limits::FEEDBACK_CHANGES_MAX {
        say(&world, &agent("ann"), &id, verdict(number), None).unwrap();
    }
    assert_eq!(say(&world, &agent("ann"), &id, Useful, None).err(), Some(ErrorKind::Conflict));
    assert_eq!(counts(say(&world, &agent("ann"), &id, Wrong, None)).1, 1, "what stands may be said again");
    assert_eq!(counts(say(&world, &agent("bob"), &id, Useful, None)).0, 1);
}
