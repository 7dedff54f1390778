//! Reads the documents and the file list of a task's repository at the task's commit, before a
//! write. A repository that cannot be read delays nothing: the response reports the missing check.

use std::sync::Arc;

use loci_engine::calls::call_context::CallContext;
use loci_model::Result;
use loci_model::facts::code::{CodeFile, ObjectId};
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::task::Task;
use loci_verified::tip_of;
use loci_verified::verifier::{PathRef, path_refs};

use super::docs::RepositoryDocs;
use crate::Coding;
use crate::learnings::consolidation::is_unmerged;
use crate::tasks::log_fields::LOAD_INFRA;

/// The data of a repository.
#[derive(Debug, Default)]
pub(crate) struct RepositoryDocsData {
    /// The documents; `None` if they could not be read, or if there is no repository.
    pub(crate) docs: Option<RepositoryDocs>,
    /// The files; `None` in the same cases.
    pub(crate) tree: Option<Tree>,
    /// True if the commit is known here and not on the default branch.
    pub(crate) is_unmerged: bool,
    /// True if there is a repository and it could not be read.
    pub(crate) is_unread: bool,
    /// Warnings about checks that could not run.
    pub(crate) warnings: Vec<String>,
}

/// The files of a commit.
#[derive(Debug)]
pub(crate) struct Tree {
    files: Arc<Vec<CodeFile>>,
    commit: ObjectId,
}

impl Tree {
    /// Returns the files that a text names by their paths alone.
    pub(crate) fn named_by(&self, text: &str) -> Vec<PathRef> {
        path_refs(text, &self.files, self.commit)
    }
}

impl Coding {
    /// Reads the documents of a task's repository at a commit, else at the tip of its default
    /// branch.
    pub(crate) async fn read_docs(&self, task: &Task, commit: Option<&str>) -> Result<RepositoryDocsData> {
        let Some(repository) = self.repository_of(task).await? else {
            return Ok(RepositoryDocsData::default());
        };
        // A repository that is registered without a place is not expected to be readable, so no
        // warning follows.
        if repository.places.is_empty() {
            return Ok(RepositoryDocsData { is_unread: true, ..RepositoryDocsData::default() });
        }
        let (commit, default) = (commit.map(str::to_owned), repository.default_ref.clone());
        let work = move |source: &dyn CodeSource| {
            let tip = match tip_of(source, commit.as_deref(), default.as_deref()) {
                // The agent's commit may be missing here. The documents of the default branch apply
                // to it, too.
                Err(error) if error.why == Unverifiable::Ref => tip_of(source, None, default.as_deref())?,
                found => found?,
            };
            let docs = RepositoryDocs::read(source, &tip)?;
            let files = source.files(&tip.revision)?;
            let is_unmerged = is_unmerged(source, commit.as_deref(), default.as_deref()).unwrap_or(false);
            Ok((docs, tip.commit().map(|commit| Tree { files, commit }), is_unmerged))
        };
        Ok(match self.verified.on_code(&repository, &CallContext::default(), Arc::new(work)).await {
            Ok((docs, tree, is_unmerged)) => {
                RepositoryDocsData { docs: Some(docs), tree, is_unmerged, ..RepositoryDocsData::default() }
            }
            Err(error) => {
                let why = error.why.as_str();
                tracing::warn!(metric_type = LOAD_INFRA, why, "what a repository says could not be read");
                let warning =
                    format!("DOCS_UNREAD: what the repository says itself could not be compared ({why})");
                RepositoryDocsData {
                    is_unread: true,
                    warnings: vec![warning],
                    ..RepositoryDocsData::default()
                }
            }
        })
    }

    async fn repository_of(&self, task: &Task) -> Result<Option<Repository>> {
        let Some(id) = task.repository.clone() else { return Ok(None) };
        let memory = task.memory.clone();
        self.engine.store().read(move |tx| tx.repositories().get(&memory, &id)).await
    }
}
