//! Checks that the master key is the one that encrypted this store's secrets. The store keeps a
//! witness: a known text that was encrypted together with the first secret. A master key that
//! does not decrypt the witness decrypts no secret of the store.

use loci_model::ledger::Shelf;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::ports::vault::{RESTORED_UNSEALED, Vault, WITNESS_LEASE};
use loci_model::{Error, Result, Timestamp};

use crate::Engine;

/// The known text of the witness, before its encryption.
const WITNESS: &[u8] = b"loci master key 1";
/// The value of the witness while the key file exists and the witness is not stored yet.
const PENDING: &str = "pending";
/// The number of memories that the scan for encrypted data reads at a time.
const MEMORIES_PER_PAGE: usize = 500;

/// The warning for a store whose tombstones were made under a master key that is lost.
const TOMBSTONES_LOST: &str = "the tombstones of this store were made under a master key that is not here: \
                               imports may bring back what was erased before. Put master.key back into the \
                               data folder, or give LOCI_MASTER_KEY; the next deletion or access key makes a \
                               new one";

/// The encrypted data of a store that shows which master key it needs.
#[derive(Debug, Clone, Default)]
struct Sealed {
    /// The holder of the lease that stores the witness: the encrypted witness, or a marker while
    /// it is missing.
    holder: Option<String>,
    /// The encrypted secret of an access key, if there is one.
    key: Option<Vec<u8>>,
    /// True if an access key was ever created.
    any_keys: bool,
    /// True if data would be lost with the master key: the store has a valid access key or a
    /// redaction.
    any_secrets: bool,
    /// True if a memory exists.
    any_memories: bool,
}

impl Engine {
    /// Checks that the master key decrypts the encrypted data of this store. Returns a warning if
    /// the key is lost and only the effect of tombstones is lost with it.
    ///
    /// # Errors
    /// `Unavailable`, with the remedy: the key is missing, differs, or belongs to a database that
    /// no longer exists.
    pub async fn master_key_check(&self) -> Result<Option<&'static str>> {
        self.vault.check()?;
        let sealed = self.sealed().await?;
        if let Some(sample) = sealed.sample() {
            return match self.vault.open(&sample) {
                Ok(_) => Ok(None),
                Err(error) if sealed.any_secrets => Err(error),
                Err(_) => Ok(Some(TOMBSTONES_LOST)),
            };
        }
        if sealed.any_keys || !self.vault.has_key_file() {
            return Ok(None);
        }
        if !sealed.admits_key_file() {
            return Err(foreign());
        }
        self.ready_to_seal().await.map(|()| None)
    }

    /// Makes the master key ready for encryption. The key is created only if the store has no
    /// encrypted data, or if only the effect of tombstones is lost with an earlier key. This
    /// never runs in a write, because a rollback would leave the key file behind.
    ///
    /// # Errors
    /// As [`Engine::master_key_check`].
    pub async fn ready_to_seal(&self) -> Result<()> {
        let vault = self.vault.clone();
        let is_ready = move |tx: &dyn ReadTx| {
            Ok(stored_witness(tx)?.is_some_and(|witness| vault.open(&witness).is_ok()))
        };
        if self.store.read(is_ready).await? {
            return Ok(());
        }
        let sealed = self.sealed().await?;
        match sealed.sample().map(|sample| self.vault.open(&sample)) {
            Some(Ok(_)) => {}
            Some(Err(error)) if sealed.any_secrets => return Err(error),
            Some(Err(_)) => {
                self.vault.prepare()?;
                tracing::warn!("{TOMBSTONES_LOST}");
            }
            None => {
                // The store records the key file before it exists, so that it recognizes the file
                // after a crash.
                self.hold(sealed.holder, PENDING.to_owned()).await?;
                self.vault.prepare()?;
                return self.keep_witness(Some(PENDING.to_owned())).await;
            }
        }
        self.keep_witness(sealed.holder).await
    }

    /// Makes a master key ready for encryption after a person replaced a lost one.
    ///
    /// # Errors
    /// `Unavailable` if there is no master key.
    pub(super) async fn ready_to_seal_anew(&self) -> Result<()> {
        if self.ready_to_seal().await.is_ok() {
            return Ok(());
        }
        let old = self.sealed().await?.holder;
        self.keep_witness(old).await
    }

    /// Stores a new witness if the stored holder is still `old`.
    async fn keep_witness(&self, old: Option<String>) -> Result<()> {
        self.hold(old, hex::encode(self.vault.seal(WITNESS)?)).await
    }

    async fn hold(&self, old: Option<String>, new: String) -> Result<()> {
        let now = self.clock.now();
        self.store
            .write(move |tx| {
                if let Some(old) = &old {
                    tx.leases_mut().release(WITNESS_LEASE, old)?;
                }
                // If another process was faster, its witness stays: it has the same key.
                tx.leases_mut().take(WITNESS_LEASE, &new, now, Timestamp::LATEST).map(drop)
            })
            .await
    }

    async fn sealed(&self) -> Result<Sealed> {
        self.store.read(|tx| Sealed::read(tx)).await
    }
}

