//! `loci serve`: serves the APIs on a data folder until a signal arrives.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use loci_model::ports::BoxFuture;
use loci_model::ports::store::Checkpoint;
use loci_server::listener::{Bound, ListenOptions, TlsFiles, bind};
use loci_server::{DoorOptions, Doors};
use tokio::task::JoinHandle;

use crate::adapters::{connections_within, raise_descriptors};
use crate::config::environment::Environment;
use crate::config::{Config, LogFormat, ServerSection};
use crate::logging;
use crate::output::protected_paths::ensure_free_of_data;
use crate::process::stop_limit::{StopSignal, end_by_force};
use crate::replaced_file;
#[cfg(feature = "verified")]
use crate::wiring::code::{CodePlan, register};
#[cfg(any(feature = "coding", feature = "operations"))]
use crate::wiring::hooks::hooks;
#[cfg(feature = "documents")]
use crate::wiring::mirrors;
use crate::wiring::models::Outside;
use crate::wiring::store::StorePlan;
use crate::wiring::targets::TargetsPlan;
use crate::wiring::traces::TracesPlan;
use crate::wiring::{Wiring, WiringOptions, wire};

/// The options of the server.
#[derive(Debug, clap::Args)]
pub struct ServeArguments {
    /// Address and port; port 0 selects a free one.
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// Certificate chain in PEM, for TLS.
    #[arg(long, requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key in PEM, for TLS.
    #[arg(long, requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A proxy in front of this server terminates TLS.
    #[arg(long)]
    behind_proxy: bool,
    /// The file that receives the port once the server listens.
    #[arg(long)]
    port_file: Option<PathBuf>,
    /// The format of log lines.
    #[arg(long)]
    log_format: Option<LogFormat>,
}

impl ServeArguments {
    /// Applies the command-line flags to the configuration. They take precedence over the file and
    /// the environment.
    fn apply(&self, config: &mut Config) {
        let server = &mut config.server;
        server.listen = self.listen.unwrap_or(server.listen);
        server.behind_proxy |= self.behind_proxy;
        config.log.format = self.log_format.unwrap_or(config.log.format);
        if self.tls_cert.is_some() {
            server.tls_cert.clone_from(&self.tls_cert);
            server.tls_key.clone_from(&self.tls_key);
        }
    }
}

