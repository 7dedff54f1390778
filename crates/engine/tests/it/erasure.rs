//! Erased data stays erased on every path by which it could return; and the export of a person
//! contains the data that forgetting them finds.

use std::collections::BTreeMap;

use loci_documents::{DocumentPut, Precondition, PutContent, TreeAsk};
use loci_engine::admin::{ExportCursor, ExportLine, ExportPart, ForgetAsk, ImportPart, ImportReport};
use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_engine::events::NewEvent;
use loci_engine::memories::{MemoryUpdate, NewMemory};
use loci_engine::records::{NewRecord, RecordDelete, RecordsCreate};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::StoreExt;
use loci_model::record::conflict::Conflict;
use loci_model::record::metadata::MetadataValue::{Number, StringList};
use loci_model::record::metadata::{
    LlmExtraction, MetadataExtraction, MetadataSchemaEntry, MetadataValidation, MetadataValue,
};
use loci_model::record::{RecordOrigin, RecordState};
use loci_model::{ActorId, EventId, Namespace, Reason, RecordId, Timestamp};
use loci_store_conformance::filled_store;
use loci_testkit_ports::block_on;
use loci_testkit_ports::samples::{record_id, time};

use crate::fixture::{World, said, strategy};

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

/// Imports lines into a deleted memory in parts, as a server does.
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

/// Sends an event of the actor under a token, with an optional former token.
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
    // A repetition is another message.
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

