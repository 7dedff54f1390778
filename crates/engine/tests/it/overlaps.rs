//! Runs of a client's sends: the new turns of an overlapping re-send. Unit tests cover digests and
//! alignment.

use loci_engine::calls::idempotency::ClientToken;
use loci_model::Document;
use loci_model::event::PayloadItem;
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::Semantic;

use crate::fixture::{World, said};

/// Returns a payload: `blob:x` is a blob, other items are messages.
fn payload(items: &str) -> Vec<PayloadItem> {
    let item = |text: &str| match text.strip_prefix("blob:") {
        Some(content) => PayloadItem::Blob(Document::parse(&format!("\"{content}\"")).unwrap()),
        None => said(User, text),
    };
    items.split_whitespace().map(item).collect()
}

/// Sends each `range: items`, and returns the known items of the last one.
fn known(sends: &[(&str, &str)]) -> Vec<u32> {
    let world = World::with(&[Semantic]);
    let mut repeated = Vec::new();
    for (range, items) in sends {
        let token = format!("{}-alice-run1-{range}", world.memory.id);
        let token = ClientToken::new(&token, &serde_json::json!({})).unwrap();
        world.clock.advance_ms(1000);
        let event = world.event("s1", payload(items));
        let created = world.drive(world.engine.event_create(&world.caller, event, Some(token))).unwrap();
        repeated = created.event.notes.repeated;
    }
    repeated
}

#[test]
fn overlapping_ranges_find_what_they_hold_again() {
    let check = |sends: &[(&str, &str)], expect: &[u32]| assert_eq!(known(sends), expect, "{sends:?}");
    // Several items of one message: more items than numbers.
    check(
        &[("0-3", "t0 t1 blob:a blob:b t3"), ("0-5", "t0 t1 blob:a blob:b t3 t4 blob:c")],
        &[0, 1, 2, 3, 4],
    );
    check(&[("0-1", "long1 long2 long3 answer"), ("0-3", "long1 long2 long3 answer t2 t3")], &[0, 1, 2, 3]);
    // Filtered messages leave gaps: fewer items than numbers.
    check(&[("0-9", "t0 t9"), ("0-20", "t0 t9 t20")], &[0, 1]);
    // A later range starts within an earlier one.
    check(&[("0-3", "t0 t1 blob:a t3"), ("2-5", "t3 t4")], &[0]);
    check(
        &[("2-5", "t2 t3 t4 t5"), ("0-3", "t0 t1 t2 t3"), ("0-5", "t0 t1 t2 t3 t4 t5 t6")],
        &[0, 1, 2, 3, 4, 5],
    );
    check(
        &[("2-3", "t2 t3"), ("0-5", "t0 t1 t2 t3 t4 t5"), ("0-7", "t0 t1 t2 t3 t4 t5 t6 t7")],
        &[0, 1, 2, 3, 4, 5],
    );
    // Repeated messages stay repeated.
    check(&[("0-1", "yes go"), ("0-2", "yes go yes")], &[0, 1]);
    check(&[("0-0", "yes"), ("1-1", "yes"), ("0-2", "yes yes yes")], &[0, 1]);
    check(&[("0-3", "t0 yes t2 t3"), ("2-5", "t2 t3 t4 yes")], &[0, 1]);
    check(&[("0-1", "yes no"), ("2-3", "yes no")], &[]);
    // Another run's range does not overlap.
    check(&[("0-3", "t0 t1 t2 t3"), ("4-5", "t0 t1")], &[]);
}

#[test]
fn turns_of_items_beyond_the_range_are_extracted_once() {
    let world = World::with(&[Semantic]);
    let token = |range: &str| format!("{}-alice-run1-{range}", world.memory.id);
    let turns =
        ["the first thing said", "the second thing said", "the third thing said", "the fourth thing said"];
    let payload = |count: usize| turns.iter().take(count).map(|text| said(User, text)).collect::<Vec<_>>();
    world.create_with(world.event("s1", payload(3)), Some(&token("0-1")));
    world.create_with(world.event("s1", payload(4)), Some(&token("0-3")));
    world.work();
    let records = world.active();
    assert_eq!(records.len(), 4);
    assert!(records.iter().all(|record| record.provenance.sources.len() == 1));
}
