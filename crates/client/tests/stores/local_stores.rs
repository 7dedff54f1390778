//! The stores of a memory of a server in this process, and of files.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures::FutureExt;
use loci_client::Client;
use loci_client::agent::stores::{
    FileStore, FileStoreOptions, ReadNamespace, RemoteStore, RemoteStoreOptions,
};
use loci_client::agent::{MemoryStore, NewEntry, SearchQuery};
use loci_client::api::documents::file::DocumentAdd;
use loci_client_testkit::TestLoci;
use loci_client_testkit::conformance::{self, Subject};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn remote_store() {
    let make = async |writable: bool| {
        let loci = Arc::new(TestLoci::new().unwrap());
        let memory = loci.memory("notes", "/facts/{actorId}/").await.unwrap();
        let place = ReadNamespace::NamespacePath("/facts/{actorId}/".to_owned());
        let client = Client::in_process(loci.router());
        let store = RemoteStore::new(RemoteStoreOptions {
            actor: Some("alice".to_owned()),
            session: Some("s-1".to_owned()),
            writable,
            ..RemoteStoreOptions::new(client, "notes", place)
        });
        let settle = move || {
            let (loci, memory) = (Arc::clone(&loci), memory.clone());
            async move { loci.work(&memory).await.map_err(|error| error.to_string()) }.boxed()
        };
        Subject { store: Arc::new(store.unwrap()), settle: Box::new(settle) }
    };
    let passed = runtime().block_on(conformance::run(make)).unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(passed.len(), 13, "{passed:#?}");
}

#[test]
fn file_store() {
    let make = async |writable: bool| {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let store = FileStore::new(FileStoreOptions {
            directory: folder.path().to_owned(),
            writable,
            ..FileStoreOptions::new("notes")
        });
        let settle = move || {
            // The folder lives as long as the subject.
            let folder = Arc::clone(&folder);
            async move { if folder.path().exists() { Ok(()) } else { Err("the folder is gone".to_owned()) } }
                .boxed()
        };
        Subject { store: Arc::new(store.unwrap()), settle: Box::new(settle) }
    };
    let passed = runtime().block_on(conformance::run(make)).unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(passed.len(), 9, "{passed:#?}");
}

#[test]
fn notes_are_found_through_the_memory_that_mirrors_them() {
    let found = async |asked: &str, text: &str| {
        let loci = TestLoci::new().unwrap();
        let memory = loci.memory("notes", "/").await.unwrap();
        let client = Client::in_process(loci.router());
        let folder = tempfile::tempdir().unwrap();
        // The same call as a mirror makes for a file of this text.
        let document = DocumentAdd { body: text.to_owned(), ..DocumentAdd::default() };
        client.document_add(memory.as_ref(), &document).await.unwrap();
        loci.work(&memory).await.unwrap();
        let place = ReadNamespace::NamespacePath("/".to_owned());
        let mirrored = RemoteStore::new(RemoteStoreOptions::new(client, "notes", place)).unwrap();
        let options =
            FileStoreOptions { directory: folder.path().to_owned(), ..FileStoreOptions::new("notes") };
        let store = FileStore::new(options).unwrap().with_search(Arc::new(mirrored));
        store.initialize().await.unwrap();
        store.add(&NewEntry::text(text)).await.unwrap();
        let query = SearchQuery {
            text: asked.to_owned(),
            max_results: NonZeroU32::new(3).unwrap(),
            filter: Vec::new(),
            as_of_ms: None,
            budget_tokens: None,
            relevance_min: None,
        };
        let entries = store.search(&query).await.unwrap();
        assert!(entries.iter().all(|entry| !entry.metadata.contains_key("degraded")), "{entries:?}");
        entries.into_iter().map(|entry| entry.content).collect::<Vec<_>>()
    };
    let check = |asked: &str, text: &str, expect: &[&str]| {
        assert_eq!(runtime().block_on(found(asked, text)), expect, "{asked}");
    };
    // No line contains the word of the query; the server knows its stem.
    check("leaking", "# Boat\n- it leaks\n- it is called Gull", &["- it leaks", "- it is called Gull"]);
    check("leaking", "User saw that the boat leaks", &["User saw that the boat leaks"]);
}
