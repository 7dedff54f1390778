//! Documents: writes, reads, edits, moves and archiving, with permissions and preconditions.

use loci_documents::{
    AppendTo, DocumentDelete, DocumentPut, DocumentWritten, Edit, Precondition, PutContent,
};
use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_engine::records::NewRecord;
use loci_model::principal::Capability;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{ActorId, ErrorKind, Namespace, Reason, Result};
use loci_testkit_ports::block_on;

use super::fixture::{Shelf, text, titled};

const THEME: &str = "knowledge/facts/theme.md";

fn why(result: Result<DocumentWritten>) -> (ErrorKind, Option<Reason>) {
    let error = result.unwrap_err();
    (error.kind, error.reason)
}

#[test]
fn a_document_is_as_it_was_written() {
    let shelf = Shelf::new();
    let file = "---\ndescription: \"Dark everywhere\"\nowner: me\n---\n\n# Theme\n\nDark.\r\n";
    let put = PutContent::File(file.to_owned());
    let written = shelf.put_as(&shelf.caller, Some(THEME), put, Some(Precondition::Absent)).unwrap();
    assert_eq!((written.version, written.operation), (1, Some(DocumentOperation::Created)));
    let shown = shelf.get(THEME).unwrap();
    assert_eq!((shown.file.as_str(), shown.content.body.as_str()), (file, "# Theme\n\nDark.\r\n"));
    assert_eq!(shown.summary, "Dark everywhere");
    assert_eq!(Some(shown.etag()), written.etag());
    let raw = PutContent::Raw("# Raw\n- one".to_owned());
    shelf.put_as(&shelf.caller, Some("knowledge/facts/raw.md"), raw, Some(Precondition::Absent)).unwrap();
    assert_eq!(shelf.get("knowledge/facts/raw.md").unwrap().file, "# Raw\n- one");
}

#[test]
fn a_write_that_is_sent_again_is_refused_once_it_was_forgotten() {
    let mut shelf = Shelf::new();
    shelf.tree.namespace = Namespace::parse("/users/mara").unwrap();
    let put = |if_erased: IfErased| {
        let token = ClientToken::new("once", &serde_json::Value::Null).unwrap().with_if_erased(if_erased);
        let (tree, path) = (shelf.tree.clone(), Some(THEME.to_owned()));
        let (content, precondition) = (text("Dark."), Some(Precondition::Any));
        let put = DocumentPut { tree, path, content, precondition, reason: None };
        block_on(shelf.engine.documents.document_put(&shelf.caller, put, Some(token)))
    };
    put(IfErased::Answer).unwrap();
    let actor = ActorId::parse("mara").unwrap();
    block_on(shelf.engine.forget_actor(&shelf.caller, &shelf.memory(), &actor)).unwrap();
    assert_eq!(why(put(IfErased::Answer)), (ErrorKind::Conflict, Some(Reason::SourceErased)));
    assert!(shelf.get(THEME).is_err());
    put(IfErased::Restore).unwrap();
    assert_eq!(shelf.body(THEME), "Dark.");
}

#[test]
fn a_change_says_of_which_version_it_is() {
    let shelf = Shelf::new();
    let put = |body: &str, precondition| shelf.put_as(&shelf.caller, Some(THEME), text(body), precondition);
    let stale = (ErrorKind::Conflict, Some(Reason::StaleVersion));
    assert_eq!(why(put("one", None)), (ErrorKind::Conflict, Some(Reason::PreconditionRequired)));
    let of = |tag: String| Some(Precondition::of_tags(&tag));
    assert_eq!(why(put("one", of("*".to_owned()))), stale);
    let first = put("one", Some(Precondition::Absent)).unwrap();
    assert_eq!(why(put("two", Some(Precondition::Absent))), stale);
    let second = put("two", of(first.etag().unwrap())).unwrap();
    assert_eq!(second.version, 2);
    let error = put("three", of(first.etag().unwrap())).unwrap_err();
    assert_eq!(error.details, [format!("etag {}", second.etag().unwrap()), "version 2".to_owned()]);
    let again = put("two", of(second.etag().unwrap())).unwrap();
    assert_eq!((again.version, again.operation, again.etag()), (2, None, second.etag()));
    assert_eq!(shelf.history(&second.record).len(), 2);
    assert_eq!(put("four", of(format!("sha256:{}", second.content_sha256.unwrap()))).unwrap().version, 3);
}

