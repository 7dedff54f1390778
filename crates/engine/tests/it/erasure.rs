//! What was erased stays erased, by every way in which it could come back; and what a person is given to take
//! along is what forgetting them finds.

use std::collections::BTreeMap;

use loci_engine::admin::{ExportCursor, ExportLine, ExportPart, ImportPart, ImportReport};
use loci_engine::idempotency::{ClientToken, IfErased};
use loci_engine::records::RecordDelete;
use loci_model::conflict::Conflict;
use loci_model::event::Role::User;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::StoreExt;
use loci_model::record::{RecordOrigin, RecordState};
use loci_model::strategy::StrategyBase::Semantic;
use loci_model::{ActorId, EventId, Reason, RecordId, Timestamp};
use loci_testkit::samples::{record_id, time};
use loci_testkit::world::TestWorld;
use loci_testkit::{block_on, filled};

use crate::world::{World, said};

type Kinds = BTreeMap<String, usize>;

fn exported(world: &World, part: &ExportPart) -> Vec<ExportLine> {
    let (mut lines, mut cursor) = (Vec::new(), ExportCursor::Start);
    while cursor != ExportCursor::End {
        let page = world.engine.export_part(&world.caller, &world.memory.id, part, cursor);
        let (page, next) = world.drive(page).unwrap();
        lines.extend(page);
        cursor = next;
    }
    lines
}

/// Imports lines into a memory that was deleted, in two parts as a server does.
fn imported(world: &World, lines: &[ExportLine], if_erased: IfErased) -> ImportReport {
    let (engine, memory) = (&world.engine, &world.memory.id);
    world.drive(engine.memory_erase(&world.caller, memory)).unwrap();
    let (mut report, mut made) = (ImportReport::default(), Vec::new());
    for part in lines.chunks(3) {
        let of_import = ImportPart { run: None, resuming: &made, if_erased };
        let part = engine.import_part(&world.caller, part.to_vec(), of_import);
        report.absorb(&world.drive(part).unwrap());
        made = vec![memory.clone()];
    }
    report
}

/// Sends an event of the actor under a token, and perhaps under the one that it had before.
fn send(
    world: &World,
    (token, former): (&str, Option<&str>),
    time: Option<Timestamp>,
    if_erased: IfErased,
) -> Result<EventId, Option<Reason>> {
    let mut event = world.event("s2", vec![said(User, "the harbour has two cranes")]);
    event.time = time;
    let token = ClientToken::new(token, &serde_json::json!({})).unwrap().with_if_erased(if_erased);
    let token = token.with_former(former).unwrap();
    let made = world.drive(world.engine.event_create(&world.caller, event, Some(token)));
    made.map(|made| made.event.id).map_err(|error| error.reason)
}

