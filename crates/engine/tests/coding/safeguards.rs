//! Safeguards of a repository's memory: holds, decisions on waiting records, rollback to a
//! snapshot, and erasure.

use loci_api::coding::safeguard::{Purged, RollbackAsk, RolledBack};
use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use loci_coding::{Completion, HeldDecision, PurgeAsk, RepositoryQuarantineAsk, Selection};
use loci_engine::admin::{ExportCursor, ExportLine, ExportPart};
use loci_engine::records::{QuarantinedRecords, RecordUpdate};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::agreement::Agreement;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ActorId, ErrorKind, Namespace, RecordId, Result, TaskId};
use loci_testkit_ports::{block_on, samples};
use sha2::{Digest, Sha256};

use super::workshop::{REPO, Workshop, task, task_id};

const ORDERS: &str = "Pagination of orders goes by a cursor, never by an offset.";
const CARTS: &str = "Pagination of carts goes by page numbers.";
const WHY: &str = "somebody doubts it";

fn noted(shop: &Workshop, id: &str, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note(id, note).unwrap().learned.id.unwrap()
}

fn shown(shop: &Workshop, id: &str) -> Vec<RecordId> {
    shop.world.clock().advance_ms(1_000);
    let asked = Hydration { query: Some(format!("{ORDERS} {CARTS}")), ..Hydration::default() };
    let found =
        block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id(id), asked)).unwrap();
    let mut ids: Vec<_> = found.plan.shown.iter().map(|one| one.candidate.record.id.clone()).collect();
    ids.sort();
    ids
}

fn sorted(mut ids: Vec<RecordId>) -> Vec<RecordId> {
    ids.sort();
    ids
}

fn named(ids: Vec<String>) -> Vec<RecordId> {
    sorted(ids.into_iter().map(|id| RecordId::parse(id).unwrap()).collect())
}

fn ids(ids: &[&RecordId]) -> Selection {
    Selection { ids: ids.iter().map(|id| (*id).clone()).collect(), ..Selection::default() }
}

fn hold(shop: &Workshop, which: Selection, dry_run: bool) -> Result<QuarantinedRecords> {
    shop.world.clock().advance_ms(1_000);
    let ask = RepositoryQuarantineAsk { which, reason: WHY.to_owned(), dry_run };
    block_on(shop.engine.coding.repository_quarantine(&shop.caller, &shop.standing, REPO, ask))
}

fn release(shop: &Workshop, which: Selection) -> Result<QuarantinedRecords> {
    shop.world.clock().advance_ms(1_000);
    let ask = RepositoryQuarantineAsk { which, reason: "it is right".to_owned(), dry_run: false };
    block_on(shop.engine.coding.repository_release(&shop.caller, &shop.standing, REPO, ask))
}

fn back(shop: &Workshop, to: &str, dry_run: bool) -> Result<RolledBack> {
    shop.world.clock().advance_ms(1_000);
    let ask = RollbackAsk { to: to.to_owned(), reason: WHY.to_owned(), dry_run };
    block_on(shop.engine.coding.repository_rollback(&shop.caller, &shop.standing, REPO, ask))
}

fn purge(shop: &Workshop, which: Selection, confirm: Option<u64>) -> Result<Purged> {
    shop.world.clock().advance_ms(1_000);
    let ask = PurgeAsk { which, reason: WHY.to_owned(), dry_run: confirm.is_none(), confirm };
    block_on(shop.engine.coding.repository_purge(&shop.caller, &shop.standing, REPO, ask))
}

/// Returns a caller that may read and write all data of the repository, without administration.
fn agent(shop: &Workshop) -> Principal {
    let actor = Some(ActorId::parse(REPO).unwrap());
    shop.with_grant(&[Capability::Read, Capability::Write], Grant { actor, ..Grant::everything() })
}

