//! The messages of an agent are stored in the folder, found, and available to the next process.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use loci_client::agent::coordinator::ExtractionConfig;
use loci_client::agent::stores::{ReadNamespace, RemoteStoreOptions};
use loci_client::agent::{MemoryManager, MemoryStore, Message, NewEntry, RuntimeContext, SearchQuery};
use loci_client_embedded::{EmbeddedEngine, EmbeddedOptions, EmbeddedStore};
use serde_json::json;

async fn open(folder: &Path) -> Arc<EmbeddedEngine> {
    Arc::new(EmbeddedEngine::open(EmbeddedOptions::new(folder)).await.unwrap())
}

fn store(engine: &Arc<EmbeddedEngine>, actor: &str) -> EmbeddedStore {
    let place = ReadNamespace::NamespacePath("/facts/{actorId}/".into());
    let options = RemoteStoreOptions {
        actor: Some(actor.into()),
        session: Some("s-1".into()),
        writable: true,
        extraction: Some(ExtractionConfig::default()),
        ..RemoteStoreOptions::new(engine.client(), "notes", place)
    };
    EmbeddedStore::new(engine, options).unwrap()
}

fn asked(text: &str) -> SearchQuery {
    SearchQuery {
        text: text.into(),
        max_results: NonZeroU32::new(3).unwrap(),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_is_found_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    assert!(!engine.is_attached());
    let surroundings = RuntimeContext::system().with_executor(|work| drop(tokio::spawn(work)));
    let manager = MemoryManager::builder(surroundings).store(store(&engine, "alice")).build().await.unwrap();
    let said = Message::user("I moved to Lisbon in March, and I am allergic to peanuts.");
    manager.message_added(&said).unwrap();
    manager.message_added(&Message::assistant("Noted.")).unwrap();
    let (unsaved, waits) = manager.coordinator().flush_and_extract(60_000).await;
    assert!(unsaved.is_empty(), "{unsaved:?}");
    assert!(waits.iter().all(|(_, waited)| waited.as_ref().is_ok_and(|state| state.complete)), "{waits:?}");
    let history = [Message::user("What must I not eat? Am I allergic to peanuts?")];
    let shown = manager.inject(&history, &json!({})).await;
    assert_eq!(shown.appended_blocks, 1, "{:?}", shown.entries);
    drop(manager);
    engine.close().await.unwrap();
    engine.close().await.unwrap();

    let engine = open(folder.path()).await;
    let alice = store(&engine, "alice");
    alice.initialize().await.unwrap();
    let found = alice.search(&asked("allergic to peanuts")).await.unwrap();
    assert!(found.iter().any(|entry| entry.content.contains("peanuts")), "{found:?}");
    let bob = store(&engine, "bob");
    bob.initialize().await.unwrap();
    assert_eq!(bob.search(&asked("allergic to peanuts")).await.unwrap(), Vec::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_can_be_kept_again_and_what_is_there_is_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let alice = store(&engine, "alice");
    alice.initialize().await.unwrap();
    let entry = NewEntry::text("The user likes green tea.");
    let first = alice.add(&entry).await.unwrap().id.unwrap();
    assert_eq!(alice.add(&entry).await.unwrap().id.as_deref(), Some(first.as_str()), "once");
    let forget = alice.tools().into_iter().find(|tool| tool.name.ends_with("_forget")).unwrap();
    let forgotten = forget.call(json!({ "id": first })).await.unwrap().into_value();
    assert_eq!(forgotten, json!({ "forgotten": first }));
    assert_eq!(alice.search(&asked("green tea")).await.unwrap(), Vec::new());
    let second = alice.add(&entry).await.unwrap().id.unwrap();
    assert_ne!(first, second, "the answer of the first time is not the truth any more");
    assert_eq!(alice.search(&asked("green tea")).await.unwrap().len(), 1);
    let bob = store(&engine, "bob");
    bob.initialize().await.unwrap();
    let forget = bob.tools().into_iter().find(|tool| tool.name.ends_with("_forget")).unwrap();
    let refused = forget.call(json!({ "id": second })).await.unwrap_err();
    assert_eq!(refused.0, format!("there is no entry {second}"), "no tool reaches beyond its store");
}

#[test]
fn without_a_runtime_nothing_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let opened = futures::executor::block_on(EmbeddedEngine::open(EmbeddedOptions::new(folder.path())));
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("open it within one"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the folder stays as it was");
}
