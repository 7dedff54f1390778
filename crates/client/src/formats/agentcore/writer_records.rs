//! Writes the records of a local memory in batches: it creates new ones, updates changed ones and
//! leaves the others.

use std::collections::BTreeMap;

use loci_api::record::Record;
use serde::Serialize;
use serde_json::{json, to_vec};
use sha2::{Digest, Sha256};

use super::MARK;
use super::hex;
use super::pages::Pages;
use super::records::{self, RecordCall, marked};
use super::shapes::{BatchAnswer, RecordsPage, WireRecord};
use super::wire::{WireError, path, post};
use super::writer::{AgentCoreWriter, token};

/// The maximum of records of a batch.
const BATCH: usize = 100;

/// The body of `BatchCreateMemoryRecords` and `BatchUpdateMemoryRecords`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Batch<'a> {
    records: &'a [RecordCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    client_token: Option<String>,
}

/// The operation of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BatchOperation {
    Create,
    Update,
}

impl AgentCoreWriter<'_> {
    /// Writes records to the remote memory.
    ///
    /// # Errors
    /// If the server is unavailable, or rejects more than single items. A repeated export continues
    /// where this one stopped.
    pub async fn records(&mut self, records: &[Record]) -> Result<(), WireError> {
        if self.known.is_none() {
            self.known =
                Some(if self.target.dry_run { BTreeMap::new() } else { self.records_there().await? });
        }
        for batch in records.chunks(BATCH) {
            let (mut new, mut changed) = (Vec::new(), Vec::new());
            for record in batch {
                let Some((call, digest)) = self.call(record) else { continue };
                let key = format!("{}/{}", self.target.own_memory, record.id);
                match self.known.as_mut().and_then(|known| known.remove(&key)) {
                    Some((_, before)) if before == digest => self.unchanged += 1,
                    Some((id, _)) => {
                        let (memory_record_id, request_identifier) = (Some(id), None);
                        changed.push(RecordCall { memory_record_id, request_identifier, ..call });
                    }
                    None => new.push(call),
                }
            }
            if !self.target.dry_run {
                self.send(BatchOperation::Create, &new).await?;
                self.send(BatchOperation::Update, &changed).await?;
            }
        }
        Ok(())
    }

    /// Returns a record in its wire form, with its mark, and the digest of its content.
    fn call(&mut self, record: &Record) -> Option<(RecordCall, String)> {
        let mut call = match records::call(record, &self.strategies, &mut self.mapping) {
            Ok(call) => call,
            Err(problem) => {
                self.mapping.problems.push(problem);
                return None;
            }
        };
        let own = record.strategy.as_deref().filter(|_| call.memory_strategy_id.is_some());
        let name = own.and_then(|id| self.strategies.name_here(id));
        self.checksum.record(&call, name, &record.kind);
        *self.mapping.mapped.entry(("record", "record")).or_default() += 1;
        let digest = hex(&Sha256::digest(to_vec(&call).unwrap_or_default()));
        let mark = format!("{}/{}:{digest}", self.target.own_memory, record.id);
        call.metadata.insert(MARK.to_owned(), json!({ "stringValue": mark }));
        Some((call, digest))
    }

    /// Sends a batch. If the server rejects it as a whole, each item is sent alone, so that only
    /// the faulty one fails.
    async fn send(&mut self, does: BatchOperation, calls: &[RecordCall]) -> Result<(), WireError> {
        if calls.is_empty() {
            return Ok(());
        }
        match self.batch(does, calls).await {
            Err(error) if error.is_of_the_item() => {
                for call in calls {
                    match self.batch(does, std::slice::from_ref(call)).await {
                        Err(error) if error.is_of_the_item() => {
                            self.problem(&format!("record {}", name(call)), &error.to_string());
                        }
                        outcome => outcome?,
                    }
                }
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn batch(&mut self, does: BatchOperation, calls: &[RecordCall]) -> Result<(), WireError> {
        let (last, client_token) = match does {
            BatchOperation::Create => {
                let said = serde_json::to_string(calls).unwrap_or_default();
                ("batchCreate", Some(token(&[&self.target.memory, &said])))
            }
            BatchOperation::Update => ("batchUpdate", None),
        };
        let place = path(&["memories", &self.target.memory, "memoryRecords", last]);
        let text = self.wire.call(post(place, &Batch { records: calls, client_token })?).await?;
        let answer: BatchAnswer = super::wire::read(&text)?;
        let done = answer.successful_records.len() as u64;
        match does {
            BatchOperation::Create => self.created += done,
            BatchOperation::Update => self.updated += done,
        }
        for failed in answer.failed_records {
            let name = failed.request_identifier.or(failed.memory_record_id).unwrap_or_default();
            let rule = failed.error_message.unwrap_or_else(|| "it is refused there".to_owned());
            self.problem(&format!("record {name}"), &rule);
        }
        Ok(())
    }

    /// Returns the remote records that came from this memory.
    async fn records_there(&self) -> Result<BTreeMap<String, (String, String)>, WireError> {
        let place = path(&["memories", &self.target.memory, "memoryRecords"]);
        let mut pages = Pages::of(place, &[("namespacePath", json!("/"))]);
        let of_us = format!("{}/", self.target.own_memory);
        let mut there = BTreeMap::new();
        while let Some(page) = pages.next::<RecordsPage>(self.wire).await? {
            for raw in page.memory_record_summaries {
                let Ok(record) = serde_json::from_str::<WireRecord>(raw.get()) else { continue };
                let Some((key, digest)) = marked(&record).filter(|(key, _)| key.starts_with(&of_us)) else {
                    continue;
                };
                there.insert(key.to_owned(), (record.memory_record_id.clone(), digest.to_owned()));
            }
        }
        Ok(there)
    }
}

/// Returns the name of a record in a problem.
fn name(call: &RecordCall) -> &str {
    call.request_identifier.as_deref().or(call.memory_record_id.as_deref()).unwrap_or_default()
}
