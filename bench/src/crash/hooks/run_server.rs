//! One server of the run and its store. It is restarted on the same store, and reports the states
//! of deliveries. `check` judges them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use loci_model::Timestamp;
use loci_model::ports::store::StoreExt;
use serde_json::{Value, json};

use super::delivery_sender::{SECRET, Sender};
use super::forge::TOKEN;
use super::forge_state::Pull;
use super::rows::{self, Snapshot};
use super::shapes::REPO;
use crate::crash::store_location::StoreLocation;
use crate::server::Server;
use crate::wire::{Wire, text_at};

/// The time after the last part of a review until the server reads it, in milliseconds. It is
/// short, so that reads overlap with new deliveries.
const DEBOUNCE_MS: u64 = 80;
/// The maximum time to process deliveries, including an expired lease and a retry of the forge.
const DEALT_WITH: Duration = Duration::from_secs(180);
const LOOK: Duration = Duration::from_millis(40);

pub(super) struct RunServer<'a> {
    binary: &'a Path,
    pub(super) place: StoreLocation,
    configuration: PathBuf,
    server: Option<Server>,
}

impl<'a> RunServer<'a> {
    pub(super) fn new(binary: &'a Path, place: StoreLocation, api: &str) -> Result<Self> {
        let configuration = place.folder.with_extension("toml");
        let text = format!(
            "[[forge]]\nkind = \"github\"\nhost = \"github.com\"\napi = \"{api}\"\ntoken_env = \"FORGE_TOKEN\"\n\
             [coding.github]\nwebhook_secrets_env = [\"HOOK_SECRET\"]\ndebounce_ms = {DEBOUNCE_MS}\n"
        );
        std::fs::write(&configuration, text)?;
        Ok(Self { binary, place, configuration, server: None })
    }

    pub(super) fn start(&mut self) -> Result<()> {
        let file = self.configuration.to_str().context("a folder with a strange name")?;
        let mut settings = self.place.settings();
        settings.extend([("LOCI_CONFIG", file), ("FORGE_TOKEN", TOKEN), ("HOOK_SECRET", SECRET)]);
        self.server = Some(Server::start_with(self.binary, &self.place.folder, &settings)?);
        Ok(())
    }

    pub(super) fn kill(&mut self) -> Result<()> {
        self.server.take().context("the server does not run")?.kill()
    }

    pub(super) fn stop(&mut self) -> Result<()> {
        self.server.take().context("the server does not run")?.stop()
    }

    fn url(&self) -> &str {
        self.server.as_ref().map_or("", |server| server.url.as_str())
    }

    fn wire(&self) -> Wire {
        Wire::new(self.url())
    }

    pub(super) fn sender(&self) -> Sender {
        Sender::new(self.url())
    }

    pub(super) async fn register(&self) -> Result<()> {
        let repository = json!({ "name": format!("github.com/{REPO}") });
        self.wire().ask("POST", "/v1/repos", Some(&repository)).await.map(drop)
    }

    /// Creates the task from which a pull request comes.
    pub(super) async fn task(&self, pull: &Pull) -> Result<()> {
        let task =
            json!({"task_id": pull.task(), "repo": REPO, "description": "Add totals", "issue": pull.issue()});
        self.wire().ask("POST", "/v1/tasks", Some(&task)).await.map(drop)
    }

    /// Returns all listed deliveries, in one state or in any.
    pub(super) async fn deliveries(&self, state: Option<&str>) -> Result<Vec<Value>> {
        let wire = self.wire();
        let of_state = state.map(|state| format!("&state={state}")).unwrap_or_default();
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/hooks/deliveries?limit=100{of_state}{after}");
            let page = wire.ask("GET", &path, None).await?;
            let here = page.get("deliveries").and_then(Value::as_array).context("no deliveries")?;
            all.extend(here.iter().cloned());
            match page.get("next_cursor") {
                Some(Value::String(cursor)) => after = format!("&cursor={cursor}"),
                _ => return Ok(all),
            }
        }
    }

    /// Waits until every delivery is processed.
    pub(super) async fn settle(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            let waiting = self.deliveries(Some("received")).await?;
            if waiting.is_empty() {
                return self.no_job_failed().await;
            }
            ensure!(began.elapsed() < DEALT_WITH, "not dealt with: {}", json!(waiting));
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn no_job_failed(&self) -> Result<()> {
        let wire = self.wire();
        let memories = wire.ask("GET", "/v1/memories", None).await?;
        for memory in memories.get("memories").and_then(Value::as_array).into_iter().flatten() {
            let path = format!("/v1/memories/{}/jobs?state=failed", text_at(memory, "/id")?);
            let failed = wire.ask("GET", &path, None).await?;
            if failed.get("jobs").and_then(Value::as_array).is_none_or(|jobs| !jobs.is_empty()) {
                bail!("jobs failed: {failed}");
            }
        }
        Ok(())
    }

    /// Reads the data that deliveries left.
    pub(super) async fn snapshot(&self) -> Result<Snapshot> {
        let store = self.place.open()?;
        let snapshot = rows::snapshot(store.as_ref(), now()).await;
        store.close();
        snapshot
    }

    /// Frees the jobs of the killed server at once. Otherwise their leases would expire in a
    /// minute. No other server uses this database.
    pub(super) async fn free_leases(&self) -> Result<()> {
        let store = self.place.open()?;
        let freed = store.write(|tx| tx.jobs_mut().free_leases("nobody", now())).await;
        store.close();
        freed.map(drop).context("freeing leases")
    }
}

fn now() -> Timestamp {
    Timestamp::clamped(jiff::Timestamp::now().as_millisecond())
}
