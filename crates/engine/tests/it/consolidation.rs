//! Consolidation of new statements with existing ones by rules: another value supersedes, a
//! duplicate is skipped, a temporary statement coexists; and each decision is reverted and
//! repeated.

use loci_engine::memories::NewMemory;
use loci_engine::records::RecordRevert;
use loci_model::event::Role::{Assistant, User};
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings};
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::record::{Record, RecordState};
use loci_model::{ErrorKind, RecordId};

use crate::fixture::{World, strategy};

/// Returns a memory whose verbatim turns are consolidated.
fn world() -> World {
    let world = World::of(NewMemory { strategies: vec![strategy(Semantic)], ..NewMemory::default() });
    let consolidation = ConsolidationSettings { verbatim: true, ..ConsolidationSettings::default() };
    let settings = MemorySettings { consolidation, ..MemorySettings::default() };
    world.drive(world.engine.memory_settings_put(&world.caller, &world.memory.id, settings)).unwrap();
    world
}

fn tell(world: &World, texts: &[&str]) {
    for text in texts {
        world.say("s1", User, text);
        world.work();
    }
}

fn revert(world: &World, id: &RecordId) -> Result<Vec<(String, RecordState)>, ErrorKind> {
    let asked = RecordRevert { id: id.clone(), to_version: None, if_version: None };
    let changed = world.drive(world.engine.record_revert(&world.caller, &world.memory.id, asked));
    changed
        .map(|records| records.into_iter().map(|record| (record.text, record.state)).collect())
        .map_err(|error| error.kind)
}

fn action(record: &Record) -> (String, String) {
    let decided = record.making.as_ref().and_then(|making| making.decided.clone()).unwrap();
    (decided.action, decided.by)
}

#[test]
fn what_becomes_of_statements() {
    let check = |texts: &[&str], active: &[&str], last: &str| {
        let world = world();
        tell(&world, texts);
        assert_eq!(world.texts(), active, "{texts:?}");
        let newest =
            world.records(RecordState::ALL).into_iter().max_by_key(|record| record.created_at).unwrap();
        assert_eq!(action(&newest), (last.to_owned(), "deterministic@1".to_owned()), "{texts:?}");
    };
    check(
        &["The project uses Jest for unit tests.", "The project uses Vitest for unit tests."],
        &["The project uses Vitest for unit tests."],
        "supersede",
    );
    check(
        &["Clara lives at 14 Mill Lane, Oxford.", "Clara lives at 3 Station Road, Oxford."],
        &["Clara lives at 3 Station Road, Oxford."],
        "supersede",
    );
    check(
        &["Indent the code with tabs.", "Indent the code with spaces."],
        &["Indent the code with spaces."],
        "supersede",
    );
    check(
        &["The user is vegetarian.", "The user is no longer vegetarian."],
        &["The user is no longer vegetarian."],
        "supersede",
    );
    check(
        &[
            "The API endpoint is https://api.acme.example.",
            "For this week the API endpoint is https://tmp.acme.example.",
        ],
        &[
            "For this week the API endpoint is https://tmp.acme.example.",
            "The API endpoint is https://api.acme.example.",
        ],
        "add",
    );
    check(
        &["The user has a dog named Rex.", "The user has a cat named Milo."],
        &["The user has a cat named Milo.", "The user has a dog named Rex."],
        "add",
    );
    check(
        &["The user's cat is called Milo.", "The user's cat is named Milo."],
        &["The user's cat is called Milo."],
        "add",
    );
}

#[test]
fn who_says_it_matters() {
    let check = |texts: &[&str], active: usize| {
        let world = world();
        tell(&world, texts);
        assert_eq!(world.active().len(), active, "{texts:?}");
    };
    check(&["Anna: I live in Bern.", "Bob: I live in Zurich."], 2);
    check(&["Anna: I live in Bern.", "Anna: I live in Zurich."], 1);
    check(&["Anna: I like green tea.", "Anna: I like black coffee."], 2);
    let world = world();
    world.say("s1", User, "The service listens on port 8080.");
    world.say("s1", Assistant, "The service listens on port 9090.");
    world.work();
    assert_eq!(world.active().len(), 2);
}