#[test]
fn a_move_keeps_the_record_and_the_old_path_leads_there() {
    let shelf = Shelf::new();
    let (from, to) = (THEME, "knowledge/preferences/theme.md");
    let first = shelf.put(from, "Dark.");
    let moved = shelf.move_to(from, to).unwrap();
    assert_eq!((&moved.record, moved.version, moved.path.as_deref()), (&first.record, 2, Some(to)));
    let shown = shelf.get(from).unwrap();
    assert_eq!((shown.path.as_str(), shown.redirected_from.as_deref()), (to, Some(from)));
    assert_eq!(shelf.paths(None, None), [to]);
    // Its entity tag holds at the new path, which the error names.
    let put = |path: &str| {
        let tag = Some(Precondition::of_tags(&shown.etag()));
        shelf.put_as(&shelf.caller, Some(path), text("Dark."), tag)
    };
    let error = put(from).unwrap_err();
    assert_eq!(error.reason, Some(Reason::StaleVersion));
    assert!(error.message.contains(&format!("was moved to {to}")), "{}", error.message);
    let present = [format!("etag {}", shown.etag()), "version 2".to_owned()];
    assert_eq!(error.details, present);
    let delete = DocumentDelete {
        tree: shelf.tree.clone(),
        path: from.to_owned(),
        precondition: Some(Precondition::of_tags("sha256:stale")),
        reason: None,
    };
    let error = block_on(shelf.engine.documents.document_delete(&shelf.caller, delete, None)).unwrap_err();
    assert!(error.message.contains(&format!("was moved to {to}")), "{}", error.message);
    assert_eq!((error.reason, error.details.as_slice()), (Some(Reason::StaleVersion), &present[..]));
    assert_eq!(put(to).unwrap().operation, None);
    shelf.put(from, "Another.");
    assert_eq!((shelf.body(from), shelf.body(to)), ("Another.".to_owned(), "Dark.".to_owned()));
    let taken = (ErrorKind::Conflict, Some(Reason::PathConflict));
    assert_eq!(why(shelf.move_to(from, to)), taken);
    assert_eq!(why(shelf.move_to("knowledge/none.md", to)).0, ErrorKind::NotFound);
}

#[test]
fn what_is_put_away_is_not_gone() {
    let shelf = Shelf::new();
    let first = shelf.put(THEME, "Dark.");
    let gone = shelf.delete(THEME).unwrap();
    assert_eq!((gone.path, gone.version, gone.operation), (None, 2, Some(DocumentOperation::Archived)));
    assert_eq!(shelf.get(THEME).unwrap_err().kind, ErrorKind::NotFound);
    assert!(shelf.paths(None, None).is_empty());
    assert_eq!(
        shelf.history(&first.record).iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        ["Dark."; 2]
    );
    let second = shelf.put(THEME, "Light.");
    assert_ne!(second.record, first.record);
}

#[test]
fn edits_apply_to_what_is_there() {
    let shelf = Shelf::new();
    shelf.put(THEME, "# Theme\nDark.\n");
    let replace = |old: &str, new: &str| Edit::Replace { old: old.to_owned(), new: new.to_owned() };
    shelf.edit(THEME, replace("Dark", "Light")).unwrap();
    assert_eq!(shelf.body(THEME), "# Theme\nLight.\n");
    assert_eq!(why(shelf.edit(THEME, replace("Dark", "x"))).0, ErrorKind::Invalid);
    assert_eq!(why(shelf.edit("knowledge/none.md", replace("a", "b"))).0, ErrorKind::NotFound);
}

#[test]
fn a_document_is_no_directory() {
    let shelf = Shelf::new();
    shelf.put("knowledge/own", "x");
    let taken = (ErrorKind::Conflict, Some(Reason::PathConflict));
    let below = "knowledge/own/deep/a.md";
    assert_eq!(why(shelf.put_as(&shelf.caller, Some(below), text("x"), Some(Precondition::Any))), taken);
    shelf.put(THEME, "x");
    assert_eq!(why(shelf.move_to(THEME, below)), taken);
    shelf.move_to("knowledge/own", below).unwrap();
}

#[test]
fn a_directory_is_no_document() {
    let shelf = Shelf::new();
    shelf.put("knowledge/own/deep/a.md", "x");
    shelf.put("knowledge/own.md", "beside it");
    let taken = (ErrorKind::Conflict, Some(Reason::PathConflict));
    for path in ["knowledge/own", "knowledge/Own/deep"] {
        let put = shelf.put_as(&shelf.caller, Some(path), text("x"), Some(Precondition::Any));
        assert_eq!(why(put), taken, "{path}");
        assert_eq!(why(shelf.move_to("knowledge/own.md", path)), taken, "{path}");
    }
    // The only document of a directory may take the directory's name, because an empty directory
    // does not exist.
    shelf.move_to("knowledge/own/deep/a.md", "knowledge/own").unwrap();
    shelf.delete("knowledge/own").unwrap();
    shelf.put("knowledge/own/b.md", "x");
}