/// Stores a record of the repository in a state, with an optional reviewer.
fn put(shop: &Workshop, number: u32, place: &str, state: RecordState, reviewer: Option<&str>) -> RecordId {
    let mut record = Record {
        kind: RecordKind::Rule,
        namespace: Namespace::parse(format!("/{REPO}/{place}/")).unwrap(),
        strategy: None,
        subtype: None,
        state,
        ..samples::record(&shop.memory(), number, &format!("Pagination is tested, rule {number}.")).unwrap()
    };
    let reviewer = reviewer.map(|login| ("reviewer".to_owned(), MetadataValue::String(login.to_owned())));
    record.metadata.extend(reviewer);
    let (store, id) = (shop.world.store(), record.id.clone());
    block_on(store.write(move |tx| tx.records_mut().insert(&record).map(drop))).unwrap();
    id
}

#[test]
fn a86_what_is_held_back_is_gone_from_the_next_hydration() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (orders, carts) = (noted(&shop, "t-001", ORDERS), noted(&shop, "t-001", CARTS));
    shop.begun("t-002");
    assert_eq!(shown(&shop, "t-002"), sorted(vec![orders.clone(), carts.clone()]));
    let pattern = Selection { pattern: Some("CURSOR".to_owned()), ..Selection::default() };
    let dry = hold(&shop, pattern.clone(), true).unwrap();
    assert_eq!((dry.ids, dry.applied), (vec![orders.clone()], false));
    assert_eq!(shop.record(&orders).state, RecordState::Active);
    hold(&shop, pattern.clone(), false).unwrap();
    assert_eq!(shop.record(&orders).state_reason.as_deref(), Some(WHY));
    assert_eq!(shown(&shop, "t-002"), std::slice::from_ref(&carts));
    assert_eq!(hold(&shop, pattern, false).unwrap().matched, 0, "it is held already");
    release(&shop, ids(&[&orders])).unwrap();
    assert_eq!(shown(&shop, "t-002"), sorted(vec![orders, carts]));
}

