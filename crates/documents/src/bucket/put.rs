//! `bucket_put`: writes bytes under a key of a bucket, as a document if the key and the bytes
//! permit that, else as an object.

use loci_engine::access;
use loci_engine::document_text::content::{DocumentContent, sha256};
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, check_name};
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Result, Timestamp};
use serde::{Deserialize, Serialize};

use super::key::{DocumentPlace, KeyPlace};
use super::reconcile::{extends, reconciled};
use super::{Bucket, conditions};
use crate::Documents;
use crate::bucket::parked_objects::{NewObject, park};
use crate::document::document_write::{DocumentWriter, LiveDocument};
use crate::document::precondition::Precondition;
use crate::document::write_answer::DocumentWritten;
use crate::trees::tree_write::TreeWrite;

/// The reason that is stored with versions made by merging appended lines.
const MERGED: &str = "an append to an earlier version was brought together with this one";

/// A request to write under a key of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketPut {
    /// The bucket.
    pub bucket: Bucket,
    /// The key, the content type and the bytes.
    pub object: NewObject,
    /// The condition under which the content is written. `None` writes always.
    pub precondition: Option<Precondition>,
    /// True to merge with the current text if the writer only appended to an earlier version. It
    /// has no effect on a write with a precondition.
    pub merge_appends: bool,
    /// The lifetime of the content if it becomes an object, in milliseconds. `None` means the
    /// lifetime of the memory's events.
    pub object_ttl_ms: Option<i64>,
}

/// The result of a write under a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketWritten {
    /// The SHA-256 of the content that is now under the key, in hex digits.
    pub sha256: String,
    /// True if the content is a document, false if it is an object.
    pub is_document: bool,
    /// The warnings about the write, such as masked secrets.
    pub warnings: Vec<String>,
}

impl Documents {
    /// Writes bytes under a key of a bucket.
    ///
    /// # Errors
    /// `STALE_VERSION` if the precondition does not hold; `Denied` without a grant of write on the
    /// document's namespace, or on the whole memory for an object; `REDACTED_CONTENT`; `Invalid`
    /// for an invalid key; `TooLarge`.
    pub async fn bucket_put(&self, caller: &Principal, put: BucketPut) -> Result<BucketWritten> {
        let place = KeyPlace::of(&put.bucket, &put.object.key)?;
        let object = NewObject { key: place.object, ..put.object.clone() };
        object.check()?;
        match place.document {
            Some(document) => self.bucket_put_document(caller, put, object, document).await,
            None => self.bucket_park(caller, put, object).await,
        }
    }

    async fn bucket_park(
        &self,
        caller: &Principal,
        put: BucketPut,
        object: NewObject,
    ) -> Result<BucketWritten> {
        access::require_whole(caller, &put.bucket.memory, Capability::Write)?;
        conditions::require_comparable(caller, &put.bucket.memory, put.precondition.as_ref())?;
        let (now, settings) = (self.engine.now(), self.engine.settings().clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &put.bucket.memory)?;
                let mode = SafetyPolicy::of(&settings, &memory.settings).secrets;
                let before = parked(tx, &memory, &object.key, now)?;
                conditions::check(put.precondition.as_ref(), before.as_deref())?;
                parked_anew(tx, (&memory, mode), &put, &object, now)
            })
            .await
    }

    async fn bucket_put_document(
        &self,
        caller: &Principal,
        put: BucketPut,
        object: NewObject,
        place: DocumentPlace,
    ) -> Result<BucketWritten> {
        let whole = caller.clone();
        let write = TreeWrite::of(&place.tree, "PutBucketKey", None);
        let path = place.path.clone();
        self.tree_write(caller, write, move |tx, writing| {
            let memory = writing.memory;
            writing.require_comparable(put.precondition.as_ref())?;
            let found = writing.find(tx, &path)?.filter(|found| found.redirected_from.is_none());
            let is_taken = found.as_ref().is_some_and(|found| found.entry.path != path.as_str());
            let found = found.filter(|_| !is_taken);
            let before = parked(tx, memory, &object.key, writing.now)?;
            let lies_there = found.as_ref().map(|found| found.entry.content_sha256.as_str());
            conditions::check(put.precondition.as_ref(), lies_there.or(before.as_deref()))?;
            // Another document differs only in case: both are kept, this one as bytes.
            let text = text_of(&object.content).filter(|_| !is_taken);
            let Some(text) = text else {
                access::require_whole(&whole, &memory.id, Capability::Write)?;
                let mut warnings = Vec::new();
                if let Some(found) = &found {
                    writing.archive(tx, found, Some("bytes that are no document took its key"))?;
                    warnings.push("the document of that key was put away: these bytes are none".to_owned());
                }
                let place = (memory, writing.policy.secrets);
                let written = parked_anew(tx, place, &put, &object, writing.now)?;
                return Ok(BucketWritten { warnings, ..written });
            };
            let sent = sha256(&text);
            let written = match &found {
                Some(found) => writing.put_over(tx, found, &put, text)?,
                None => {
                    check_name("key", path.as_str(), writing.policy.secrets)?;
                    writing.create(tx, &path, &DocumentContent::raw(text), None)?
                }
            };
            if before.is_some() {
                access::require_whole(&whole, &memory.id, Capability::Write)?;
                tx.parked_mut().remove(&memory.id, &object.key)?;
            }
            Ok(told(written, sent))
        })
        .await
    }
}