/// Returns true if the vault has the key under which this store makes its digests. A store
/// without access keys works with another key, but its tombstones then match nothing.
///
/// # Errors
/// Errors of the store, and of the vault if there are access keys.
pub(crate) fn can_digest(tx: &dyn ReadTx, vault: &dyn Vault) -> Result<bool> {
    // The writer of a tombstone stored a witness first.
    let Some(witness) = stored_witness(tx)? else { return Ok(false) };
    match vault.open(&witness) {
        Ok(_) => Ok(true),
        Err(error) if tx.keys().list()?.iter().any(|key| key.revoked_at.is_none()) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Works like [`can_digest`], and logs a warning if the key is lost. It is for operations that
/// look for tombstones once.
///
/// # Errors
/// As [`can_digest`].
pub(crate) fn can_digest_or_warn(tx: &dyn ReadTx, vault: &dyn Vault) -> Result<bool> {
    let can = can_digest(tx, vault)?;
    if !can && stored_witness(tx)?.is_some() {
        tracing::warn!("{TOMBSTONES_LOST}");
    }
    Ok(can)
}

/// Returns the encrypted witness of a store; `None` if the store has none.
///
/// # Errors
/// Errors of the store.
pub(crate) fn witness_text(tx: &dyn ReadTx) -> Result<Option<String>> {
    Ok(holder(tx)?.filter(|text| witness(Some(text)).is_some()))
}

/// Stores the witness of another store whose content was moved into this one. If this store
/// already has encrypted data, it keeps its own witness.
///
/// # Errors
/// Errors of the store.
pub(crate) fn keep_moved_witness(tx: &mut dyn Tx, witness: &str, now: Timestamp) -> Result<()> {
    let here = Sealed::read(tx)?;
    if here.sample().is_some() {
        return Ok(());
    }
    if let Some(holder) = &here.holder {
        tx.leases_mut().release(WITNESS_LEASE, holder)?;
    }
    tx.leases_mut().take(WITNESS_LEASE, witness, now, Timestamp::LATEST).map(drop)
}

impl Sealed {
    fn read(tx: &dyn ReadTx) -> Result<Self> {
        let keys = tx.keys().list()?;
        let live = keys.iter().rev().find(|key| key.revoked_at.is_none());
        Ok(Self {
            holder: holder(tx)?,
            key: live.or(keys.last()).map(|key| key.secret_sealed.clone()),
            any_keys: tx.keys().any()?,
            any_secrets: live.is_some() || has_redactions(tx)?,
            any_memories: !tx.memories().list(None, 1)?.is_empty(),
        })
    }

    /// Returns encrypted data with which a master key can be tested; `None` if the store has
    /// none.
    fn sample(&self) -> Option<Vec<u8>> {
        witness(self.holder.as_deref()).or_else(|| self.key.clone())
    }

    /// Returns true if the key file may belong to this store although the store has no encrypted
    /// data. This happens after an interrupted creation, after memories were moved here with
    /// their key, and with a key file that an earlier version created as a side effect.
    fn admits_key_file(&self) -> bool {
        match self.holder.as_deref() {
            Some(PENDING) => true,
            Some(RESTORED_UNSEALED) => false,
            Some(_) | None => self.any_memories,
        }
    }
}

/// The lease never ends, so any time returns the same holder.
fn holder(tx: &dyn ReadTx) -> Result<Option<String>> {
    tx.leases().holder(WITNESS_LEASE, Timestamp::EPOCH)
}

fn stored_witness(tx: &dyn ReadTx) -> Result<Option<Vec<u8>>> {
    Ok(witness(holder(tx)?.as_deref()))
}

/// Decodes the witness from the holder of the lease; `None` if the holder is a marker.
fn witness(holder: Option<&str>) -> Option<Vec<u8>> {
    holder.and_then(|text| hex::decode(text).ok())
}

fn has_redactions(tx: &dyn ReadTx) -> Result<bool> {
    let mut after = None;
    loop {
        let page = tx.memories().list(after.as_ref(), MEMORIES_PER_PAGE)?;
        for memory in &page {
            if tx.ledger().count(&memory.id, &Shelf::REDACTED_CONTENT, None)? > 0 {
                return Ok(true);
            }
        }
        let Some(last) = page.last() else { return Ok(false) };
        after = Some((last.created_at, last.id.clone()));
    }
}

fn foreign() -> Error {
    let rule = "the data folder has a master key, but its database has no access key and nothing else that \
                was sealed: the database was emptied, replaced or restored from before its keys. Nobody is \
                let in without credentials: restore the right backup, or make a key (loci key create NAME); \
                where the folder is to begin anew, or never had an access key, remove master.key";
    Error::unavailable(rule)
}
