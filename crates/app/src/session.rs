//! The connection of a command to the native API: a URL, else the socket of the server that has
//! the folder open, else the store itself, opened in this process. A command that opened a folder
//! runs the jobs that it caused. For a store with several servers, the servers run them.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_api::job::{ExtractionState, ExtractionWait, JobListing};
use loci_client::Client;
use loci_engine::jobs::OneShotResult;
use loci_model::MemoryId;
use loci_model::ports::store::{Checkpoint, Hosts};

use crate::bearer;
use crate::cli::Globals;
use crate::commands::serve::{doors, run_jobs};
use crate::config::environment::Environment;
use crate::config::{Config, default_data_dir, load};
use crate::exit::{NotFound, Usage};
use crate::input;
use crate::output;
use crate::output::wait_notice::{self, waited};
#[cfg(feature = "verified")]
use crate::wiring::code::CodePlan;
#[cfg(feature = "documents")]
use crate::wiring::mirrors;
use crate::wiring::models::Outside;
use crate::wiring::store::StorePlan;
use crate::wiring::targets::TargetsPlan;
use crate::wiring::traces::TracesPlan;
use crate::wiring::{Wiring, WiringOptions, wire};

/// A connection to the API for one command.
pub(crate) struct Session {
    /// The API client.
    pub(crate) client: Client,
    /// True if the user requested the answers as JSON.
    pub(crate) json: bool,
    opened: Option<Wiring>,
    wrote: Vec<MemoryId>,
    wait_ms: Option<u64>,
}

/// Jobs that run in the background while a command works.
pub(crate) struct CommandJobs {
    stop: tokio::sync::watch::Sender<bool>,
    jobs: tokio::task::JoinHandle<()>,
}

impl CommandJobs {
    /// Waits for the jobs to end.
    pub(crate) async fn end(self) -> Result<()> {
        let _ = self.stop.send(true); // the runner may have ended already
        self.jobs.await.context("the job runner panicked")
    }
}

/// The default time limit for the jobs of a command, in milliseconds.
const WAIT_MS: u64 = 30_000;

/// Returns the folder of a command, and the configuration.
pub(crate) fn folder(globals: &Globals, environment: &Environment) -> Result<(PathBuf, Config)> {
    let config = load(globals.config.as_deref(), environment)?;
    let folder = match globals.data_dir.clone().or_else(|| config.store.data_dir.clone()) {
        Some(folder) => folder,
        None => default_data_dir(environment)?,
    };
    Ok((folder, config))
}

/// Returns a client of a server's URL. It trusts the authorities of `ca_cert`, or of the file that
/// `LOCI_CA_CERT` names for `https` URLs, in addition to those of the machine.
fn of_url(url: &str, ca_cert: Option<&Path>, environment: &Environment) -> Result<Client> {
    let variable = environment.get("LOCI_CA_CERT").filter(|_| url.starts_with("https://")).map(Path::new);
    let Some(file) = ca_cert.or(variable) else { return Ok(Client::url(url)?) };
    let pem = input::text_of(file, "the certificates of --ca-cert")?;
    Client::url_with_authorities(url, pem.as_bytes()).with_context(|| file.display().to_string())
}

/// Returns a client of a local server that sends the working directory of this process: its working
/// tree is the default revision of calls. A directory whose name is not UTF-8 is left out.
fn in_working_directory(client: Client) -> Client {
    let directory = std::env::current_dir().and_then(|directory| directory.canonicalize());
    let placed = directory.ok().and_then(|directory| client.clone().with_directory(&directory).ok());
    placed.unwrap_or(client)
}

