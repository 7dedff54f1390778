//! `loci mcp`: serves the Model Context Protocol on standard input and output, over the store of a
//! folder or a remote server. For a remote server, `elsewhere` checks the code that only this
//! machine can read. Standard output contains only messages. Logs go to standard error.

#[cfg(not(feature = "verified"))]
#[path = "no_elsewhere.rs"]
mod elsewhere;
mod repository;
mod task;
mod tools;
pub(crate) mod tools_print;

use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use loci_server::mcp::Mcp as Door;
use loci_server::mcp::dispatch::Service;
use loci_server::mcp::loci::LociOffer;
use loci_server::mcp::provider::{Caller, Endpoint};
use loci_server::mcp::stdio::StdioDoor;
use loci_server::tools::profile::Profile;
use loci_server::tools::table::Table;
use tokio::io::BufReader;

#[cfg(feature = "verified")]
use super::verified::elsewhere;
use crate::adapters::{RandomIds, SystemClock};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::mcp::ToolNames;
use crate::config::{LogSection, load};
use crate::exit::Usage;
use crate::logging;
use crate::memory_argument;
use elsewhere::Elsewhere;
use tools::{ClientTools, ToolsPlace};

/// Serve the Model Context Protocol on standard input and output
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The listed tools: core, verified, recall, coding, files, sre or full, or several of them,
    /// separated by commas [default: as configured]
    #[arg(long, value_name = "PROFILES")]
    profile: Option<String>,
    /// The naming scheme of listed tools [default: as configured]
    #[arg(long, value_name = "NAMES")]
    tool_names: Option<ToolNames>,
    /// The memory of the tools, by name or id [default: LOCI_MEMORY, or the server decides]
    #[arg(long, value_name = "MEMORY")]
    memory: Option<String>,
    /// The user of the operations tools [default: the key's own]
    #[arg(long, value_name = "USER")]
    user: Option<String>,
}

impl Mcp {
    /// Serves until the input ends.
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut config = load(globals.config.as_deref(), environment)?;
        if config.log == LogSection::default() {
            "warn".clone_into(&mut config.log.level);
        }
        logging::start(&config.log)?;
        let options = config.mcp.options()?;
        let profiles = match &self.profile {
            Some(asked) => Profile::parse_several(asked).map_err(|error| Usage(error.message))?,
            None => options.profiles.clone(),
        };
        let naming = self.tool_names.map_or(options.naming, ToolNames::naming);
        let directory = std::env::current_dir().ok();
        let elsewhere = match &directory {
            Some(directory) if globals.url.is_some() => Elsewhere::around(&config, directory).await,
            _ => None,
        };
        let memory = memory_argument::given(self.memory, environment);
        let place = ToolsPlace { memory, user: self.user, directory };
        let tools = Arc::new(ClientTools::begin(globals, environment, place, elsewhere)?);
        tools.register().await;
        let mcp = Arc::new(Door::new(Arc::new(SystemClock::new()), Arc::new(RandomIds::new()?)));
        let service = Service {
            provider: Arc::new(LociOffer::new(
                Arc::new(Table::shipped()),
                Arc::clone(&tools) as _,
                options.allow_unlisted,
                Arc::clone(&mcp),
            )),
            mcp,
            revisions: options.revisions.clone(),
        };
        let endpoint = Endpoint { profiles, naming };
        let door = StdioDoor::new(Arc::new(service), Caller::default(), endpoint, options.body_bytes_max);
        let served = door.serve(BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await;
        tools.end().await?;
        served.context("standard input or output")
    }
}
