//! Access to exposures.

use crate::tasks::exposure::{Exposure, ExposureCall};
use crate::{ActorId, ExposureId, MemoryId, Result, TaskId};

/// The table of exposures. They are written once and never changed.
pub trait Exposures {
    /// Returns an exposure by its id.
    fn get(&self, memory: &MemoryId, id: &ExposureId) -> Result<Option<Exposure>>;
    /// Returns at most `limit` exposures of a task before `before`, the newest first by their ids,
    /// whose order is that of time.
    fn of_task(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        before: Option<&ExposureId>,
        limit: usize,
    ) -> Result<Vec<Exposure>>;
    /// Returns at most `limit` exposures of a task by one call, the newest first.
    fn of_call(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        call: ExposureCall,
        limit: usize,
    ) -> Result<Vec<Exposure>>;
    /// Returns a page of all exposures of a memory, by id.
    fn list(&self, memory: &MemoryId, after: Option<&ExposureId>, limit: usize) -> Result<Vec<Exposure>>;
    /// Writes an exposure.
    fn put(&mut self, exposure: &Exposure) -> Result<()>;
    /// Erases the exposures of an actor's tasks; returns their number.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}
