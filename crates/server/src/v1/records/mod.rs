//! Records: batches of creation, change and deletion; get, list, history.

pub(super) mod feedback;
pub(super) mod record_shape;

use loci_api::Nothing;
use loci_api::record as shape;
use loci_api::table as api;
use loci_engine::records::{
    BatchOutcome, NamespaceAsk, NewRecord, RecordDelete, RecordListing, RecordRevert, RecordUpdate,
    RecordsCreate,
};
use loci_model::record::RecordKind;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::{Error, Namespace, RecordId, Result, Timestamp};

use super::events::notices;
use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;
use crate::error_code::code_of_kind;
use record_shape::{change, choice, filter, kind, kinds, metadata, places, record, states, strategy};

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::RECORDS_CREATE, records_create)
        .json(api::RECORDS_UPDATE, records_update)
        .json(api::RECORDS_DELETE, records_delete)
        .json(api::RECORD_LIST, record_list)
        .plain(api::RECORD_GET, record_get)
        .plain(api::RECORD_DELETE, record_delete)
        .plain(api::RECORD_HISTORY, record_history)
        .json(api::RECORD_REVERT, record_revert)
}

async fn records_create(call: Call, asked: shape::RecordsCreate) -> Result<shape::BatchOutcome> {
    let token = call.token()?;
    let now = call.doors.engine.now();
    let records = asked.records.into_iter().enumerate().map(|(at, asked)| new_record(at, asked, now));
    let request = RecordsCreate {
        memory: call.memory().await?,
        records: records.collect::<Result<_>>()?,
        expiry: asked.expiry_days.map(ExpirySpecification::Days),
    };
    Ok(outcome(call.doors.engine.records_create(&call.caller, request, token).await?))
}

fn new_record(at: usize, asked: shape::RecordCreate, now: Timestamp) -> Result<NewRecord> {
    Ok(NewRecord {
        request: at.to_string(),
        namespaces: vec![Namespace::parse(asked.namespace)?],
        text: asked.text,
        timestamp: time(asked.timestamp.as_deref(), now)?,
        strategy: strategy(asked.strategy)?,
        metadata: metadata(asked.metadata),
        kind: asked.kind.as_deref().map_or(Ok(RecordKind::Fact), kind)?,
        subtype: asked.subtype,
        title: asked.title,
        path: asked.path,
        description: asked.description,
        scope: asked.scope,
    })
}

fn time(asked: Option<&str>, now: Timestamp) -> Result<Timestamp> {
    asked.map_or(Ok(now), Timestamp::parse)
}

fn record_id(text: &str) -> Result<RecordId> {
    RecordId::parse(text).map_err(|error| error.on("id"))
}

async fn records_update(call: Call, asked: shape::RecordsUpdate) -> Result<shape::BatchOutcome> {
    let now = call.doors.engine.now();
    let updates = asked.records.into_iter().map(|asked| record_update(asked, now)).collect::<Result<_>>()?;
    let expiry = asked.expiry_days.map(ExpirySpecification::Days);
    let memory = call.memory().await?;
    Ok(outcome(call.doors.engine.records_update(&call.caller, &memory, updates, expiry).await?))
}

fn record_update(asked: shape::RecordUpdate, now: Timestamp) -> Result<RecordUpdate> {
    let namespace = asked.namespace.map(Namespace::parse).transpose()?;
    Ok(RecordUpdate {
        id: record_id(&asked.id)?,
        timestamp: time(asked.timestamp.as_deref(), now)?,
        text: asked.text,
        namespaces: namespace.map(|namespace| vec![namespace]),
        source_namespaces: None,
        strategy: strategy(asked.strategy)?,
        metadata: asked.metadata.map(metadata),
        if_version: asked.if_version,
    })
}

async fn records_delete(call: Call, asked: shape::RecordsDelete) -> Result<shape::BatchOutcome> {
    let deletes = asked
        .ids
        .iter()
        .map(|id| Ok(RecordDelete { id: record_id(id)?, namespace: None }))
        .collect::<Result<_>>()?;
    let memory = call.memory().await?;
    Ok(outcome(call.doors.engine.records_delete(&call.caller, &memory, deletes).await?))
}

fn outcome(batch: BatchOutcome) -> shape::BatchOutcome {
    let items: Vec<_> = batch
        .items
        .into_iter()
        .map(|item| shape::ItemOutcome {
            id: item.id.to_string(),
            error: item.result.err().map(|(kind, message)| shape::ItemProblem {
                code: code_of_kind(kind).word().to_owned(),
                message,
            }),
        })
        .collect();
    let failed = items.iter().filter(|item| item.error.is_some()).count();
    shape::BatchOutcome { items, failed }
}

async fn record_list(call: Call, asked: shape::RecordListing) -> Result<shape::RecordList> {
    let mut namespaces = places(asked.namespaces, asked.namespace_paths)?;
    if namespaces.is_empty() {
        namespaces.push(NamespaceAsk::Path(Namespace::parse("/")?));
    }
    let listing = RecordListing {
        memory: call.memory().await?,
        namespaces,
        strategy: choice(asked.strategy)?,
        metadata: asked.metadata.into_iter().map(filter).collect::<Result<_>>()?,
        kinds: kinds(&asked.kinds)?,
        states: states(&asked.states)?,
        after: cursor::read(asked.cursor.as_deref())?,
        limit: cursor::limit(asked.limit)?,
    };
    let list = call.doors.engine.record_list(&call.caller, listing).await?;
    Ok(shape::RecordList {
        records: list.page.items.iter().map(record).collect(),
        next_cursor: list.page.next.as_ref().map(cursor::write).transpose()?,
        notices: notices(&list.notices),
    })
}

pub(super) fn path_record(call: &Call) -> Result<RecordId> {
    RecordId::parse(call.path("record")?).map_err(|error: Error| error.on("record"))
}

async fn record_get(call: Call) -> Result<shape::Record> {
    let (memory, id) = (call.memory().await?, path_record(&call)?);
    Ok(record(&call.doors.engine.record_get(&call.caller, &memory, &id, None).await?))
}

async fn record_delete(call: Call) -> Result<Nothing> {
    let delete = RecordDelete { id: path_record(&call)?, namespace: None };
    call.doors.engine.record_delete(&call.caller, &call.memory().await?, delete).await?;
    Ok(Nothing {})
}

async fn record_history(call: Call) -> Result<shape::RecordHistory> {
    let (memory, id) = (call.memory().await?, path_record(&call)?);
    let versions = call.doors.engine.record_history(&call.caller, &memory, &id).await?;
    let changes = call.doors.engine.record_changes(&call.caller, &memory, &id).await?;
    Ok(shape::RecordHistory {
        versions: versions.iter().map(record).collect(),
        changes: changes.iter().map(change).collect(),
        feedback: feedback::counts(&versions, &changes),
    })
}

async fn record_revert(call: Call, asked: shape::RecordRevert) -> Result<shape::RecordsReverted> {
    let revert =
        RecordRevert { id: path_record(&call)?, to_version: asked.to_version, if_version: asked.if_version };
    let records = call.doors.engine.record_revert(&call.caller, &call.memory().await?, revert).await?;
    let shown = |record: &loci_model::record::Record| shape::RevertedRecord {
        id: record.id.to_string(),
        version: record.version,
        state: record.state.as_str().to_owned(),
    };
    Ok(shape::RecordsReverted { records: records.iter().map(shown).collect() })
}