/// Fills a store, forgets the actor, and imports the export. Returns the exported kinds, the
/// report, and the restored kinds.
fn forgotten_and_imported(forgotten_after_ms: u64) -> (Kinds, ImportReport, Kinds) {
    let world = TestEngine::new().unwrap();
    let (engine, caller) = (world.engine(), loci_model::principal::Principal::administrator("admin"));
    let memory = filled_store::fill(&world.store(), "full").unwrap();
    let lines = || {
        let (mut lines, mut cursor) = (Vec::new(), ExportCursor::Start);
        while cursor != ExportCursor::End {
            let (page, next) =
                block_on(engine.export_part(&caller, &memory, &ExportPart::default(), cursor)).unwrap();
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
    // All data is from after the erasure of the actor.
    let (before, report, after) = forgotten_and_imported(0);
    for (kind, _) in OF_ACTOR {
        assert!(before.contains_key(kind) && before.get(kind) == after.get(kind), "{kind}: {report:?}");
    }
    // All data is from before the erasure, and every omission is reported.
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
    // A request that is not an import has the current time.
    assert!(send(&world, ("d", None), Some(early), IfErased::Answer).is_ok());
    let restored = send(&world, ("a", None), Some(early), IfErased::Restore);
    assert!(restored.is_ok());
    assert_eq!(imported_as("a", Some(early)), restored, "restored for good");
    assert_eq!(imported_as("e", Some(early)), erased, "which is of that event alone");
    // Tombstones of a memory are removed with it, but that of the actor outlives it.
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

/// The owners of a record or a document in a shared namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owned {
    /// Only Alice.
    Hers,
    /// Alice and another person.
    Shared,
    /// Not Alice.
    Others,
}
use Owned::{Hers, Others, Shared};

/// Keys of other systems, with true for those that name an owner; others name a run or an author.
const KEYS: [(&str, bool); 18] = [
    ("user_id", true),
    ("userId", true),
    ("user-id", true),
    ("user", true),
    ("users", true),
    ("user_ids", true),
    ("actor_id", true),
    ("actorId", true),
    ("actor", true),
    ("actors", true),
    ("agent_id", true),
    ("agentId", true),
    ("langgraph_user_id", true),
    ("langgraph_auth_user_id", true),
    ("run_id", false),
    ("session_id", false),
    ("owner", false),
    ("author", false),
];

fn string(text: &str) -> MetadataValue {
    MetadataValue::String(text.to_owned())
}

fn list(texts: &[&str]) -> MetadataValue {
    StringList(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// Returns metadata of records in a shared namespace.
fn owning_metadata() -> Vec<(String, MetadataValue, Owned)> {
    let mut cases = Vec::new();
    for (key, is_owner) in KEYS {
        let of = |owned: Owned| if is_owner { owned } else { Others };
        cases.push((key.to_owned(), string("alice"), of(Hers)));
        cases.push((key.to_owned(), list(&["alice"]), of(Hers)));
        // Agents share no data with people.
        let several = if key.starts_with("agent") { Hers } else { Shared };
        cases.push((key.to_owned(), list(&["alice", "bob"]), of(several)));
        for other in ["alice2", "Alice", "alice and bob", " alice"] {
            cases.push((key.to_owned(), string(other), Others));
        }
        cases.push((key.to_owned(), Number(7.0), Others));
    }
    for (rest, owned) in [
        (r#"{"metadata":{"user_id":"alice"}}"#, Hers),
        (r#"{"metadata":{"actorId":"alice"}}"#, Hers),
        (r#"{"actors":["alice","bob"]}"#, Shared),
        (r#"{"user_id":"bob","agent_id":"alice"}"#, Others),
        (r#"{"user_id":"alice","agent_id":"helper"}"#, Hers),
        (r#"{"metadata":{"user_id":"alice2"}}"#, Others),
        (r#"{"metadata":{"note":"user_id: alice"},"run_id":"alice"}"#, Others),
        ("user_id: alice", Others),
    ] {
        cases.push(("import_rest".to_owned(), string(rest), owned));
    }
    cases
}

/// Returns paths and files of documents in a shared tree; `#` is replaced by the number of the
/// case.
fn owning_documents() -> Vec<(String, String, Owned)> {
    let mut cases = Vec::new();
    let mut head = |lines: String, owned: Owned| {
        cases.push(("knowledge/facts/d#.md".to_owned(), format!("---\n{lines}\n---\n"), owned));
    };
    for (key, is_owner) in KEYS {
        let of = |owned: Owned| if is_owner { owned } else { Others };
        let several = if key.starts_with("agent") { Hers } else { Shared };
        head(format!("{key}: alice"), of(Hers));
        head(format!("{key}: [alice]"), of(Hers));
        head(format!("{key}:\n  - alice\n  - bob"), of(several));
        head(format!("metadata:\n  {key}: alice"), of(Hers));
        head(format!("{key}: alice2"), Others);
        head(format!("{key}: \"alice, bob\""), Others);
    }
    head("title: user_id alice\ntags: [alice]".to_owned(), Others);
    head("user_id: bob\nagent_id: alice".to_owned(), Others);
    head("user_id: alice\nagent_id: bob".to_owned(), Hers);
    head("Metadata:\n  User: alice".to_owned(), Hers);
    head("users: [{login: alice}]".to_owned(), Hers);
    head("users: [{login: alice}, {login: bob}]".to_owned(), Shared);
    head("users: [{login: bob, team: alice}]".to_owned(), Others);
    // Front matter that is text everywhere else.
    head("lead: &a alice\nuser: *a".to_owned(), Hers);
    head("user: alice\nuser: bob".to_owned(), Shared);
    for (path, file, owned) in [
        ("knowledge/users/alice/d#.md", "", Hers),
        ("knowledge/users/alice/deep/d#.md", "", Hers),
        ("knowledge/Users/alice/d#.txt", "", Hers),
        ("knowledge/actors/alice/d#.md", "", Hers),
        ("knowledge/team/people/alice.md", "", Hers),
        ("knowledge/users/alice/e#.md", "---\nuser_id: bob\n---\n", Shared),
        ("knowledge/users/alice2/d#.md", "", Others),
        ("knowledge/users/bob/alice.md", "", Others),
        ("knowledge/facts/alice.md", "", Others),
        // Text, and a file with front matter that counts as text.
        ("knowledge/facts/d#.md", "user_id: alice\n", Others),
        ("knowledge/facts/d#.txt", "---\nuser_id: alice\n---\n", Others),
    ] {
        cases.push((path.to_owned(), file.to_owned(), owned));
    }
    cases
}

/// A record or a document in a shared namespace.
struct OwningCase {
    label: String,
    /// The text, or its end.
    text: String,
    owned: Owned,
}

/// Writes all cases into a shared namespace.
fn shared_namespace(world: &World) -> Vec<OwningCase> {
    let namespace = Namespace::parse("/shared").unwrap();
    let (mut cases, mut records) = (Vec::new(), Vec::new());
    for (number, (key, value, owned)) in owning_metadata().into_iter().enumerate() {
        let (label, text) = (format!("{key} {value:?}"), format!("record {number} of a memory"));
        records.push(NewRecord {
            metadata: BTreeMap::from([(key, value)]),
            ..NewRecord::fact(number.to_string(), vec![namespace.clone()], text.clone(), world.engine.now())
        });
        cases.push(OwningCase { label, text, owned });
    }
    for records in records.chunks(100) {
        let memory = world.memory.id.clone();
        let records = RecordsCreate { memory, records: records.to_vec(), expiry: None };
        let made = world.drive(world.engine.records_create(&world.caller, records, None)).unwrap();
        assert!(made.items.iter().all(|item| item.result.is_ok()), "{made:?}");
    }
    let tree = TreeAsk { memory: world.memory.id.clone(), namespace };
    for (number, (path, head, owned)) in owning_documents().into_iter().enumerate() {
        let (label, text) = (format!("{path} {head}"), format!("document {number} of a tree"));
        let put = DocumentPut {
            tree: tree.clone(),
            path: Some(path.replace('#', &number.to_string())),
            content: PutContent::File(format!("{head}{text}")),
            precondition: Some(Precondition::Absent),
            reason: None,
        };
        world.drive(world.engine.documents.document_put(&world.caller, put, None)).unwrap();
        cases.push(OwningCase { label, text, owned });
    }
    cases
}

fn count_of(cases: &[OwningCase], is_meant: impl Fn(&OwningCase) -> bool) -> Option<u64> {
    Some(cases.iter().filter(|case| is_meant(case)).count() as u64)
}

#[test]
fn what_names_a_person_as_its_owner_is_theirs() {
    let world = World::with(&[]);
    let cases = shared_namespace(&world);
    let texts = || world.active().into_iter().map(|record| record.text).collect::<Vec<_>>();
    let alice = ActorId::parse("alice").unwrap();
    let part = world.drive(world.engine.export_person(&world.caller, &world.memory.id, &alice)).unwrap();
    let exported: Vec<String> = exported(&world, &part)
        .into_iter()
        .filter_map(|line| match line {
            ExportLine::Record { record, .. } => Some(record.text),
            _ => None,
        })
        .collect();
    let is_in = |texts: &[String], case: &OwningCase| texts.iter().any(|text| text.ends_with(&case.text));
    let before = texts();
    for case in &cases {
        assert!(is_in(&before, case), "{}", case.label);
        assert_eq!(is_in(&exported, case), case.owned != Others, "exported: {}", case.label);
    }
    let forget = |dry_run: bool| {
        let confirm = (!dry_run).then(|| alice.to_string());
        let ask = ForgetAsk { memory: world.memory.id.clone(), actor: alice.clone(), dry_run, confirm };
        world.drive(world.engine.forget(&world.caller, &ask)).unwrap()
    };
    let (tried, receipt) = (forget(true), forget(false));
    assert_eq!(tried.kinds, receipt.kinds);
    let of = |kind: &str| receipt.kinds.iter().find(|one| one.kind == kind).map(|one| one.count);
    let is_hers = |case: &OwningCase, kind: &str| case.text.starts_with(kind) && case.owned != Others;
    assert_eq!(of("records"), count_of(&cases, |case| is_hers(case, "record")));
    assert_eq!(of("documents"), count_of(&cases, |case| is_hers(case, "document")));
    assert_eq!(of("shared with others"), count_of(&cases, |case| case.owned == Shared));
    let after = texts();
    for case in &cases {
        assert_eq!(is_in(&after, case), case.owned == Others, "{}", case.label);
    }
}

#[test]
fn an_owner_that_was_read_in_a_text_is_none() {
    let of_key = |extraction, llm| MetadataSchemaEntry {
        key: "user_id".to_owned(),
        kind: None,
        extraction: Some(extraction),
        llm,
    };
    let read = LlmExtraction {
        definition: "the user".to_owned(),
        instruction: None,
        validation: Some(MetadataValidation::String { allowed: vec!["alice".to_owned()] }),
    };
    let named = BTreeMap::from([("user_id".to_owned(), "alice".to_owned())]);
    let inferred = of_key(MetadataExtraction::LlmInferred, Some(read));
    for (schema, metadata, is_removed, stays) in [
        (inferred.clone(), BTreeMap::new(), false, 1),
        // Without its strategy the origin of a value is unknown.
        (inferred, BTreeMap::new(), true, 1),
        (of_key(MetadataExtraction::StrictlyConsistent, None), named, false, 0),
    ] {
        let mut semantic = strategy(Semantic);
        semantic.schema = Some(vec![schema]);
        let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
        let event = world.event("s1", vec![said(User, "my cello lesson with alice is in Denver")]);
        let actor = ActorId::parse("agent").unwrap();
        world.create(NewEvent { actor, metadata, ..event });
        world.work();
        let made = world.active().remove(0);
        assert_eq!(made.metadata.get("user_id"), Some(&string("alice")), "{made:?}");
        if is_removed {
            let delete_strategies = made.strategy.clone().into_iter().collect();
            let change = MemoryUpdate { delete_strategies, ..MemoryUpdate::default() };
            world.drive(world.engine.memory_update(&world.caller, &world.memory.id, change, None)).unwrap();
        }
        let alice = ActorId::parse("alice").unwrap();
        world.drive(world.engine.forget_actor(&world.caller, &world.memory.id, &alice)).unwrap();
        assert_eq!(world.active().len(), stays, "{made:?}");
    }
}
