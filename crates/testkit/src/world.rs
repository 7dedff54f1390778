//! The inside of a whole server for a test: the engine over the embedded store in a folder of its own, with a clock that is
//! moved by hand, seeded ids, a vault that hides nothing, and no embedding model. The same calls give the same answers.

use std::sync::Arc;

use loci_engine::{Engine, EngineParts, EngineSettings};
use loci_model::ports::vault::Vault;
use loci_model::{Error, Result};
use loci_store_sqlite::{SqliteOptions, SqliteStore};

use crate::{ManualClock, SeededIds};

/// A vault that hides nothing: a mark before the secret.
#[derive(Debug)]
struct OpenVault;

impl Vault for OpenVault {
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>> {
        Ok([b"sealed:", secret].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let secret = sealed.strip_prefix(b"sealed:");
        secret.map(<[u8]>::to_vec).ok_or_else(|| Error::bug("not sealed by this vault"))
    }
}

/// An engine and what it stands on; the folder goes when this goes.
pub struct TestWorld {
    engine: Engine,
    clock: ManualClock,
    store: Arc<SqliteStore>,
    _folder: tempfile::TempDir,
}

impl TestWorld {
    /// A new world with nothing in it.
    ///
    /// # Errors
    /// When the folder cannot be made or the store not opened.
    pub fn new() -> Result<Self> {
        let folder =
            tempfile::tempdir().map_err(|error| Error::unavailable("no test folder").caused_by(error))?;
        let store = SqliteStore::open(SqliteOptions::new(folder.path()))?;
        let clock = ManualClock::default();
        let parts = EngineParts::quiet(
            store.clone(),
            None,
            Arc::new(clock.clone()),
            Arc::new(SeededIds::new(1)),
            Arc::new(OpenVault),
        );
        let engine = Engine::new(parts, EngineSettings::default());
        Ok(Self { engine, clock, store, _folder: folder })
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// The engine's clock.
    pub fn clock(&self) -> ManualClock {
        self.clock.clone()
    }
}

impl Drop for TestWorld {
    fn drop(&mut self) {
        self.store.close();
    }
}