#[test]
fn what_is_meant() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let orders = noted(&shop, "t-001", ORDERS);
    let between = shop.engine.now().plus_millis(1);
    shop.begun("t-002");
    let carts = noted(&shop, "t-002", CARTS);
    let rule = put(&shop, 1, "review-rules", RecordState::Active, Some("Alice"));
    let other = put(&shop, 2, "review-rules", RecordState::Active, Some("bob"));
    let check = |which: Selection, expect: &[&RecordId]| {
        let found = hold(&shop, which.clone(), true).unwrap().ids;
        assert_eq!(sorted(found), sorted(expect.iter().map(|id| (*id).clone()).collect()), "{which:?}");
    };
    let none = Selection::default;
    check(ids(&[&orders, &rule]), &[&orders, &rule]);
    check(Selection { pattern: Some("cursor".to_owned()), ..ids(&[&orders, &rule]) }, &[&orders]);
    check(Selection { task: Some(task_id("t-002")), ..none() }, &[&carts]);
    check(Selection { reviewer: Some("@alice".to_owned()), ..none() }, &[&rule]);
    check(Selection { content: Some("PAGINATION OF".to_owned()), ..none() }, &[&orders, &carts]);
    check(Selection { kind: Some("rule".to_owned()), ..none() }, &[&rule, &other]);
    check(Selection { kind: Some("knowledge".to_owned()), until: Some(between), ..none() }, &[&orders]);
    check(Selection { since: Some(between), task: Some(task_id("t-002")), ..none() }, &[&carts]);
    check(Selection { user: Some("583231".to_owned()), ..none() }, &[&orders, &carts]);
    check(Selection { user: Some("carol".to_owned()), ..none() }, &[]);
    let namespace = Some(Namespace::parse("/acme/shop/review-rules/").unwrap());
    check(Selection { namespace, ..none() }, &[&rule, &other]);
    let query = Some("pagination of orders by a cursor".to_owned());
    assert!(hold(&shop, Selection { query, ..none() }, true).unwrap().ids.contains(&orders));
    assert_eq!(hold(&shop, none(), true).unwrap_err().field.as_deref(), Some("ids"));
    let ask = RepositoryQuarantineAsk { which: ids(&[&orders]), reason: WHY.to_owned(), dry_run: true };
    let denied = block_on(shop.engine.coding.repository_quarantine(&agent(&shop), &shop.standing, REPO, ask));
    assert_eq!(denied.unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn what_waits_is_accepted_or_rejected_by_a_person() {
    let shop = Workshop::new();
    let (first, second) = (
        put(&shop, 1, "knowledge", RecordState::Candidate, None),
        put(&shop, 2, "knowledge", RecordState::Candidate, None),
    );
    let rule = put(&shop, 3, "review-rules", RecordState::Candidate, None);
    let held = |state| {
        let place = (None, 100);
        let page =
            block_on(shop.engine.coding.held_list(&shop.caller, &shop.standing, REPO, state, place)).unwrap();
        sorted(page.items.into_iter().map(|record| record.id).collect())
    };
    assert_eq!(
        held(RecordState::Candidate),
        sorted(vec![first.clone(), second.clone()]),
        "rules wait elsewhere"
    );
    let decide = |id: &RecordId, decision| {
        block_on(shop.engine.coding.held_decide(&shop.caller, &shop.standing, REPO, (id, decision), "seen"))
    };
    assert_eq!(decide(&first, HeldDecision::Accept).unwrap().state, RecordState::Active);
    assert_eq!(decide(&second, HeldDecision::Reject).unwrap().state, RecordState::Invalid);
    assert_eq!(decide(&rule, HeldDecision::Accept).unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(decide(&first, HeldDecision::Reject).unwrap_err().kind, ErrorKind::NotFound);
    hold(&shop, ids(&[&first]), false).unwrap();
    assert_eq!(held(RecordState::Quarantined), std::slice::from_ref(&first));
    assert_eq!(decide(&first, HeldDecision::Accept).unwrap().state, RecordState::Active);
    let by = agent(&shop);
    let (state, place) = (RecordState::Candidate, (None, 1));
    let denied = block_on(shop.engine.coding.held_list(&by, &shop.standing, REPO, state, place));
    assert_eq!(denied.unwrap_err().kind, ErrorKind::Denied);
}

/// Changes the text of a record.
fn rewritten(shop: &Workshop, id: &RecordId, text: &str) {
    shop.world.clock().advance_ms(1_000);
    let update = RecordUpdate {
        id: id.clone(),
        timestamp: shop.engine.now(),
        text: Some(text.to_owned()),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let done =
        block_on(shop.engine.records_update(&shop.caller, &shop.memory(), vec![update], None)).unwrap();
    assert!(done.items.iter().all(|item| item.result.is_ok()), "{done:?}");
}

#[test]
fn a87_a_rollback_puts_back_what_was_and_is_undone_in_its_turn() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let jest = noted(&shop, "t-001", "The project uses Jest for tests.");
    let edited = noted(&shop, "t-001", "Builds run on Node 18.");
    let held = noted(&shop, "t-001", CARTS);
    let untouched = noted(&shop, "t-001", "Icons lie in assets/icons.");
    shop.begun("t-002");
    let to = shop.get("t-002").unwrap().snapshot.unwrap();
    // Changes after the snapshot: a superseding record, a text, a state, an episode.
    let vitest = noted(&shop, "t-002", "The project uses Vitest for tests.");
    rewritten(&shop, &edited, "Builds run on Node 99.");
    hold(&shop, ids(&[&held]), false).unwrap();
    let poison = noted(&shop, "t-002", ORDERS);
    let left = shop
        .complete("t-002", Completion { summary: Some("Done.".into()), ..Completion::default() })
        .unwrap();
    let states = || -> Vec<(RecordState, String)> {
        let all = [&jest, &edited, &held, &untouched, &vitest, &poison, &left.episode];
        all.iter().map(|id| shop.record(id)).map(|record| (record.state, record.text)).collect()
    };
    let after = states();
    let dry = back(&shop, &to, true).unwrap();
    assert_eq!(
        named(dry.rolled_back.clone()),
        sorted(vec![vitest.clone(), poison.clone(), left.episode.clone()])
    );
    assert_eq!(named(dry.restored.clone()), sorted(vec![jest.clone(), held.clone()]));
    assert_eq!((named(dry.changed), dry.applied, dry.before), (vec![edited.clone()], false, None));
    assert_eq!(states(), after, "a dry run changes nothing");

    let done = back(&shop, &to, false).unwrap();
    assert_eq!(
        (&done.rolled_back, &done.restored, done.not_undone.len()),
        (&dry.rolled_back, &dry.restored, 0)
    );
    let stand = sorted(vec![jest.clone(), edited.clone(), held.clone(), untouched.clone()]);
    assert_eq!(sorted(shop.knowledge()), stand);
    assert_eq!(shop.record(&edited).text, "Builds run on Node 18.");
    assert!(shop.record(&jest).superseded_by.is_none());
    assert!(shop.episodes().is_empty());
    let before = done.before.unwrap();
    let listed =
        block_on(shop.engine.coding.snapshots_list(&shop.caller, &shop.standing, REPO, 100)).unwrap();
    assert_eq!((&listed[0].id, &listed[0].before_rollback_to), (&before, &Some(to.clone())));
    assert!(listed.iter().any(|one| one.id == to && one.task_id.as_deref() == Some("t-002")));
    assert_eq!(back(&shop, &to, false).unwrap().before, None, "there is nothing more to undo");

    let undone = back(&shop, &before, false).unwrap();
    assert_eq!(states(), after, "{undone:?}");
    assert_eq!(shop.record(&jest).superseded_by, Some(vitest.clone()));
    // The rollback is reverted too.
    back(&shop, undone.before.as_deref().unwrap(), false).unwrap();
    assert_eq!(sorted(shop.knowledge()), stand);
}

#[test]
fn a_rollback_says_what_it_cannot_do_and_who_may() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let orders = noted(&shop, "t-001", ORDERS);
    shop.begun("t-002");
    let to = shop.get("t-002").unwrap().snapshot.unwrap();
    purge(&shop, ids(&[&orders]), Some(1)).unwrap();
    let done = back(&shop, &to, false).unwrap();
    let not_undone: Vec<_> =
        done.not_undone.iter().map(|one| (one.id.as_str(), one.reason.as_str())).collect();
    assert_eq!(not_undone, [(orders.as_str(), "erased")]);
    for unknown in ["snap_999999", "snap_x", "yesterday"] {
        assert_eq!(back(&shop, unknown, true).unwrap_err().kind, ErrorKind::NotFound, "{unknown}");
    }
    let ask = RollbackAsk { to, reason: String::new(), dry_run: true };
    let unreasoned =
        block_on(shop.engine.coding.repository_rollback(&shop.caller, &shop.standing, REPO, ask.clone()));
    assert_eq!(unreasoned.unwrap_err().field.as_deref(), Some("reason"));
    let ask = RollbackAsk { reason: WHY.to_owned(), ..ask };
    let denied = block_on(shop.engine.coding.repository_rollback(&agent(&shop), &shop.standing, REPO, ask));
    assert_eq!(denied.unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn another_repository_stays_as_it_is() {
    let shop = Workshop::new();
    shop.register("acme/shop-web").unwrap();
    shop.begun("t-001");
    let to = shop.get("t-001").unwrap().snapshot.unwrap();
    shop.create(TaskCreate { repo: Some("acme/shop-web".to_owned()), ..task("w-001") }).unwrap();
    let web = noted(&shop, "w-001", ORDERS);
    let own = noted(&shop, "t-001", CARTS);
    back(&shop, &to, false).unwrap();
    assert_eq!(
        (shop.record(&own).state, shop.record(&web).state),
        (RecordState::RolledBack, RecordState::Active)
    );
    let all = Selection { pattern: Some(".".to_owned()), ..Selection::default() };
    assert_eq!(purge(&shop, all, None).unwrap().ids, [own.as_str()]);
    assert_eq!(purge(&shop, ids(&[&web]), None).unwrap().matched, 0);
    let foreign = shop.get("w-001").unwrap().snapshot.unwrap();
    if foreign != to {
        assert_eq!(back(&shop, &foreign, true).unwrap_err().kind, ErrorKind::NotFound);
    }
}

/// Returns all data of a record in its store.
fn content(shop: &Workshop, id: &RecordId) -> (String, Vec<Record>, Option<Agreement>) {
    let (memory, id) = (shop.memory(), id.clone());
    let read = shop.world.store();
    block_on(read.read(move |tx| {
        let record = tx.records().get(&memory, &id)?;
        let agreement = tx.ledger().noun::<Agreement>(&memory, id.as_str())?;
        Ok((
            record.map(|record| record.text).unwrap_or_default(),
            tx.records().history(&memory, &id)?,
            agreement,
        ))
    }))
    .unwrap()
}

#[test]
fn a88_what_is_purged_is_gone_with_its_versions() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let orders = noted(&shop, "t-001", ORDERS);
    rewritten(&shop, &orders, "Pagination of orders goes by a cursor of 16 bytes.");
    shop.begun("t-002");
    noted(&shop, "t-002", "Pagination of orders goes by a cursor of 16 bytes.");
    let carts = noted(&shop, "t-002", CARTS);
    let which = Selection { content: Some("cursor".to_owned()), ..Selection::default() };
    let dry = purge(&shop, which.clone(), None).unwrap();
    assert_eq!((dry.matched, dry.applied), (1, false));
    let unconfirmed =
        PurgeAsk { which: which.clone(), reason: WHY.to_owned(), dry_run: false, confirm: None };
    let refused =
        block_on(shop.engine.coding.repository_purge(&shop.caller, &shop.standing, REPO, unconfirmed));
    assert_eq!(refused.unwrap_err().field.as_deref(), Some("confirm"));
    assert_eq!(purge(&shop, which.clone(), Some(7)).unwrap_err().kind, ErrorKind::Conflict);
    let (_, versions, agreement) = content(&shop, &orders);
    assert!(versions.len() == 1 && agreement.is_some());
    assert!(purge(&shop, which.clone(), Some(1)).unwrap().applied);
    let (text, versions, agreement) = content(&shop, &orders);
    assert_eq!((text.as_str(), versions.len(), agreement), ("", 0, None));
    assert!(!shop.found("pagination cursor").contains(&orders));
    let changes = block_on(shop.engine.record_changes(&shop.caller, &shop.memory(), &orders)).unwrap();
    let last = changes.last().unwrap();
    assert_eq!((last.to, last.reason.as_str()), (RecordState::Erased, "purged: somebody doubts it"));
    assert_eq!(purge(&shop, which, None).unwrap().matched, 0, "it is not there any more");
    assert_eq!(shop.record(&carts).state, RecordState::Active);
}

#[test]
fn a88_by_reviewer_person_time_and_task() {
    let shop = Workshop::new();
    let rule = put(&shop, 1, "review-rules", RecordState::Active, Some("alice"));
    let old = put(&shop, 2, "review-rules", RecordState::Superseded, Some("alice"));
    let other = put(&shop, 3, "review-rules", RecordState::Active, Some("bob"));
    let reviewer = Selection { reviewer: Some("alice".to_owned()), ..Selection::default() };
    assert_eq!(named(purge(&shop, reviewer, Some(2)).unwrap().ids), sorted(vec![rule.clone(), old]));
    assert_eq!(
        (shop.record(&rule).state, shop.record(&other).state),
        (RecordState::Erased, RecordState::Active)
    );
    shop.begun("t-001");
    let orders = noted(&shop, "t-001", ORDERS);
    let carol = TaskCreate { user: Some("carol".to_owned()), user_id: Some("7".to_owned()), ..task("t-002") };
    shop.create(carol).unwrap();
    let carts = noted(&shop, "t-002", CARTS);
    let person = Selection { user: Some("Carol".to_owned()), ..Selection::default() };
    assert_eq!(purge(&shop, person, Some(1)).unwrap().ids, [carts.as_str()]);
    let until = Selection {
        until: Some(shop.engine.now().plus_millis(1)),
        kind: Some("knowledge".to_owned()),
        ..Selection::default()
    };
    assert_eq!(purge(&shop, until, None).unwrap().ids, [orders.as_str()]);
    let of_task = Selection { task: Some(TaskId::parse("t-001").unwrap()), ..Selection::default() };
    let done = purge(&shop, of_task, Some(1)).unwrap();
    assert_eq!((done.ids, done.session_items), (vec![orders.to_string()], 0));
}

/// Returns the export lines of a part of a memory.
fn exported(engine: &loci_products::Loci, shop: &Workshop, namespace: Option<&str>) -> Vec<ExportLine> {
    let namespace = namespace.map(|path| Namespace::parse(path).unwrap());
    let part = ExportPart { namespace, person: None };
    let mut cursor = ExportCursor::Start;
    let mut lines = Vec::new();
    while cursor != ExportCursor::End {
        let (page, next) = block_on(engine.export_part(&shop.caller, &shop.memory(), &part, cursor)).unwrap();
        lines.extend(page);
        cursor = next;
    }
    lines
}

/// Returns a digest without sequence numbers, which an import assigns again.
fn sha256(lines: &[ExportLine]) -> String {
    let unnumbered = |line: &ExportLine| match line.clone() {
        ExportLine::Record { record, current } => {
            ExportLine::Record { record: Box::new(Record { sequence: 0, ..*record }), current }
        }
        other => other,
    };
    let text: Vec<String> =
        lines.iter().map(|line| serde_json::to_string(&unnumbered(line)).unwrap()).collect();
    hex::encode(Sha256::digest(text.join("\n")))
}

#[test]
fn a89_a_namespace_goes_out_and_comes_back_the_same() {
    let shop = Workshop::new();
    shop.register("acme/shop-web").unwrap();
    shop.begun("t-001");
    let jest = noted(&shop, "t-001", "The project uses Jest for tests.");
    shop.begun("t-002");
    noted(&shop, "t-002", "The project uses Jest for tests.");
    let vitest = noted(&shop, "t-002", "The project uses Vitest for tests.");
    rewritten(&shop, &vitest, "The project uses Vitest 3 for tests.");
    hold(&shop, ids(&[&vitest]), false).unwrap();
    shop.create(TaskCreate { repo: Some("acme/shop-web".to_owned()), ..task("w-001") }).unwrap();
    let web = noted(&shop, "w-001", ORDERS);
    let lines = exported(&shop.engine, &shop, Some("/acme/shop/"));
    let is_of = |id: &RecordId| {
        lines
            .iter()
            .filter(|line| matches!(line, ExportLine::Record { record, .. } if record.id == *id))
            .count()
    };
    assert_eq!((is_of(&jest), is_of(&vitest), is_of(&web)), (1, 2, 0), "with versions, and nobody else's");
    let count = |is_one: fn(&ExportLine) -> bool| lines.iter().filter(|line| is_one(line)).count();
    assert_eq!(count(|line| matches!(line, ExportLine::Repository { .. })), 1);
    assert_eq!(count(|line| matches!(line, ExportLine::Task { .. })), 2);
    assert_eq!(count(|line| matches!(line, ExportLine::Ledger { .. })), 1, "who agreed");
    assert_eq!(count(|line| matches!(line, ExportLine::Event { .. } | ExportLine::Exposure { .. })), 0);

    let other = TestEngine::new().unwrap();
    block_on(other.engine().import_lines(&shop.caller, lines.clone(), &[])).unwrap();
    let back = exported(&other.engine(), &shop, Some("/acme/shop/"));
    assert_eq!((back.len(), sha256(&back)), (lines.len(), sha256(&lines)), "lossless");
    let again = block_on(other.engine().import_lines(&shop.caller, lines, &[]));
    assert_eq!(again.unwrap_err().kind, ErrorKind::Conflict);
    // The full export contains the ledger too.
    let all = exported(&shop.engine, &shop, None);
    let kept = all.iter().filter(|line| matches!(line, ExportLine::Ledger { .. })).count();
    assert_eq!(kept, 2, "who agreed, and who the person is");
    let both =
        all.iter().filter(|line| matches!(line, ExportLine::Record { record, .. } if record.id == web));
    assert_eq!(both.count(), 1);
}
