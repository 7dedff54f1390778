//! Histories of documents: versions, changes in order, diffs, snapshots, restores, redactions.

use loci_api::documents::tree::TreeChange;
use loci_api::documents::tree::{DocumentVersion, TreeDiff, TreeRestored};
use loci_documents::{Edit, Point, RecordRedact, RedactWhich, TreeAsk, TreeRestore};
use loci_engine::records::{NewRecord, RecordDelete};
use loci_model::principal::Capability;
use loci_model::trees::tree_entry::DocumentOperation::{
    self, Archived, Created, Deleted, Modified, Moved, Redacted, Restored,
};
use loci_model::{ErrorKind, Namespace, RecordId, Result};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/facts/b.md";

fn history(shelf: &Shelf, path: &str) -> Vec<DocumentVersion> {
    let page =
        block_on(shelf.engine.documents.document_history(&shelf.caller, &shelf.tree, path, (None, 100)));
    page.unwrap().items
}

fn done(one: &DocumentVersion) -> (u32, DocumentOperation) {
    (one.version, DocumentOperation::parse(&one.operation).unwrap())
}

fn operations(shelf: &Shelf, path: &str) -> Vec<(u32, DocumentOperation)> {
    history(shelf, path).iter().map(done).collect()
}

fn changes(shelf: &Shelf, since: Point) -> (Vec<TreeChange>, String) {
    block_on(shelf.engine.documents.tree_changes(&shelf.caller, &shelf.tree, since, 100)).unwrap()
}

fn diff(shelf: &Shelf, a: Point, b: Point) -> TreeDiff {
    block_on(shelf.engine.documents.tree_diff(&shelf.caller, &shelf.tree, (a, b), None)).unwrap()
}

fn snapshot(shelf: &Shelf, label: &str) -> Result<u64> {
    let made = block_on(shelf.engine.documents.tree_snapshot(&shelf.caller, &shelf.tree, label, None));
    made.map(|snapshot| snapshot.sequence)
}

fn restore(shelf: &Shelf, to: Point, paths: &[&str], dry_run: bool) -> TreeRestored {
    let asked = TreeRestore {
        tree: shelf.tree.clone(),
        to,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        dry_run,
        reason: None,
    };
    block_on(shelf.engine.documents.tree_restore(&shelf.caller, asked, None)).unwrap()
}

fn to(label: &str) -> Point {
    Point::Label(label.to_owned())
}

#[test]
fn every_change_is_told_with_who_and_why() {
    let shelf = Shelf::new();
    shelf.put(A, "one");
    shelf.edit(A, Edit::Replace { old: "one".to_owned(), new: "two".to_owned() }).unwrap();
    shelf.move_to(A, B).unwrap();
    shelf.delete(B).unwrap();
    let told = history(&shelf, B);
    let expect = [(4, Archived), (3, Moved), (2, Modified), (1, Created)];
    assert_eq!(told.iter().map(done).collect::<Vec<_>>(), expect);
    assert_eq!(told[2].reason.as_deref(), Some("tidy"));
    assert_eq!(told[3].path.as_deref(), Some(A));
    assert_eq!(
        (told[1].by.as_deref(), told[1].path.as_deref(), told[1].bytes),
        (Some("tester"), Some(B), Some(3))
    );
    assert_eq!(operations(&shelf, A), expect);
    let first =
        block_on(shelf.engine.documents.document_history(&shelf.caller, &shelf.tree, B, (None, 3))).unwrap();
    let rest =
        block_on(shelf.engine.documents.document_history(&shelf.caller, &shelf.tree, B, (first.next, 3)))
            .unwrap();
    assert_eq!((first.items.len(), rest.items.len(), rest.next), (3, 1, None));
}

#[test]
fn what_others_write_is_told_too() {
    let shelf = Shelf::new();
    let path = "knowledge/facts/one.md";
    let id = shelf.records("team", vec![shelf.fact("One")]).remove(0);
    assert_eq!(operations(&shelf, path), [(1, Created)]);
    let delete = RecordDelete { id, namespace: None };
    block_on(shelf.engine.record_delete(&shelf.caller, &shelf.memory(), delete)).unwrap();
    let (told, next) = changes(&shelf, Point::Sequence(0));
    let told: Vec<_> = told.iter().map(|one| one.operation.as_str()).collect();
    assert_eq!(told, [Created.as_str(), Deleted.as_str()]);
    assert_eq!(changes(&shelf, Point::State(next.clone())), (Vec::new(), next));
}

