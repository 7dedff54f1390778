//! The hooks of documents: trees follow their records, and mirrors are copies.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use loci_model::ports::store::Tx;
use loci_model::{MemoryId, Namespace, RecordId, Result, Timestamp};

use super::documents::read_counts::ReadCounts;
use super::mirroring;
use super::trees::reconciliation;
use crate::Engine;
use crate::admin::erasure::Person;
use crate::hooks::{CopyAfterErasure, CopyHooks, NotExamined, RecordHooks};

/// The hooks, with the counts of reads of this process.
pub(super) struct Hooks {
    pub(super) reads: Arc<ReadCounts>,
}

impl RecordHooks for Hooks {
    fn read(&self, memory: &MemoryId, records: &[&RecordId], at: Timestamp) {
        self.reads.note(memory, records.iter().copied(), at);
    }

    fn moved(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        reconciliation::moved(tx, memory, records)
    }

    fn content_erased(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        reconciliation::forget(tx, memory, records)
    }
}

impl CopyHooks for Hooks {
    fn outdate(&self, tx: &mut dyn Tx, memory: &MemoryId, namespaces: &[&Namespace]) -> Result<()> {
        for namespace in namespaces {
            mirroring::outdate(tx, memory, namespace)?;
        }
        mirroring::outdate_conversations(tx, memory)?;
        mirroring::outdate_joined(tx, memory)
    }

    fn outdate_history(&self, tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()> {
        mirroring::outdate_history(tx, memory, namespace)
    }

    fn bring_up<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Vec<CopyAfterErasure>>> {
        Box::pin(engine.mirrors_brought_up(memory))
    }

    fn with_author<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(engine.mirrors_with_author(memory, person))
    }

    fn remove_of_person<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        not_emptied: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(engine.mirrors_of_person_removed(memory, person, not_emptied))
    }

    fn not_examined<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        everywhere: bool,
    ) -> BoxFuture<'a, Result<NotExamined>> {
        Box::pin(engine.mirror_files_not_examined(memory, person, everywhere))
    }
}
