//! The memory of one run, in this process, and the calls that a platform for coding agents makes.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use loci_products::Loci;
use serde_json::{Value, json};

use super::report::Figures;
use crate::embedded_engine;
use crate::wire::{Wire, text_at};

const REPO: &str = "study/shop";
const USER: &str = "dana";
/// Reviewers, alternating: maintainers of the repository.
const REVIEWERS: &[(u64, &str)] = &[(11, "alice"), (12, "bob"), (13, "carol")];
const BUDGET_TOKENS: u32 = 2_000;

/// The block that a task got, and its tokens.
#[derive(Debug, Default)]
pub(super) struct ShownBlock {
    pub(super) block: String,
    pub(super) tokens: u32,
}

/// The memory of a run.
pub(super) struct StudyMemory {
    engine: Loci,
    wire: Wire,
    arm: &'static str,
    memory: String,
}

impl StudyMemory {
    pub(super) async fn open(folder: &Path, arm: &'static str) -> Result<Self> {
        let (engine, wire) = embedded_engine::open(folder)?;
        wire.ask("POST", "/v1/repos", Some(&json!({ "name": REPO }))).await?;
        let memories = wire.ask("GET", "/v1/memories", None).await?;
        let memory = text_at(&memories, "/memories/0/id")?;
        Ok(Self { engine, wire, arm, memory })
    }

    /// Runs due jobs until it is stopped.
    pub(super) fn jobs(
        &self,
        stopped: tokio::sync::oneshot::Receiver<()>,
    ) -> impl Future<Output = ()> + use<> {
        let engine = self.engine.clone();
        async move {
            let stop = Box::pin(async {
                stopped.await.ok();
            });
            engine.run_jobs(stop).await;
        }
    }

    pub(super) async fn begin(&self, number: u32, description: &str, path: &str) -> Result<ShownBlock> {
        let task = json!({
            "task_id": id(number), "repo": REPO, "user": USER, "user_id": "7", "description": description,
            "memory_arm": self.arm, "branch": format!("agent/{}", id(number)),
        });
        self.wire.ask("POST", "/v1/tasks", Some(&task)).await?;
        let ask = json!({ "paths": [path], "budget_tokens": BUDGET_TOKENS, "timeout_ms": 30_000 });
        let found = self.wire.ask("POST", &format!("/v1/tasks/{}/hydrate", id(number)), Some(&ask)).await?;
        ensure!(found.pointer("/degraded") == Some(&json!(false)), "degraded: {found}");
        if self.arm == "off" {
            return Ok(ShownBlock::default());
        }
        let tokens =
            found.pointer("/budget/used").and_then(Value::as_u64).context("no tokens in the answer")?;
        Ok(ShownBlock { block: text_at(&found, "/rendered")?, tokens: u32::try_from(tokens)? })
    }

    /// Sends the review of a task's pull request.
    pub(super) async fn review(&self, number: u32, path: &str, comments: &[String]) -> Result<()> {
        let place = usize::try_from(number)? % REVIEWERS.len();
        let (account, login) = REVIEWERS.get(place).context("a reviewer")?;
        let comments: Vec<Value> = comments
            .iter()
            .enumerate()
            .map(|(at, body)| json!({ "id": u64::from(number) * 100 + at as u64, "path": path, "line": 4, "body": body }))
            .collect();
        let review = json!({
            "forge": "github", "pr": number + 1, "review_id": u64::from(number) + 1,
            "state": "changes_requested", "author": { "id": account, "login": login, "role": "maintain" },
            "pr_author": { "id": 99, "login": "shop-agent" }, "branch": format!("agent/{}", id(number)),
            "submitted_at": Timestamp::now().to_string(), "comments": comments,
        });
        self.wire.ask("POST", &format!("/v1/repos/{REPO}/reviews"), Some(&review)).await?;
        Ok(())
    }

    /// Ends a task, with the learnings of its agent.
    pub(super) async fn end(&self, number: u32, path: &str, learnings: &str) -> Result<()> {
        let report = json!({
            "status": "completed", "summary": "done", "files_changed": [path],
            "pr": { "number": number + 1 }, "learnings_text": learnings,
        });
        self.wire.ask("POST", &format!("/v1/tasks/{}/complete", id(number)), Some(&report)).await?;
        self.settle().await
    }

    /// Waits until everything that was written is extracted and can be found.
    pub(super) async fn settle(&self) -> Result<()> {
        self.wire.settle(&self.memory).await
    }

    /// Adds the counts of rules and preferences at the end.
    pub(super) async fn count(&self, figures: &mut Figures) -> Result<()> {
        let rules = self.wire.ask("GET", &format!("/v1/repos/{REPO}/rules?state=active"), None).await?;
        figures.rules_in_force = list(&rules, "/rules")?;
        let preferences = self.wire.ask("GET", &format!("/v1/users/{USER}/preferences"), None).await?;
        figures.preferences = list(&preferences, "/preferences")?;
        Ok(())
    }
}

fn list(value: &Value, pointer: &str) -> Result<f64> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    Ok(list.with_context(|| format!("no list at {pointer} in {value}"))?.len() as f64)
}

fn id(number: u32) -> String {
    format!("t-{number:04}")
}
