//! The engine for another program, with the rules for a folder that several processes use. If a
//! server has the folder open, the engine calls the server over its socket. Otherwise this process
//! opens the folder and runs its jobs.
//!
//! The embedded engine has no commands, no logs and no listening port. `loci-client-embedded`
//! builds stores for agents on it.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use loci_client::Client;
use tokio::sync::Mutex;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::load;
use crate::session::{CommandJobs, Session};
use crate::wiring::store::StorePlan;

/// The options for opening an [`EmbeddedEngine`].
#[derive(Clone)]
pub struct EmbeddedOptions {
    /// The path of the data folder. The engine creates a missing folder.
    pub data_dir: PathBuf,
    /// The path of the configuration file. `None` means the configuration file of the user, as for
    /// `loci serve`.
    pub config: Option<PathBuf>,
    /// The environment variables. [`Environment::of_process`] contains those that `loci` reads, and
    /// [`Environment::default`] is empty.
    pub environment: Environment,
    /// True to call the server that has the folder open. If false, this process opens the folder
    /// although a server may have it open.
    pub attach: bool,
}

impl EmbeddedOptions {
    /// Returns options for a folder without an environment, preferring a running server.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), config: None, environment: Environment::default(), attach: true }
    }
}

impl std::fmt::Debug for EmbeddedOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedOptions")
            .field("data_dir", &self.data_dir)
            .field("config", &self.config)
            .field("attach", &self.attach)
            .finish_non_exhaustive()
    }
}

/// An engine in this process, or a connection to the server that has its folder open.
pub struct EmbeddedEngine {
    client: Client,
    is_attached: bool,
    held: Mutex<EngineResources>,
}

/// The resources that the engine releases when it is closed.
struct EngineResources {
    session: Session,
    jobs: Option<CommandJobs>,
}

impl std::fmt::Debug for EmbeddedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedEngine").field("attached", &self.is_attached).finish_non_exhaustive()
    }
}

impl EmbeddedEngine {
    /// Opens the folder, or attaches to the server that has it open. Jobs run on the caller's Tokio
    /// runtime until the engine is closed or dropped. If several processes have the folder open,
    /// one of them runs the jobs.
    ///
    /// # Errors
    /// There is no Tokio runtime, the configuration is invalid, or the folder cannot be opened.
    pub async fn open(options: EmbeddedOptions) -> Result<Self> {
        let runtime = tokio::runtime::Handle::try_current();
        ensure!(runtime.is_ok(), "an engine runs its jobs on a Tokio runtime: open it within one");
        let EmbeddedOptions { data_dir, config, environment, attach } = options;
        let globals = Globals {
            data_dir: Some(data_dir.clone()),
            config: config.clone(),
            no_attach: !attach,
            ..Globals::default()
        };
        if let Some(session) = Session::to_server(&globals, &environment)? {
            return Ok(Self::of(session, None));
        }
        let config = load(config.as_deref(), &environment)?;
        let plan = StorePlan::of(&config, &environment, data_dir.clone())?;
        let session = Session::open(&globals, &environment, &config, plan)
            .with_context(|| format!("the folder {} cannot be opened", data_dir.display()))?;
        session.register_mirrors().await;
        let jobs = session.work_meanwhile();
        Ok(Self::of(session, jobs))
    }

    fn of(session: Session, jobs: Option<CommandJobs>) -> Self {
        let (client, is_attached) = (session.client.clone(), !session.is_opened());
        Self { client, is_attached, held: Mutex::new(EngineResources { session, jobs }) }
    }

    /// Returns the client of the engine's native API. Calls fail after the engine is closed.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns true if another process, a server, has the folder open and answers the calls.
    pub fn is_attached(&self) -> bool {
        self.is_attached
    }

    /// Waits for running jobs, and closes the folder, even if other values still refer to the
    /// engine. The next process that opens the folder runs the pending jobs. A second call does
    /// nothing.
    ///
    /// # Errors
    /// The store cannot move its write-ahead log into the main file. No data is lost.
    pub async fn close(&self) -> Result<()> {
        let mut held = self.held.lock().await;
        if let Some(jobs) = held.jobs.take() {
            jobs.end().await?;
        }
        held.session.close().await
    }
}
