//! Access to exposures.

use crate::tasks::exposure::{Exposure, ExposureCall};
use crate::{ActorId, ExposureId, MemoryId, Result, TaskId};

/// The table of exposures. They are written once and never changed.
pub trait Exposures {
    /// One by its id.
    fn get(&self, memory: &MemoryId, id: &ExposureId) -> Result<Option<Exposure>>;
    /// Those of a task before `before`, the newest first by their ids, whose order is that of time; at most `limit`.
    fn of_task(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        before: Option<&ExposureId>,
        limit: usize,
    ) -> Result<Vec<Exposure>>;
    /// Those of a task by one call, the newest first; at most `limit`.
    fn of_call(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        call: ExposureCall,
        limit: usize,
    ) -> Result<Vec<Exposure>>;
    /// A page of all of a memory, by id.
    fn list(&self, memory: &MemoryId, after: Option<&ExposureId>, limit: usize) -> Result<Vec<Exposure>>;
    /// Writes one.
    fn put(&mut self, exposure: &Exposure) -> Result<()>;
    /// Erases those of an actor's tasks; how many.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
