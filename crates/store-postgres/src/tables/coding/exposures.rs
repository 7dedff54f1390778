//! The table of exposures.

use loci_model::ports::store::Exposures;
use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::{ActorId, ExposureId, MemoryId, Result, TaskId};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::tx::{PgTx, limit};

fn read(row: &Row) -> Result<Exposure> {
    body(&Columns(row), "exposure")
}

impl PgTx<'_> {
    /// Writes an exposure of the memory of that number; one that is there stays.
    pub(in crate::tables) fn put_exposure(&self, memory: i64, exposure: &Exposure) -> Result<()> {
        self.later(
            "INSERT INTO exposures(mem, id, task, actor, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, id) DO NOTHING",
            vec![
                Box::new(memory),
                Box::new(exposure.id.to_string()),
                Box::new(exposure.task.to_string()),
                Box::new(exposure.actor.to_string()),
                Box::new(json(exposure)?),
            ],
        );
        Ok(())
    }
}

impl Exposures for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &ExposureId) -> Result<Option<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND id = $2";
        self.one(sql, &[&memory, &id.as_str()], read)
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
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND task = $2 AND ($3::text IS NULL OR id < $3) \
                   ORDER BY id DESC LIMIT $4";
        self.all(sql, &[&memory, &task.as_str(), &before, &limit(most)], read)
    }

    fn of_call(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        call: ExposureCall,
        most: usize,
    ) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND task = $2 AND body::jsonb ->> 'call' = $3 \
                   ORDER BY id DESC LIMIT $4";
        self.all(sql, &[&memory, &task.as_str(), &call.as_str(), &limit(most)], read)
    }

    fn list(&self, memory: &MemoryId, after: Option<&ExposureId>, most: usize) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or("", ExposureId::as_str);
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND id > $2 ORDER BY id LIMIT $3";
        self.all(sql, &[&memory, &after, &limit(most)], read)
    }

    fn put(&mut self, exposure: &Exposure) -> Result<()> {
        let memory = self.need(&exposure.memory)?;
        self.put_exposure(memory, exposure)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "DELETE FROM exposures WHERE mem = $1 AND actor = $2 RETURNING 1";
        Ok(u64::try_from(self.run(sql, &[&memory, &actor.as_str()])?).unwrap_or(u64::MAX))
    }
}