/// True if a server answers on the socket.
pub(crate) fn is_served(socket: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

impl Session {
    /// Connects to the API.
    pub(crate) fn begin(globals: &Globals, environment: &Environment) -> Result<Self> {
        if let Some(session) = Self::to_server(globals, environment)? {
            return Ok(session);
        }
        let (folder, config) = folder(globals, environment)?;
        let plan = StorePlan::of(&config, environment, folder)?;
        crate::logging::start_quiet();
        let place = match plan.data_folder() {
            Some(folder) => format!("the store in {}", folder.display()),
            None => "the database".to_owned(),
        };
        let mut session = Self::open(globals, environment, &config, plan)?;
        if std::io::stderr().is_terminal() {
            session.client = session.client.clone().with_meanwhile(wait_notice::of_server(&place));
        }
        Ok(session)
    }

    /// Connects to a server: the named one, or one of this machine that has the folder open.
    /// Returns `None` if there is none. The caller may then open the store itself.
    pub(crate) fn to_server(globals: &Globals, environment: &Environment) -> Result<Option<Self>> {
        let way = |client| Self {
            client,
            json: globals.json,
            opened: None,
            wrote: Vec::new(),
            wait_ms: globals.wait_ms,
        };
        if let Some(url) = &globals.url {
            let client = of_url(url, globals.ca_cert.as_deref(), environment)?;
            let client = client.with_meanwhile(wait_notice::of_server(url));
            return Ok(Some(way(match bearer::token(globals, environment)? {
                Some(token) => client.with_token(&token)?,
                None => client,
            })));
        }
        let (folder, config) = folder(globals, environment)?;
        let plan = StorePlan::of(&config, environment, folder)?;
        if !globals.no_attach && is_served(&plan.socket()) {
            let socket = plan.socket();
            let client = Client::unix(&socket)?;
            let client = client.with_meanwhile(wait_notice::of_server(&socket.display().to_string()));
            return Ok(Some(way(in_working_directory(client))));
        }
        Ok(None)
    }

    /// Opens a store in this process. The caller sets up logging.
    pub(crate) fn open(
        globals: &Globals,
        environment: &Environment,
        config: &Config,
        plan: StorePlan,
    ) -> Result<Self> {
        config.warnings().iter().for_each(|warning| output::note(format!("warning: {warning}")));
        let wiring = wire(WiringOptions {
            targets: TargetsPlan::of(config, environment, plan.folder())?,
            traces: TracesPlan::read(config, environment)?,
            store: plan,
            engine: config.loci()?,
            embed_threads: config.extraction.embed_threads,
            master_key: environment.master_key(),
            outside: Outside::read(config, environment),
            #[cfg(feature = "verified")]
            code: CodePlan::of(config, environment)?,
            #[cfg(feature = "documents")]
            mirrors: config.mirror.clone(),
            clock_ahead_days: config.rehearsal.clock_ahead_days,
        })?;
        let doors = doors(&wiring, config, environment)?;
        Ok(Self {
            client: in_working_directory(Client::in_process(loci_server::router_in_process(&doors))),
            json: globals.json,
            opened: Some(wiring),
            wrote: Vec::new(),
            wait_ms: globals.wait_ms,
        })
    }

    /// True if this process opened the store itself.
    pub(crate) fn is_opened(&self) -> bool {
        self.opened.is_some()
    }

    /// Runs the jobs of a store that this process opened, in the background until the returned
    /// value is ended. Returns `None` if a server runs them.
    pub(crate) fn work_meanwhile(&self) -> Option<CommandJobs> {
        let engine = self.opened.as_ref()?.engine.engine.clone();
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let jobs = tokio::spawn(run_jobs(engine, stopped));
        Some(CommandJobs { stop, jobs })
    }

    /// Creates the mirrors of the configuration if this process opened the store.
    pub(crate) async fn register_mirrors(&self) {
        #[cfg(feature = "documents")]
        if let Some(opened) = &self.opened {
            mirrors::register(&opened.engine, &opened.mirrors, false).await;
        }
    }

    /// Returns the id of a memory that the argument gives by name or id. Names have no dash, ids
    /// have one.
    pub(crate) async fn memory_named(&self, name_or_id: &str) -> Result<String> {
        if name_or_id.contains('-') {
            return Ok(name_or_id.to_owned());
        }
        let listing =
            loci_api::memory::MemoryListing { name: Some(name_or_id.to_owned()), ..Default::default() };
        let found = self.client.memory_list(&listing).await?.memories.into_iter().next();
        let none = || NotFound(format!("there is no memory named {name_or_id}: see `loci memory list`"));
        Ok(found.ok_or_else(none)?.id)
    }

    /// Returns the time limit for the jobs of this command, in milliseconds.
    pub(crate) fn wait_ms(&self) -> u64 {
        self.wait_ms.unwrap_or(WAIT_MS)
    }

    /// Records that this command wrote to a memory, so that [`Self::end`] runs the jobs of that
    /// memory.
    pub(crate) fn wrote(&mut self, memory: &str) -> Result<()> {
        let id = MemoryId::parse(memory).map_err(|error| Usage(error.message))?;
        if !self.wrote.contains(&id) {
            self.wrote.push(id);
        }
        Ok(())
    }

    /// Runs the jobs that this command caused, unless a server runs them, and closes the store. If
    /// several servers share the store, they run the jobs, and the command waits for them only on
    /// request.
    pub(crate) async fn end(mut self) -> Result<()> {
        let Some(opened) = &self.opened else { return Ok(()) };
        if !self.wrote.is_empty() {
            let wait_ms = match opened.store.hosts() {
                Hosts::One => Some(self.wait_ms()),
                Hosts::Many => self.wait_ms,
            };
            if wait_ms != Some(0) {
                let settled = self.settled(opened, &self.wrote, wait_ms).await?;
                notes(&settled, wait_ms).into_iter().for_each(output::note);
            }
        }
        self.close().await
    }

    /// Closes a store that this process opened. A session over a server has nothing to close.
    pub(crate) async fn close(&mut self) -> Result<()> {
        let Some(opened) = self.opened.take() else { return Ok(()) };
        opened.traces.end().await;
        opened.store.checkpoint(Checkpoint::Last).await?;
        opened.store.close();
        Ok(())
    }

    /// Waits until extraction has processed all data written to a memory, regardless of the process
    /// that runs the jobs.
    pub(crate) async fn settle(&self, memory: &str) -> Result<ExtractionState> {
        if let Some(opened) = &self.opened {
            let id = MemoryId::parse(memory)?;
            let settled = self.settled(opened, &[id], Some(self.wait_ms())).await?;
            let state = settled.jobs;
            if settled.left_to.is_some() {
                notes(&settled, Some(self.wait_ms())).into_iter().for_each(output::note);
            }
            return Ok(ExtractionState {
                complete: state.complete,
                pending: state.pending,
                waiting: state.waiting,
                failed: state.failed,
            });
        }
        let wait = ExtractionWait { timeout_ms: Some(self.wait_ms()), ..ExtractionWait::default() };
        let client = self.client.clone().without_meanwhile();
        let waiting = client.extraction_wait(memory, &wait);
        let memories = [memory.to_owned()];
        Ok(waited(waiting, &waits_for(self.wait_ms()), || self.pending(&memories)).await?)
    }

    /// Runs the jobs of some memories, or waits for the servers that run them. Prints a notice if
    /// this takes longer than a moment.
    async fn settled(
        &self,
        opened: &Wiring,
        memories: &[MemoryId],
        wait_ms: Option<u64>,
    ) -> loci_model::Result<OneShotResult> {
        let named: Vec<String> = memories.iter().map(ToString::to_string).collect();
        let work = opened.engine.settle(memories, wait_ms);
        waited(work, &waits_for(wait_ms.unwrap_or_default()), || self.pending(&named)).await
    }

    /// Returns a description of the pending jobs, with the reason of their last failed attempt.
    /// `None` if the jobs are unknown.
    async fn pending(&self, memories: &[String]) -> Option<String> {
        let mut jobs = Vec::new();
        for memory in memories {
            let listing = JobListing { state: Some("pending".to_owned()), ..JobListing::default() };
            jobs.extend(self.client.job_list(memory, &listing).await.ok()?.jobs);
        }
        let kinds: BTreeSet<&str> = jobs.iter().map(|job| job.kind.as_str()).collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        let reason = jobs.iter().find_map(|job| job.failure_reason.as_deref());
        let why = reason.map(|reason| format!("; the last try failed: {reason}")).unwrap_or_default();
        (!jobs.is_empty())
            .then(|| format!("{} pending ({kinds}){why}", output::counted_are(jobs.len(), "job")))
    }
}

fn waits_for(wait_ms: u64) -> String {
    format!(
        "waiting for the jobs of this memory, at most {} s: --wait-ms sets another time, and 0 leaves them \
         to a server or the next command",
        wait_ms.div_ceil(1_000)
    )
}

/// Returns the notes to print about a command's pending and failed jobs.
fn notes(settled: &OneShotResult, wait_ms: Option<u64>) -> Vec<String> {
    let OneShotResult { jobs, left_to } = settled;
    let mut notes = Vec::new();
    match left_to {
        _ if jobs.pending == 0 => {}
        None => notes.push(format!(
            "{} pending: a server, or the next command that writes, continues",
            output::counted_are(jobs.pending, "job")
        )),
        Some(servers) => {
            let waited = match wait_ms {
                None | Some(0) => String::new(),
                Some(wait_ms) => format!(" after {wait_ms} ms"),
            };
            let who = if servers.heard_of {
                "they continue"
            } else {
                "no server has reported in the last three minutes, so start one (loci serve) if none runs"
            };
            notes.push(format!(
                "{} pending{waited}, left to the servers of this store: {who}",
                output::counted_are(jobs.pending, "job")
            ));
        }
    }
    if jobs.failed > 0 {
        notes.push(format!("{} jobs failed: see `loci job list --state failed`", jobs.failed));
    }
    notes
}

#[cfg(test)]
mod tests {
    use loci_api::job::ExtractionState;
    use loci_engine::jobs::Servers;

    use super::*;

    #[test]
    fn work_that_is_left_is_said() {
        let check = |pending, heard_of: Option<bool>, wait_ms, expect: &str| {
            let jobs = ExtractionState { complete: pending == 0, pending, waiting: 0, failed: 0 };
            let left_to = heard_of.map(|heard_of| Servers { heard_of, overdue_ms: 0 });
            let said = notes(&OneShotResult { jobs, left_to }, wait_ms).join("; ");
            assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{said}");
        };
        check(0, None, Some(9), "");
        check(2, None, Some(9), "2 jobs are pending: a server, or the next command that writes, continues");
        check(0, Some(false), None, "");
        check(2, Some(true), None, "2 jobs are pending, left to the servers of this store: they continue");
        check(2, Some(false), Some(9), "2 jobs are pending after 9 ms, left to the servers");
        check(2, Some(false), Some(9), "no server has reported");
    }
}
