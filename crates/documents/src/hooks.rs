//! The hooks of the documents product into kernel operations: trees follow changes of their
//! records, and mirrors follow changes of their trees.

use std::collections::BTreeSet;

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::admin::erasure::Person;
use loci_engine::hooks::{CopyAfterErasure, CopyHooks, NotExamined, RecordHooks};
use loci_model::ports::store::Tx;
use loci_model::{MemoryId, Namespace, RecordId, Result, Timestamp};

use crate::trees::reconciliation;
use crate::{Documents, DocumentsParts, mirror};

/// The implementation of the kernel's hooks for the documents product.
pub(super) struct Hooks {
    pub(super) parts: DocumentsParts,
}

impl Hooks {
    fn documents(&self, engine: &Engine) -> Documents {
        Documents::new(engine.clone(), &self.parts)
    }
}

impl RecordHooks for Hooks {
    fn read(&self, memory: &MemoryId, records: &[&RecordId], at: Timestamp) {
        self.parts.reads.note(memory, records.iter().copied(), at);
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
            mirror::outdate(tx, memory, namespace)?;
        }
        mirror::outdate_conversations(tx, memory)?;
        mirror::outdate_joined(tx, memory)
    }

    fn outdate_history(&self, tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()> {
        mirror::outdate_history(tx, memory, namespace)
    }

    fn bring_up<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Vec<CopyAfterErasure>>> {
        let documents = self.documents(engine);
        Box::pin(async move { documents.mirrors_brought_up(memory).await })
    }

    fn with_author<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Vec<String>>> {
        let documents = self.documents(engine);
        Box::pin(async move { documents.mirrors_with_author(memory, person).await })
    }

    fn remove_of_person<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        not_emptied: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<Vec<String>>> {
        let documents = self.documents(engine);
        Box::pin(async move { documents.mirrors_of_person_removed(memory, person, not_emptied).await })
    }

    fn not_examined<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        everywhere: bool,
    ) -> BoxFuture<'a, Result<NotExamined>> {
        let documents = self.documents(engine);
        Box::pin(async move { documents.mirror_files_not_examined(memory, person, everywhere).await })
    }
}