#[test]
fn a_document_that_has_the_place_of_a_directory_keeps_no_record_out() {
    let shelf = Shelf::new();
    let lie = |expect: [usize; 2]| {
        let paths = shelf.paths(None, None);
        let below = |directory: &str| {
            paths.iter().filter(|path| path.starts_with(directory) && path.ends_with(".md")).count()
        };
        assert_eq!(["knowledge/facts/", "knowledge/facts-3/"].map(below), expect, "{paths:?}");
    };
    shelf.put("knowledge/facts", "mine\n");
    shelf.put("knowledge/facts-2", "mine, too\n");
    let path = Some("knowledge/facts/wasps.md".to_owned());
    let given = NewRecord { path, ..shelf.fact("Wasps are not kept.") };
    shelf.records("/team", vec![shelf.fact("Bees are kept on the roof."), given]);
    shelf.add(text("# Hives\n\n- three\n"));
    lie([0, 3]);
    assert_eq!(shelf.body("knowledge/facts"), "mine\n");
    // That path is a directory now; after the document moves away, its name is free again.
    let onto = shelf.put_as(&shelf.caller, Some("knowledge/facts-3"), text("x"), Some(Precondition::Any));
    assert_eq!(why(onto), (ErrorKind::Conflict, Some(Reason::PathConflict)));
    shelf.delete("knowledge/facts").unwrap();
    shelf.records("/team", vec![shelf.fact("Ants come in May.")]);
    lie([1, 3]);
}

#[test]
fn parts_of_a_tree_are_protected() {
    let shelf = Shelf::new();
    let writer = shelf.writer(&[Capability::Read, Capability::Write]);
    let put = |caller, path: &str| {
        shelf.put_as(caller, Some(path), text("x"), Some(Precondition::Any)).map_err(|error| error.kind)
    };
    let system = "knowledge/system/house.md";
    assert_eq!(put(&writer, system), Err(ErrorKind::Denied));
    assert!(put(&shelf.caller, system).is_ok());
    assert!(put(&writer, THEME).is_ok());
    for path in ["sessions/current.md", "consolidation/changelog.md"] {
        assert_eq!(put(&shelf.caller, path), Err(ErrorKind::Denied), "{path}");
    }
    assert_eq!(put(&shelf.caller, "elsewhere.md"), Err(ErrorKind::Invalid));
    let reader = shelf.writer(&[Capability::Read]);
    assert_eq!(put(&reader, THEME), Err(ErrorKind::Denied));
}

#[test]
fn what_is_missing_is_told_with_what_is_near() {
    let shelf = Shelf::new();
    shelf.put("knowledge/facts/dark-mode.md", "Dark.");
    shelf.put("knowledge/facts/unlike.md", "x");
    let error = shelf.get("knowledge/fact/dark-modes.md").unwrap_err();
    assert_eq!(
        (error.kind, error.details.as_slice()),
        (ErrorKind::NotFound, &["knowledge/facts/dark-mode.md".to_owned()][..])
    );
    assert!(
        error.message.starts_with("No memory file at knowledge/fact/dark-modes.md;"),
        "{}",
        error.message
    );
}

#[test]
fn lines_come_to_the_document_of_their_topic() {
    let shelf = Shelf::new();
    let first = shelf.append(AppendTo::Title("Editor theme".to_owned()), &["- dark"]).unwrap();
    assert_eq!((first.path.as_deref(), first.added), (Some("knowledge/facts/editor-theme.md"), Some(1)));
    let second = shelf.append(AppendTo::Title("editor  THEME.".to_owned()), &["- dark", "- large"]).unwrap();
    assert_eq!((&second.record, second.added, second.version), (&first.record, Some(1), 2));
    let third =
        shelf.append(AppendTo::Path("knowledge/facts/editor-theme.md".to_owned()), &["- dark"]).unwrap();
    assert_eq!((third.added, third.operation), (Some(0), None));
    let put = shelf.add(titled("Editor theme", "- wide"));
    assert_eq!((&put.record, put.added), (&first.record, Some(1)));
    assert_eq!(shelf.body("knowledge/facts/editor-theme.md"), "- dark\n- large\n- wide\n");
}
