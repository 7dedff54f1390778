//! Data reserved for one user is hidden by every operation on records, for any key, and stays
//! reserved after a change.

use std::collections::BTreeMap;

use loci_engine::records::{NamespaceAsk, RecordListing, RecordUpdate};
use loci_model::ports::clock::Clock;
use loci_model::principal::Principal;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::StrategyChoice;
use loci_model::{ErrorKind, Namespace};

use super::investigation_start::{asked, start};
use super::{of_team, searching, world};
use crate::fixture::World;

fn seen(world: &World, by: &Principal, record: &Record) -> [bool; 5] {
    let (memory, id) = (&world.memory.id, &record.id);
    let root = || vec![NamespaceAsk::Path(Namespace::parse("/sre").unwrap())];
    let listing = RecordListing {
        memory: memory.clone(),
        namespaces: root(),
        strategy: record.strategy.clone().map(StrategyChoice::Of),
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        after: None,
        limit: 100,
    };
    let listed = world.drive(world.engine.record_list(by, listing)).unwrap().page.items;
    let request = searching(world, "api-server crashes", root());
    let found = world.drive(world.engine.search(by, request)).unwrap().hits;
    let told = |error: Option<ErrorKind>| match error {
        None => true,
        Some(kind) => {
            assert_eq!(kind, ErrorKind::NotFound);
            false
        }
    };
    [
        told(world.drive(world.engine.record_get(by, memory, id, None)).err().map(|error| error.kind)),
        listed.iter().any(|one| one.id == *id),
        found.iter().any(|hit| hit.record.id == *id),
        told(world.drive(world.engine.record_history(by, memory, id)).err().map(|error| error.kind)),
        told(world.drive(world.engine.record_changes(by, memory, id)).err().map(|error| error.kind)),
    ]
}

#[test]
fn what_is_kept_to_a_user_is_kept_by_every_operation() {
    let world = world();
    let (alice, bob) = (of_team("alice"), of_team("bob"));
    let mut private = asked(&world, "alice", "api-server crashes");
    private.is_private = true;
    let incident = start(&world, &alice, private).unwrap().incident;
    start(&world, &bob, asked(&world, "bob", "api-server crashes again")).unwrap();
    let of_alice = || world.active().into_iter().find(|one| one.text.contains(&incident)).unwrap();
    let check = |record: &Record| {
        assert_eq!(seen(&world, &alice, record), [true; 5], "alice");
        assert_eq!(seen(&world, &bob, record), [false; 5], "bob");
        assert_eq!(seen(&world, &world.caller, record), [true; 5], "an administrator");
    };
    check(&of_alice());
    // A change by her does not remove the reservation.
    let update = RecordUpdate {
        id: of_alice().id,
        timestamp: world.clock.now(),
        text: None,
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: Some(BTreeMap::from([("reviewed".to_owned(), MetadataValue::String("yes".to_owned()))])),
        if_version: None,
    };
    let done =
        world.drive(world.engine.records_update(&alice, &world.memory.id, vec![update], None)).unwrap();
    assert!(done.items.iter().all(|item| item.result.is_ok()), "{done:?}");
    let record = of_alice();
    assert_eq!(record.metadata.get("reviewed"), Some(&MetadataValue::String("yes".to_owned())));
    check(&record);
}
