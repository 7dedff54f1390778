//! Runs the conformance suite of agents' stores on the embedded store.

use std::sync::Arc;

use futures::FutureExt;
use loci_client::agent::MemoryStore;
use loci_client::agent::stores::{ReadNamespace, RemoteStoreOptions};
use loci_client_embedded::{EmbeddedEngine, EmbeddedOptions, EmbeddedStore};
use loci_client_testkit::conformance::{self, Subject};

#[tokio::test(flavor = "multi_thread")]
async fn embedded_store() {
    let make = async |writable: bool| {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let engine = EmbeddedEngine::open(EmbeddedOptions::new(folder.path())).await.unwrap();
        let engine = Arc::new(engine);
        // Conditions need a declared metadata key. The memory is created here, because a store
        // creates its memory without one.
        let declared = serde_json::json!({
            "name": "notes",
            "indexed_keys": [{"key": conformance::KEY_OF_NOTHING, "kind": "string"}],
            "strategies": [{"kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/"}],
        });
        engine.client().memory_create(&serde_json::from_value(declared).unwrap()).await.unwrap();
        let place = ReadNamespace::NamespacePath("/facts/{actorId}/".to_owned());
        let options = RemoteStoreOptions {
            actor: Some("alice".to_owned()),
            session: Some("s-1".to_owned()),
            writable,
            ..RemoteStoreOptions::new(engine.client(), "notes", place)
        };
        let store = Arc::new(EmbeddedStore::new(&engine, options).unwrap());
        let waits = Arc::clone(&store);
        let settle = move || {
            // The folder lives as long as the subject.
            let (store, _folder) = (Arc::clone(&waits), Arc::clone(&folder));
            async move {
                let waited = store.wait_extracted(60_000).await.map_err(|error| error.to_string())?;
                if waited.complete { Ok(()) } else { Err(format!("{} jobs are left", waited.pending)) }
            }
            .boxed()
        };
        Subject { store, settle: Box::new(settle) }
    };
    let passed = conformance::run(make).await.unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(passed.len(), 13, "{passed:#?}");
}
