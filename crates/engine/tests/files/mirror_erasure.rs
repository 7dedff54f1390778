//! Files and documents after a person was forgotten: neither a file of a mirror nor an import
//! restores one of their documents, in any namespace, and files without a document are listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use loci_api::admin::ForgetReceipt;
use loci_documents::mirror::NewMirror;
use loci_documents::{DocumentDelete, DocumentPut, DocumentWritten, Precondition, PutContent, TreeAsk};
use loci_engine::admin::ForgetAsk;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::IfErased;
use loci_engine::memories::NewMemory;
use loci_engine_testkit::LocalPlaces;
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{FileBackend, FilePlaces, FoundMarkers};
use loci_model::trees::mirror::MirrorKind;
use loci_model::{ActorId, MemoryId, Namespace, Reason, Result, limits};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;
use super::mirrors::Mirrored;

const TEA: &str = "knowledge/facts/tea.md";
/// An earlier and the last version of a document.
pub(super) const VERSIONS: [&str; 2] = [
    "# Tea\n\nMara likes green tea, best of the first flush, and has it in the morning.\n",
    "# Tea\n\nMara likes black tea, and no milk, and has it in the afternoon at her desk.\n",
];

fn tree(shelf: &Shelf, namespace: &str) -> TreeAsk {
    TreeAsk { memory: shelf.memory(), namespace: Namespace::parse(namespace).unwrap() }
}

fn put(shelf: &Shelf, tree: &TreeAsk, path: &str, file: &str, how: IfErased) -> Result<DocumentWritten> {
    let put = DocumentPut {
        tree: tree.clone(),
        path: Some(path.to_owned()),
        content: PutContent::File(file.to_owned()),
        precondition: Some(Precondition::Any),
        reason: None,
    };
    block_on(shelf.engine.documents.document_put_if_erased(&shelf.caller, put, None, how))
}

/// Writes a person's documents into their tree.
pub(super) fn written_by_mara(shelf: &Shelf) {
    let hers = tree(shelf, "/users/mara");
    for text in VERSIONS {
        put(shelf, &hers, TEA, text, IfErased::Answer).unwrap();
    }
    put(shelf, &hers, "knowledge/facts/short.md", "# Tea\n", IfErased::Answer).unwrap();
    put(shelf, &hers, "knowledge/facts/empty.md", "", IfErased::Answer).unwrap();
}

pub(super) fn mara_forgotten(shelf: &Shelf) -> ForgetReceipt {
    let mara = ActorId::parse("mara").unwrap();
    block_on(shelf.engine.forget_actor(&shelf.caller, &shelf.memory(), &mara)).unwrap()
}

#[test]
fn no_file_brings_a_forgotten_document_back_in_another_namespace() {
    let mirrored = Mirrored::new(|_| {});
    let shelf = &mirrored.shelf;
    shelf.put("knowledge/facts/a.md", "A note of the team.\n");
    written_by_mara(shelf);
    mirrored.sync();
    mara_forgotten(shelf);
    let [old, new] = VERSIONS;
    let refused = [
        ("knowledge/b1.md", old.to_owned()),
        ("knowledge/b2.md", new.to_owned()),
        ("knowledge/b3.txt", format!("\u{feff}{}", new.replace('\n', "\r\n"))),
        ("knowledge/b4.md", format!("---\ntitle: Mine\n---\n\n{new}\n")),
        ("knowledge/facts/a.md", new.to_owned()),
    ];
    let taken = [
        ("knowledge/c1.md", "# Tea\n"),
        ("knowledge/c2.md", ""),
        (
            "knowledge/c3.md",
            "# Tea\n\nBen likes green tea, best of the first flush, and has it in the morning.\n",
        ),
    ];
    for (path, text) in &refused {
        mirrored.write(path, text);
    }
    for (path, text) in taken {
        mirrored.write(path, text);
    }
    let report = mirrored.sync();
    let found: BTreeSet<&str> = report.refused.iter().map(|one| one.path.as_str()).collect();
    let expect: BTreeSet<&str> = refused.iter().map(|(path, _)| *path).collect();
    assert_eq!(found, expect, "{report:?}");
    assert!(report.refused.iter().all(|one| one.what.contains("was deleted on")), "{report:?}");
    assert_eq!(report.created, taken.len() as u64, "{report:?}");
    assert_eq!(shelf.body("knowledge/facts/a.md"), "A note of the team.\n");
    // A deliberate manual write overrides this, and edits of its file are accepted.
    fs::remove_file(mirrored.root().join("knowledge/b2.md")).unwrap();
    put(shelf, &shelf.tree, "knowledge/b2.md", new, IfErased::Answer).unwrap();
    assert_eq!(mirrored.sync().written, 1);
    mirrored.write("knowledge/b2.md", &format!("---\ntitle: Mine\n---\n\n{new}"));
    let report = mirrored.sync();
    assert_eq!((report.taken, report.refused.len()), (1, 0), "{report:?}");
    assert_eq!(shelf.body("knowledge/b2.md"), new);
    // The manually written text is no longer rejected, so that its file can be reverted to it.
    for text in ["Something else.\n", new] {
        mirrored.write("knowledge/b2.md", text);
        let report = mirrored.sync();
        assert_eq!((report.taken, report.refused.len()), (1, 0), "{report:?}");
        assert_eq!(shelf.body("knowledge/b2.md"), text);
    }
    mirrored.write("knowledge/b5.md", old);
    assert_eq!(mirrored.sync().refused.len(), 1);
}

