//! `loci restore`: replaces the database of a data folder with a backup. It needs exclusive access
//! to the folder.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use loci_store_sqlite::BackupSecrets;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::DryRun;
use crate::exit::Usage;
use crate::wiring::MASTER_KEY_FILE;
use crate::wiring::store::StorePlan;
use crate::{confirmation, output, session};

/// The note on mirrors: their former common state with the store is obsolete.
const MIRRORS: &str = "mirrors, if there are any, are brought to the restored trees by their next sync: a repository by \
                       one commit on top; in a directory nothing is put away, what differs is kept beside, and \
                       files of no document are left and named; names of tree states from before are refused";

/// Replace the database of a data folder with a backup
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup
    file: PathBuf,
    /// Replace the content of the folder
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    dry: DryRun,
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
        if self.dry.dry_run {
            loci_store_sqlite::check_restore(&self.file, folder, self.force)?;
            let (folder, file) = (folder.display(), self.file.display());
            return confirmation::would(globals.json, &format!("restore {file} into {folder}"));
        }
        let secrets = loci_store_sqlite::restore(&self.file, folder, self.force)?;
        let has_key_file = folder.join(MASTER_KEY_FILE).exists();
        let has_key = has_key_file || environment.master_key().is_some();
        let note = match secrets {
            BackupSecrets::Sealed if !has_key => Some(
                "what the backup has sealed, such as its access keys, needs a master key that is not here: \
                 put master.key into the folder, or set LOCI_MASTER_KEY; a server does not start without it",
            ),
            BackupSecrets::Tombstones if !has_key => Some(
                "the backup's tombstones were made under a master key that is not here: put master.key into \
                 the folder, or set LOCI_MASTER_KEY; without it imports may bring back what was erased \
                 before",
            ),
            BackupSecrets::None if has_key_file => Some(
                "the backup has nothing sealed, and the folder a master key: a server does not start until \
                 there is a key (loci key create NAME) or master.key is removed",
            ),
            BackupSecrets::None | BackupSecrets::Tombstones | BackupSecrets::Sealed => None,
        };
        let folder = folder.display().to_string();
        let shown = serde_json::json!({ "data_dir": folder, "note": note, "mirrors": MIRRORS });
        output::result(globals.json, &shown, |_| {
            output::line(format!("restored into {folder}"));
            output::note(MIRRORS);
            if let Some(note) = note {
                output::note(note);
            }
        })
    }
}
