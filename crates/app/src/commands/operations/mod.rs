//! Commands of operations memory: preferences, knowledge about services, investigations, a user's
//! own records.

mod doctor;
mod explain;
mod export;
mod history;
mod import;
pub(crate) mod me;
mod memory_selection;
pub(crate) mod ops;
mod outcomes;
mod preferences;

use anyhow::Result;
use clap::Subcommand;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of operations memory.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationsCommand {
    /// Your own records in operations memory
    #[command(subcommand)]
    Me(me::Me),
    /// Operations memory: preferences, service knowledge, investigations
    #[command(subcommand)]
    Ops(ops::Ops),
}

impl OperationsCommand {
    /// Runs the command.
    pub(crate) fn run<'a>(
        self,
        globals: &'a Globals,
        environment: &'a Environment,
    ) -> LocalBoxFuture<'a, Result<()>> {
        match self {
            Self::Me(me) => me.run(globals, environment).boxed_local(),
            Self::Ops(ops) => ops.run(globals, environment).boxed_local(),
        }
    }
}
