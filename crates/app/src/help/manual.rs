//! `loci manual`: a man page for each command, written into a folder.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::Globals;
use crate::output;

/// Write the man pages of all commands into a folder
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The folder, such as /usr/local/share/man/man1; created if it is absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Manual {
    pub(crate) fn run(self, globals: &Globals) -> Result<()> {
        let folder = &self.folder;
        std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let command = super::command();
        let pages = 1 + super::paths(&command).len();
        clap_mangen::generate_to(command, folder)
            .with_context(|| format!("writing into {}", folder.display()))?;
        output::result(globals.json, &json!({"folder": folder, "pages": pages}), |_| {
            output::line(format!("{pages} man pages in {}", folder.display()));
        })
    }
}
