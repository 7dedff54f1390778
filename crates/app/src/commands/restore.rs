//! `loci restore`: a backup in the place of a data folder's database. Needs the folder to itself.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::wiring_store::StorePlan;
use crate::{output, session};

/// Put a backup in the place of a data folder's database
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup
    file: PathBuf,
    /// Replace what the folder holds
    #[arg(long)]
    force: bool,
}

impl Restore {
    pub(crate) fn run(&self, globals: &Globals, environment: &Environment) -> Result<()> {
        if globals.url.is_some() {
            return Err(
                Usage("a restore works on a folder of this machine: leave --url out".to_owned()).into()
            );
        }
        let (folder, config) = session::folder(globals, environment)?;
        let plan = StorePlan::of(&config, environment, folder)?;
        let Some(folder) = plan.data_folder() else {
            return Err(loci_model::Error::conflict(
                "a store on PostgreSQL is backed up and restored by the database's own means (pg_dump, pg_basebackup): \
                 loci restore fills data folders",
            )
            .into());
        };
        loci_store_sqlite::restore(&self.file, folder, self.force)?;
        let folder = folder.display().to_string();
        output::result(globals.json, &serde_json::json!({ "data_dir": folder }), |_| {
            output::line(format!("restored into {folder}"));
        })
    }
}
