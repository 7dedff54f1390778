//! The code port and the reading of reviews for all repositories on the configured forges, and the
//! threads of the calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures::future::{Either, select};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{
    CodeError, CodePlace, CodeResult, CodeSources, CodeWork, DiscoveredRepository, ForgeRepository,
};
use loci_model::{Error, Result};
use loci_outbound::request::Transport;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::account::Account;
use crate::config::{self, ForgeConfig};
use crate::failure;
use crate::remote::{Remote, Repository, Terms};
use crate::source::ForgeSource;

/// The limits of reading from forges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeOptions {
    /// The maximum number of concurrent requests, both of one call and to one forge
    /// (`verified.remote_concurrency`).
    pub concurrency: usize,
    /// The time limit of one call, in milliseconds (`verified.remote_budget_ms`).
    pub budget_ms: u64,
    /// The time for which the commit of a branch or tag is cached, in milliseconds.
    pub tip_ttl_ms: u64,
    /// The maximum size of the cached blobs of one forge, in bytes. The cache of file lists has the
    /// same limit.
    pub cache_bytes: usize,
    /// The maximum number of concurrent calls. Further calls wait.
    pub threads: usize,
}

impl Default for ForgeOptions {
    fn default() -> Self {
        Self {
            concurrency: 8,
            budget_ms: 5_000,
            tip_ttl_ms: 30_000,
            cache_bytes: 64 * 1024 * 1024,
            threads: 8,
        }
    }
}

/// The ports that [`Forges`] uses.
#[derive(Clone)]
pub struct ForgeParts {
    /// The sender of requests, which applies the policy for outgoing requests.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The runtime of the requests, and of the threads that wait for them.
    pub runtime: Handle,
}

/// All configured forges.
pub struct Forges {
    accounts: BTreeMap<String, Arc<Account>>,
    options: ForgeOptions,
    clock: Arc<dyn Clock>,
    runtime: Handle,
    threads: Arc<Semaphore>,
}

impl Forges {
    /// Creates the adapter for these forges. Requests are sent only to their hosts.
    ///
    /// # Errors
    /// `Invalid` if a member of `[[forge]]` is invalid, or two forges have the same host.
    pub fn new(forges: &[ForgeConfig], options: ForgeOptions, parts: ForgeParts) -> Result<Self> {
        let mut accounts = BTreeMap::new();
        for forge in forges {
            let forge = config::check(forge)?;
            let host = forge.host.clone();
            let (transport, clock) = (Arc::clone(&parts.transport), Arc::clone(&parts.clock));
            let account = Account::new(forge, transport, clock, options.concurrency, options.cache_bytes);
            if accounts.insert(host.clone(), Arc::new(account)).is_some() {
                return Err(Error::invalid("forge.host", format!("forge.host `{host}` is given twice")));
            }
        }
        let threads = Arc::new(Semaphore::new(options.threads.clamp(1, Semaphore::MAX_PERMITS)));
        Ok(Self { accounts, options, clock: parts.clock, runtime: parts.runtime, threads })
    }

    /// Returns the configured hosts, in order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.accounts.keys().map(String::as_str)
    }

    /// Returns the account of a host, ignoring case.
    pub(crate) fn account(&self, host: &str) -> Option<Arc<Account>> {
        self.accounts.get(&host.to_ascii_lowercase()).cloned()
    }

    /// Returns the repository's number and current name. Each call sends a request; an unchanged
    /// repository does not count against the rate limit.
    async fn repository(&self, place: &CodePlace) -> CodeResult<ForgeRepository> {
        let remote = self.open(place)?;
        let time = self.clock.sleep(self.options.budget_ms);
        let facts = match select(std::pin::pin!(remote.facts(0)), time).await {
            Either::Left((facts, _)) => facts?,
            Either::Right(_) => return Err(failure::late()),
        };
        Ok(ForgeRepository {
            host: remote.account.forge.host.clone(),
            id: facts.id,
            path: facts.path,
            default_branch: facts.default_branch,
            parent: facts.parent,
        })
    }

    fn open(&self, place: &CodePlace) -> CodeResult<Remote> {
        let CodePlace::Forge { host, path } = place else {
            return Err(CodeError::new(Unverifiable::AuthOrMissing, "the place is on no forge"));
        };
        let account = self.account(host).ok_or_else(|| {
            CodeError::new(
                Unverifiable::Auth,
                "the configuration has no [[forge]] with the repository's host",
            )
        })?;
        let at = account.forge.dialect.locate(path).ok_or_else(|| {
            CodeError::new(
                Unverifiable::AuthOrMissing,
                "the repository's path on its forge must be owner/name",
            )
        })?;
        let key: Arc<str> = path.to_lowercase().into();
        let repository = account.repositories.get(&key).unwrap_or_else(|| {
            let new = Arc::new(Repository::new(Arc::clone(&key), at));
            account.repositories.put(key, Arc::clone(&new), 128);
            new
        });
        let terms = Terms {
            until_us: self.clock.monotonic_us().saturating_add(self.options.budget_ms.saturating_mul(1_000)),
            tip_ttl_us: self.options.tip_ttl_ms.saturating_mul(1_000),
            concurrency: self.options.concurrency.max(1),
        };
        Ok(Remote { account, repository, terms })
    }

    /// Reserves a thread for a call, and waits at most for the time limit of a call.
    async fn thread(&self) -> CodeResult<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.threads).acquire_owned();
        match select(std::pin::pin!(free), self.clock.sleep(self.options.budget_ms)).await {
            Either::Left((permit, _)) => permit.map_err(|_| failure::late()),
            Either::Right(_) => Err(failure::late()),
        }
    }
}

impl CodeSources for Forges {
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>> {
        Box::pin(async move {
            self.open(place)?;
            let permit = self.thread().await?;
            // The time limit of the call starts here.
            let remote = self.open(place)?;
            let runtime = self.runtime.clone();
            let reading = self.runtime.spawn_blocking(move || {
                let _permit = permit;
                work(&ForgeSource::new(remote, runtime));
            });
            reading.await.map_err(|_| {
                tracing::error!("work on a repository of a forge panicked");
                CodeError::new(Unverifiable::Network, "reading from the forge broke off")
            })
        })
    }

    /// Returns `None`, because directories are not on a forge.
    fn discover<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Option<DiscoveredRepository>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn at_forge<'a>(&'a self, place: &'a CodePlace) -> BoxFuture<'a, CodeResult<Option<ForgeRepository>>> {
        Box::pin(async move {
            match place {
                CodePlace::Local(_) => Ok(None),
                CodePlace::Forge { .. } => self.repository(place).await.map(Some),
            }
        })
    }
}