#[test]
fn changes_come_in_order_behind_a_state() {
    let shelf = Shelf::new();
    shelf.put(A, "one");
    shelf.put(B, "two");
    shelf.move_to(A, "knowledge/facts/c.md").unwrap();
    let (all, next) = changes(&shelf, Point::Sequence(0));
    let told = |one: &TreeChange| (one.operation.clone(), one.path_before.clone(), one.path.clone());
    let some = |path: &str| Some(path.to_owned());
    let told: Vec<_> = all.iter().map(told).collect();
    let told: Vec<_> =
        told.iter().map(|(word, from, to)| (word.as_str(), from.clone(), to.clone())).collect();
    assert_eq!(
        told,
        [
            ("created", None, some(A)),
            ("created", None, some(B)),
            ("moved", some(A), some("knowledge/facts/c.md")),
        ]
    );
    let state = |one: &TreeChange| Point::State(one.state.clone());
    assert_eq!(changes(&shelf, state(&all[0])).0, all[1..]);
    assert_eq!(all.last().map(|last| last.state.clone()), Some(next));
    assert_eq!(diff(&shelf, state(&all[0]), state(&all[1])).files[0].path_b.as_deref(), Some(B));
    let planned = restore(&shelf, state(&all[1]), &[], true);
    assert_eq!(planned.documents[0].path.as_deref(), Some(A));
    // A state of another tree is not valid for this one.
    let other = TreeAsk { namespace: Namespace::parse("/other/").unwrap(), ..shelf.tree.clone() };
    let asked = |tree: &TreeAsk, since| {
        block_on(shelf.engine.documents.tree_changes(&shelf.caller, tree, since, 100))
    };
    let foreign = asked(&other, Point::Sequence(0)).unwrap().1;
    let refused = asked(&shelf.tree, Point::State(foreign)).unwrap_err();
    assert_eq!((refused.kind, refused.field.as_deref()), (ErrorKind::Invalid, Some("since")));
}

#[test]
fn differences_between_states() {
    let shelf = Shelf::new();
    shelf.put(A, "one\n");
    let before = snapshot(&shelf, "before").unwrap();
    assert_eq!(snapshot(&shelf, "before").unwrap_err().kind, ErrorKind::Conflict);
    shelf.put(A, "two\n");
    shelf.put(B, "three\n");
    let found = diff(&shelf, to("before"), Point::Now);
    assert_eq!(found.files.len(), 2);
    let lines = found.files[0].unified.clone().unwrap();
    assert!(lines.starts_with(&format!("--- a/{A}\n+++ b/{A}\n")), "{lines}");
    assert!(lines.contains("\n-one\n") && lines.contains("\n+two\n"), "{lines}");
    assert_eq!((found.files[1].path_a.as_deref(), found.files[1].path_b.as_deref()), (None, Some(B)));
    let back = diff(&shelf, Point::Now, Point::Sequence(before));
    assert!(back.files[0].unified.clone().unwrap().contains("\n+one\n"));
    let record = RecordId::parse(found.files[0].record.as_str()).unwrap();
    let of = |version| Point::Version(record.clone(), version);
    assert!(diff(&shelf, of(1), of(2)).files[0].unified.clone().unwrap().contains("\n+two\n"));
    assert!(diff(&shelf, Point::Now, Point::Now).files.is_empty());
    let listed =
        block_on(shelf.engine.documents.tree_snapshots(&shelf.caller, &shelf.tree, None, 10)).unwrap();
    assert_eq!(listed.items.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["before"]);
}

