//! `bucket_delete`: removes the content under a key of a bucket. A document is archived and can
//! be restored, an object is erased.

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};

use super::key::KeyPlace;
use super::put::parked;
use super::{Bucket, conditions};
use crate::Documents;
use crate::document::precondition::Precondition;
use crate::trees::tree_write::TreeWrite;

impl Documents {
    /// Removes the content under a key. Returns false if the key has no content.
    ///
    /// # Errors
    /// `STALE_VERSION` if the precondition does not hold; `Denied` without a grant of write on the
    /// document's namespace, or on the whole memory for an object; `Invalid` for an invalid key.
    pub async fn bucket_delete(
        &self,
        caller: &Principal,
        bucket: &Bucket,
        key: &str,
        precondition: Option<Precondition>,
    ) -> Result<bool> {
        let place = KeyPlace::of(bucket, key)?;
        let (name, memory, now) = (place.object, bucket.memory.clone(), self.engine.now());
        let Some(document) = place.document else {
            access::require_whole(caller, &memory, Capability::Write)?;
            conditions::require_comparable(caller, &memory, precondition.as_ref())?;
            return self
                .engine
                .store()
                .write(move |tx| {
                    let memory = existing(tx, &memory)?;
                    let before = parked(tx, &memory, &name, now)?;
                    conditions::check(precondition.as_ref(), before.as_deref())?;
                    Ok(tx.parked_mut().remove(&memory.id, &name)? && before.is_some())
                })
                .await;
        };
        let whole = caller.clone();
        let write = TreeWrite::of(&document.tree, "DeleteBucketKey", None);
        let path = document.path.clone();
        self.tree_write(caller, write, move |tx, writing| {
            writing.require_comparable(precondition.as_ref())?;
            let is_it = |found: &crate::document::document_write::LiveDocument| {
                found.redirected_from.is_none() && found.entry.path == path.as_str()
            };
            let found = writing.find(tx, &path)?.filter(is_it);
            let before = parked(tx, writing.memory, &name, now)?;
            let lies_there = found.as_ref().map(|found| found.entry.content_sha256.as_str());
            conditions::check(precondition.as_ref(), lies_there.or(before.as_deref()))?;
            if let Some(found) = &found {
                writing.archive(tx, found, None)?;
            }
            if before.is_some() {
                access::require_whole(&whole, &memory, Capability::Write)?;
                tx.parked_mut().remove(&memory, &name)?;
            }
            Ok(found.is_some() || before.is_some())
        })
        .await
    }
}
