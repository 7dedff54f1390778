//! Views of a directory: their contents, and that they do not nest one prefix.

use std::sync::Arc;

use futures::executor::block_on;

use super::*;

#[test]
fn a_view_shows_what_is_below_its_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let whole: Arc<dyn FileBackend> = Arc::new(DirectoryBackend::open(folder.path()).unwrap());
    for path in ["team/a.md", "team/deep/b.md", "teammate/c.md", "d.md"] {
        block_on(whole.write(path, path.as_bytes(), &FilePrecondition::Any)).unwrap();
    }
    let view = namespace(Arc::clone(&whole), "/team/").unwrap();
    let paths = |prefix: &str| -> Vec<String> {
        block_on(view.list(prefix)).unwrap().into_iter().map(|entry| entry.path).collect()
    };
    assert_eq!(paths(""), ["a.md", "deep/b.md"]);
    assert_eq!(paths("deep"), ["deep/b.md"]);
    let read = block_on(view.read("a.md")).unwrap().unwrap();
    assert_eq!(read.bytes, b"team/a.md");
    assert!(!block_on(view.exists("d.md")).unwrap());
    assert!(block_on(view.delete("deep/b.md", &FilePrecondition::Any)).unwrap());
    assert!(!block_on(whole.exists("team/deep/b.md")).unwrap());
    assert!(block_on(view.read("../d.md")).is_err(), "no path leaves the view");
    let error = block_on(view.snapshot("label")).unwrap_err();
    assert_eq!(error.kind, StorageErrorKind::Unsupported);
}

#[test]
fn a_view_is_not_prefixed_twice() {
    let folder = tempfile::tempdir().unwrap();
    let whole: Arc<dyn FileBackend> = Arc::new(DirectoryBackend::open(folder.path()).unwrap());
    let view = namespace(namespace(Arc::clone(&whole), "team").unwrap(), "team/").unwrap();
    block_on(view.write("a.md", b"x", &FilePrecondition::Any)).unwrap();
    assert!(block_on(whole.exists("team/a.md")).unwrap());
    let nested = namespace(view, "other").unwrap();
    block_on(nested.write("b.md", b"x", &FilePrecondition::Any)).unwrap();
    assert!(block_on(whole.exists("team/other/b.md")).unwrap());
    assert!(namespace(whole, "a/../b").is_err());
}

#[test]
fn parts_of_a_view_have_its_paths() {
    let folder = tempfile::tempdir().unwrap();
    let whole: Arc<dyn FileBackend> = Arc::new(DirectoryBackend::open(folder.path()).unwrap());
    for path in ["team/a.md", "team/b.md", "team/c/d.md", "teammate/e.md"] {
        block_on(whole.write(path, b"x", &FilePrecondition::Any)).unwrap();
    }
    std::fs::write(folder.path().join("team/b:"), "x").unwrap();
    let view = namespace(whole, "team").unwrap();
    let part = |after: Option<&str>| {
        let part = block_on(view.list_part("", after, 2)).unwrap();
        let files: Vec<_> = part.files.into_iter().map(|entry| entry.path).collect();
        (files.join(" "), part.skipped.into_iter().map(|file| file.path).collect::<Vec<_>>(), part.next)
    };
    assert_eq!(part(None), ("a.md b.md".to_owned(), Vec::new(), Some("b.md".to_owned())));
    assert_eq!(part(Some("b.md")), ("c/d.md".to_owned(), vec!["b:".to_owned()], None));
}
