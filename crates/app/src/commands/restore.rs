//! `loci restore`: a backup in the place of a data folder's database. Needs the folder to itself.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::wiring::MASTER_KEY_FILE;
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
        let has_keys = loci_store_sqlite::restore(&self.file, folder, self.force)?;
        let has_master_key = folder.join(MASTER_KEY_FILE).exists();
        let note = match (has_keys, has_master_key || environment.master_key().is_some()) {
            (true, false) => Some(
                "the backup's access keys are sealed under a master key that is not here: put master.key \
                 into the folder, or \
                 set LOCI_MASTER_KEY; a server does not start without it",
            ),
            (false, _) if has_master_key => Some(
                "the backup has no access key, and the folder a master key: a server does not start until \
                 there is a key \
                 (loci key create NAME) or master.key is removed",
            ),
            (true, true) | (false, _) => None,
        };
        let folder = folder.display().to_string();
        let shown = serde_json::json!({ "data_dir": folder, "note": note });
        output::result(globals.json, &shown, |_| {
            output::line(format!("restored into {folder}"));
            if let Some(note) = note {
                output::note(note);
            }
        })
    }
}