#[test]
fn a_text_that_others_have_too_stays_theirs() {
    let shelf = Shelf::new();
    written_by_mara(&shelf);
    put(&shelf, &tree(&shelf, "/templates"), TEA, VERSIONS[0], IfErased::Answer).unwrap();
    mara_forgotten(&shelf);
    let imported = tree(&shelf, "/imported/okf");
    put(&shelf, &imported, "knowledge/x.md", VERSIONS[0], IfErased::Refuse).unwrap();
    let refused = put(&shelf, &imported, "knowledge/y.md", VERSIONS[1], IfErased::Refuse).unwrap_err();
    assert_eq!(refused.reason, Some(Reason::SourceErased));
}

#[test]
fn a_forgotten_document_is_known_with_its_secrets_and_without() {
    let mirrored = Mirrored::new(|_| {});
    let shelf = &mirrored.shelf;
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    let said = format!("# Keys\n\nThe key of the shop is {key} until May, says Mara, and no longer.\n");
    let masked = said.replace(&key, "[REDACTED:aws_access_key]");
    put(shelf, &tree(shelf, "/users/mara"), "knowledge/keys.md", &said, IfErased::Answer).unwrap();
    mara_forgotten(shelf);
    for text in [&said, &masked] {
        let refused = put(shelf, &shelf.tree, "knowledge/imported.md", text, IfErased::Refuse).unwrap_err();
        assert_eq!(refused.reason, Some(Reason::SourceErased), "{text}");
    }
    shelf.put("knowledge/facts/a.md", "A note of the team.\n");
    mirrored.sync();
    mirrored.write("knowledge/b1.md", &said);
    mirrored.write("knowledge/b2.md", &masked);
    let report = mirrored.sync();
    assert_eq!((report.created, report.refused.len()), (0, 2), "{report:?}");
}

