//! The store of a run: a data folder, or a database of a durable PostgreSQL that can be killed too.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use loci_app::config::Config;
use loci_app::wiring::store::StorePlan;
use loci_model::ports::store::Store;
use loci_pgserver::{PostgresServer, Settings};

/// The kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::crash) enum Kind {
    /// SQLite on a folder.
    Folder,
    /// PostgreSQL, started for the run.
    Postgres,
}

/// The store.
pub(in crate::crash) struct StoreLocation {
    /// The folder of the server. Without a database, it is the store.
    pub(in crate::crash) folder: PathBuf,
    database: Option<Database>,
}

struct Database {
    server: PostgresServer,
    url: String,
}

impl StoreLocation {
    pub(in crate::crash) fn new(kind: Kind, parent: &Path) -> Result<Self> {
        let database = match kind {
            Kind::Folder => None,
            Kind::Postgres => {
                let server = PostgresServer::start(&Settings { durable: true, ..Settings::default() })?;
                let url = server.fresh_database()?;
                Some(Database { server, url })
            }
        };
        Ok(Self { folder: parent.join("data"), database })
    }

    /// Returns the settings of the server.
    pub(in crate::crash) fn settings(&self) -> Vec<(&str, &str)> {
        let store = self.database.as_ref().map(|database| ("LOCI_STORE", database.url.as_str()));
        store.into_iter().collect()
    }

    /// Opens the store next to the server. The caller closes it.
    pub(in crate::crash) fn open(&self) -> Result<Arc<dyn Store>> {
        match &self.database {
            None => StorePlan::folder_at(&self.folder),
            Some(database) => {
                StorePlan::at(&database.url, &Config::default(), self.folder.with_extension("beside"))?
            }
        }
        .existing_only()
        .open()
    }

    /// Returns true if there is a database to kill.
    pub(in crate::crash) fn has_database(&self) -> bool {
        self.database.is_some()
    }

    /// Kills all processes of the database, and starts it again after a pause.
    pub(in crate::crash) fn restart_database(&self, pause: Duration) -> Result<()> {
        let Some(database) = &self.database else { return Ok(()) };
        database.server.kill()?;
        std::thread::sleep(pause);
        Ok(database.server.restart()?)
    }
}
