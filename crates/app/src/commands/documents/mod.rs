//! Commands of trees of documents: files, mirrors, consolidation runs, places for files.

pub(crate) mod backend;
pub(crate) mod consolidate;
pub(crate) mod files;
mod history;
mod memory_tool;
pub(crate) mod mirror;

use anyhow::Result;
use clap::Subcommand;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of the product.
#[derive(Debug, Subcommand)]
pub(crate) enum DocumentsCommand {
    /// A memory as files
    #[command(subcommand)]
    Files(Box<files::Files>),
    /// Trees that are kept as files elsewhere
    #[command(subcommand)]
    Mirror(Box<mirror::MirrorCommand>),
    /// Places for files of your own: check, serve, copy
    #[command(subcommand)]
    Backend(backend::Backend),
    /// Put a tree of documents in order: plan it, apply the plan, or undo it
    Consolidate(Box<consolidate::Consolidate>),
}

impl DocumentsCommand {
    /// Runs the command.
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        match self {
            Self::Files(files) => files.run(globals, environment).await,
            Self::Mirror(mirror) => mirror.run(globals, environment).await,
            Self::Backend(backend) => backend.run(globals, environment).await,
            Self::Consolidate(consolidate) => consolidate.run(globals, environment).await,
        }
    }
}
