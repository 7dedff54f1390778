//! The checks at the end: every acknowledged event exists once, in one record, and the index equals
//! a rebuild.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;

use super::ledger;
use crate::crash::index_equals_rebuild;
use crate::wire::{Wire, text_at};

/// The counts of the check.
pub(super) struct ProcessFindings {
    pub(super) events: usize,
    pub(super) writers: usize,
}

/// Checks all ledgers against a server.
pub(super) async fn whole(wire: &Wire, memory: &str, folder: &Path) -> Result<ProcessFindings> {
    let lines = ledger::read(folder, None)?;
    let places: BTreeSet<_> = lines.iter().map(|line| (line.actor.clone(), line.session.clone())).collect();
    let mut stored = BTreeMap::new();
    for (actor, session) in &places {
        let path = format!("/memories/{memory}/actor/{actor}/sessions/{session}");
        for event in wire.pages(&path, &json!({}), "events").await? {
            let text = text_at(&event, "/payload/0/conversational/content/text")?;
            stored.entry(text).or_insert_with(Vec::new).push(text_at(&event, "/eventId")?);
        }
    }
    for line in &lines {
        let ids = stored.get(&line.text).map(Vec::as_slice).unwrap_or_default();
        ensure!(ids == [line.id.clone()], "the event {} is stored as {ids:?}", line.id);
    }
    wire.settle(memory).await?;
    let path = format!("/memories/{memory}/memoryRecords");
    let mut records: BTreeMap<String, usize> = BTreeMap::new();
    for record in wire.pages(&path, &json!({"namespacePath": "/facts"}), "memoryRecordSummaries").await? {
        *records.entry(text_at(&record, "/content/text")?).or_default() += 1;
    }
    for line in &lines {
        let count = records.get(&line.text).copied().unwrap_or(0);
        ensure!(count == 1, "the turn of event {} is in {count} records", line.id);
    }
    index_equals_rebuild(wire, memory).await?;
    let writers: BTreeSet<_> = lines.iter().map(|line| &line.actor).collect();
    Ok(ProcessFindings { events: lines.len(), writers: writers.len() })
}
