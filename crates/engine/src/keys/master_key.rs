//! Whether the master key is the one that this store's secrets are sealed under. A store remembers it by a
//! witness: a known
//! text, sealed when anything was sealed for the first time. A key that fits no witness opens no secret; a
//! key that lies with
//! a store which knows of none belongs to another database, whose access keys are gone.

use loci_model::ledger::Shelf;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::{Error, Result, Timestamp};

use crate::Engine;

/// The lease whose holder is the witness: it belongs to the store, and is never moved to another.
const LEASE: &str = "master key";
/// What is sealed.
const WITNESS: &[u8] = b"loci master key 1";
/// Memories that are looked at together.
const MEMORIES_PER_PAGE: usize = 500;

/// What a store holds that was sealed.
#[derive(Debug, Clone, Default)]
struct Sealed {
    /// The witness as it is stored.
    witness: Option<String>,
    /// The secret of an access key.
    key: Option<Vec<u8>>,
    /// An access key was made once.
    any_keys: bool,
}

impl Engine {
    /// Proves that the master key opens what this store has sealed.
    ///
    /// # Errors
    /// `Unavailable`, with the remedy: the key is missing, another one, or one of a database that is gone.
    pub async fn master_key_check(&self) -> Result<()> {
        self.vault.check()?;
        let sealed = self.sealed().await?;
        match sealed.sample() {
            Some(sample) => self.vault.open(&sample).map(drop),
            None if sealed.any_keys || !self.vault.has_key_file() => Ok(()),
            None if self.has_redactions().await? => self.ready_to_seal().await,
            None => Err(foreign()),
        }
    }

    /// Makes ready to seal: the master key is made only for a store that has nothing sealed.
    ///
    /// # Errors
    /// As [`Engine::master_key_check`].
    pub(crate) async fn ready_to_seal(&self) -> Result<()> {
        let sealed = self.sealed().await?;
        match sealed.sample() {
            Some(sample) => self.vault.open(&sample).map(drop)?,
            None => self.vault.prepare()?,
        }
        if sealed.witness.is_some() { Ok(()) } else { self.witness(None).await }
    }

    /// Makes ready to seal anew what another master key had sealed: one that a person put in the place of a
    /// lost one.
    ///
    /// # Errors
    /// `Unavailable` where there is no master key.
    pub(super) async fn ready_to_seal_anew(&self) -> Result<()> {
        if self.ready_to_seal().await.is_ok() {
            return Ok(());
        }
        let old = self.sealed().await?.witness;
        self.witness(old).await
    }

    /// Stores a witness, in the place of an old one.
    async fn witness(&self, old: Option<String>) -> Result<()> {
        let sealed = hex::encode(self.vault.seal(WITNESS)?);
        let now = self.clock.now();
        self.store
            .write(move |tx| {
                if let Some(old) = &old {
                    tx.leases_mut().release(LEASE, old)?;
                }
                // Where another process was sooner, its witness stays: it has the same key.
                tx.leases_mut().take(LEASE, &sealed, now, Timestamp::LATEST).map(drop)
            })
            .await
    }

    async fn sealed(&self) -> Result<Sealed> {
        let now = self.clock.now();
        self.store.read(move |tx| Sealed::read(tx, now)).await
    }

    /// True where contents were taken out of a memory, which is sealed also where there are no access keys.
    async fn has_redactions(&self) -> Result<bool> {
        self.store.read(|tx| has_redactions(tx)).await
    }
}

/// Makes ready to make digests in a write, as [`Engine::ready_to_seal`] does before one.
///
/// # Errors
/// As [`Engine::master_key_check`].
pub(crate) fn make_ready(tx: &mut dyn Tx, vault: &dyn Vault, now: Timestamp) -> Result<()> {
    let sealed = Sealed::read(tx, now)?;
    match sealed.sample() {
        Some(sample) => vault.open(&sample).map(drop)?,
        None => vault.prepare()?,
    }
    if sealed.witness.is_none() {
        let witness = hex::encode(vault.seal(WITNESS)?);
        tx.leases_mut().take(LEASE, &witness, now, Timestamp::LATEST)?;
    }
    Ok(())
}

/// True where the store holds something that was sealed under its master key.
pub(crate) fn has_sealed(tx: &dyn ReadTx, now: Timestamp) -> Result<bool> {
    Ok(Sealed::read(tx, now)?.sample().is_some())
}

impl Sealed {
    fn read(tx: &dyn ReadTx, now: Timestamp) -> Result<Self> {
        let keys = tx.keys().list()?;
        let newest = keys.iter().rev().find(|key| key.revoked_at.is_none()).or(keys.last());
        Ok(Self {
            witness: tx.leases().holder(LEASE, now)?,
            key: newest.map(|key| key.secret_sealed.clone()),
            any_keys: tx.keys().any()?,
        })
    }

    /// Something that was sealed.
    fn sample(&self) -> Option<Vec<u8>> {
        let witness = self.witness.as_deref().and_then(|text| hex::decode(text).ok());
        witness.or_else(|| self.key.clone())
    }
}

fn has_redactions(tx: &dyn ReadTx) -> Result<bool> {
    let mut after = None;
    loop {
        let page = tx.memories().list(after.as_ref(), MEMORIES_PER_PAGE)?;
        for memory in &page {
            if tx.ledger().count(&memory.id, Shelf::RedactedContent, None)? > 0 {
                return Ok(true);
            }
        }
        let Some(last) = page.last() else { return Ok(false) };
        after = Some((last.created_at, last.id.clone()));
    }
}

fn foreign() -> Error {
    let rule = "the data folder has a master key, but its database has no access key and nothing else that \
                was sealed: the \
                database was emptied, replaced or restored from before its keys. Nobody is let in without \
                credentials: restore \
                the right backup, or make a key (loci key create NAME); only where the folder is to begin \
                anew, remove master.key";
    Error::unavailable(rule)
}
