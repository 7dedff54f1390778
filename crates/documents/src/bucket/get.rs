//! `bucket_get`: the content under a key of a bucket. For a document it returns the text, and
//! counts as a read.

use loci_engine::access;
use loci_engine::document_text::content::sha256;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::{Result, Timestamp};

use super::Bucket;
use super::key::{DocumentPlace, KeyPlace};
use crate::Documents;
use crate::document::document_write::find;
use crate::trees::tree::Tree;

/// The content under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketContent {
    /// The bytes of the content.
    pub content: Vec<u8>,
    /// The content type of an object, if its writer set one. The type of a document is Markdown.
    pub content_type: Option<String>,
    /// The SHA-256 of the bytes, in hex digits.
    pub sha256: String,
    /// The time at which the content was last written.
    pub updated_at: Timestamp,
}

impl Documents {
    /// Returns the content under a key. `None` if the key has no content.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the document's namespace, or on the whole memory for an
    /// object; `Invalid` for an invalid key.
    pub async fn bucket_get(
        &self,
        caller: &Principal,
        bucket: &Bucket,
        key: &str,
    ) -> Result<Option<BucketContent>> {
        let place = KeyPlace::of(bucket, key)?;
        let may_all = access::require_whole(caller, &bucket.memory, Capability::Read);
        let may_tree = place.document.as_ref().map(|at| {
            access::tree_view(caller, &at.tree.memory, &at.tree.namespace, Capability::Read).map(drop)
        });
        let reads_parked = match (may_all, &may_tree) {
            (Ok(()), _) => true,
            (Err(_), Some(Ok(()))) => false,
            (Err(error), _) => return Err(error),
        };
        let document = place.document.filter(|_| may_tree.is_some_and(|may| may.is_ok()));
        if let Some(document) = &document {
            self.caught_up(&document.tree).await?;
        }
        // One snapshot: the content under a key is present even while its bytes become a document.
        let (memory, now) = (bucket.memory.clone(), self.engine.now());
        let (record, parked) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let record =
                    document.as_ref().map(|document| document_of(tx, document, now)).transpose()?.flatten();
                if record.is_some() || !reads_parked {
                    return Ok((record, None));
                }
                Ok((None, tx.parked().get(&memory, &place.object)?))
            })
            .await?;
        if let Some(record) = record {
            self.parts.reads.note(&bucket.memory, [&record.id], now);
            return Ok(Some(content(&record)));
        }
        Ok(parked.filter(|object| object.head.expires_at > now).map(|object| BucketContent {
            content: object.content,
            content_type: object.head.content_type,
            sha256: object.head.sha256,
            updated_at: object.head.updated_at,
        }))
    }
}

/// Returns the document with exactly this path. A path that differs in case belongs to another key.
fn document_of(tx: &dyn ReadTx, document: &DocumentPlace, now: Timestamp) -> Result<Option<Record>> {
    let found = find(tx, &Tree::of(&document.tree), &document.path, now)?;
    let found =
        found.filter(|found| found.redirected_from.is_none() && found.entry.path == document.path.as_str());
    Ok(found.map(|found| found.record))
}

fn content(record: &Record) -> BucketContent {
    BucketContent {
        content: record.text.clone().into_bytes(),
        content_type: Some("text/markdown; charset=utf-8".to_owned()),
        sha256: sha256(&record.text),
        updated_at: record.updated_at,
    }
}