fn kinds(lines: &[ExportLine]) -> Kinds {
    let mut kinds = Kinds::new();
    for line in lines {
        let line = serde_json::to_value(line).unwrap();
        *kinds.entry(line["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    kinds
}

fn delete(world: &World, id: &RecordId) {
    let delete = RecordDelete { id: id.clone(), namespace: None };
    world.drive(world.engine.record_delete(&world.caller, &world.memory.id, delete)).unwrap();
}

#[test]
fn a_deleted_record_is_not_extracted_from_its_event_again() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "my cello lesson is in Denver");
    world.say("s1", User, "the lighthouse was painted white");
    world.work();
    assert_eq!(world.texts().len(), 2);
    let cello = world.active().into_iter().find(|record| record.text.contains("cello")).unwrap();
    assert_eq!(cello.origin, RecordOrigin::Extracted);
    delete(&world, &cello.id);
    let lines = exported(&world, &ExportPart::default());
    for _ in 0..2 {
        let report = imported(&world, &lines, IfErased::Answer);
        assert_eq!((report.events, report.erased_events), (2, 0));
        world.work();
        let texts = world.texts();
        assert!(texts.len() == 1 && texts[0].contains("lighthouse"), "{texts:?}");
    }
    // What is said again is another message.
    world.say("s2", User, "my cello lesson is in Denver");
    world.work();
    assert_eq!(world.texts().len(), 2);
}

#[test]
fn a_deleted_text_does_not_come_back_before_it_is_erased_and_a_restored_one_stays() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "my cello lesson is in Denver");
    world.work();
    let early = exported(&world, &ExportPart::default());
    let cello = world.active().remove(0);
    delete(&world, &cello.id);
    let held = world.records(&[RecordState::Erased]);
    assert!(held.iter().any(|record| record.text.contains("cello")), "deleted, not erased yet: {held:?}");
    let late = exported(&world, &ExportPart::default());
    let of_cello = || {
        let states = [RecordState::Active, RecordState::Erased];
        world.records(&states).into_iter().filter(|record| record.text.contains("cello")).count()
    };
    for lines in [&late, &early] {
        let report = imported(&world, lines, IfErased::Answer);
        assert_eq!((report.records, report.erased_records), (0, 1), "{report:?}");
        assert!(report.erased_kinds.get("state changes") >= Some(&1), "{report:?}");
        world.work();
        assert_eq!(of_cello(), 0);
    }
    let report = imported(&world, &early, IfErased::Restore);
    assert_eq!((report.records, report.erased_records), (1, 0), "{report:?}");
    assert_eq!(of_cello(), 1);
    let report = imported(&world, &early, IfErased::Answer);
    assert_eq!((report.records, report.erased_records), (1, 0), "restored for good: {report:?}");
    assert_eq!(of_cello(), 1);
}

/// Everything of a filled store whose actor is forgotten, then imported; the report, and what came back.
fn forgotten_and_imported(forgotten_after_ms: u64) -> (Kinds, ImportReport, Kinds) {
    let world = TestWorld::new().unwrap();
    let (engine, caller) = (world.engine(), loci_model::principal::Principal::administrator("admin"));
    let memory = filled::fill(&world.store(), "full").unwrap();
    let lines = || {
        let (mut lines, mut cursor) = (Vec::new(), ExportCursor::Start);
        while cursor != ExportCursor::End {
            let (page, next) = block_on(engine.export_page(&caller, &memory, cursor)).unwrap();
            lines.extend(page);
            cursor = next;
        }
        lines
    };
    let before = lines();
    world.clock().advance_ms(forgotten_after_ms);
    let actor = ActorId::parse("acme/shop").unwrap();
    block_on(engine.forget_actor(&caller, &memory, &actor)).unwrap();
    block_on(engine.memory_erase(&caller, &memory)).unwrap();
    let report = block_on(engine.import_lines(&caller, before.clone(), &[])).unwrap();
    (kinds(&before), report, kinds(&lines()))
}

#[test]
fn work_after_somebody_was_forgotten_is_theirs_again() {
    const OF_ACTOR: [(&str, &str); 5] = [
        ("task", "tasks"),
        ("exposure", "exposures"),
        ("commit", "commits"),
        ("task_session", "task sessions"),
        ("session_item", "session items"),
    ];
    // Everything was reported after the actor was forgotten.
    let (before, report, after) = forgotten_and_imported(0);
    for (kind, _) in OF_ACTOR {
        assert!(before.contains_key(kind) && before.get(kind) == after.get(kind), "{kind}: {report:?}");
    }
    // Everything was reported before, and none of it is left out without a word.
    let (before, report, after) = forgotten_and_imported(time(100_000).millis().abs_diff(time(0).millis()));
    for (kind, told) in OF_ACTOR {
        let gone = before[kind] - after.get(kind).copied().unwrap_or(0);
        assert_eq!(report.erased_kinds.get(told).copied().unwrap_or(0), gone as u64, "{kind}: {report:?}");
        assert!(gone > 0, "{kind}: {report:?}");
    }
}

