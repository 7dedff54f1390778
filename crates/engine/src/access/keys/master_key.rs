//! The proof that the master key is the one that this store's secrets are sealed under. A store remembers it
//! by a witness: a known text, sealed when anything was sealed for the first time. A key that fits no witness
//! opens no secret; a key beside an emptied database belongs to access keys that are gone.

use loci_model::ledger::Shelf;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::ports::vault::{RESTORED_UNSEALED, Vault, WITNESS_LEASE};
use loci_model::{Error, Result, Timestamp};

use crate::Engine;

/// The text that is sealed.
const WITNESS: &[u8] = b"loci master key 1";
/// The holder of the lease from before the file of the key is made until the witness is stored.
const PENDING: &str = "pending";
/// Memories that are looked at together.
const MEMORIES_PER_PAGE: usize = 500;

/// The warning where tombstones were made under a master key that is gone.
const TOMBSTONES_LOST: &str = "the tombstones of this store were made under a master key that is not here: \
                               imports may bring back what was erased before. Put master.key back into the \
                               data folder, or give LOCI_MASTER_KEY; the next deletion or access key makes a \
                               new one";

/// Sealed data of a store.
#[derive(Debug, Clone, Default)]
struct Sealed {
    /// The holder of the lease: the witness as it is stored, or a word about the key.
    holder: Option<String>,
    /// The secret of an access key.
    key: Option<Vec<u8>>,
    /// An access key was made once.
    any_keys: bool,
    /// Something is sealed that is lost with the master key: an access key that counts, or a redaction.
    any_secrets: bool,
    /// There is a memory.
    any_memories: bool,
}

impl Engine {
    /// Proves that the master key opens what this store has sealed. Returns a warning where the key is lost
    /// and nothing but the effect of tombstones with it.
    ///
    /// # Errors
    /// `Unavailable`, with the remedy: the key is missing, another one, or one of a database that is gone.
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

    /// Makes ready to seal: the master key is made only for a store that has nothing sealed, or nothing that
    /// is lost with an earlier key but the effect of tombstones. Never within a write, which may be undone:
    /// the file of the key would stay.
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
                // The store knows of the file before there is one: after a crash it is its own.
                self.hold(sealed.holder, PENDING.to_owned()).await?;
                self.vault.prepare()?;
                return self.keep_witness(Some(PENDING.to_owned())).await;
            }
        }
        self.keep_witness(sealed.holder).await
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
        let old = self.sealed().await?.holder;
        self.keep_witness(old).await
    }

    /// Stores a witness, in the place of an old holder.
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
                // Where another process was sooner, its witness stays: it has the same key.
                tx.leases_mut().take(WITNESS_LEASE, &new, now, Timestamp::LATEST).map(drop)
            })
            .await
    }

    async fn sealed(&self) -> Result<Sealed> {
        self.store.read(|tx| Sealed::read(tx)).await
    }
}

/// True where the vault has the key under which this store makes its digests. Without access keys a lost
/// master key takes the effect of tombstones with it, and nothing else: digests under another key find none.
///
/// # Errors
/// What the store says; what the vault says where there are access keys.
pub(crate) fn can_digest(tx: &dyn ReadTx, vault: &dyn Vault) -> Result<bool> {
    // Who made a tombstone stored a witness first.
    let Some(witness) = stored_witness(tx)? else { return Ok(false) };
    match vault.open(&witness) {
        Ok(_) => Ok(true),
        Err(error) if tx.keys().list()?.iter().any(|key| key.revoked_at.is_none()) => Err(error),
        Err(_) => Ok(false),
    }
}

/// As [`can_digest`], for somebody who then looks for tombstones once: a loss is logged.
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

/// The witness of a store, as it is stored: sealed itself.
///
/// # Errors
/// Errors of the store.
pub(crate) fn witness_text(tx: &dyn ReadTx) -> Result<Option<String>> {
    Ok(holder(tx)?.filter(|text| witness(Some(text)).is_some()))
}

/// Keeps the witness of a store whose content was moved here. Where anything is sealed here already, that
/// counts.
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

    /// Something that was sealed.
    fn sample(&self) -> Option<Vec<u8>> {
        witness(self.holder.as_deref()).or_else(|| self.key.clone())
    }

    /// True where the file of a key may be this store's, though nothing is sealed: it was about to be, the
    /// memories were moved here with their key, or the key was made in passing by an earlier version.
    fn admits_key_file(&self) -> bool {
        match self.holder.as_deref() {
            Some(PENDING) => true,
            Some(RESTORED_UNSEALED) => false,
            Some(_) | None => self.any_memories,
        }
    }
}

/// The lease never ends: it is the same at every time.
fn holder(tx: &dyn ReadTx) -> Result<Option<String>> {
    tx.leases().holder(WITNESS_LEASE, Timestamp::EPOCH)
}

fn stored_witness(tx: &dyn ReadTx) -> Result<Option<Vec<u8>>> {
    Ok(witness(holder(tx)?.as_deref()))
}

/// The witness, where the holder of the lease is one.
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