#[test]
fn no_import_brings_a_forgotten_document_back_in_another_namespace() {
    let shelf = Shelf::new();
    let other = NewMemory { name: "other".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let other = block_on(shelf.engine.memory_create(&shelf.caller, other, None)).unwrap().id;
    written_by_mara(&shelf);
    mara_forgotten(&shelf);
    let headed = format!("---\ntags: [tea]\n---\n\n{}", VERSIONS[1]);
    let why = |written: Result<DocumentWritten>| written.err().and_then(|error| error.reason);
    for namespace in ["/users/mara", "/imported/okf"] {
        for (path, text) in [("knowledge/x.md", VERSIONS[0]), ("knowledge/y.md", headed.as_str())] {
            let refused = put(&shelf, &tree(&shelf, namespace), path, text, IfErased::Refuse);
            assert_eq!(why(refused), Some(Reason::SourceErased), "{namespace} {path}");
        }
    }
    let imported = tree(&shelf, "/imported/okf");
    for (path, text) in [("knowledge/short.md", "# Tea\n"), ("knowledge/empty.md", "")] {
        put(&shelf, &imported, path, text, IfErased::Refuse).unwrap();
    }
    // A short text is recognized by its path.
    let refused = put(&shelf, &imported, "knowledge/facts/short.md", "# Tea\n", IfErased::Refuse);
    assert_eq!(why(refused), Some(Reason::SourceErased));
    put(&shelf, &imported, "knowledge/facts/short.md", "# Tea", IfErased::Answer).unwrap();
    put(&shelf, &tree(&shelf, "/x"), "knowledge/facts/short.md", "# Tea\n", IfErased::Refuse).unwrap();
    // Another memory has no such tombstone.
    put(&shelf, &TreeAsk { memory: other, ..imported.clone() }, TEA, VERSIONS[1], IfErased::Refuse).unwrap();
    // A deliberate restore is permanent for this version only.
    put(&shelf, &imported, TEA, &headed, IfErased::Restore).unwrap();
    put(&shelf, &imported, "knowledge/z.md", VERSIONS[1], IfErased::Refuse).unwrap();
    let refused = put(&shelf, &imported, "knowledge/x.md", VERSIONS[0], IfErased::Refuse);
    assert_eq!(why(refused), Some(Reason::SourceErased));
}

#[test]
fn a_document_that_was_only_deleted_may_come_in_another_namespace() {
    let shelf = Shelf::new();
    let (here, there) = (tree(&shelf, "/one"), tree(&shelf, "/two"));
    put(&shelf, &here, TEA, VERSIONS[0], IfErased::Answer).unwrap();
    let (path, precondition) = (TEA.to_owned(), Some(Precondition::Any));
    let delete = DocumentDelete { tree: here.clone(), path, precondition, reason: None };
    block_on(shelf.engine.documents.document_delete(&shelf.caller, delete, None)).unwrap();
    let refused = put(&shelf, &here, TEA, VERSIONS[0], IfErased::Refuse).unwrap_err();
    assert_eq!(refused.reason, Some(Reason::SourceErased));
    put(&shelf, &there, TEA, VERSIONS[0], IfErased::Refuse).unwrap();
}

/// Adds a mirror of a namespace, in a directory of the mirror's name.
fn add_mirror(mirrored: &Mirrored, name: &str, namespace: &str, kind: MirrorKind) {
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    let (namespace, path) = (Namespace::parse(namespace).unwrap(), name.to_owned());
    let new = NewMirror { namespace, path, ..mirrored.wanted(name, kind) };
    block_on(engine.documents.mirror_add(caller, new)).unwrap();
}

fn sync(mirrored: &Mirrored, name: &str) {
    let Shelf { engine, caller, world, .. } = &mirrored.shelf;
    world.clock().advance_ms(1_000);
    let report = block_on(engine.documents.mirror_sync(caller, &mirrored.shelf.memory(), name)).unwrap();
    assert_eq!(report.error, None);
}

fn mirrors(shelf: &Shelf) -> Vec<String> {
    let listed = block_on(shelf.engine.documents.mirrors_list(&shelf.caller, &shelf.memory())).unwrap();
    listed.into_iter().map(|one| one.mirror.name).collect()
}

/// Returns the lines of a receipt on files that were not examined.
fn not_examined(receipt: &ForgetReceipt) -> Vec<&str> {
    let lines = receipt.unreachable.iter().map(String::as_str);
    lines.filter(|line| line.contains("not examined")).collect()
}

#[test]
fn files_that_no_document_held_are_named() {
    let mirrored = Mirrored::new(|_| {});
    let shelf = &mirrored.shelf;
    for (name, kind) in
        [("desk", MirrorKind::Directory), ("old", MirrorKind::Directory), ("team-git", MirrorKind::Git)]
    {
        add_mirror(&mirrored, name, "/users/mara", kind);
    }
    // A removed mirror of another memory is not listed.
    let other = NewMemory { name: "other".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let other = block_on(shelf.engine.memory_create(&shelf.caller, other, None)).unwrap().id;
    let theirs = mirrored.wanted("theirs", MirrorKind::Directory);
    let theirs = NewMirror { memory: other.clone(), path: "theirs".to_owned(), ..theirs };
    block_on(shelf.engine.documents.mirror_add(&shelf.caller, theirs)).unwrap();
    block_on(shelf.engine.documents.mirror_sync(&shelf.caller, &other, "theirs")).unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let place = mirrored.folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    };
    write("theirs/knowledge/.hidden.md", b"x");
    block_on(shelf.engine.documents.mirror_remove(&shelf.caller, &other, "theirs")).unwrap();

    written_by_mara(shelf);
    shelf.put("knowledge/facts/a.md", "A note of the team.\n");
    for name in ["desk", "old", "team-git", "team"] {
        sync(&mirrored, name);
    }
    block_on(shelf.engine.documents.mirror_remove(&shelf.caller, &shelf.memory(), "old")).unwrap();
    let large = vec![b'x'; usize::try_from(limits::MIRRORED_FILE_BYTES_MAX).unwrap() + 1];
    let of_desk: [(&str, &[u8]); 6] = [
        ("knowledge/.hidden.md", b"x"),
        ("knowledge/facts/binary.md", b"\xff x"),
        ("knowledge/facts/large.md", &large),
        ("knowledge/facts/tea.md~", b"x"),
        ("loose.md", b"x"),
        (".obsidian/state.json", b"x"),
    ];
    for (path, bytes) in of_desk {
        write(&format!("desk/{path}"), bytes);
    }
    write("m/loose.md", b"x");
    sync(&mirrored, "desk");
    sync(&mirrored, "team");

    let remedy = "delete those that have the person's words";
    let expect = [
        format!(
            "mirror desk: files that are no documents were not examined (6: .obsidian, \
             knowledge/.hidden.md, knowledge/facts/binary.md, knowledge/facts/large.md, \
             knowledge/facts/tea.md~, loose.md): {remedy}"
        ),
        format!("mirror team: files that are no documents were not examined (1: loose.md): {remedy}"),
        "folders of removed mirrors, below mirror.roots, were not examined (1: old): delete them, or the \
         files in them that have the person's words"
            .to_owned(),
    ];
    let mara = ActorId::parse("mara").unwrap();
    let ask = ForgetAsk { memory: shelf.memory(), actor: mara, dry_run: true, confirm: None };
    let tried = block_on(shelf.engine.forget(&shelf.caller, &ask)).unwrap();
    assert_eq!(not_examined(&tried), expect);
    let receipt = mara_forgotten(shelf);
    assert_eq!(not_examined(&receipt), expect);
    assert_eq!(receipt.mirrors, ["team-git"], "{receipt:?}");
    assert_eq!(mirrors(shelf), ["desk", "team"], "one whose folder is not empty stays");
    assert!(!mirrored.folder.path().join("desk").join(TEA).exists());

    for (path, _) in of_desk {
        fs::remove_file(mirrored.folder.path().join("desk").join(path)).unwrap();
    }
    fs::remove_dir(mirrored.folder.path().join("desk/.obsidian")).unwrap();
    fs::remove_dir_all(mirrored.folder.path().join("old")).unwrap();
    // The emptied repository still exists, and contains nothing to examine.
    assert!(mirrored.folder.path().join("team-git").join("loci-mirror").exists());
    assert_eq!(not_examined(&mara_forgotten(shelf)), expect[1..2]);
    assert_eq!(mirrors(shelf), ["team"]);
}

/// A file that masking does not overwrite, because it may be the only copy, is removed with its
/// document.
#[test]
fn a_file_that_stayed_with_its_secret_goes_with_the_person() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let (token, put_away) = ("knowledge/facts/token.md", "knowledge/facts/put-away.md");
    let check = |namespace: &str, goes: bool| {
        let mirrored = Mirrored::new(|new| {
            (new.adopt, new.namespace) = (true, Namespace::parse(namespace).unwrap());
        });
        let shelf = &mirrored.shelf;
        let text = |path: &str| format!("the token of {path} is {secret}\n");
        for path in [token, put_away] {
            mirrored.write(path, &text(path));
        }
        written_by_mara(shelf);
        sync(&mirrored, "team");
        let delete = DocumentDelete {
            tree: tree(shelf, namespace),
            path: put_away.to_owned(),
            precondition: Some(Precondition::Any),
            reason: None,
        };
        block_on(shelf.engine.documents.document_delete(&shelf.caller, delete, None)).unwrap();
        sync(&mirrored, "team");
        for path in [token, put_away] {
            assert_eq!(mirrored.read(path), Some(text(path)), "{namespace}");
        }
        mara_forgotten(shelf);
        for path in [token, put_away] {
            assert_eq!(mirrored.read(path), Some(text(path)).filter(|_| !goes), "{namespace} {path}");
        }
    };
    check("/users/mara", true);
    check("/team", false);
}

