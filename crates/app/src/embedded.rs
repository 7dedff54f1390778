//! The engine in a program of somebody else, by the rules of one folder and several processes:
//! where a server has the folder open, it is asked over its socket; else the folder is opened here,
//! and its jobs run in this process.
//!
//! Commands, logs and a listening port it has none of. Stores for agents are made of it by `loci-client-embedded`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use loci_client::Client;
use tokio::sync::Mutex;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::load;
use crate::session::{Meanwhile, Session};
use crate::wiring::store::StorePlan;

/// What an engine is opened with.
#[derive(Clone)]
pub struct EmbeddedOptions {
    /// The data folder; made where there is none.
    pub data_dir: PathBuf,
    /// The configuration file; the user's own where it is absent, as for `loci serve`.
    pub config: Option<PathBuf>,
    /// The environment. [`Environment::of_process`] is what `loci` looks at; [`Environment::default`] is none at all.
    pub environment: Environment,
    /// Where a server has the folder open, it is asked. Without this the folder is opened beside it.
    pub attach: bool,
}

impl EmbeddedOptions {
    /// A folder, no environment, a running server first.
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

/// An engine in this process, or the way to the server that has its folder open.
pub struct EmbeddedEngine {
    client: Client,
    is_attached: bool,
    held: Mutex<Held>,
}

/// What is let go when it is closed.
struct Held {
    session: Session,
    jobs: Option<Meanwhile>,
}

impl std::fmt::Debug for EmbeddedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedEngine").field("attached", &self.is_attached).finish_non_exhaustive()
    }
}

impl EmbeddedEngine {
    /// Opens the folder, or attaches to the server that has it open. Jobs run on the Tokio runtime of the caller until the engine is
    /// closed or dropped; where several processes have the folder open, one of them runs them.
    ///
    /// # Errors
    /// Where no Tokio runtime is there, the configuration does not hold, or the folder cannot be opened.
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

    fn of(session: Session, jobs: Option<Meanwhile>) -> Self {
        let (client, is_attached) = (session.client.clone(), !session.is_opened());
        Self { client, is_attached, held: Mutex::new(Held { session, jobs }) }
    }

    /// The native API of it. Calls fail once it is closed.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A server has the folder open, and is asked.
    pub fn is_attached(&self) -> bool {
        self.is_attached
    }

    /// Lets the jobs that run come to an end, and closes the folder, whoever still holds the engine. What is pending waits for the
    /// next process. A second call does nothing.
    ///
    /// # Errors
    /// Where the store cannot write its log into the main file; nothing is lost by that.
    pub async fn close(&self) -> Result<()> {
        let mut held = self.held.lock().await;
        if let Some(jobs) = held.jobs.take() {
            jobs.end().await?;
        }
        held.session.close().await
    }
}