#[test]
fn a_repeat_is_a_line_in_the_history_and_a_source() {
    let world = world();
    tell(&world, &["The user's cat is called Milo.", "The user's cat is named Milo."]);
    let records = world.active();
    assert_eq!((records.len(), records[0].provenance.sources.len()), (1, 2));
    let (caller, memory) = (&world.caller, &world.memory.id);
    let changes = world.drive(world.engine.record_changes(caller, memory, &records[0].id)).unwrap();
    assert_eq!(changes.last().unwrap().reason, "said again: says the same");
}

#[test]
fn a_decision_is_undone_and_done_again() {
    let world = world();
    let (old, new) = ("The service listens on port 8080.", "The service listens on port 9090.");
    tell(&world, &[old, new]);
    assert_eq!(world.texts(), [new]);
    let newer = world.active()[0].id.clone();
    let undone = [(new.to_owned(), RecordState::RolledBack), (old.to_owned(), RecordState::Active)];
    assert_eq!(revert(&world, &newer).unwrap(), undone);
    assert_eq!(world.texts(), [old]);
    let again = [(new.to_owned(), RecordState::Active), (old.to_owned(), RecordState::Superseded)];
    assert_eq!(revert(&world, &newer).unwrap(), again);
    assert_eq!(world.texts(), [new]);
    // Also by the superseded record.
    let older = world.records(&[RecordState::Superseded])[0].id.clone();
    assert_eq!(revert(&world, &older).unwrap(), undone);
    assert_eq!(revert(&world, &older), Err(ErrorKind::Conflict));
}

#[test]
fn what_others_changed_since_is_left_alone() {
    let world = world();
    tell(
        &world,
        &["Rent is 1450 euros a month.", "Rent is 1520 euros a month.", "Rent is 1600 euros a month."],
    );
    assert_eq!(world.texts(), ["Rent is 1600 euros a month."]);
    let records = world.records(&[RecordState::Superseded]);
    assert_eq!(records.len(), 2);
    // The second superseded the first, and the third superseded the second: the third must be
    // reverted first.
    assert_eq!(revert(&world, &records[0].id), Err(ErrorKind::Conflict));
    assert_eq!(revert(&world, &records[1].id).map(|changed| changed.len()), Ok(2));
    assert_eq!(revert(&world, &records[0].id).map(|changed| changed.len()), Ok(2));
    assert_eq!(world.texts(), ["Rent is 1450 euros a month."]);
}

#[test]
fn an_earlier_version_comes_back() {
    let world = world();
    tell(&world, &["The wedding is on 12 June."]);
    let record = world.active()[0].clone();
    let update = loci_engine::records::RecordUpdate {
        id: record.id.clone(),
        timestamp: record.timestamp,
        text: Some("The wedding is off.".into()),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let (caller, memory) = (&world.caller, &world.memory.id);
    world.drive(world.engine.records_update(caller, memory, vec![update], None)).unwrap();
    let back = |to_version, if_version| {
        let asked = RecordRevert { id: record.id.clone(), to_version, if_version };
        world.drive(world.engine.record_revert(caller, memory, asked))
    };
    let stale = back(Some(1), Some(1)).unwrap_err();
    assert_eq!(stale.reason, Some(loci_model::Reason::StaleVersion));
    let restored = back(Some(1), Some(2)).unwrap();
    assert_eq!((restored[0].version, restored[0].text.as_str()), (3, "The wedding is on 12 June."));
    assert_eq!(back(Some(3), None).unwrap_err().field.as_deref(), Some("to_version"));
    assert_eq!(back(Some(2), None).unwrap()[0].text, "The wedding is off.");
}

#[test]
fn turns_are_left_alone_unless_the_memory_says_otherwise() {
    let world = World::with(&[Semantic]);
    tell(&world, &["The service listens on port 8080.", "The service listens on port 9090."]);
    assert_eq!(world.active().len(), 2);
    assert!(world.active().iter().all(|record| record.making.is_none()));
}
