//! Protection against redacted contents that are written again. Each is stored as a digest under a
//! secret key of its memory. Without the key a digest reveals nothing about its content.

use loci_model::ports::store::{ReadTx, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::Record;
use loci_model::trees::mirror::RedactedContent;
use loci_model::trees::tree_entry::owner_of;
use loci_model::{Error, MemoryId, Reason, Result, Timestamp};
use sha2::{Digest, Sha256};

/// The ledger key of the sealed key, among the digests.
const KEY: &str = "key";

/// Records the content of a version. `fresh` becomes the memory's key if it has none.
pub(super) fn note(
    tx: &mut dyn Tx,
    vault: &dyn Vault,
    version: &Record,
    fresh: &str,
    at: Timestamp,
) -> Result<()> {
    let key = match key_of(tx, vault, &version.memory)? {
        Some(key) => key,
        None => {
            let sealed = hex::encode(vault.seal(fresh.as_bytes())?);
            put(tx, &version.memory, KEY.to_owned(), Some(sealed), at)?;
            fresh.as_bytes().to_vec()
        }
    };
    if !version.text.trim().is_empty() {
        put(tx, &version.memory, digest(&key, &version.text), None, at)?;
    }
    Ok(())
}

fn put(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    digest: String,
    sealed: Option<String>,
    at: Timestamp,
) -> Result<()> {
    let noun = RedactedContent { memory: memory.clone(), digest, sealed, at, actor: owner_of(None)? };
    tx.ledger_mut().put_noun(&noun)
}

/// Checks that a text was not redacted.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check(tx: &dyn ReadTx, vault: &dyn Vault, memory: &MemoryId, text: &str) -> Result<()> {
    if !is_taken_out(tx, vault, memory, text)? {
        return Ok(());
    }
    let rule = "this content was taken out of the memory on purpose: it does not come back";
    Err(Error::conflict(rule).because(Reason::RedactedContent).on("body"))
}

/// True for a text that was redacted, of any document.
///
/// # Errors
/// The errors of the store and the vault.
pub(crate) fn is_taken_out(
    tx: &dyn ReadTx,
    vault: &dyn Vault,
    memory: &MemoryId,
    text: &str,
) -> Result<bool> {
    let Some(key) = key_of(tx, vault, memory)? else { return Ok(false) };
    Ok(tx.ledger().noun::<RedactedContent>(memory, &digest(&key, text))?.is_some())
}

fn key_of(tx: &dyn ReadTx, vault: &dyn Vault, memory: &MemoryId) -> Result<Option<Vec<u8>>> {
    let Some(noun) = tx.ledger().noun::<RedactedContent>(memory, KEY)? else { return Ok(None) };
    let sealed = noun.sealed.as_deref().and_then(|sealed| hex::decode(sealed).ok());
    let sealed = sealed.ok_or_else(|| Error::bug("a key of redacted contents is damaged"))?;
    vault.open(&sealed).map(Some)
}

/// Returns the digest of a text without surrounding white space.
fn digest(key: &[u8], text: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update((key.len() as u64).to_be_bytes());
    hasher.update(key);
    hasher.update(text.trim().as_bytes());
    hex::encode(hasher.finalize())
}