/// Serves until SIGINT or SIGTERM.
pub async fn run(
    arguments: &ServeArguments,
    mut config: Config,
    folder: PathBuf,
    environment: &Environment,
) -> Result<()> {
    arguments.apply(&mut config);
    logging::start(&config.log)?;
    fit_connections(&mut config);
    let limit = Duration::from_millis(config.server.stop_ms_max);
    let signal = StopSignal::listen(limit, move || end_by_force(limit))?;
    config.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
    let plan = StorePlan::of(&config, environment, folder)?;
    let wiring = wire(WiringOptions {
        store: plan.clone(),
        engine: config.loci()?,
        embed_threads: config.extraction.embed_threads,
        master_key: environment.master_key(),
        outside: Outside::read(&config, environment),
        targets: TargetsPlan::of(&config, environment, plan.folder())?,
        traces: TracesPlan::read(&config, environment)?,
        #[cfg(feature = "verified")]
        code: CodePlan::of(&config, environment)?,
        #[cfg(feature = "documents")]
        mirrors: config.mirror.clone(),
        clock_ahead_days: config.rehearsal.clock_ahead_days,
    })?;
    // This check precedes the first connection: with a folder that has lost its keys, each caller
    // would count as an administrator.
    if let Some(warning) = wiring.engine.master_key_check().await? {
        tracing::warn!("{warning}");
    }
    #[cfg(feature = "verified")]
    register(&wiring.engine, &config.repositories).await;
    #[cfg(feature = "documents")]
    mirrors::register(&wiring.engine, &wiring.mirrors, true).await;
    let doors = doors(&wiring, &config, environment)?;
    let bound = bind(listen_options(&config, plan.socket()), doors.clone()).await?;
    let buckets = match buckets_address(&config) {
        None => None,
        Some(address) => Some(bind(buckets_options(&config, address), doors.clone()).await?),
    };
    let address = bound.address()?;
    announce(&format!("{}://{address}", bound.scheme()), arguments.port_file.as_deref(), address.port())?;
    if let Some(buckets) = &buckets {
        say(&format!("buckets alone on {}://{}", buckets.scheme(), buckets.address()?));
    }
    if !doors.gate.any_keys().await? {
        tracing::warn!("development mode: no access key is configured, every request on loopback is allowed");
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let jobs = tokio::spawn(run_jobs(wiring.engine.engine.clone(), stopped));
    let (mcp, imports) = (Arc::clone(&doors.mcp), Arc::clone(&doors.imports));
    let ended = async move {
        signal.wait().await;
        mcp.hub.close(); // who listens is told that this is the end
        imports.stop();
    };
    serve_all(bound, buckets, &doors, Box::pin(ended)).await;
    let _ = stop.send(true); // the runner may have ended already
    work_ended(jobs, &doors, drain(&config.server)).await?;
    close(wiring).await
}

/// Waits for running jobs, and for imports that undo their changes, before the store is closed.
/// `most` limits the wait.
async fn work_ended(mut jobs: JoinHandle<()>, doors: &Doors, most: Duration) -> Result<()> {
    let imports = tokio::time::timeout(most, doors.imports.ended());
    let (jobs_ended, imports_ended) = tokio::join!(tokio::time::timeout(most, &mut jobs), imports);
    if imports_ended.is_err() {
        tracing::error!(
            "an import was not rolled back in time: delete the memories that it created, and import again"
        );
    }
    match jobs_ended {
        Ok(ended) => ended.context("the job runner panicked"),
        Err(_) => {
            tracing::warn!("jobs were interrupted; they will run again");
            jobs.abort();
            Ok(())
        }
    }
}

/// Returns the address that serves only the S3 interface, if the configuration names one.
#[cfg(feature = "documents")]
fn buckets_address(config: &Config) -> Option<SocketAddr> {
    config.s3.listen
}

/// Returns `None`: the S3 interface belongs to the documents product, which this build lacks.
#[cfg(not(feature = "documents"))]
fn buckets_address(_: &Config) -> Option<SocketAddr> {
    None
}

/// Lowers the limit of connections to the available file descriptors, and reserves some for the
/// store. A server without free descriptors cannot answer.
fn fit_connections(config: &mut Config) {
    let descriptors = raise_descriptors();
    let listeners = if buckets_address(config).is_some() { 2 } else { 1 };
    let (wanted, most) = (config.server.connections_max, &mut config.server.connections_max);
    *most = connections_within(descriptors, listeners, wanted);
    if *most < wanted {
        let rule = "this process may not open as many files as [server] connections_max needs: fewer connections are \
                    taken at once. Raise the limit (`ulimit -n`, LimitNOFILE= of systemd)";
        tracing::warn!(connections_max = wanted, taken = *most, descriptors, rule);
    }
}

/// Returns the doors of a server process: the interfaces to its engine.
pub fn doors(wiring: &Wiring, config: &Config, environment: &Environment) -> Result<Doors> {
    let options = DoorOptions {
        body_bytes_max: config.server.body_bytes_max,
        bodies_bytes_max: config.server.bodies_bytes_max,
        extraction_sync: config.extraction.sync,
        base_path: config.server.base_path.clone(),
        os_user: environment.os_user(),
        mcp: config.mcp.options()?,
        #[cfg(feature = "documents")]
        s3: config.s3.options()?,
        configuration: serde_json::to_value(config.clone().shown())?,
        ..DoorOptions::default()
    };
    let doors =
        Doors::new(wiring.engine.clone(), Arc::clone(&wiring.clock), Arc::clone(&wiring.ids), options);
    let doors = doors.with_metrics(Arc::clone(&wiring.metrics));
    #[cfg(any(feature = "coding", feature = "operations"))]
    let doors = doors.with_hooks(hooks(config, environment)?);
    Ok(doors)
}

/// Runs jobs until `stopped` reports the stop.
pub(crate) async fn run_jobs(engine: loci_engine::Engine, mut stopped: tokio::sync::watch::Receiver<bool>) {
    let stop = async move {
        let _ = stopped.wait_for(|stop| *stop).await; // a dropped sender is a signal too
    };
    // The embedder may differ from the previous one.
    if let Err(error) = engine.ask_for_missing_vectors().await {
        tracing::warn!(%error, "memories were not searched for passages without vectors");
    }
    engine.run_jobs(Box::pin(stop)).await;
}

/// Sends the last traces, moves the write-ahead log into the main file, and releases the folder.
async fn close(wiring: Wiring) -> Result<()> {
    wiring.traces.end().await;
    wiring.store.checkpoint(Checkpoint::Last).await.context("the last checkpoint")?;
    wiring.store.close();
    Ok(())
}

/// Serves all doors, and the S3 interface at its own address, until `ended` resolves.
async fn serve_all(bound: Bound, buckets: Option<Bound>, doors: &Doors, ended: BoxFuture<'static, ()>) {
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let ended = async move {
        ended.await;
        let _ = stop.send(true); // nobody waits where buckets have no listener
    };
    let everything = bound.serve(loci_server::router(doors), Box::pin(ended));
    let Some(buckets) = buckets else { return everything.await };
    #[cfg(feature = "documents")]
    let router = loci_server::router_of_buckets(doors);
    #[cfg(not(feature = "documents"))]
    let router = loci_server::router(doors);
    let buckets = buckets.serve(router, Box::pin(stopped_by(stopping)));
    tokio::join!(everything, buckets);
}

/// Resolves when the stop signal arrives. A dropped sender counts as the signal.
async fn stopped_by(mut stopping: tokio::sync::watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Returns the time limit for open requests after the stop signal, and then for jobs. The rest of
/// the configured stop limit is for the last checkpoint of the store.
fn drain(server: &ServerSection) -> Duration {
    Duration::from_millis(server.stop_ms_max) * 2 / 5
}

/// Returns the listen options of the address that serves only the S3 interface.
fn buckets_options(config: &Config, address: SocketAddr) -> ListenOptions {
    let mut options = listen_options(config, PathBuf::new());
    options.address = address;
    options.socket = None;
    options
}

fn listen_options(config: &Config, socket: PathBuf) -> ListenOptions {
    let server = &config.server;
    let files = server.tls_cert.clone().zip(server.tls_key.clone());
    ListenOptions {
        socket: Some(socket),
        tls: files.map(|(certificate, key)| TlsFiles { certificate, key }),
        behind_proxy: server.behind_proxy,
        connections_max: server.connections_max,
        drain_ms_max: u64::try_from(drain(server).as_millis()).unwrap_or(u64::MAX),
        ..ListenOptions::new(server.listen)
    }
}

#[expect(
    clippy::print_stderr,
    reason = "where it listens is said to whoever started it, whatever the log says"
)]
fn say(what: &str) {
    eprintln!("{what}");
}

/// The mode of the port file before the umask: all users may read it.
const PORT_FILE_MODE: u32 = 0o666;

fn announce(url: &str, port_file: Option<&Path>, port: u16) -> Result<()> {
    say(&format!("listening on {url}"));
    if let Some(path) = port_file {
        ensure_free_of_data(path)?;
        replaced_file::replace(path, &format!("{port}\n"), PORT_FILE_MODE)?;
    }
    Ok(())
}
