//! A Loci server in a test: the real engine over the embedded store, behind the real router, in
//! process and on a loopback port. It has no model, so a user's message becomes a record word for
//! word. Jobs run on request.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use loci_client::Client;
use loci_client::agent::Clock;
use loci_client::api::memory::{IndexedKey, MemoryCreate, MetadataKind, StrategyCreate, StrategyKind};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Result, Timestamp};
use loci_server::listener::{ListenOptions, bind};
use loci_server::{DoorOptions, Doors};
use loci_testkit_ports::{ManualClock, SeededIds};

use crate::conformance::KEY_OF_NOTHING;

/// A Loci server for tests.
pub struct TestLoci {
    world: TestEngine,
    doors: Doors,
}

impl TestLoci {
    /// Creates an empty server. Its clock starts at the system time: the HTTP library dates
    /// responses by the system clock, and clients that sign use these dates.
    ///
    /// # Errors
    /// If there is no place for its store.
    pub fn new() -> Result<Self> {
        let world = TestEngine::new()?;
        let clock = world.clock();
        let ahead_ms = machine_ms().saturating_sub(loci_model::ports::clock::Clock::now(&clock).millis());
        match u64::try_from(ahead_ms) {
            Ok(ahead_ms) => clock.advance_ms(ahead_ms),
            Err(_) => clock.put_back_ms(ahead_ms.saturating_neg()),
        }
        let ids = Arc::new(SeededIds::new(2));
        let doors = Doors::new(world.engine(), Arc::new(clock), ids, DoorOptions::default());
        Ok(Self { world, doors })
    }

    /// Returns the router of all APIs, for [`Client::in_process`].
    pub fn router(&self) -> Router {
        loci_server::router_in_process(&self.doors)
    }

    /// Listens on a free loopback port for as long as the runtime of the test lives, and returns
    /// the URL.
    ///
    /// # Errors
    /// If no port is available.
    pub async fn serve(&self) -> Result<String> {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let bound = bind(ListenOptions::new(address), self.doors.clone()).await?;
        let url = format!("http://{}", bound.address()?);
        tokio::spawn(bound.serve(loci_server::router(&self.doors), pending().boxed()));
        Ok(url)
    }

    /// Creates a memory whose single strategy keeps facts in a namespace, and returns its id.
    ///
    /// # Errors
    /// The errors of the server.
    pub async fn memory(&self, name: &str, namespace: &str) -> Result<MemoryId> {
        let strategy = StrategyCreate {
            kind: StrategyKind::Semantic,
            name: "Facts".to_owned(),
            description: None,
            namespace: Some(namespace.to_owned()),
            reflection_namespace: None,
            metadata: Vec::new(),
            record_expiry_days: None,
        };
        let new = MemoryCreate {
            name: name.to_owned(),
            description: None,
            event_expiry_days: None,
            strategies: vec![strategy],
            indexed_keys: vec![IndexedKey { key: KEY_OF_NOTHING.to_owned(), kind: MetadataKind::String }],
            namespace_keys: Vec::new(),
            tags: Default::default(),
            settings: None,
        };
        let made = Client::in_process(self.router()).memory_create(&new).await;
        let made = made.map_err(|error| Error::unavailable("the memory was not made").caused_by(error))?;
        MemoryId::parse(made.id)
    }

    /// Creates a key of an administrator and returns its id and its secret. From then on the port
    /// requires signatures.
    ///
    /// # Errors
    /// The errors of the engine.
    pub async fn key(&self) -> Result<(String, String)> {
        let caller = Principal::administrator("tester");
        let key = self.world.engine().key_create(&caller, Principal::administrator("agent")).await?;
        Ok((key.id.to_string(), key.secret.expose().to_owned()))
    }

    /// Runs the jobs of a memory until its events can be found as records.
    ///
    /// # Errors
    /// The errors of the engine, or the failure of a job.
    pub async fn work(&self, memory: &MemoryId) -> Result<()> {
        let outcome = self.world.engine().run_due(std::slice::from_ref(memory), 10_000).await?;
        if outcome.complete && outcome.failed == 0 {
            return Ok(());
        }
        Err(Error::bug(format!("jobs are left: {outcome:?}")))
    }

    /// Runs the jobs of a memory, given by the id that a client has.
    ///
    /// # Errors
    /// The errors of the engine, or the failure of a job.
    pub async fn work_of(&self, memory: &str) -> Result<()> {
        self.work(&MemoryId::parse(memory)?).await
    }

    /// Returns its clock in the client's form.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(ClientClock(self.world.clock()))
    }
}

struct ClientClock(ManualClock);

impl Clock for ClientClock {
    fn now_ms(&self) -> i64 {
        loci_model::ports::clock::Clock::now(&self.0).millis()
    }

    fn sleep(&self, for_ms: u64) -> BoxFuture<'static, ()> {
        loci_model::ports::clock::Clock::sleep(&self.0, for_ms)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "HTTP dates answers by the machine's clock, and so must the test"
)]
fn machine_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(Timestamp::clamped(0).millis())
}
