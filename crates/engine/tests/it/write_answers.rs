//! Responses of writes to a caller with write access only contain no stored data that the caller
//! did not send.

use std::collections::BTreeSet;

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::records::{RecordRevert, RecordUpdate};
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::warning::Warning;
use loci_model::{ErrorKind, Reason};

use crate::fixture::{World, said};

fn caller(capabilities: &[Capability]) -> Principal {
    let capabilities: BTreeSet<Capability> = capabilities.iter().copied().collect();
    Principal { name: "part".to_owned(), grants: vec![Grant { capabilities, ..Grant::everything() }] }
}

#[test]
fn a_repeated_token_shows_a_writer_what_the_writer_sent() {
    let world = World::with(&[Semantic]);
    let create = |by: &Principal, text: &str| {
        world.clock.advance_ms(1_000);
        let token = ClientToken::new("t1", &serde_json::json!({})).unwrap();
        let event = world.event("s1", vec![said(User, text)]);
        world.drive(world.engine.event_create(by, event, Some(token)))
    };
    let (safe, question) = ("The safe opens with 4711.", "What was said before?");
    let first = create(&world.caller, safe).unwrap().event;
    let writer = caller(&[Capability::Write]);
    let same = create(&writer, safe).unwrap();
    assert!(same.replayed && same.notices.warnings.is_empty(), "{:?}", same.notices);
    let same = same.event;
    assert_eq!((&same.id, &same.payload, same.time), (&first.id, &first.payload, first.time));
    assert_eq!((&same.session, &same.branch, same.expires), (&first.session, &first.branch, first.expires));
    let error = create(&writer, question).unwrap_err();
    assert!(!format!("{error:?}").contains("4711"), "{error:?}");
    assert_eq!((error.kind, error.reason), (ErrorKind::Invalid, Some(Reason::IdempotentParameterMismatch)));
    // A caller with read access gets the wire's response: the first event, and a warning.
    let read = create(&caller(&[Capability::Read, Capability::Write]), question).unwrap();
    assert_eq!((&read.event.id, &read.event.payload), (&first.id, &first.payload));
    assert!(read.notices.warnings.contains(&Warning::TokenReplayed));
}

#[test]
fn a_revert_is_for_those_who_may_read_the_record() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "The wedding is on 12 June.");
    world.work();
    let record = world.active()[0].clone();
    let update = RecordUpdate {
        id: record.id.clone(),
        timestamp: record.timestamp,
        text: Some("The wedding is off.".into()),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let memory = &world.memory.id;
    world.drive(world.engine.records_update(&world.caller, memory, vec![update], None)).unwrap();
    let back = |by: &Principal| {
        let asked = RecordRevert { id: record.id.clone(), to_version: Some(1), if_version: None };
        world.drive(world.engine.record_revert(by, memory, asked))
    };
    let refused = back(&caller(&[Capability::Write])).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
    assert!(refused.message.contains("grant of read"), "{}", refused.message);
    assert_eq!(world.texts(), ["The wedding is off."]);
    let restored = back(&caller(&[Capability::Read, Capability::Write])).unwrap();
    assert_eq!(restored[0].text, record.text);
}
