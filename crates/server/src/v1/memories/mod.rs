//! Memories: create, list, get, change, delete; settings and tags.

pub(super) mod ensure;
pub(super) mod recreate;
mod settings;
mod strategies;

use loci_api::Nothing;
use loci_api::memory as shape;
use loci_api::table as api;
use loci_engine::access;
use loci_engine::memories::{MemoryUpdate, NewMemory, memory_arn};
use loci_model::memory::Memory;
use loci_model::principal::Capability;
use loci_model::{Error, MemoryId, Result, StrategyId, Timestamp};

use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;
use settings::{settings, settings_shown};
use strategies::{
    indexed_key, indexed_key_shown, namespace_key, namespace_key_shown, new_strategy, strategy,
};

/// The default retention of events, in days.
const EVENT_EXPIRY_DAYS_DEFAULT: u32 = 90;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::MEMORY_CREATE, memory_create)
        .query(api::MEMORY_LIST, memory_list)
        .plain(api::MEMORY_GET, memory_get)
        .json(api::MEMORY_UPDATE, memory_update)
        .plain(api::MEMORY_DELETE, memory_delete)
        .json(api::SETTINGS_PUT, settings_put)
        .plain(api::TAGS_LIST, tags_list)
        .json(api::TAGS_ADD, tags_add)
        .json(api::TAGS_REMOVE, tags_remove)
}

async fn memory_create(call: Call, asked: shape::MemoryCreate) -> Result<shape::Memory> {
    let token = call.token()?;
    let new = NewMemory {
        name: asked.name,
        description: asked.description,
        event_expiry_days: asked.event_expiry_days.unwrap_or(EVENT_EXPIRY_DAYS_DEFAULT),
        strategies: asked.strategies.into_iter().map(new_strategy).collect::<Result<_>>()?,
        indexed_keys: asked.indexed_keys.into_iter().map(indexed_key).collect(),
        namespace_keys: asked.namespace_keys.into_iter().map(namespace_key).collect(),
        tags: asked.tags,
        settings: asked.settings.map(settings),
        ..NewMemory::default()
    };
    let made = call.doors.engine.memory_create(&call.caller, new, token).await?;
    Ok(shown(&call, &made))
}

async fn memory_list(call: Call, asked: shape::MemoryListing) -> Result<shape::MemoryList> {
    if let Some(name) = &asked.name {
        let found = match call.doors.engine.memory_by_name(&call.caller, name).await {
            Ok(memory) => vec![shown(&call, &memory)],
            Err(error) if error.kind == loci_model::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        return Ok(shape::MemoryList { memories: found, next_cursor: None });
    }
    let after: Option<(Timestamp, MemoryId)> = cursor::read(asked.cursor.as_deref())?;
    let page = call.doors.engine.memory_list(&call.caller, after, cursor::limit(asked.limit)?).await?;
    Ok(shape::MemoryList {
        memories: page.items.iter().map(|memory| shown(&call, memory)).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn memory_get(call: Call) -> Result<shape::Memory> {
    let memory = call.doors.engine.memory_get(&call.caller, &call.memory().await?).await?;
    Ok(shown(&call, &memory))
}

async fn memory_update(call: Call, asked: shape::MemoryUpdate) -> Result<shape::Memory> {
    let token = call.token()?;
    let strategy_id = |id| StrategyId::parse(id).map_err(|error: Error| error.on("delete_strategies"));
    let change = MemoryUpdate {
        description: asked.description,
        event_expiry_days: asked.event_expiry_days,
        add_strategies: asked.add_strategies.into_iter().map(new_strategy).collect::<Result<_>>()?,
        delete_strategies: asked.delete_strategies.into_iter().map(strategy_id).collect::<Result<_>>()?,
        add_indexed_keys: asked.add_indexed_keys.into_iter().map(indexed_key).collect(),
        namespace_keys: asked.namespace_keys.map(|keys| keys.into_iter().map(namespace_key).collect()),
        ..MemoryUpdate::default()
    };
    let changed = call.doors.engine.memory_update(&call.caller, &call.memory().await?, change, token).await?;
    Ok(shown(&call, &changed.memory))
}

async fn memory_delete(call: Call) -> Result<Nothing> {
    call.doors.engine.memory_delete(&call.caller, &call.memory().await?, None).await?;
    Ok(Nothing {})
}

async fn settings_put(call: Call, asked: shape::MemorySettings) -> Result<shape::Memory> {
    let id = call.memory().await?;
    let changed = call.doors.engine.memory_settings_put(&call.caller, &id, settings(asked)).await?;
    Ok(shown(&call, &changed))
}

async fn tags_list(call: Call) -> Result<shape::Tags> {
    Ok(shape::Tags { tags: call.doors.engine.tags_list(&call.caller, &call.memory().await?).await? })
}

async fn tags_add(call: Call, asked: shape::Tags) -> Result<Nothing> {
    call.doors.engine.tags_add(&call.caller, &call.memory().await?, asked.tags).await?;
    Ok(Nothing {})
}

async fn tags_remove(call: Call, asked: shape::TagKeys) -> Result<Nothing> {
    call.doors.engine.tags_remove(&call.caller, &call.memory().await?, &asked.keys).await?;
    Ok(Nothing {})
}

/// Returns a memory. Tags are for administrators, as in the AgentCore API.
fn shown(call: &Call, memory: &Memory) -> shape::Memory {
    let administrates = access::require_whole(&call.caller, &memory.id, Capability::Admin).is_ok();
    shape::Memory {
        id: memory.id.to_string(),
        arn: memory_arn(call.doors.engine.settings(), &memory.id),
        name: memory.name.clone(),
        description: memory.description.clone(),
        event_expiry_days: memory.event_expiry_days,
        strategies: memory.strategies.iter().map(strategy).collect(),
        indexed_keys: memory.indexed_keys.iter().map(indexed_key_shown).collect(),
        namespace_keys: memory.namespace_keys.iter().map(namespace_key_shown).collect(),
        tags: if administrates { memory.tags.clone() } else { Default::default() },
        settings: settings_shown(&memory.settings),
        created_at: memory.created_at.to_rfc3339(),
        updated_at: memory.updated_at.to_rfc3339(),
    }
}
