//! Commands of the memory of operations agents: preferences, knowledge of services, investigations,
//! a user's own records.

mod doctor;
mod explain;
mod export;
mod history;
mod import;
pub(crate) mod me;
mod outcomes;
mod place;
pub(super) mod preferences;
pub(crate) mod sre;

use anyhow::Result;
use clap::Subcommand;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of the product.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationsCommand {
    /// Your own records in the memory of operations agents
    #[command(subcommand)]
    Me(me::Me),
    /// What operations agents remember
    #[command(subcommand)]
    Sre(sre::Sre),
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
            Self::Sre(sre) => sre.run(globals, environment).boxed_local(),
        }
    }
}
