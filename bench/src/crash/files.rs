//! `crash --files`: rounds in which a directory is synchronised with its tree, or a consolidation
//! plan is applied. In each round, `kill -9` ends the server at a moment during that operation.
//! After a restart and syncs, every line that was acknowledged or written to a file is in the tree,
//! and the directory equals the tree. A plan has been applied completely or not at all, in
//! agreement with the changelog.
//!
//! This command does not cover repositories, which the server renders from the tree and the next
//! sync rebuilds, nor power failures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::wire::{Wire, text_at};

/// The number of initial documents.
const DOCUMENTS: u64 = 120;
/// Lines added by the API, and files edited, per round.
const LINES: u64 = 15;
/// Pairs of documents with the same text, per round.
const PAIRS: u64 = 12;
/// The maximum wait for a mirror whose process died: its lease and a margin.
const LEASE_MAX: Duration = Duration::from_secs(60);
/// The pause between checks of a mirror that is held.
const PAUSE: Duration = Duration::from_millis(500);

/// The settings of a run.
pub(super) struct Plan<'a> {
    pub(super) binary: &'a Path,
    pub(super) rounds: u32,
    pub(super) seed: u64,
}

struct Run<'a> {
    plan: &'a Plan<'a>,
    folder: PathBuf,
    random: Seeded,
    memory: String,
    /// Lines that must exist.
    told: BTreeSet<String>,
    /// The duration of a sync and of an apply without a kill, in microseconds.
    taken_us: BTreeMap<&'static str, u64>,
    within: u64,
    done: u64,
}

/// Runs the rounds.
pub(super) async fn run(plan: &Plan<'_>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let mut run = Run {
        plan,
        folder: temporary.path().join("data"),
        random: Seeded::new(plan.seed),
        memory: String::new(),
        told: BTreeSet::new(),
        taken_us: BTreeMap::new(),
        within: 0,
        done: 0,
    };
    let outcome = run.rounds().await;
    if outcome.is_err() {
        eprintln!("the store and the server's log: {}", temporary.keep().display());
    }
    outcome
}

