//! Trees follow changes of records by any writer, and show each record under one path.

use loci_engine::records::{NewRecord, RecordDelete, RecordUpdate};
use loci_model::Namespace;
use loci_model::record::RecordKind;
use loci_testkit_ports::block_on;

use super::fixture::Shelf;

#[test]
fn records_lie_under_paths_of_their_own() {
    let shelf = Shelf::new();
    let preference = NewRecord { kind: RecordKind::Preference, ..shelf.fact("Likes tea. Green.") };
    let given = NewRecord { path: Some("knowledge/own/given.md".to_owned()), ..shelf.fact("given") };
    let outside = NewRecord { path: Some("src/main.rs".to_owned()), ..shelf.fact("The entry point") };
    shelf.records(
        "team",
        vec![preference, shelf.fact("Same words"), shelf.fact("Same words"), given, outside],
    );
    shelf.records("/team-two/", vec![shelf.fact("Elsewhere")]);
    let paths = [
        "knowledge/facts/same-words-2.md",
        "knowledge/facts/same-words.md",
        "knowledge/facts/the-entry-point.md",
        "knowledge/own/given.md",
        "knowledge/preferences/likes-tea.md",
    ];
    assert_eq!(shelf.paths(None, None), paths);
    assert_eq!(
        shelf.paths(None, Some(2)),
        ["knowledge/facts/ 3", "knowledge/own/ 1", "knowledge/preferences/ 1"]
    );
    assert_eq!(shelf.paths(Some("Knowledge/own"), None), ["knowledge/own/given.md"]);
    assert_eq!(shelf.body("knowledge/preferences/likes-tea.md"), "Likes tea. Green.");
}

#[test]
fn a_path_stays_while_the_record_lives() {
    let shelf = Shelf::new();
    let id = shelf.records("team", vec![shelf.fact("First words")]).remove(0);
    assert_eq!(shelf.paths(None, None), ["knowledge/facts/first-words.md"]);
    let update = |text: &str, namespace: Option<&str>| {
        let namespaces = namespace.map(|place| vec![Namespace::parse(place).unwrap()]);
        let update = RecordUpdate {
            id: id.clone(),
            timestamp: shelf.engine.now(),
            text: Some(text.to_owned()),
            namespaces,
            source_namespaces: None,
            strategy: None,
            metadata: None,
            if_version: None,
        };
        block_on(shelf.engine.records_update(&shelf.caller, &shelf.memory(), vec![update], None)).unwrap();
    };
    update("Other words", None);
    assert_eq!(shelf.body("knowledge/facts/first-words.md"), "Other words");
    update("Gone from here", Some("/elsewhere/"));
    assert!(shelf.paths(None, None).is_empty());
    update("Back again", Some("/team/"));
    assert_eq!(shelf.paths(None, None).len(), 1);
}

#[test]
fn what_is_deleted_elsewhere_leaves_the_tree() {
    let shelf = Shelf::new();
    let ids = shelf.records("team", vec![shelf.fact("One"), shelf.fact("Two")]);
    assert_eq!(shelf.paths(None, None).len(), 2);
    let delete = RecordDelete { id: ids[0].clone(), namespace: None };
    block_on(shelf.engine.record_delete(&shelf.caller, &shelf.memory(), delete)).unwrap();
    assert_eq!(shelf.paths(None, None), ["knowledge/facts/two.md"]);
    shelf.world.clock().advance_ms(8 * 24 * 3_600_000);
    shelf.world.work(&shelf.memory()).unwrap();
    assert_eq!(shelf.paths(None, None), ["knowledge/facts/two.md"]);
    shelf.records("team", vec![shelf.fact("One")]);
    assert_eq!(shelf.paths(None, None).len(), 2);
}

#[test]
fn more_records_than_one_write_looks_at() {
    let shelf = Shelf::new();
    for batch in 0..5 {
        let records = (0..100).map(|number| shelf.fact(&format!("fact {}", batch * 100 + number))).collect();
        shelf.records("team", records);
    }
    assert_eq!(shelf.paths(None, Some(2)), ["knowledge/facts/ 500"]);
}
