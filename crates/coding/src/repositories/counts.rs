//! The verb `repository_counts`: the number of records of a repository, by kind and state, that the
//! caller may read. It reads all of them, so it serves people who inspect a repository, not the
//! path of a task.

use std::collections::BTreeMap;

use loci_api::coding::repository_settings::RecordCount;
use loci_engine::access::{self, View};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{RecordKind, RecordState};
use loci_model::{MemoryId, Namespace, Result};
use loci_verified::find_repository;

use crate::Coding;
use crate::tasks::task_namespaces;

/// The number of records of one page. Other calls may write between pages.
const PAGE: usize = 1_000;

impl Coding {
    /// Returns the counts of a repository's records, by kind and state in the order of their enums,
    /// without erased records.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`, also if the caller may not see the repository.
    pub async fn repository_counts(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<Vec<RecordCount>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let mut scope = self.whole_of(caller, &memory, &view, repo).await?;
        scope.states =
            RecordState::ALL.iter().copied().filter(|state| *state != RecordState::Erased).collect();
        let mut counts: BTreeMap<(RecordKind, RecordState), u64> = BTreeMap::new();
        let mut after = None;
        loop {
            let page = RecordPage { scope: scope.clone(), after, limit: PAGE };
            let read = self.engine.store().read(move |tx| tx.records().list(&page)).await?;
            for record in &read {
                *counts.entry((record.kind, record.state)).or_default() += 1;
            }
            after = read.last().filter(|_| read.len() == PAGE).map(|last| (last.created_at, last.id.clone()));
            if after.is_none() {
                break;
            }
        }
        let counted = |((kind, state), count): ((RecordKind, RecordState), u64)| RecordCount {
            kind: kind.as_str().to_owned(),
            state: state.as_str().to_owned(),
            count,
        };
        Ok(counts.into_iter().map(counted).collect())
    }

    /// Returns the scope of all records under the name of a repository that the caller may read.
    async fn whole_of(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        view: &View,
        repo: &str,
    ) -> Result<RecordScope> {
        let (caller, memory, view) = (caller.clone(), memory.clone(), view.clone());
        let (repo, now) = (repo.to_owned(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory.id, &repo, Capability::Read)?;
                let all = Namespace::parse(format!("/{}/", task_namespaces::actor_of(&repository)?))?;
                let ask = NamespaceAsk::Path(all);
                Ok(namespaces::scope(&memory, &view, std::slice::from_ref(&ask), now)?.0)
            })
            .await
    }
}
