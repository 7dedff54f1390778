//! Commands of the verified product: facts, repositories, the check of a clone.

pub(crate) mod code_memory;
pub(super) mod elsewhere;
pub(crate) mod fact;
mod fact_lines;
pub(crate) mod local_repository;
pub(super) mod repo_sync;
pub(super) mod repository_words;
pub(crate) mod verify;

use anyhow::Result;
use clap::Subcommand;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of the product.
#[derive(Debug, Subcommand)]
pub(crate) enum VerifiedCommand {
    /// Repositories with stored facts
    #[command(subcommand)]
    Repo(super::repo::Repo),
    /// Facts that cite code, checked before they are shown
    #[command(subcommand)]
    Fact(fact::Fact),
    /// Check facts against a clone at a revision, as for a pull request
    Verify(verify::Verify),
}

impl VerifiedCommand {
    /// Runs the command.
    pub(crate) fn run<'a>(
        self,
        globals: &'a Globals,
        environment: &'a Environment,
    ) -> LocalBoxFuture<'a, Result<()>> {
        match self {
            Self::Repo(repo) => repo.run(globals, environment).boxed_local(),
            Self::Fact(fact) => fact.run(globals, environment).boxed_local(),
            Self::Verify(verify) => verify.run(globals, environment).boxed_local(),
        }
    }
}