#[test]
fn a_restore_writes_what_was_there() {
    let shelf = Shelf::new();
    shelf.put(A, "one");
    shelf.put(B, "two");
    let hash = |path: &str| shelf.get(path).unwrap().file_sha256;
    let (one, two) = (hash(A), hash(B));
    snapshot(&shelf, "before").unwrap();
    shelf.move_to(A, "knowledge/facts/moved.md").unwrap();
    shelf.put(A, "came since");
    shelf.delete(B).unwrap();
    let planned = restore(&shelf, to("before"), &[], true);
    assert_eq!((planned.documents.len(), planned.dry_run), (3, true));
    assert_eq!(shelf.body(A), "came since");
    let done = restore(&shelf, to("before"), &[], false);
    let of = |one: &Option<String>| one.as_deref().and_then(DocumentOperation::parse);
    let told: Vec<_> = done.documents.iter().map(|one| (one.path.as_deref(), of(&one.operation))).collect();
    assert_eq!(told, [(Some(A), Some(Restored)), (Some(A), Some(Archived)), (Some(B), Some(Restored))]);
    assert_eq!((hash(A), hash(B)), (one, two));
    assert_eq!(shelf.paths(None, None), [A, B]);
    assert!(restore(&shelf, to("before"), &[], true).documents.is_empty());
    shelf.put(A, "again");
    shelf.put(B, "again");
    restore(&shelf, to("before"), &[B], false);
    assert_eq!((shelf.body(A), shelf.body(B)), ("again".to_owned(), "two".to_owned()));
}

#[test]
fn what_is_taken_out_is_gone_and_listed() {
    let shelf = Shelf::new();
    let first = shelf.put(A, "the secret word");
    snapshot(&shelf, "before").unwrap();
    shelf.put(A, "the secret word, twice");
    let redact = |caller, which| {
        let (memory, record) = (shelf.memory(), first.record.clone());
        let asked = RecordRedact { memory, record, which, reason: "leaked".to_owned() };
        block_on(shelf.engine.documents.record_redact(caller, asked))
    };
    let writer = shelf.writer(&[Capability::Read, Capability::Write]);
    let all = || RedactWhich::Match("secret".to_owned());
    assert_eq!(redact(&writer, all()).unwrap_err().kind, ErrorKind::Denied);
    let done = redact(&shelf.caller, all()).unwrap();
    assert_eq!((done.versions, done.current_version), (vec![1, 2], Some(3)));
    assert!(shelf.history(&first.record).iter().all(|one| one.text.is_empty()));
    let told = history(&shelf, A);
    assert!(told.iter().all(|one| one.content_sha256.is_none()));
    assert_eq!(
        (told.len(), self::done(&told[0]).1, told[0].reason.as_deref()),
        (5, Redacted, Some("leaked"))
    );
    let restored = restore(&shelf, to("before"), &[], true);
    assert_eq!(restored.documents[0].gap.as_deref(), Some("its content was taken out"));
    assert_eq!(redact(&shelf.caller, all()).unwrap_err().kind, ErrorKind::NotFound);
    let given = NewRecord { path: Some(B.to_owned()), ..shelf.fact("other") };
    shelf.records("team", vec![given]);
    assert_eq!(shelf.paths(None, None), [A, B]);
}

#[test]
fn states_from_before_a_restore_are_refused() {
    let shelf = Shelf::new();
    shelf.put(A, "one");
    let early = changes(&shelf, Point::Sequence(0)).1;
    let backup = shelf.world.copied(None).unwrap();
    shelf.put(B, "lost");
    let late = changes(&shelf, Point::Sequence(0)).1;
    let restored = shelf.in_world(backup);
    // The same number of writes: a sequence alone does not identify a state.
    restored.put("knowledge/facts/c.md", "new");
    let Shelf { engine, caller, tree, .. } = &restored;
    let refused = |since: Point| {
        let asked = block_on(engine.documents.tree_changes(caller, tree, since.clone(), 100)).unwrap_err();
        assert_eq!((asked.kind, asked.field.as_deref()), (ErrorKind::Invalid, Some("since")), "{asked:?}");
        assert!(asked.message.contains("read the tree anew"), "{asked:?}");
        let asked =
            block_on(engine.documents.tree_diff(caller, tree, (since, Point::Now), None)).unwrap_err();
        assert_eq!((asked.kind, asked.field.as_deref()), (ErrorKind::Invalid, Some("a")), "{asked:?}");
    };
    refused(Point::State(early));
    refused(Point::State(late));
    // A sequence beyond the tree's, as in a store that was rolled back without a restore.
    refused(Point::Sequence(1_000));
    let (all, next) = changes(&restored, Point::Sequence(0));
    assert_eq!(all.len(), 2);
    assert_eq!(changes(&restored, Point::State(next.clone())), (Vec::new(), next));
}
