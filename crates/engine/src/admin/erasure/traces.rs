//! Traces of a person outside events and records: tree entries under every path that a record had,
//! the whole tree of a person's namespace, notes on records, parked objects, and stored responses
//! of idempotency tokens. Reads find their keys page by page; the write removes them by key.

use std::collections::BTreeSet;

use loci_model::json::tree::JsonTree;
use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::ports::store::{LedgerPage, StoreExt, Tx};
use loci_model::{MemoryId, RecordId, Result};
use serde_json::Value;

use super::erase::Counts;
use super::person::Person;
use crate::Engine;

/// Rows per read, so that other reads and writes can run in between.
const PAGE_ROWS: usize = 500;
/// Member of a stored response that names the actor of the request.
const ACTOR_MEMBER: &str = "actor";

/// Keys of a person's remaining data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    /// Ledger entries: kind in the receipt, shelf and key.
    entries: Vec<(&'static str, Shelf, String)>,
    objects: Vec<String>,
    /// Names of tokens.
    tokens: Vec<String>,
}

impl Engine {
    /// Finds the traces of a person and of these records.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn traces(
        &self,
        memory: &MemoryId,
        person: &Person,
        records: &BTreeSet<RecordId>,
    ) -> Result<Traces> {
        let mut traces = Traces::default();
        let shelves = self.products.shelf_rules().filter(|rules| rules.has_traces());
        for shelf in shelves.map(|rules| &rules.shelf).collect::<BTreeSet<_>>() {
            self.find_entries(memory, shelf, (person, records), &mut traces).await?;
        }
        self.find_objects(memory, person, &mut traces).await?;
        self.find_tokens(memory, person, records, &mut traces).await?;
        Ok(traces)
    }

    async fn find_entries(
        &self,
        memory: &MemoryId,
        shelf: &Shelf,
        (person, records): (&Person, &BTreeSet<RecordId>),
        traces: &mut Traces,
    ) -> Result<()> {
        let mut after = None;
        loop {
            let (memory, shelf, actor, subject) = (memory.clone(), shelf.clone(), None, None);
            let page = LedgerPage { memory, shelf, actor, subject, after, limit: PAGE_ROWS };
            let entries = self.store.read(move |tx| tx.ledger().list(&page)).await?;
            let Some(last) = entries.last() else { return Ok(()) };
            after = Some((last.at, last.key.clone()));
            for entry in entries {
                let Some(rules) = self.products.rules_of(&entry) else { continue };
                let is_theirs = rules.is_of_tree && is_of_tree_of(&entry, person)?;
                if is_theirs || rules.is_about(&entry, records)? {
                    let kind = if rules.is_of_tree { "tree entries" } else { "ledger entries" };
                    traces.entries.push((kind, entry.shelf, entry.key));
                }
            }
        }
    }

    async fn find_objects(&self, memory: &MemoryId, person: &Person, traces: &mut Traces) -> Result<()> {
        let mut after: Option<String> = None;
        loop {
            let (memory, from) = (memory.clone(), after.clone());
            let read = self.store.read(move |tx| tx.parked().list(&memory, "", from.as_deref(), PAGE_ROWS));
            let page = read.await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key.clone());
            let theirs = page.into_iter().filter(|head| person.owns_object(&head.key));
            traces.objects.extend(theirs.map(|head| head.key));
        }
    }

    async fn find_tokens(
        &self,
        memory: &MemoryId,
        person: &Person,
        records: &BTreeSet<RecordId>,
        traces: &mut Traces,
    ) -> Result<()> {
        let mut after: Option<String> = None;
        loop {
            let (memory, from) = (memory.clone(), after.clone());
            let read = self.store.read(move |tx| tx.idempotency().list(&memory, from.as_deref(), PAGE_ROWS));
            let page = read.await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(last.clone());
            for (name, answer) in page {
                if answer.answer.tree().is_ok_and(|answer| names(&answer, "", person, records)) {
                    traces.tokens.push(name);
                }
            }
        }
    }
}

impl Traces {
    /// Removes the traces of trees, notes and parked objects that were found, in the write of the
    /// erasure.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn remove(&self, tx: &mut dyn Tx, memory: &MemoryId, counts: &mut Counts) -> Result<()> {
        for (kind, shelf, key) in &self.entries {
            counts.add(kind, u64::from(tx.ledger_mut().remove(memory, shelf, key)?));
        }
        for key in &self.objects {
            counts.add("parked objects", u64::from(tx.parked_mut().remove(memory, key)?));
        }
        Ok(())
    }

    /// Removes the tokens that were found, and returns the names of those that existed. A repeated
    /// request then learns that its source was erased.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn remove_tokens(&self, tx: &mut dyn Tx, memory: &MemoryId) -> Result<Vec<&String>> {
        let mut gone = Vec::new();
        for name in &self.tokens {
            if tx.idempotency_mut().remove(memory, name)? {
                gone.push(name);
            }
        }
        Ok(gone)
    }
}

/// Returns true for an entry that names a namespace of the person.
fn is_of_tree_of(entry: &LedgerEntry, person: &Person) -> Result<bool> {
    let body = entry.body.value()?;
    let namespace = body.get("namespace").and_then(Value::as_str);
    Ok(namespace.is_some_and(|namespace| person.owns_namespace(namespace)))
}

/// Returns true if a stored response names the person as the actor, or names one of the records.
fn names(value: &JsonTree, key: &str, person: &Person, records: &BTreeSet<RecordId>) -> bool {
    match value {
        JsonTree::Text(text) => {
            (key == ACTOR_MEMBER && person.is_name(text))
                || RecordId::parse(text.as_str()).is_ok_and(|id| records.contains(&id))
        }
        JsonTree::List(items) => items.iter().any(|item| names(item, key, person, records)),
        JsonTree::Object(members) => members.iter().any(|(key, member)| names(member, key, person, records)),
        JsonTree::Null | JsonTree::Bool(_) | JsonTree::Number(_) => false,
    }
}