#[test]
fn the_export_of_a_person_has_what_is_noted_of_their_records() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "my cello lesson is in Denver");
    world.work();
    let (record, memory) = (world.active().remove(0).id, world.memory.id.clone());
    let conflict = |id: &str, standing: &RecordId, against: RecordId| Conflict {
        memory: memory.clone(),
        actor: ActorId::parse("acme/shop").unwrap(),
        id: id.to_owned(),
        standing: standing.clone(),
        against,
        reason: "two cities".to_owned(),
        found_at: time(1),
        resolution: None,
    };
    let theirs = conflict("c1", &record, record_id(7).unwrap());
    let others = conflict("c2", &record_id(8).unwrap(), record_id(9).unwrap());
    let store = world.engine.store();
    let write = StoreExt::write(store.as_ref(), move |tx| {
        tx.ledger_mut().put_noun(&theirs)?;
        tx.ledger_mut().put_noun(&others)
    });
    world.drive(write).unwrap();
    let actor = ActorId::parse("alice").unwrap();
    let part = world.drive(world.engine.export_person(&world.caller, &world.memory.id, &actor)).unwrap();
    let lines = exported(&world, &part);
    let conflicts: Vec<String> = lines
        .iter()
        .filter_map(|line| match line {
            ExportLine::Ledger { entry } => Some(entry.key.clone()),
            _ => None,
        })
        .filter(|key| key.contains("c1") || key.contains("c2"))
        .collect();
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert!(conflicts[0].contains("c1"), "{conflicts:?}");
    let receipt = world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &actor)).unwrap();
    let notes = receipt.kinds.iter().find(|one| one.kind == "ledger entries").map(|one| one.count);
    assert_eq!(notes, Some(1), "{receipt:?}");
}

#[test]
fn an_import_brings_nothing_that_a_forgotten_actor_said_before() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "the lighthouse was painted white");
    let lines = exported(&world, &ExportPart::default());
    let early = world.clock.now();
    let actor = ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &actor)).unwrap();
    let late = world.clock.now().plus_millis(1);
    let imported_as = |token: &str, time| send(&world, (token, None), time, IfErased::Refuse);
    let erased: Result<EventId, Option<Reason>> = Err(Some(Reason::SourceErased));
    assert_eq!(imported_as("a", Some(early)), erased);
    assert_eq!(imported_as("b", None), erased);
    assert!(imported_as("c", Some(late)).is_ok());
    // Who does not import says it now.
    assert!(send(&world, ("d", None), Some(early), IfErased::Answer).is_ok());
    let restored = send(&world, ("a", None), Some(early), IfErased::Restore);
    assert!(restored.is_ok());
    assert_eq!(imported_as("a", Some(early)), restored, "restored for good");
    assert_eq!(imported_as("e", Some(early)), erased, "which is of that event alone");
    // Tombstones of a memory go with it, but that of the actor outlives it.
    assert_eq!(imported(&world, &lines, IfErased::Answer).erased_events, 1);
    assert_eq!(imported_as("f", Some(early)), erased);
}

#[test]
fn a_request_is_known_by_the_token_that_it_had_before() {
    let world = World::with(&[Semantic]);
    let time = Some(world.clock.now());
    let sent = |tokens| send(&world, tokens, time, IfErased::Refuse);
    let first = sent(("old", None));
    assert!(first.is_ok());
    assert_eq!(sent(("new", Some("old"))), first);
    assert_eq!(sent(("new", None)), first, "for good");
    let other = sent(("other", Some("none")));
    assert!(other.is_ok() && other != first);
    assert_ne!(sent(("older", None)), first);

    let actor = ActorId::parse("alice").unwrap();
    world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &actor)).unwrap();
    let asked = |tokens| send(&world, tokens, time, IfErased::Answer);
    assert_eq!(asked(("newer", Some("old"))), Err(Some(Reason::SourceErased)));
    assert!(asked(("newer", Some("none"))).is_ok());
    let restored = send(&world, ("newest", Some("old")), time, IfErased::Restore);
    assert!(restored.is_ok());
    assert_eq!(asked(("newest", Some("old"))), restored);
}
