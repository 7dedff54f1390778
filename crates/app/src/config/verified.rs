//! `[verified]`, `[[repo]]` and `[[forge]]`: how facts that cite code are kept and checked, which repositories this server can
//! read, and which forges it may ask. Tokens are named by the variables that hold them, never written down.

use std::path::PathBuf;

use anyhow::{Result, bail};
use loci_model::facts::support::DriftedFacts;
use loci_verified::{RepositoryName, VerifiedSettings};
use serde::{Deserialize, Serialize};

/// `[verified]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifiedSection {
    /// Name of the memory that callers mean who name none.
    pub memory: String,
    /// A fact that is neither confirmed, used nor found valid expires after so long.
    pub expiry_days: u32,
    /// A fact whose code is gone is declared wrong after so long at the earliest.
    pub quarantine_grace_days: u32,
    /// And not before it was gone at so many commits of the default branch.
    pub quarantine_commits: usize,
    /// A verification may stand in for another for so long.
    pub receipt_minutes: u32,
    /// Cited lines are kept; otherwise their hashes alone.
    pub store_snippet: bool,
    /// Active facts of a repository above which storing one more warns.
    pub soft_limit: u64,
    /// Above which it is refused; 0: never.
    pub hard_limit: u64,
    /// Two facts so alike (0 to 1) are said to be similar.
    pub near_duplicate: f32,
    /// The default branch is looked at this often.
    pub check_every_ms: i64,
    /// The readers who are not given the statement of a fact whose code has changed: `label`
    /// (nobody), `withhold_from_agents`, `withhold` (everybody).
    pub drifted: DriftedFacts,
    /// Threads that read repositories.
    pub threads: usize,
    /// Directories in which repositories may borrow objects of others.
    pub roots: Vec<PathBuf>,
    /// The folder in which `loci repo sync` keeps bare mirrors, where it runs on the server's machine.
    pub mirrors: Option<PathBuf>,
    /// Requests at once to one forge.
    pub remote_concurrency: usize,
    /// What one call may take at a forge.
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
    /// A clone, a bare repository or a worktree; absent: it is read at its forge.
    pub path: Option<PathBuf>,
    /// URLs of its remotes.
    #[serde(default)]
    pub remotes: Vec<String>,
    /// The ref that changes states; absent: the repository's own default branch.
    pub default_ref: Option<String>,
    /// `github`: it can be read at its forge too.
    pub forge: Option<String>,
}

/// `[[forge]]`: a forge that this server may ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeEntry {
    /// `github`.
    pub kind: String,
    /// The host in names of repositories.
    pub host: String,
    /// The address of its API; absent: as is usual.
    pub api: Option<String>,
    /// Variable that holds the token.
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

    /// What it must be.
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
    /// What it must be.
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
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if loci_forges::config::ForgeKind::parse(&self.kind).is_none() {
            bail!("[[forge]] {}: kind must be github", self.host);
        }
        Ok(())
    }
}
