//! `loci sample`: a repository and a conversation to try things with. The guides use them.

mod conversation;
pub(super) mod repository;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::Globals;
use crate::exit::Usage;
use crate::output::{self, counted};

/// Write a sample repository or conversation
#[derive(Debug, Subcommand)]
pub(crate) enum Sample {
    /// Write a small git repository with two commits
    Repo(Target),
    /// Write a conversation of three weeks as a transcript for `loci import`
    Conversation(Target),
}

/// The place of a sample.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The folder, which must be new or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Sample {
    pub(crate) fn run(self, globals: &Globals) -> Result<()> {
        match self {
            Self::Repo(target) => {
                require_empty(&target.folder)?;
                let commits = repository::write(&target.folder)?;
                let shown = json!({"folder": target.folder, "commits": commits});
                output::result(globals.json, &shown, |_| {
                    output::line(format!(
                        "a repository with {} in {}",
                        counted(commits, "commit"),
                        target.folder.display()
                    ));
                })
            }
            Self::Conversation(target) => {
                require_empty(&target.folder)?;
                std::fs::create_dir_all(&target.folder)
                    .with_context(|| format!("creating {}", target.folder.display()))?;
                let file = target.folder.join(conversation::FILE);
                let turns = conversation::write(&file)?;
                output::result(globals.json, &json!({"file": file, "turns": turns}), |_| {
                    output::line(format!("a conversation of {turns} turns in {}", file.display()));
                })
            }
        }
    }
}

/// Rejects a folder that contains files, so that the sample replaces and mixes with nothing.
pub(super) fn require_empty(folder: &Path) -> Result<()> {
    let mut entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| format!("reading {}", folder.display()))?,
    };
    if entries.next().is_some() {
        let rule = format!("{} is not empty: give a folder that is new or empty", folder.display());
        return Err(Usage(rule).into());
    }
    Ok(())
}
