//! Commands of document trees: files, mirrors, consolidation runs, file backends.

pub(crate) mod backend;
pub(crate) mod consolidate;
pub(crate) mod files;
mod history;
mod memory_tool;
pub(crate) mod mirror;

use anyhow::Result;
use clap::Subcommand;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of the product.
#[derive(Debug, Subcommand)]
pub(crate) enum DocumentsCommand {
    /// A memory as files
    #[command(subcommand)]
    Files(Box<files::Files>),
    /// Trees mirrored as files
    #[command(subcommand)]
    Mirror(Box<mirror::MirrorCommand>),
    /// File backends of your own: check, serve, copy
    #[command(subcommand)]
    Backend(backend::Backend),
    /// Consolidate a tree of documents: plan it, apply the plan, or undo it
    Consolidate(Box<consolidate::Consolidate>),
}

impl DocumentsCommand {
    /// Runs the command.
    pub(crate) fn run<'a>(
        self,
        globals: &'a Globals,
        environment: &'a Environment,
    ) -> LocalBoxFuture<'a, Result<()>> {
        match self {
            Self::Files(files) => files.run(globals, environment).boxed_local(),
            Self::Mirror(mirror) => mirror.run(globals, environment).boxed_local(),
            Self::Backend(backend) => backend.run(globals, environment).boxed_local(),
            Self::Consolidate(consolidate) => consolidate.run(globals, environment).boxed_local(),
        }
    }
}
