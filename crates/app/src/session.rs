//! How a command reaches the native API (architecture §3a): a URL; else the server that has the folder open, by its
//! socket; else the folder itself, opened in this process. A command that opened the folder runs the jobs it caused.

use std::path::{Path, PathBuf};

use anyhow::Result;
use loci_api::job::{ExtractionState, ExtractionWait};
use loci_client::Client;
use loci_model::MemoryId;
use loci_model::ports::store::{Checkpoint, Store};

use crate::cli::Globals;
use crate::commands::serve::{SOCKET, doors};
use crate::config::environment::Environment;
use crate::config::{Config, default_data_dir, load};
use crate::exit::{NotFound, Usage};
use crate::output;
use crate::wiring::{Wiring, WiringOptions, wire};
use crate::wiring_models::Outside;
use crate::wiring_targets::TargetsPlan;
use crate::wiring_traces::TracesPlan;

/// A way to the API, for one command.
pub(crate) struct Session {
    /// The API.
    pub(crate) client: Client,
    /// Answers are for programs.
    pub(crate) json: bool,
    opened: Option<Wiring>,
    wrote: Vec<MemoryId>,
    wait_ms: u64,
}

/// Where the folder of a command is.
pub(crate) fn folder(globals: &Globals, environment: &Environment) -> Result<(PathBuf, Config)> {
    let config = load(globals.config.as_deref(), environment)?;
    let folder = match globals.data_dir.clone().or_else(|| config.store.data_dir.clone()) {
        Some(folder) => folder,
        None => default_data_dir(environment)?,
    };
    Ok((folder, config))
}

/// True when a server answers on the socket of a folder.
pub(crate) fn is_served(folder: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(folder.join(SOCKET)).is_ok()
}

impl Session {
    /// Finds the way.
    pub(crate) fn begin(globals: &Globals, environment: &Environment) -> Result<Self> {
        let way = |client| Self {
            client,
            json: globals.json,
            opened: None,
            wrote: Vec::new(),
            wait_ms: globals.wait_ms,
        };
        if let Some(url) = &globals.url {
            let client = Client::url(url)?;
            return Ok(way(match &globals.token {
                Some(token) => client.with_token(token)?,
                None => client,
            }));
        }
        let (folder, config) = folder(globals, environment)?;
        if !globals.no_attach && is_served(&folder) {
            return Ok(way(Client::unix(&folder.join(SOCKET))?));
        }
        Self::open(globals, environment, &config, folder)
    }

    /// Opens a folder in this process.
    pub(crate) fn open(
        globals: &Globals,
        environment: &Environment,
        config: &Config,
        folder: PathBuf,
    ) -> Result<Self> {
        crate::logging::start_quiet();
        let wiring = wire(WiringOptions {
            targets: TargetsPlan::of(config, environment, &folder)?,
            traces: TracesPlan::read(config, environment)?,
            store: config.store(folder),
            engine: config.engine()?,
            embed_threads: config.extraction.embed_threads,
            master_key: environment.master_key(),
            outside: Outside::read(config, environment),
        })?;
        let doors = doors(&wiring, config, environment)?;
        Ok(Self {
            client: Client::in_process(loci_server::router_in_process(&doors)),
            json: globals.json,
            opened: Some(wiring),
            wrote: Vec::new(),
            wait_ms: globals.wait_ms,
        })
    }

    /// The id of a memory given by name or id. Names have no dash, ids have one.
    pub(crate) async fn memory(&self, name_or_id: &str) -> Result<String> {
        if name_or_id.contains('-') {
            return Ok(name_or_id.to_owned());
        }
        let listing =
            loci_api::memory::MemoryListing { name: Some(name_or_id.to_owned()), ..Default::default() };
        let found = self.client.memory_list(&listing).await?.memories.into_iter().next();
        let none = || NotFound(format!("there is no memory named {name_or_id}: see `loci memory list`"));
        Ok(found.ok_or_else(none)?.id)
    }

    /// How long jobs may take.
    pub(crate) fn wait_ms(&self) -> u64 {
        self.wait_ms
    }

    /// Remembers that this command gave a memory something to do.
    pub(crate) fn wrote(&mut self, memory: &str) -> Result<()> {
        let id = MemoryId::parse(memory).map_err(|error| Usage(error.message))?;
        if !self.wrote.contains(&id) {
            self.wrote.push(id);
        }
        Ok(())
    }

    /// Runs the jobs that this command caused, where no server does, and closes the folder.
    pub(crate) async fn end(self) -> Result<()> {
        let Some(opened) = self.opened else { return Ok(()) };
        if !self.wrote.is_empty() && self.wait_ms > 0 {
            let state = opened.engine.run_due(&self.wrote, self.wait_ms).await?;
            opened.engine.deliver_now().await?;
            if state.pending > 0 {
                output::note(format!(
                    "{} jobs are pending: a server, or the next command that writes, goes on with them",
                    state.pending
                ));
            }
            if state.failed > 0 {
                output::note(format!("{} jobs failed: see `loci job list --state failed`", state.failed));
            }
        }
        opened.traces.end().await;
        opened.store.checkpoint(Checkpoint::Last).await?;
        opened.store.close();
        Ok(())
    }

    /// Waits until what was written to a memory is extracted, wherever jobs run.
    pub(crate) async fn settle(&self, memory: &str) -> Result<ExtractionState> {
        if let Some(opened) = &self.opened {
            let id = MemoryId::parse(memory)?;
            let state = opened.engine.run_due(&[id], self.wait_ms).await?;
            return Ok(ExtractionState {
                complete: state.complete,
                pending: state.pending,
                waiting: state.waiting,
                failed: state.failed,
            });
        }
        let wait = ExtractionWait { timeout_ms: Some(self.wait_ms), ..ExtractionWait::default() };
        Ok(self.client.extraction_wait(memory, &wait).await?)
    }
}
