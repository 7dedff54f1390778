//! The verb `task_get`: one task.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Result, TaskId};

use super::task_namespaces;
use crate::Coding;
use crate::commits::newest_commit::newest_commit;

impl Coding {
    /// Returns the task with an id. A caller who acts as its agent may also see it.
    ///
    /// # Errors
    /// `NotFound` if it does not exist, or if the caller may not see it.
    pub async fn task_get(&self, caller: &Principal, standing: &CallContext, id: &TaskId) -> Result<Task> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let caller = self.acting(caller, &memory, id).await?;
        let id = id.clone();
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                task_namespaces::visible(&caller, &id, tx.tasks().get(&memory, &id)?, Capability::Read)
            })
            .await
    }

    /// Returns a task for a caller who is about to write to it.
    pub(super) async fn task_of(&self, caller: &Principal, memory: &MemoryId, id: &TaskId) -> Result<Task> {
        self.task_at(caller, memory, id).await.map(|(task, _)| task)
    }

    /// Returns a task for a caller who is about to write to it, and its current commit.
    pub(super) async fn task_at(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &TaskId,
    ) -> Result<(Task, Option<String>)> {
        let (caller, memory, id) = (caller.clone(), memory.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let task = tx.tasks().get(&memory, &id)?;
                let task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                let commit = newest_commit(tx, &task)?;
                Ok((task, commit))
            })
            .await
    }
}
