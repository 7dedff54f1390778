//! `object_put`, `object_get`, `object_delete`, `objects_list`: bytes that agents store outside
//! of their context, under their own keys, until the memory's events expire. Objects are not
//! documents: they are not indexed, and have no versions.

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, check_name, redact};
use loci_model::memory::Memory;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::parked_object::{ObjectHead, ParkedObject, object_key};
use loci_model::{Error, ErrorKind, MemoryId, Result, Timestamp, limits};
use sha2::{Digest, Sha256};

use crate::Documents;

/// An object to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewObject {
    /// The key of the object.
    pub key: String,
    /// The content type of the object. `None` if the client sent none.
    pub content_type: Option<String>,
    /// The content of the object.
    pub content: Vec<u8>,
}

impl NewObject {
    /// Checks the size of the object and the length of its content type.
    ///
    /// # Errors
    /// `TooLarge` for the content; `Invalid` for the content type.
    pub(super) fn check(&self) -> Result<()> {
        let max = limits::OBJECT_BYTES_MAX;
        if self.content.len() > max {
            let rule = format!("an object has at most {max} bytes: park it in parts");
            return Err(Error::new(ErrorKind::TooLarge, rule));
        }
        let is_long = |kind: &String| kind.len() > limits::SHORT_TEXT_CHARS_MAX;
        if self.content_type.as_ref().is_some_and(is_long) {
            return Err(Error::invalid("Content-Type", "Content-Type must have at most 4,096 bytes"));
        }
        Ok(())
    }
}

/// Stores an object under a valid key until it expires.
///
/// # Errors
/// `Invalid` if the key contains a secret and the memory masks secrets, because a key cannot be
/// masked.
pub(super) fn park(
    tx: &mut dyn Tx,
    memory: &Memory,
    new: &NewObject,
    mode: RedactionMode,
    (now, expires_at): (Timestamp, Timestamp),
) -> Result<ObjectHead> {
    check_name("key", &new.key, mode)?;
    let head = ObjectHead {
        memory: memory.id.clone(),
        key: new.key.clone(),
        content_type: new.content_type.clone().map(|kind| redact(kind, mode).0),
        bytes: u64::try_from(new.content.len()).unwrap_or(u64::MAX),
        sha256: hex::encode(Sha256::digest(&new.content)),
        updated_at: now,
        expires_at,
    };
    tx.parked_mut().put(&ParkedObject { head: head.clone(), content: new.content.clone() })?;
    Ok(head)
}

impl Documents {
    /// Stores an object. It replaces an object with the same key.
    ///
    /// # Errors
    /// `Denied` without a grant of write on the whole memory; `Invalid` for an invalid key;
    /// `TooLarge` for the content.
    pub async fn object_put(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        new: NewObject,
    ) -> Result<ObjectHead> {
        access::require_whole(caller, memory, Capability::Write)?;
        let key = object_key(&new.key)?;
        let new = NewObject { key, ..new };
        new.check()?;
        let (now, memory, settings) = (self.engine.now(), memory.clone(), self.engine.settings().clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let mode = SafetyPolicy::of(&settings, &memory.settings).secrets;
                park(tx, &memory, &new, mode, (now, now.plus_days(memory.event_expiry_days)))
            })
            .await
    }

    /// Returns the object under a key.
    ///
    /// # Errors
    /// `NotFound` if there is none; `Denied` without a grant of read on the whole memory; `Invalid`
    /// for an invalid key.
    pub async fn object_get(&self, caller: &Principal, memory: &MemoryId, key: &str) -> Result<ParkedObject> {
        access::require_whole(caller, memory, Capability::Read)?;
        let (key, now, memory) = (object_key(key)?, self.engine.now(), memory.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = tx.parked().get(&memory, &key)?.filter(|object| object.head.expires_at > now);
                found.ok_or_else(|| Error::not_found(format!("nothing is parked under {key}")))
            })
            .await
    }

    /// Removes the object under a key. Returns false if there is none.
    ///
    /// # Errors
    /// `Denied` without a grant of write on the whole memory; `Invalid` for an invalid key.
    pub async fn object_delete(&self, caller: &Principal, memory: &MemoryId, key: &str) -> Result<bool> {
        access::require_whole(caller, memory, Capability::Write)?;
        let (key, memory) = (object_key(key)?, memory.clone());
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &memory)?;
                tx.parked_mut().remove(&memory, &key)
            })
            .await
    }

    /// Returns the objects whose keys begin with a prefix, sorted by key.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole memory.
    pub async fn objects_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        prefix: &str,
        (after, limit): (Option<String>, u32),
    ) -> Result<Page<ObjectHead, String>> {
        access::require_whole(caller, memory, Capability::Read)?;
        let (now, memory, prefix) =
            (self.engine.now(), memory.clone(), prefix.trim_start_matches('/').to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let most = limit as usize;
                let found = tx.parked().list(&memory, &prefix, after.as_deref(), most.saturating_add(1))?;
                let mut page = Page::cut(found, most, |head| head.key.clone());
                page.items.retain(|head| head.expires_at > now);
                Ok(page)
            })
            .await
    }
}
