//! The store of a process: a data folder, or a database in `LOCI_STORE`.
//!
//! With a database, the folder still contains the data of this machine: the socket that commands
//! attach to, and the master key unless the environment contains it.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_store_sqlite::{SqliteOptions, SqliteStore};

use crate::config::Config;
use crate::config::environment::Environment;

/// The variable with the address of the store.
pub const STORE: &str = "LOCI_STORE";
/// The socket of a data folder.
const SOCKET: &str = "loci.sock";

/// A store that is not open yet.
#[derive(Debug, Clone)]
pub struct StorePlan {
    /// The folder of this machine.
    folder: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Folder(SqliteOptions),
    Database(Box<PostgresOptions>),
}

impl StorePlan {
    /// Returns the plan of a data folder with the defaults.
    pub fn folder_at(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { kind: Kind::Folder(SqliteOptions::new(&folder)), folder }
    }

    /// Returns the plan of environment and configuration: `LOCI_STORE`, else the data folder.
    ///
    /// # Errors
    /// `LOCI_STORE` is not the address of a store.
    pub fn of(config: &Config, environment: &Environment, folder: PathBuf) -> Result<Self> {
        match environment.get(STORE) {
            None => Ok(Self { kind: Kind::Folder(config.store(folder.clone())), folder }),
            Some(address) => Self::at(address, config, folder).with_context(|| format!("reading {STORE}")),
        }
    }

    /// Returns the plan of an address: `sqlite:PATH` or `postgres://…`.
    ///
    /// # Errors
    /// The address is neither, or one of its parameters is invalid.
    pub fn at(address: &str, config: &Config, folder: PathBuf) -> Result<Self> {
        if let Some(path) = address.strip_prefix("sqlite:") {
            if path.is_empty() {
                bail!("sqlite: needs the path of a data folder, like sqlite:/var/lib/loci");
            }
            let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            return Ok(Self { kind: Kind::Folder(config.store(path.clone())), folder: path });
        }
        if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            let mut options =
                PostgresOptions::parse(address).map_err(|error| anyhow::anyhow!(error.message))?;
            options.index_bytes_max = options.index_bytes_max.min(config.store.index_bytes_max);
            return Ok(Self { kind: Kind::Database(Box::new(options)), folder });
        }
        bail!("a store is sqlite:PATH or postgres://user:password@host/database");
    }

    /// Returns the folder of this machine.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder that contains the store, if the store is a folder.
    pub fn data_folder(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Folder(options) => Some(&options.folder),
            Kind::Database(_) => None,
        }
    }

    /// Returns the location of the store, without credentials.
    pub fn location(&self) -> String {
        match &self.kind {
            Kind::Folder(options) => format!("sqlite:{}", options.folder.display()),
            Kind::Database(options) => options.location(),
        }
    }

    /// Returns the socket of a server on this store. Servers of different stores may share a folder
    /// of this machine.
    pub fn socket(&self) -> PathBuf {
        match &self.kind {
            Kind::Folder(_) => self.folder.join(SOCKET),
            Kind::Database(options) => {
                let digest = loci_store_kit::codes::digest(&options.location());
                self.folder.join(format!("loci-{digest:016x}.sock"))
            }
        }
    }

    /// Returns a plan that creates no store: opening a missing one fails.
    #[must_use]
    pub fn existing_only(mut self) -> Self {
        match &mut self.kind {
            Kind::Folder(options) => options.existing_only = true,
            Kind::Database(options) => options.existing_only = true,
        }
        self
    }

    /// Opens the store.
    ///
    /// # Errors
    /// The store cannot be opened. The message is for people.
    pub fn open(self) -> Result<Arc<dyn Store>> {
        match self.kind {
            Kind::Folder(options) => Ok(SqliteStore::open(options).context("opening the data folder")?),
            Kind::Database(options) => {
                if !options.existing_only {
                    private_folder(&self.folder)?;
                }
                Ok(PostgresStore::open(*options).context("opening the database")?)
            }
        }
    }
}

/// Creates a missing folder, accessible only by its owner.
fn private_folder(folder: &Path) -> Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("making the folder {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |address: &str, expect: &str| {
            let plan = StorePlan::at(address, &Config::default(), PathBuf::from("/f"));
            let said = plan.map(|plan| plan.location()).unwrap_or_else(|error| format!("{error:#}"));
            assert!(said.starts_with(expect), "{address}: {said}");
        };
        check("sqlite:/var/lib/loci", "sqlite:/var/lib/loci");
        check("sqlite:///var/lib/loci", "sqlite:/var/lib/loci");
        check("sqlite:", "sqlite: needs");
        check("postgres://ann:secret@db/agents", "postgres://db:5432/agents?schema=loci");
        check("postgresql://db/agents?schema=x", "postgres://db:5432/agents?schema=x");
        check("mysql://db/agents", "a store is");
        check("/var/lib/loci", "a store is");
    }

    #[test]
    fn servers_of_two_stores_have_two_sockets() {
        let socket = |address: &str| {
            StorePlan::at(address, &Config::default(), PathBuf::from("/f")).map(|plan| plan.socket()).ok()
        };
        assert_eq!(socket("sqlite:/f"), Some(PathBuf::from("/f/loci.sock")));
        assert_ne!(socket("postgres://db/a"), socket("postgres://db/b"));
        assert_ne!(socket("postgres://db/a"), socket("sqlite:/f"));
    }
}
