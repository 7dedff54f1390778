//! A memory of a server in this process, and files.

use std::sync::Arc;

use futures::FutureExt;
use loci_client::Client;
use loci_client::agent::stores::{FileStore, FileStoreOptions, Place, RemoteStore, RemoteStoreOptions};
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
        let place = Place::NamespacePath("/facts/{actorId}/".to_owned());
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
            // The folder goes with the subject.
            let folder = Arc::clone(&folder);
            async move { if folder.path().exists() { Ok(()) } else { Err("the folder is gone".to_owned()) } }
                .boxed()
        };
        Subject { store: Arc::new(store.unwrap()), settle: Box::new(settle) }
    };
    let passed = runtime().block_on(conformance::run(make)).unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(passed.len(), 9, "{passed:#?}");
}
