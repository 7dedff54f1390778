//! `loci backend serve`: serves the HTTP form of a directory on a loopback address until a signal
//! arrives.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use loci_client::backend::{DirectoryBackend, serve_backend};
use tokio::net::TcpListener;

use super::backend_location::refuse_token;
use crate::bearer;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::process::stop_limit::{StopSignal, end_by_force};

/// The time limit for requests in progress after the signal.
const STOP_MAX: Duration = Duration::from_secs(10);

/// Serve the HTTP form of a local directory
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The directory; created for its owner only if it is absent
    #[arg(long, value_name = "DIR")]
    directory: PathBuf,
    /// The port on 127.0.0.1; 0 selects a free one. With --token-file each request must carry that
    /// token
    #[arg(long, default_value_t = 8412)]
    port: u16,
}

impl Serve {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        refuse_token(globals, environment)?;
        crate::logging::start_quiet();
        let backend = DirectoryBackend::open(&self.directory)
            .with_context(|| format!("opening {}", self.directory.display()))?;
        let token = globals.token_file.as_deref().map(bearer::of_file).transpose()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("listening on {address}: choose another port with --port, or 0 for a free one")
        })?;
        let signal = StopSignal::listen(STOP_MAX, || end_by_force(STOP_MAX))?;
        let url = format!("http://{}", listener.local_addr()?);
        output::result(globals.json, &serde_json::json!({ "url": url }), |_| {
            output::line(format!("serving {} at {url}", self.directory.display()));
        })?;
        let stop = Box::pin(async move { signal.wait().await });
        serve_backend(listener, Arc::new(backend), token, stop).await.context("serving the directory")
    }
}
