//! Wiring of code sources: repositories of this machine, and configured forges with the tokens of
//! the environment.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use loci_api::verified::repository::RepositoryAdd;
use loci_engine::calls::call_context::CallContext;
use loci_forges::config::{ForgeConfig, ForgeKind};
use loci_forges::forges::{ForgeOptions, ForgeParts, Forges};
use loci_git::{GitOptions, GitSources};
use loci_model::MemoryId;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{
    CodePlace, CodeResult, CodeSources, CodeWork, DiscoveredRepository, ForgeRepository,
};
use loci_model::ports::forge::Forge;
use loci_model::principal::Principal;
use loci_outbound::request::Transport;
use loci_outbound::secret::Secret;
use loci_products::Loci;

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::verified::RepositoryEntry;

/// The settings that a process needs to read code.
#[derive(Debug, Default)]
pub struct CodePlan {
    git: GitOptions,
    forges: Vec<ForgeConfig>,
    remote: ForgeOptions,
    repositories: Vec<RepositoryEntry>,
}

impl CodePlan {
    /// Reads the plan from the configuration.
    ///
    /// # Errors
    /// A variable for a token is unset.
    pub fn of(config: &Config, environment: &Environment) -> Result<Self> {
        let section = &config.verified;
        let forges = config.forges.iter().map(|entry| {
            let token = entry.token_env.as_ref().map(|name| {
                let text = environment.secret(name);
                text.with_context(|| format!("[[forge]] {}: the variable {name} is not set", entry.host))
            });
            let kind = ForgeKind::parse(&entry.kind);
            Ok(ForgeConfig {
                kind: kind.with_context(|| format!("[[forge]] {}: kind must be github", entry.host))?,
                host: entry.host.clone(),
                api: entry.api.clone(),
                token: token.transpose()?.map(Secret::new),
                version: entry.version.clone(),
            })
        });
        Ok(Self {
            git: GitOptions { threads: section.threads, roots: section.roots.clone() },
            forges: forges.collect::<Result<_>>()?,
            remote: ForgeOptions {
                concurrency: section.remote_concurrency,
                budget_ms: section.remote_budget_ms,
                ..ForgeOptions::default()
            },
            repositories: config.repositories.clone(),
        })
    }

    /// True if no forge is called, so that no HTTP client is needed.
    pub fn is_quiet(&self) -> bool {
        self.forges.is_empty()
    }

    /// Returns the configured repositories.
    pub fn repositories(&self) -> &[RepositoryEntry] {
        &self.repositories
    }

    /// Creates the sources.
    ///
    /// # Errors
    /// A thread cannot be started, or the configuration of a forge is invalid.
    pub fn make(&self, transport: &Arc<dyn Transport>, clock: &Arc<dyn Clock>) -> Result<Sources> {
        let options = GitOptions { threads: self.git.threads.max(1), roots: self.git.roots.clone() };
        let git = GitSources::start(options)?;
        if self.forges.is_empty() {
            return Ok(Sources { code: Arc::new(git), forge: None });
        }
        let parts = ForgeParts {
            transport: Arc::clone(transport),
            clock: Arc::clone(clock),
            runtime: tokio::runtime::Handle::current(),
        };
        let forges = Arc::new(Forges::new(&self.forges, self.remote.clone(), parts)?);
        let code = Arc::new(AllCode { git, forges: Arc::clone(&forges) });
        Ok(Sources { code, forge: Some(forges) })
    }
}

/// The sources of code and of reviews.
pub struct Sources {
    /// Code of this machine and of forges.
    pub code: Arc<dyn CodeSources>,
    /// Reviews at forges, if one is configured.
    pub forge: Option<Arc<dyn Forge>>,
}

/// All sources of code.
struct AllCode {
    git: GitSources,
    forges: Arc<Forges>,
}

impl CodeSources for AllCode {
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>> {
        match place {
            CodePlace::Local(_) => self.git.read(place, work),
            CodePlace::Forge { .. } => self.forges.read(place, work),
        }
    }

    fn discover<'a>(
        &'a self,
        directory: &'a Path,
    ) -> BoxFuture<'a, loci_model::Result<Option<DiscoveredRepository>>> {
        self.git.discover(directory)
    }

    fn is_in_folder_of<'a>(&'a self, directory: &'a Path, memory: &'a MemoryId) -> BoxFuture<'a, bool> {
        self.git.is_in_folder_of(directory, memory)
    }

    fn at_forge<'a>(&'a self, place: &'a CodePlace) -> BoxFuture<'a, CodeResult<Option<ForgeRepository>>> {
        self.forges.at_forge(place)
    }
}

/// Registers the configured repositories in the memory for code. A repository that cannot be read
/// yet is reported and skipped. The next start registers it.
pub async fn register(engine: &Loci, entries: &[RepositoryEntry]) {
    let (caller, standing) = (Principal::administrator("configuration"), CallContext::default());
    for entry in entries {
        let add = RepositoryAdd {
            name: Some(entry.name.clone()),
            directory: entry.path.as_ref().map(|path| path.display().to_string()),
            aliases: entry.remotes.clone(),
            at_forge: entry.forge.is_some(),
            default_ref: entry.default_ref.clone(),
            ..RepositoryAdd::default()
        };
        if let Err(error) = engine.verified.repository_add(&caller, &standing, add).await {
            tracing::warn!(repository = entry.name, ?error, "a configured repository is not registered");
        }
    }
}