impl Run<'_> {
    async fn rounds(&mut self) -> Result<()> {
        let (began, progress) = (Instant::now(), Progress::new(1));
        progress.step("rounds of syncs, applies and kills");
        let server = Server::start(self.plan.binary, &self.folder)?;
        self.fill(&Wire::new(&server.url)).await?;
        server.stop()?;
        for round in 0..self.plan.rounds {
            progress.within(round.into(), self.plan.rounds.into());
            let failed = || format!("round {round} of seed {}", self.plan.seed);
            let outcome =
                if round % 2 == 0 { self.sync_killed(round).await } else { self.apply_killed(round).await };
            outcome.with_context(failed)?;
        }
        println!(
            "{} rounds, {} kills within, {} behind what was asked for, {} lines, nothing lost, {:.0} s",
            self.plan.rounds,
            self.within,
            self.done,
            self.told.len(),
            began.elapsed().as_secs_f64()
        );
        Ok(())
    }

    fn at(&self, rest: &str) -> String {
        format!("/v1/memories/{}/{rest}", self.memory)
    }

    fn desk(&self, path: &str) -> PathBuf {
        self.folder.join("mirrors/desk").join(path)
    }

    async fn fill(&mut self, wire: &Wire) -> Result<()> {
        let made = wire.ask("POST", "/v1/memories", Some(&json!({"name": "notes"}))).await?;
        self.memory = text_at(&made, "/id")?;
        for number in 0..DOCUMENTS {
            let line = format!("- document {number} begins");
            self.append(wire, number, &line).await?;
        }
        let mirror = json!({"name": "desk", "path": "desk", "interval_ms": 86_400_000_u64});
        wire.ask("POST", &self.at("mirrors"), Some(&mirror)).await?;
        self.settled(wire).await?;
        Ok(())
    }

    async fn append(&mut self, wire: &Wire, number: u64, line: &str) -> Result<()> {
        let asked = json!({"path": path(number), "lines": [line]});
        wire.ask("POST", &self.at("tree/append"), Some(&asked)).await?;
        self.told.insert(line.to_owned());
        Ok(())
    }

    /// Syncs until no change is left, and waits for the lease of a killed process.
    async fn settled(&self, wire: &Wire) -> Result<()> {
        let began = Instant::now();
        loop {
            let (status, report) = wire.send("POST", &self.at("mirrors/desk/sync"), None).await?;
            match status {
                200 => {
                    let counts = ["written", "removed", "taken", "created", "moved", "put_away"];
                    let quiet = counts.iter().all(|name| report[*name] == 0);
                    ensure!(report["finding"] == "whole", "the directory was found so: {report}");
                    if quiet {
                        return Ok(());
                    }
                }
                409 => tokio::time::sleep(PAUSE).await,
                _ => bail!("a sync failed: {status} {report}"),
            }
            ensure!(began.elapsed() < LEASE_MAX, "the directory does not come to rest: {report}");
        }
    }

    /// Writes files while no server watches them, then kills the server during a sync.
    async fn sync_killed(&mut self, round: u32) -> Result<()> {
        let mut server = Server::start(self.plan.binary, &self.folder)?;
        let wire = Wire::new(&server.url);
        // A server syncs its mirrors when it starts.
        self.settled(&wire).await?;
        for number in 0..LINES {
            let document = self.random.below(DOCUMENTS);
            self.append(&wire, document, &format!("- {round}-{number} by the API")).await?;
            self.write_file(&format!("- {round}-{number} in a file"))?;
        }
        for number in 0..LINES / 3 {
            let line = format!("- {round}-{number} in a new file");
            std::fs::write(
                self.desk(&format!("knowledge/facts/new-{round}-{number}.md")),
                format!("{line}\n"),
            )?;
            self.told.insert(line);
        }
        self.killed_within(&mut server, "sync", "mirrors/desk/sync", Value::Null).await?;
        let server = Server::start(self.plan.binary, &self.folder)?;
        let wire = Wire::new(&server.url);
        self.settled(&wire).await?;
        self.nothing_lost(&wire).await?;
        server.stop()
    }

    /// Adds a line to a file in the mirror.
    fn write_file(&mut self, line: &str) -> Result<()> {
        let number = self.random.below(DOCUMENTS);
        let file = self.desk(&path(number));
        if let Ok(text) = std::fs::read_to_string(&file) {
            std::fs::write(&file, format!("{}\n{line}\n", text.trim_end()))?;
            self.told.insert(line.to_owned());
        }
        Ok(())
    }

    /// Sends a request and kills the server within the duration of that request.
    async fn killed_within(
        &mut self,
        server: &mut Server,
        what: &'static str,
        asked: &str,
        body: Value,
    ) -> Result<()> {
        let (url, asked) = (server.url.clone(), self.at(asked));
        let again = asked.clone();
        let began = Instant::now();
        let body = Some(body).filter(|body| !body.is_null());
        let asking = tokio::spawn(async move { Wire::new(&url).send("POST", &asked, body.as_ref()).await });
        let Some(taken_us) = self.taken_us.get(what).copied() else {
            // The first request measures the duration.
            let (mut status, mut answer) = asking.await??;
            while status == 409 && began.elapsed() < LEASE_MAX {
                tokio::time::sleep(PAUSE).await;
                (status, answer) = Wire::new(&server.url).send("POST", &again, None).await?;
            }
            ensure!(status == 200, "{what}: {status} {answer}");
            self.taken_us.insert(what, u64::try_from(began.elapsed().as_micros())?);
            return server.kill();
        };
        let wait_us = self.random.below(taken_us + taken_us / 8);
        tokio::time::sleep(Duration::from_micros(wait_us)).await;
        server.kill()?;
        match asking.await? {
            Ok(_) => self.done += 1,
            Err(_) => self.within += 1,
        }
        Ok(())
    }

    async fn apply_killed(&mut self, round: u32) -> Result<()> {
        let mut server = Server::start(self.plan.binary, &self.folder)?;
        let wire = Wire::new(&server.url);
        self.settled(&wire).await?;
        for number in 0..PAIRS {
            let line = format!("Subject {round}-{number} is kept in room {number} of building {round}.");
            for side in ["a", "b"] {
                let path = format!("knowledge/facts/pair-{round}-{number}-{side}.md");
                let asked = json!({"path": path, "lines": [line]});
                wire.ask("POST", &self.at("tree/append"), Some(&asked)).await?;
            }
            self.told.insert(line);
        }
        let before = self.documents(&wire).await?;
        let start =
            json!({"operations": ["deduplicate"], "scope": {"kind": "all"}, "planner": "deterministic"});
        let run = wire.ask("POST", &self.at("consolidations"), Some(&start)).await?;
        let id = text_at(&run, "/id")?;
        let merges = run["plan"].as_array().map_or(0, Vec::len);
        ensure!(merges as u64 >= PAIRS, "too little is planned: {run}");
        self.killed_within(&mut server, "apply", &format!("consolidations/{id}/apply"), json!({})).await?;
        let server = Server::start(self.plan.binary, &self.folder)?;
        let wire = Wire::new(&server.url);
        let after = self.documents(&wire).await?;
        let run = wire.ask("GET", &self.at(&format!("consolidations/{id}")), None).await?;
        let (status, changelog) =
            wire.send("GET", &self.at("files/consolidation/changelog.md"), None).await?;
        let is_told = status == 200 && changelog.to_string().contains(&id);
        match text_at(&run, "/status")?.as_str() {
            "applied" => ensure!(
                is_told && after.len() + usize::try_from(PAIRS)? <= before.len(),
                "applied, and {} of {} documents are left; in the changelog: {is_told}",
                after.len(),
                before.len()
            ),
            "planned" => {
                ensure!(!is_told && after == before, "planned, and the tree or the changelog changed");
                wire.ask("POST", &self.at(&format!("consolidations/{id}/cancel")), Some(&json!({}))).await?;
            }
            other => bail!("the run is {other}: {run}"),
        }
        self.settled(&wire).await?;
        self.nothing_lost(&wire).await?;
        server.stop()
    }

    /// Returns the bodies of documents, by path.
    async fn documents(&self, wire: &Wire) -> Result<BTreeMap<String, String>> {
        let mut documents = BTreeMap::new();
        let mut cursor = String::new();
        loop {
            let page = wire.ask("GET", &self.at(&format!("tree?limit=100{cursor}")), None).await?;
            for entry in
                page["entries"].as_array().into_iter().flatten().filter(|entry| entry["type"] == "file")
            {
                let path = text_at(entry, "/path")?;
                let document = wire.ask("GET", &self.at(&format!("files/{path}")), None).await?;
                documents.insert(path, text_at(&document, "/body")?);
            }
            let Some(next) = page["next_cursor"].as_str() else { return Ok(documents) };
            cursor = format!("&cursor={next}");
        }
    }

    /// Checks that every line is in the tree, and that every file of the directory equals its
    /// document in the tree.
    async fn nothing_lost(&self, wire: &Wire) -> Result<()> {
        let documents = self.documents(wire).await?;
        let lines: BTreeSet<&str> = documents.values().flat_map(|body| body.lines()).collect();
        let lost: Vec<_> = self.told.iter().filter(|line| !lines.contains(line.as_str())).collect();
        ensure!(lost.is_empty(), "{} of {} lines are lost: {lost:?}", lost.len(), self.told.len());
        for (path, body) in &documents {
            let file =
                std::fs::read_to_string(self.desk(path)).with_context(|| format!("the file of {path}"))?;
            ensure!(file.ends_with(body.as_str()), "{path} is another file than document");
        }
        Ok(())
    }
}

fn path(number: u64) -> String {
    format!("knowledge/facts/document-{number}.md")
}
