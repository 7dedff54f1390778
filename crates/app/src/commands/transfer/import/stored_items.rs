//! The items of a source that a memory already contains, so that a repeated import continues
//! without duplicates. Each item has a permanent key, stored in the metadata of its record, event
//! or document.

use std::collections::BTreeMap;

use anyhow::Result;
use loci_api::event::EventListing;
use loci_api::record::{MetadataValue, RecordListing};
use loci_client::{Client, ClientError, namespace as namespaces};

/// The metadata key with the format of the source.
pub(super) const FORMAT: &str = "import_format";
/// The metadata key with the key of the item. For a record it is the id in the source, if there is
/// one.
pub(super) const ID: &str = "import_id";
/// The metadata key with a digest of the item's content in the source.
pub(super) const DIGEST: &str = "import_digest";
/// The metadata key with a digest of the item's id and content in the source, without the
/// namespace. By it the server recognises an erased record in every namespace.
pub(super) const CONTENT: &str = "import_content";
/// The states in which an existing record is not created again. A rolled back or erased record is.
const STATES: [&str; 8] =
    ["active", "candidate", "superseded", "invalid", "quarantined", "stale", "expired", "archived"];

/// A record of an earlier import.
#[derive(Debug, Clone)]
pub(super) struct StoredRecord {
    pub(super) id: String,
    pub(super) digest: String,
    pub(super) timestamp: String,
    pub(super) is_active: bool,
}

/// Returns the records of this format in a namespace, optionally including those beneath it, by
/// key.
pub(super) async fn records(
    client: &Client,
    memory: &str,
    format: &str,
    namespace: &str,
    with_beneath: bool,
) -> Result<BTreeMap<String, StoredRecord>> {
    let mut listing = RecordListing {
        namespace_paths: vec![namespace.to_owned()],
        states: STATES.map(str::to_owned).to_vec(),
        ..RecordListing::default()
    };
    let mut stored = BTreeMap::new();
    loop {
        let page = client.record_list(memory, &listing).await?;
        for record in page.records {
            let word = |key: &str| match record.metadata.get(key) {
                Some(MetadataValue::String(text)) => Some(text.clone()),
                Some(MetadataValue::StringList(_) | MetadataValue::Number(_)) | None => None,
            };
            // A memory behind a wire has namespaces beneath the target. The import of a file uses
            // only one namespace.
            if !with_beneath && !namespaces::is_same(&record.namespace, namespace) {
                continue;
            }
            let Some(key) = word(ID).filter(|_| word(FORMAT).as_deref() == Some(format)) else { continue };
            let is_active = record.state == "active";
            let digest = word(DIGEST).unwrap_or_default();
            let (id, timestamp) = (record.id, record.timestamp);
            stored.insert(key, StoredRecord { id, digest, timestamp, is_active });
        }
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            return Ok(stored);
        }
    }
}

/// Returns the ids of a session's events, by key.
pub(super) async fn events(
    client: &Client,
    memory: &str,
    actor: &str,
    session: &str,
) -> Result<BTreeMap<String, String>> {
    let mut listing = EventListing {
        actor: actor.to_owned(),
        session: session.to_owned(),
        without_payload: true,
        ..EventListing::default()
    };
    let mut stored = BTreeMap::new();
    loop {
        let page = match client.event_list(memory, &listing).await {
            Err(ClientError::Refused { status: 404, .. }) => return Ok(stored),
            page => page?,
        };
        stored.extend(
            page.events.into_iter().filter_map(|mut event| Some((event.metadata.remove(ID)?, event.id))),
        );
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            return Ok(stored);
        }
    }
}
