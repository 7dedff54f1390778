//! Callers that may write a tree but not read it: two trees that differ only in stored content give
//! them the same responses.

use loci_documents::bucket::{Bucket, BucketPut};
use loci_documents::{
    AppendTo, DocumentAppend, DocumentDelete, DocumentEdit, DocumentMove, Edit, MountAsk, NewObject, Point,
    Precondition, TreeRestore,
};
use loci_engine::calls::idempotency::ClientToken;
use loci_model::ErrorKind;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::tree_entry::DocumentOperation;
use loci_testkit_ports::block_on;
use serde_json::json;

use super::fixture::{Shelf, text, titled};

const PIN: &str = "knowledge/facts/pin.md";
const GUESS: &str = "The PIN is 7391.";

/// A call that returns its whole response as text.
type Calling = fn(&Shelf, &Principal) -> String;

/// A name, and a call with a response that could reveal the stored text.
struct Case(&'static str, Calling);

fn edited(shelf: &Shelf, by: &Principal, edit: Edit) -> String {
    let (tree, path) = (shelf.tree.clone(), PIN.to_owned());
    let asked = DocumentEdit { tree, path, edit, precondition: None, reason: None };
    format!("{:?}", block_on(shelf.engine.documents.document_edit(by, asked, None)))
}

fn appended(shelf: &Shelf, by: &Principal, to: AppendTo, precondition: Option<Precondition>) -> String {
    let (tree, lines) = (shelf.tree.clone(), vec![GUESS.to_owned(), String::new()]);
    let asked = DocumentAppend { tree, to, lines, if_absent_create: false, precondition, reason: None };
    format!("{:?}", block_on(shelf.engine.documents.document_append(by, asked, None)))
}

fn put(shelf: &Shelf, by: &Principal, path: Option<&str>, precondition: Option<Precondition>) -> String {
    let content = if path.is_some() { text("New.\n") } else { titled("The PIN", GUESS) };
    format!("{:?}", shelf.put_as(by, path, content, precondition))
}

fn moved(shelf: &Shelf, by: &Principal, precondition: Option<Precondition>) -> String {
    let (from, to) = (PIN.to_owned(), "knowledge/facts/number.md".to_owned());
    let asked = DocumentMove { tree: shelf.tree.clone(), from, to, precondition, reason: None };
    format!("{:?}", block_on(shelf.engine.documents.document_move(by, asked, None)))
}

fn deleted(shelf: &Shelf, by: &Principal, precondition: Precondition) -> String {
    let (tree, path, precondition) = (shelf.tree.clone(), PIN.to_owned(), Some(precondition));
    let asked = DocumentDelete { tree, path, precondition, reason: None };
    format!("{:?}", block_on(shelf.engine.documents.document_delete(by, asked, None)))
}

fn restored(shelf: &Shelf, by: &Principal, label: &str, dry_run: bool) -> String {
    let (tree, to) = (shelf.tree.clone(), Point::Label(label.to_owned()));
    let asked = TreeRestore { tree, to, paths: Vec::new(), dry_run, reason: None };
    format!("{:?}", block_on(shelf.engine.documents.tree_restore(by, asked, None)))
}

fn commanded(shelf: &Shelf, by: &Principal, input: serde_json::Value) -> String {
    let mount = MountAsk::Tree(shelf.tree.clone());
    format!("{:?}", block_on(shelf.engine.documents.memory_tool(by, &mount, input, None)))
}

/// An append to the first version, which is merged with the second.
fn bucket_put(shelf: &Shelf, by: &Principal, content: &str) -> String {
    let bucket = Bucket { memory: shelf.memory(), namespace: shelf.tree.namespace.clone() };
    let key = "memory/desk/pins.md".to_owned();
    let object = NewObject { key, content_type: None, content: content.as_bytes().to_vec() };
    let put = BucketPut { bucket, object, precondition: None, merge_appends: true, object_ttl_ms: None };
    format!("{:?}", block_on(shelf.engine.documents.bucket_put(by, put)))
}

fn stale() -> Precondition {
    Precondition::of_tags("\"sha256:00\"")
}

/// Calls that are rejected, because their result reveals the text.
const REFUSED: &[Case] = &[
    Case("edit: replace by the same", |shelf, by| {
        edited(shelf, by, Edit::Replace { old: "is 7".to_owned(), new: "is 7".to_owned() })
    }),
    Case("edit: insert", |shelf, by| edited(shelf, by, Edit::Insert { line: 3, text: "x".to_owned() })),
    Case("edit: append", |shelf, by| edited(shelf, by, Edit::Append { text: "x".to_owned() })),
    Case("edit: replace a section", |shelf, by| {
        edited(shelf, by, Edit::ReplaceSection { heading: "7391".to_owned(), text: "x".to_owned() })
    }),
    Case("edit: insert before a section", |shelf, by| {
        edited(shelf, by, Edit::InsertBefore { heading: "7391".to_owned(), text: "x".to_owned() })
    }),
    Case("edit: insert after a section", |shelf, by| {
        edited(shelf, by, Edit::InsertAfter { heading: "7391".to_owned(), text: "x".to_owned() })
    }),
    Case("restore: its plan", |shelf, by| restored(shelf, by, "before", true)),
    Case("restore", |shelf, by| restored(shelf, by, "before", false)),
    Case("restore: a label that is not there", |shelf, by| restored(shelf, by, "none", true)),
    Case("put: a digest", |shelf, by| put(shelf, by, Some(PIN), Some(stale()))),
    Case("append: a digest", |shelf, by| appended(shelf, by, AppendTo::Path(PIN.to_owned()), Some(stale()))),
    Case("move: a digest", |shelf, by| moved(shelf, by, Some(stale()))),
    Case("delete: a digest", |shelf, by| deleted(shelf, by, stale())),
];

/// Calls that the API rejects, because every command reads the tree.
const COMMANDS: &[Case] = &[
    Case("memory tool: str_replace", |shelf, by| {
        let path = "/memories/facts/pin.md";
        let input =
            json!({ "command": "str_replace", "path": path, "old_str": "is 7391", "new_str": "is 7391" });
        commanded(shelf, by, input)
    }),
    Case("memory tool: insert", |shelf, by| {
        let path = "/memories/facts/pin.md";
        let input = json!({ "command": "insert", "path": path, "insert_line": 3, "insert_text": "x" });
        commanded(shelf, by, input)
    }),
];

/// Calls that succeed or conflict without revealing more than the caller sent. Their order matters:
/// each leaves the trees equal except for the text.
const ANSWERED: &[Case] = &[
    Case("put: only where nothing is", |shelf, by| put(shelf, by, Some(PIN), Some(Precondition::Absent))),
    Case("append to a path", |shelf, by| appended(shelf, by, AppendTo::Path(PIN.to_owned()), None)),
    Case("append to a topic", |shelf, by| appended(shelf, by, AppendTo::Title("The PIN".to_owned()), None)),
    Case("add to a topic", |shelf, by| put(shelf, by, None, None)),
    Case("bucket put, brought together", |shelf, by| bucket_put(shelf, by, "- one\n- three\n")),
    Case("move", |shelf, by| moved(shelf, by, None)),
    Case("append to where it was", |shelf, by| appended(shelf, by, AppendTo::Path(PIN.to_owned()), None)),
    Case("move back", |shelf, by| {
        let (from, to) = ("knowledge/facts/number.md".to_owned(), PIN.to_owned());
        let asked = DocumentMove { tree: shelf.tree.clone(), from, to, precondition: None, reason: None };
        format!("{:?}", block_on(shelf.engine.documents.document_move(by, asked, None)))
    }),
    Case("a name that is a directory", |shelf, by| {
        put(shelf, by, Some("knowledge/facts"), Some(Precondition::Any))
    }),
    Case("put over it", |shelf, by| put(shelf, by, Some(PIN), Some(Precondition::Any))),
    Case("delete", |shelf, by| deleted(shelf, by, Precondition::Any)),
];

/// Returns a tree with a secret of four digits.
fn shelf_with(digits: &str) -> Shelf {
    let shelf = Shelf::new();
    let pin = titled("The PIN", &format!("# {digits}\n\nThe PIN is {digits}.\n"));
    shelf.put_as(&shelf.caller, Some(PIN), pin, Some(Precondition::Any)).unwrap();
    block_on(shelf.engine.documents.tree_snapshot(&shelf.caller, &shelf.tree, "before", None)).unwrap();
    let second = format!("- one\n- {digits}\n");
    for content in ["- one\n", second.as_str()] {
        shelf.world.clock().advance_ms(1_000);
        let done = bucket_put(&shelf, &shelf.caller, content);
        assert!(done.starts_with("Ok"), "{done}");
    }
    // Without this document, some restores would change nothing.
    shelf.put("knowledge/facts/other.md", "Text.\n");
    shelf
}

#[test]
fn answers_tell_a_writer_nothing_that_is_stored() {
    let (one, other) = (shelf_with("7391"), shelf_with("1111"));
    let called = |shelf: &Shelf, call: Calling| {
        shelf.world.clock().advance_ms(1_000);
        call(shelf, &shelf.writer(&[Capability::Write]))
    };
    for (cases, says) in [(REFUSED, "grant of read"), (COMMANDS, "Denied"), (ANSWERED, "")] {
        for Case(name, call) in cases {
            let answer = called(&one, *call);
            assert_eq!(answer, called(&other, *call), "{name}");
            assert!(answer.contains(says), "{name}: {answer}");
            assert!(
                !says.is_empty() || answer.starts_with("Ok") || !answer.contains("Denied"),
                "{name}: {answer}"
            );
        }
    }
    // The same calls return the stored content to a reader.
    let (one, other) = (shelf_with("7391"), shelf_with("1111"));
    let reader = |shelf: &Shelf| shelf.writer(&[Capability::Read, Capability::Write]);
    for Case(name, call) in &ANSWERED[..3] {
        assert_ne!(call(&one, &reader(&one)), call(&other, &reader(&other)), "{name}");
    }
    for Case(name, call) in REFUSED.iter().filter(|case| case.0 == "edit: append" || case.0 == "restore") {
        assert!(call(&one, &reader(&one)).starts_with("Ok"), "{name}");
    }
}

/// A condition that holds, or a write without effect, would reveal a correct guess.
#[test]
fn a_writer_guesses_no_document() {
    let guess = || titled("The PIN", "# 7391\n\nThe PIN is 7391.\n");
    let known = shelf_with("7391");
    let same = known.put_as(&known.caller, Some(PIN), guess(), Some(Precondition::Any)).unwrap();
    assert_eq!((same.version, same.operation), (1, None), "it is what lies there");
    let tag = Precondition::of_tags(&format!("\"sha256:{}\"", same.content_sha256.unwrap()));
    let (one, other) = (shelf_with("7391"), shelf_with("1111"));
    let put = |shelf: &Shelf, capabilities: &[Capability], precondition: &Precondition| {
        let by = shelf.writer(capabilities);
        format!("{:?}", shelf.put_as(&by, Some(PIN), guess(), Some(precondition.clone())))
    };
    let both = [Capability::Read, Capability::Write];
    assert_ne!(put(&one, &both, &tag), put(&other, &both, &tag));
    for (precondition, says) in [(tag, "grant of read"), (Precondition::Any, "UNREADABLE")] {
        let answer = put(&one, &[Capability::Write], &precondition);
        assert_eq!(answer, put(&other, &[Capability::Write], &precondition));
        assert!(answer.contains(says), "{answer}");
    }
}

#[test]
fn a_writer_compares_no_bytes_of_a_bucket() {
    let keys = ["memory/desk/pins.md", "session/pin.json"];
    let shelf = Shelf::new();
    let bucket = Bucket { memory: shelf.memory(), namespace: shelf.tree.namespace.clone() };
    let whole = |capabilities: &[Capability]| {
        let mut caller = shelf.writer(capabilities);
        caller.grants[0].namespace = None;
        caller
    };
    let (blind, both) = (whole(&[Capability::Write]), whole(&[Capability::Read, Capability::Write]));
    let put = |by: &Principal, key: &str, precondition: Option<Precondition>| {
        let object = NewObject { key: key.to_owned(), content_type: None, content: b"7391".to_vec() };
        let bucket = bucket.clone();
        let put = BucketPut { bucket, object, precondition, merge_appends: true, object_ttl_ms: None };
        block_on(shelf.engine.documents.bucket_put(by, put))
    };
    for key in keys {
        let written = put(&both, key, None).unwrap();
        let tag = || Some(Precondition::of_tags(&format!("\"sha256:{}\"", written.sha256)));
        for tag in [tag(), Some(stale())] {
            let error = put(&blind, key, tag.clone()).unwrap_err();
            assert!(error.message.contains("grant of read"), "{key}: {}", error.message);
            let gone = block_on(shelf.engine.documents.bucket_delete(&blind, &bucket, key, tag));
            assert_eq!(gone.unwrap_err().kind, ErrorKind::Denied, "{key}");
        }
        put(&blind, key, Some(Precondition::of_tags("*"))).unwrap();
        put(&both, key, tag()).unwrap();
    }
}

#[test]
fn a_writer_writes_and_knows_what_it_sent() {
    let shelf = shelf_with("7391");
    let writer = shelf.writer(&[Capability::Write]);
    let put = |path: &str, body: &str| {
        shelf.put_as(&writer, Some(path), text(body), Some(Precondition::Any)).unwrap()
    };
    let made = put("knowledge/facts/new.md", "- one\n");
    assert_eq!(made.operation, Some(DocumentOperation::Created));
    assert!(made.etag().is_some() && made.content_sha256.is_some() && made.warnings.is_empty(), "{made:?}");
    let again = put("knowledge/facts/new.md", "- two\n");
    assert_eq!((again.version, again.bytes, again.etag()), (2, 6, None));
    assert!(again.warnings.iter().any(|warning| warning.starts_with("UNREADABLE:")), "{again:?}");
    let below =
        shelf.put_as(&writer, Some("knowledge/facts"), text("x"), Some(Precondition::Any)).unwrap_err();
    assert!(below.message.contains("is a directory: choose"), "{}", below.message);
    // Only readers may learn if that text is still stored.
    let tag = format!("sha256:{}", again.content_sha256.unwrap());
    for (tag, expect) in [(tag.as_str(), Some(ErrorKind::Denied)), ("*", None)] {
        let matches = Some(Precondition::of_tags(tag));
        let done = shelf.put_as(&writer, Some("knowledge/facts/new.md"), text("- three\n"), matches);
        assert_eq!(done.err().map(|error| error.kind), expect, "{tag}");
    }
    for body in ["- three\n- three\n", "- three\n- three\n- three\n"] {
        let (tree, to) = (shelf.tree.clone(), AppendTo::Path("knowledge/facts/new.md".to_owned()));
        let (lines, precondition) = (vec!["- three".to_owned()], None);
        let asked = DocumentAppend { tree, to, lines, if_absent_create: false, precondition, reason: None };
        let written = block_on(shelf.engine.documents.document_append(&writer, asked, None)).unwrap();
        assert_eq!((written.added, written.bytes, written.content_sha256), (Some(1), 0, None));
        assert_eq!(shelf.body("knowledge/facts/new.md"), body);
    }
}

#[test]
fn a_repeated_token_of_a_reader_answers_nobody_else() {
    let shelf = shelf_with("7391");
    let all = |capabilities: &[Capability]| {
        let mut caller = shelf.writer(capabilities);
        caller.grants[0].namespace = None;
        caller
    };
    let add = |by: &Principal| {
        let (tree, to) = (shelf.tree.clone(), AppendTo::Path(PIN.to_owned()));
        let (lines, precondition) = (vec![GUESS.to_owned()], None);
        let asked = DocumentAppend { tree, to, lines, if_absent_create: false, precondition, reason: None };
        let token = ClientToken::new("t1", &json!({})).unwrap();
        block_on(shelf.engine.documents.document_append(by, asked, Some(token))).unwrap()
    };
    let both = all(&[Capability::Read, Capability::Write]);
    assert_eq!((add(&both).added, add(&both).added), (Some(0), Some(0)));
    let blind = all(&[Capability::Write]);
    let (first, again) = (add(&blind), add(&blind));
    assert_eq!((first.added, &first.content_sha256), (Some(1), &None));
    assert_eq!(first, again);
}

#[test]
fn a_reader_is_told_that_it_may_not_write() {
    let shelf = shelf_with("7391");
    let reader = shelf.writer(&[Capability::Read]);
    let (tree, to) = (shelf.tree.clone(), Point::Label("before".to_owned()));
    let asked = TreeRestore { tree, to, paths: Vec::new(), dry_run: true, reason: None };
    let error = block_on(shelf.engine.documents.tree_restore(&reader, asked, None)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert!(!error.message.contains("grant of read"), "{}", error.message);
}
