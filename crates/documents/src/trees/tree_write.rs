//! A write to a tree. It checks access, detects a repeated call, updates the tree from its records,
//! runs the operation, and does the follow-up work of every change. The operation itself deals with
//! neither client tokens nor jobs.

use std::cell::{Cell, RefCell};

use loci_engine::access::{self, View};
use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::hooks::Products;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::safety::{SafetyPolicy, Tally};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::{JobId, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tree::{Tree, TreeAsk};
use crate::Documents;
use crate::document::document_write::DocumentWriter;

/// The description of a write to a tree.
pub(crate) struct TreeWrite<'a> {
    /// The tree.
    pub(crate) tree: &'a TreeAsk,
    /// The operation, for the caller's token.
    pub(crate) operation: &'static str,
    /// The caller's token.
    pub(crate) token: Option<ClientToken>,
    /// The maximum of new records.
    pub(crate) new_records: usize,
    /// The run that it belongs to.
    pub(crate) run: Option<String>,
}

impl<'a> TreeWrite<'a> {
    /// Returns the description of an operation that creates at most one document.
    pub(crate) fn of(tree: &'a TreeAsk, operation: &'static str, token: Option<ClientToken>) -> Self {
        Self { tree, operation, token, new_records: 1, run: None }
    }
}

impl Documents {
    /// Runs an operation on a tree as one write.
    ///
    /// # Errors
    /// `Denied` without a grant of write on the whole namespace; the errors of the operation.
    pub(crate) async fn tree_write<T>(
        &self,
        caller: &Principal,
        write: TreeWrite<'_>,
        mut verb: impl FnMut(&mut dyn Tx, &DocumentWriter<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let TreeWrite { tree: ask, operation, token, new_records, run } = write;
        let view = access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Write)?;
        let whole = NamespaceFilter::new(&ask.namespace, NamespaceMatch::Exact);
        let is_admin = access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Admin).is_ok();
        self.caught_up(ask).await?;
        let now = self.engine.now();
        let own = access::bound_view(self.engine.products(), caller, &ask.memory, Capability::Write, now)?;
        let own_reads = reading_view(self.engine.products(), caller, ask, now);
        let token = token.map(|token| own_token(token, caller, ask)).transpose()?;
        let fresh = || uuid7(self.engine.ids().as_ref(), now.millis());
        let ids = (0..new_records).map(|_| RecordId::compose(&fresh())).collect::<Result<Vec<_>>>()?;
        let job = JobId::parse(fresh())?;
        let (tree, by, settings) = (Tree::of(ask), caller.name.clone(), self.engine.settings().clone());
        let vault = self.engine.vault().clone();
        let (answer, found) = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &tree.memory)?;
                if own.within(&memory).is_of_another(&whole) {
                    return Err(access::another_users());
                }
                let place = Some(&memory.id);
                if let Some(first) =
                    replayed(look_up(tx, vault.as_ref(), token.as_ref(), place, operation, now)?)?
                {
                    return Ok((first, Tally::default()));
                }
                while !tree.catch_up(tx)? {}
                let before = tx.memories().sequence(&memory.id)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let is_open = |view: &View| !view.within(&memory).is_of_another(&whole);
                let writing = DocumentWriter {
                    memory: &memory,
                    tree: &tree,
                    view: &view,
                    is_admin,
                    may_read: own_reads.as_ref().is_some_and(is_open),
                    by: &by,
                    policy,
                    vault: vault.as_ref(),
                    now,
                    run: run.as_deref(),
                    behind: before,
                    ids: &ids,
                    used: Cell::new(0),
                    found: RefCell::default(),
                };
                let answer = verb(tx, &writing)?;
                if tx.memories().sequence(&memory.id)? != before {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), place, operation, &answer, expires)?;
                Ok((answer, writing.found.take()))
            })
            .await?;
        found.tell(self.engine.observe().as_ref());
        self.engine.wake().call();
        Ok(answer)
    }
}

/// Returns the view of a caller who may read the whole tree; `None` for any other caller.
fn reading_view(products: &Products, caller: &Principal, ask: &TreeAsk, now: Timestamp) -> Option<View> {
    access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read).ok()?;
    access::bound_view(products, caller, &ask.memory, Capability::Read, now).ok()
}

/// Returns a token bound to the caller. A repetition gets the answer of the first call, and an
/// answer for readers is only for readers.
fn own_token(token: ClientToken, caller: &Principal, ask: &TreeAsk) -> Result<ClientToken> {
    let reads = access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read).is_ok();
    if reads { token.of(caller, &ask.memory) } else { token.of_person(caller) }
}
