//! `AgentCoreStore` against a real Loci server on a loopback port: the AWS SDK on one side, the
//! server's AgentCore API on the other, with verified signatures.

use std::sync::Arc;

use futures::FutureExt;
use loci_client::agent::coordinator::ExtractionConfig;
use loci_client::agent::stores::ReadNamespace;
use loci_client::agent::stores::agentcore::{
    AgentCoreConnection, AgentCoreCredentials, AgentCorePlace, AgentCoreStore, AgentCoreStoreOptions,
    AgentCoreStoresOptions, agentcore_stores,
};
use loci_client::agent::{ErrorClass, MemoryManager, MemoryStore, Message, RuntimeContext, SearchOptions};
use loci_client_testkit::TestLoci;
use loci_client_testkit::conformance::{self, Subject};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn connection(loci: &TestLoci) -> AgentCoreConnection {
    let (id, secret) = loci.key().await.unwrap();
    AgentCoreConnection {
        endpoint: Some(loci.serve().await.unwrap()),
        credentials: Some(AgentCoreCredentials::new(id, secret, None, None, "test")),
        ..AgentCoreConnection::new(Arc::new(|_| None), loci.clock())
    }
}

#[test]
fn agentcore_store() {
    let make = async |writable: bool| {
        let loci = Arc::new(TestLoci::new().unwrap());
        let memory = loci.memory("notes", "/facts/{actorId}/").await.unwrap();
        let place = ReadNamespace::NamespacePath("/facts/{actorId}/".to_owned());
        let connection = connection(&loci).await;
        let options = AgentCoreStoreOptions::new(connection, memory.to_string(), "alice", "s-1", place);
        let store = AgentCoreStore::new(AgentCoreStoreOptions { writable, ..options });
        let settle = move || {
            let (loci, memory) = (Arc::clone(&loci), memory.clone());
            async move { loci.work(&memory).await.map_err(|error| error.to_string()) }.boxed()
        };
        Subject { store: Arc::new(store.unwrap()), settle: Box::new(settle) }
    };
    let passed = runtime().block_on(conformance::run(make)).unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(passed.len(), 11, "{passed:#?}");
}

#[test]
fn what_is_wrong_is_told_at_the_start() {
    runtime().block_on(async {
        let loci = TestLoci::new().unwrap();
        let memory = loci.memory("notes", "/facts/{actorId}/").await.unwrap().to_string();
        let connection = connection(&loci).await;
        let check = async |memory: &str, secret: Option<&str>, expect: Option<&str>| {
            let mut connection = connection.clone();
            if let (Some(secret), Some(known)) = (secret, &connection.credentials) {
                let id = known.access_key_id().to_owned();
                connection.credentials = Some(AgentCoreCredentials::new(id, secret, None, None, "test"));
            }
            let place = ReadNamespace::Namespace("/facts/{actorId}/".to_owned());
            let options = AgentCoreStoreOptions::new(connection, memory, "alice", "s-1", place);
            let answer = AgentCoreStore::new(options).unwrap().initialize().await;
            match (answer, expect) {
                (Ok(()), None) => {}
                (Err(error), Some(code)) => {
                    assert!(error.message.contains(code), "{error}");
                    assert_eq!(error.class, ErrorClass::Transient, "no message is at fault");
                }
                (answer, expect) => panic!("{answer:?}, not {expect:?}"),
            }
        };
        check(&memory, None, None).await;
        check("notes-0123456789", None, Some("ResourceNotFoundException")).await;
        check(&memory, Some("another"), Some("AccessDeniedException")).await;
    });
}

#[test]
fn what_is_said_to_a_manager_is_found_in_the_place_of_its_strategy() {
    runtime().block_on(async {
        let loci = TestLoci::new().unwrap();
        let memory = loci.memory("notes", "/facts/{actorId}/").await.unwrap();
        let places = ["/facts/{actorId}/", "/preferences/{actorId}/"];
        let places = places.map(|place| AgentCorePlace::new(ReadNamespace::NamespacePath(place.to_owned())));
        let stores = agentcore_stores(AgentCoreStoresOptions {
            extraction: Some(ExtractionConfig::default()),
            ..AgentCoreStoresOptions::new(
                connection(&loci).await,
                memory.to_string(),
                "team/alice",
                "s-1",
                places.into(),
            )
        })
        .unwrap();
        let mut builder = MemoryManager::builder(RuntimeContext::system());
        for store in stores {
            builder = builder.store(store);
        }
        let manager = builder.build().await.unwrap();
        for message in [Message::user("I live in Seattle near the harbour"), Message::assistant("Noted.")] {
            manager.message_added(&message).unwrap();
        }
        manager.invocation_ended();
        assert!(manager.coordinator().flush().await.is_empty());
        loci.work(&memory).await.unwrap();
        let found = manager.search_detailed("Seattle harbour", &SearchOptions::default()).await.unwrap();
        assert!(found.failures.is_empty(), "{found:?}");
        // Both turns are found, the one that answers the query first.
        let said: Vec<_> = found.entries.iter().map(|entry| &*entry.content).collect();
        assert!(
            said[0].contains("Seattle") && said[1..].iter().all(|text| !text.contains("Seattle")),
            "{said:?}"
        );
        let place = ["/facts/team/alice/".to_owned()];
        assert!(
            found.entries.iter().all(|entry| entry.store_name == "facts" && entry.namespaces == place),
            "{found:?}"
        );
    });
}
