//! Storing of an entry as a record, exactly once. If the memory already has the same text in the
//! same namespace, nothing is written. A retry is recognised by its token. If the record that the
//! token leads to is no longer active, the entry is stored again.

use loci_api::record::{Record, RecordCreate, RecordsCreate};
use loci_api::search::Search;

use super::errors::{class_of_code, store_error};
use super::events::digest;
use crate::agent::entry::Added;
use crate::agent::error::StoreError;
use crate::call::Client;
use crate::error::ClientError;
use crate::namespace;

/// The name of the failed operation in error messages.
const WHAT: &str = "the entry cannot be stored";
/// The number of similar records to compare with the entry. A record with an equal text is among
/// the first.
const LIKE_IT: u32 = 3;
/// The state of an active record.
const ACTIVE: &str = "active";

pub(super) async fn add(client: &Client, memory: &str, record: RecordCreate) -> Result<Added, StoreError> {
    if let Some(id) = held(client, memory, &record).await? {
        return Ok(Added { id: Some(id) });
    }
    let text =
        serde_json::to_string(&record).map_err(|error| StoreError::permanent(WHAT).caused_by(error))?;
    let token = digest(&format!("{memory}\0{text}"));
    let id = created(client, memory, record.clone(), &token).await?;
    if is_in_force(client, memory, &id).await? {
        return Ok(Added { id: Some(id) });
    }
    // The response belongs to an earlier addition whose record is no longer in force.
    let again = digest(&format!("{token}\0{id}"));
    Ok(Added { id: Some(created(client, memory, record, &again).await?) })
}

/// Returns the id of an active record with the same text and metadata in the same namespace. `None`
/// if there is none.
async fn held(client: &Client, memory: &str, record: &RecordCreate) -> Result<Option<String>, StoreError> {
    let search = Search {
        memory: memory.to_owned(),
        query: record.text.clone(),
        namespaces: vec![record.namespace.clone()],
        top_k: Some(LIKE_IT),
        // A pending turn is no record with an id.
        read_your_writes: Some(false),
        ..Search::default()
    };
    let found = client.search(&search).await.map_err(|error| store_error(WHAT, error))?;
    let same = found.hits.into_iter().map(|hit| hit.record).find(|held| is_same(held, record));
    Ok(same.map(|held| held.id))
}

fn is_same(held: &Record, new: &RecordCreate) -> bool {
    let is_there = namespace::is_same(&held.namespace, &new.namespace);
    is_there && held.text == new.text && held.metadata == new.metadata
}

async fn created(
    client: &Client,
    memory: &str,
    record: RecordCreate,
    token: &str,
) -> Result<String, StoreError> {
    let client = client.clone().with_idempotency_key(token).map_err(|error| store_error(WHAT, error))?;
    let create = RecordsCreate { records: vec![record], expiry_days: None };
    let answer = client.records_create(memory, &create).await.map_err(|error| store_error(WHAT, error))?;
    match answer.items.into_iter().next() {
        None => Err(StoreError::unclassified("the server says nothing of the entry")),
        Some(item) => match item.error {
            None => Ok(item.id),
            Some(problem) => {
                Err(StoreError::of(class_of_code(&problem.code), format!("{WHAT}: {}", problem.message)))
            }
        },
    }
}

async fn is_in_force(client: &Client, memory: &str, id: &str) -> Result<bool, StoreError> {
    match client.record_get(memory, id).await {
        // A record that waits for review is stored, too.
        Ok(record) => {
            Ok(record.state == ACTIVE || record.state == "candidate" || record.state == "quarantined")
        }
        Err(ClientError::Refused { status: 404, .. }) => Ok(false),
        // A key may have the right to write without the right to read.
        Err(ClientError::Refused { status: 403, .. }) => Ok(true),
        Err(error) => Err(store_error(WHAT, error)),
    }
}
