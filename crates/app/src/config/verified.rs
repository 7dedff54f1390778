//! `[verified]`, `[[repo]]` and `[[forge]]`: the retention and verification of facts that cite
//! code, the repositories that this server can read, and the forges that it may call. The
//! configuration contains the names of variables with tokens, never tokens.

use std::path::PathBuf;

use anyhow::{Result, bail};
use loci_model::facts::support::DriftedFacts;
use loci_verified::{RepositoryName, VerifiedSettings};
use serde::{Deserialize, Serialize};

/// `[verified]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifiedSection {
    /// The name of the default memory of callers that name none.
    pub memory: String,
    /// The days after which a fact expires that is neither confirmed, used nor found valid.
    pub expiry_days: u32,
    /// The minimum number of days until a fact whose code is gone becomes invalid.
    pub quarantine_grace_days: u32,
    /// The minimum number of default-branch commits without its code until then.
    pub quarantine_commits: usize,
    /// The minutes for which a verification can replace another one.
    pub receipt_minutes: u32,
    /// True to store cited lines. False stores only their hashes.
    pub store_snippet: bool,
    /// The number of active facts of a repository above which storing another one returns a
    /// warning.
    pub soft_limit: u64,
    /// The number above which storing fails. 0 means no limit.
    pub hard_limit: u64,
    /// The similarity (0 to 1) from which two facts are reported as similar.
    pub near_duplicate: f32,
    /// The interval of checks of the default branch in milliseconds.
    pub check_every_ms: i64,
    /// The readers that do not receive the statement of a fact whose code has changed: `label`
    /// (nobody), `withhold_from_agents`, `withhold` (everybody).
    pub drifted: DriftedFacts,
    /// The number of threads that read repositories.
    pub threads: usize,
    /// Directories in which repositories may borrow objects of others.
    pub roots: Vec<PathBuf>,
    /// The folder of the bare mirrors of `loci repo sync`, if it runs on the server's machine.
    pub mirrors: Option<PathBuf>,
    /// The maximum number of concurrent requests to one forge.
    pub remote_concurrency: usize,
    /// The time limit in milliseconds of one call at a forge.
    pub remote_budget_ms: u64,
}

impl Default for VerifiedSection {
    fn default() -> Self {
        let settings = VerifiedSettings::default();
        Self {
            memory: settings.memory,
            expiry_days: settings.expiry_days,
            quarantine_grace_days: settings.quarantine_grace_days,
            quarantine_commits: settings.quarantine_commits,
            receipt_minutes: settings.receipt_minutes,
            store_snippet: settings.store_snippet,
            soft_limit: settings.soft_limit,
            hard_limit: settings.hard_limit,
            near_duplicate: settings.near_duplicate,
            check_every_ms: settings.check_every_ms,
            drifted: settings.drifted,
            threads: 4,
            roots: Vec::new(),
            mirrors: None,
            remote_concurrency: 8,
            remote_budget_ms: 5_000,
        }
    }
}

/// `[[repo]]`: a repository that this server can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositoryEntry {
    /// `owner/name`, or `host/owner/name`.
    pub name: String,
    /// A clone, a bare repository or a worktree. If absent, the server reads it from its forge.
    pub path: Option<PathBuf>,
    /// URLs of its remotes.
    #[serde(default)]
    pub remotes: Vec<String>,
    /// The ref whose verdicts change states. Absent means the repository's own default branch.
    pub default_ref: Option<String>,
    /// `github`: the server can also read it from its forge.
    pub forge: Option<String>,
}

/// `[[forge]]`: a forge that this server may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeEntry {
    /// `github`.
    pub kind: String,
    /// The host in names of repositories.
    pub host: String,
    /// The address of its API. Absent means the default.
    pub api: Option<String>,
    /// The variable with the token.
    pub token_env: Option<String>,
    /// The version of its API.
    pub version: Option<String>,
}

impl VerifiedSection {
    /// Returns the settings of verified memory.
    pub fn settings(&self) -> VerifiedSettings {
        VerifiedSettings {
            memory: self.memory.clone(),
            expiry_days: self.expiry_days,
            quarantine_grace_days: self.quarantine_grace_days,
            quarantine_commits: self.quarantine_commits,
            receipt_minutes: self.receipt_minutes,
            store_snippet: self.store_snippet,
            soft_limit: self.soft_limit,
            hard_limit: self.hard_limit,
            near_duplicate: self.near_duplicate,
            check_every_ms: self.check_every_ms,
            drifted: self.drifted,
        }
    }

    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        if !loci_engine::memories::is_name(&self.memory) {
            bail!("verified.memory must start with a letter and have up to 48 letters, digits or _");
        }
        if self.expiry_days == 0 || self.receipt_minutes == 0 || self.quarantine_commits == 0 {
            bail!("verified.expiry_days, receipt_minutes and quarantine_commits must be at least 1");
        }
        if !(0.0..=1.0).contains(&self.near_duplicate) {
            bail!("verified.near_duplicate must be 0 to 1");
        }
        if !(1..=64).contains(&self.threads) || !(1..=64).contains(&self.remote_concurrency) {
            bail!("verified.threads and verified.remote_concurrency must be 1 to 64");
        }
        if self.check_every_ms < 1_000 || self.remote_budget_ms < 100 {
            bail!("verified.check_every_ms must be at least 1000, verified.remote_budget_ms at least 100");
        }
        if let Some(root) = self.roots.iter().find(|root| !root.is_absolute()) {
            bail!("verified.roots must be absolute paths, not {}", root.display());
        }
        if let Some(mirrors) = self.mirrors.as_ref().filter(|mirrors| !mirrors.is_absolute()) {
            bail!("verified.mirrors must be an absolute path, not {}", mirrors.display());
        }
        Ok(())
    }
}

impl RepositoryEntry {
    /// Checks the entry.
    pub(super) fn check(&self) -> Result<()> {
        let name = &self.name;
        RepositoryName::parse(name).map_err(|error| anyhow::anyhow!("[[repo]] {name}: {}", error.message))?;
        if let Some(path) = self.path.as_ref().filter(|path| !path.is_absolute()) {
            bail!("[[repo]] {name}: path must be absolute, not {}", path.display());
        }
        if self.path.is_none() && self.forge.is_none() {
            bail!("[[repo]] {name}: give path, or forge");
        }
        Ok(())
    }
}

impl ForgeEntry {
    /// Checks the entry.
    pub(super) fn check(&self) -> Result<()> {
        if loci_forges::config::ForgeKind::parse(&self.kind).is_none() {
            bail!("[[forge]] {}: kind must be github", self.host);
        }
        Ok(())
    }
}
