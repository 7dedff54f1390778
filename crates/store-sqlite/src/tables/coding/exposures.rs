//! The table of exposures.

use loci_model::ports::store::Exposures;
use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::{ActorId, ExposureId, MemoryId, Result, TaskId};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

fn read(row: &Row<'_>) -> Result<Exposure> {
    body(&Columns(row), "exposure")
}

impl SqlTx<'_> {
    /// Writes an exposure of the memory of that number; one that is there stays.
    pub(in crate::tables) fn put_exposure(&self, memory: i64, exposure: &Exposure) -> Result<()> {
        let Exposure { id, task, actor, .. } = exposure;
        self.run(
            "INSERT OR IGNORE INTO exposures(mem, id, task, actor, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![memory, id.as_str(), task.as_str(), actor.as_str(), json(exposure)?],
        )?;
        Ok(())
    }
}

impl Exposures for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, id: &ExposureId) -> Result<Option<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM exposures WHERE mem = ?1 AND id = ?2";
        self.one(sql, params![memory, id.as_str()], read)
    }

    fn of_task(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        before: Option<&ExposureId>,
        most: usize,
    ) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let before = before.map(ExposureId::as_str);
        let sql = "SELECT body FROM exposures WHERE mem = ?1 AND task = ?2 AND (?3 IS NULL OR id < ?3) \
                   ORDER BY id DESC LIMIT ?4";
        self.all(sql, params![memory, task.as_str(), before, limit(most)], read)
    }

    fn of_call(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        call: ExposureCall,
        most: usize,
    ) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM exposures WHERE mem = ?1 AND task = ?2 AND body ->> 'call' = ?3 \
                   ORDER BY id DESC LIMIT ?4";
        self.all(sql, params![memory, task.as_str(), call.as_str(), limit(most)], read)
    }

    fn list(&self, memory: &MemoryId, after: Option<&ExposureId>, most: usize) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or("", ExposureId::as_str);
        let sql = "SELECT body FROM exposures WHERE mem = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
        self.all(sql, params![memory, after, limit(most)], read)
    }

    fn put(&mut self, exposure: &Exposure) -> Result<()> {
        let memory = self.need(&exposure.memory)?;
        self.put_exposure(memory, exposure)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "DELETE FROM exposures WHERE mem = ?1 AND actor = ?2";
        Ok(u64::try_from(self.run(sql, params![memory, actor.as_str()])?).unwrap_or(u64::MAX))
    }
}