/// File places that record which of them were opened and scanned.
struct Watched {
    inner: LocalPlaces,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn note(&self, what: &str) {
        self.seen.lock().unwrap().push(what.to_owned());
    }
}

impl FilePlaces for Watched {
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf> {
        self.inner.resolve(kind, path, is_configured)
    }

    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String> {
        self.inner.own_path(kind, path, memory)
    }

    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>> {
        self.note(path);
        self.inner.open(kind, path, is_configured)
    }

    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String> {
        self.inner.installation(fresh)
    }

    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>> {
        self.note("markers");
        self.inner.markers()
    }
}

#[test]
fn a_persons_own_request_looks_at_the_mirrors_of_their_trees_alone() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&seen);
    let places = move |folder: PathBuf| -> Arc<dyn FilePlaces> {
        Arc::new(Watched { inner: LocalPlaces::new(folder, &[PathBuf::from(".")]), seen: kept })
    };
    let mirrored = Mirrored::at(places, |_| {});
    let Shelf { engine, caller, world, .. } = &mirrored.shelf;
    let standing = CallContext::default();
    let memory = block_on(engine.verified.code_memory(caller, &standing)).unwrap();
    for (name, namespace) in [("own", "/users/mara"), ("other", "/shared")] {
        let namespace = Namespace::parse(namespace).unwrap();
        let tree = TreeAsk { memory: memory.clone(), namespace: namespace.clone() };
        put(&mirrored.shelf, &tree, TEA, VERSIONS[0], IfErased::Answer).unwrap();
        let wanted = mirrored.wanted(name, MirrorKind::Directory);
        let new = NewMirror { memory: memory.clone(), namespace, path: name.to_owned(), ..wanted };
        block_on(engine.documents.mirror_add(caller, new)).unwrap();
        world.clock().advance_ms(1_000);
        block_on(engine.documents.mirror_sync(caller, &memory, name)).unwrap();
        fs::write(mirrored.folder.path().join(name).join("loose.md"), "x").unwrap();
    }
    let looked = || -> BTreeSet<String> { seen.lock().unwrap().drain(..).collect() };
    looked();
    let gone = block_on(engine.coding.user_forget(caller, &standing, "mara")).unwrap();
    assert_eq!(gone.records, 1, "{gone:?}");
    let own = looked();
    assert!(own.iter().all(|place| place.ends_with("own")), "{own:?}");
    // It stays while it contains a file without a document.
    let listed = block_on(engine.documents.mirrors_list(caller, &memory)).unwrap();
    assert_eq!(listed.len(), 2);
    let mara = ActorId::parse("mara").unwrap();
    let receipt = block_on(engine.forget_actor(caller, &memory, &mara)).unwrap();
    assert_eq!(not_examined(&receipt).len(), 2, "{receipt:?}");
    assert!(looked().contains("markers"));
}

#[test]
fn a_file_that_stays_with_its_secrets_is_named() {
    let mirrored = Mirrored::new(|new| new.adopt = true);
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    mirrored.write("knowledge/facts/a.md", &format!("the token is {secret}\n"));
    mirrored.write("knowledge/facts/b.md", "plain\n");
    mirrored.sync();
    let receipt = mara_forgotten(&mirrored.shelf);
    let expect = "mirror team: files that are no documents were not examined (1: knowledge/facts/a.md): \
                  delete those that have the person's words";
    assert_eq!(not_examined(&receipt), [expect]);
}