impl DocumentWriter<'_> {
    /// Replaces the text of an existing document and keeps its other members, or merges the new
    /// text into the existing one.
    fn put_over(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        put: &BucketPut,
        text: String,
    ) -> Result<DocumentWritten> {
        // A plain append contains the whole present text: earlier versions need not be read.
        let may_miss = !extends(&found.record.text, &text);
        let merged = if put.merge_appends && put.precondition.is_none() && may_miss {
            let earlier = tx.records().history(&self.memory.id, &found.record.id)?;
            let texts = earlier.iter().filter(|version| version.namespace == found.record.namespace);
            reconciled(texts.map(|version| version.text.as_str()), &found.record.text, &text)
        } else {
            None
        };
        let reason = merged.is_some().then_some(MERGED);
        let content = DocumentContent::of(&found.record).with_body(merged.unwrap_or(text));
        let written = self.replace(tx, found, &content, (DocumentOperation::Modified, reason))?;
        // A merged text has lines that the caller did not send: only readers get its digest.
        let may_know = self.may_read || reason.is_none();
        Ok(DocumentWritten { content_sha256: written.content_sha256.filter(|_| may_know), ..written })
    }
}

/// Returns the bytes as the text of a document. `None` if a document cannot contain them.
fn text_of(content: &[u8]) -> Option<String> {
    let text = String::from_utf8(content.to_vec()).ok()?;
    DocumentContent::raw(text.clone()).check(RecordKind::Document).is_ok().then_some(text)
}

/// Returns the SHA-256 of the object with this name. `None` if there is none.
pub(super) fn parked(tx: &dyn ReadTx, memory: &Memory, name: &str, now: Timestamp) -> Result<Option<String>> {
    let found = tx.parked().get(&memory.id, name)?;
    Ok(found.filter(|object| object.head.expires_at > now).map(|object| object.head.sha256))
}

fn parked_anew(
    tx: &mut dyn Tx,
    (memory, mode): (&Memory, RedactionMode),
    put: &BucketPut,
    object: &NewObject,
    now: Timestamp,
) -> Result<BucketWritten> {
    let expires_at = match put.object_ttl_ms {
        Some(ttl) => now.plus_millis(ttl),
        None => now.plus_days(memory.event_expiry_days),
    };
    let head = park(tx, memory, object, mode, (now, expires_at))?;
    Ok(BucketWritten { sha256: head.sha256, is_document: false, warnings: Vec::new() })
}

/// Returns the result of writing a document. Quarantined content is not served under the key, so
/// its digest is that of the sent bytes.
fn told(written: DocumentWritten, sent: String) -> BucketWritten {
    let sha256 = written.content_sha256.unwrap_or(sent);
    BucketWritten { sha256, is_document: true, warnings: written.warnings }
}
