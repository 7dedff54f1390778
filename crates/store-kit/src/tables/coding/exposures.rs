//! The table of exposures: the records that each task was shown.

use loci_model::ports::store::Exposures;
use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::{ActorId, ExposureId, MemoryId, Result, TaskId};

use crate::body_rows::body;
use crate::codes::json;
use crate::fields::Fields;
use crate::sql::SqlTransaction;
use crate::tables::{Tables, forget_actor};
use crate::values;

fn read(row: &impl Fields) -> Result<Exposure> {
    body(row, "exposure")
}

/// Writes an exposure of the memory with this internal number; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, exposure: &Exposure) -> Result<()> {
    let Exposure { id, task, actor, .. } = exposure;
    tx.later(
        "INSERT INTO exposures(mem, id, task, actor, body) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (mem, id) DO NOTHING",
        values![memory, id.as_str(), task.as_str(), actor.as_str(), json(exposure)?],
    )
}

impl<T: SqlTransaction> Exposures for Tables<T> {
    fn get(&self, memory: &MemoryId, id: &ExposureId) -> Result<Option<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND id = $2";
        self.one(sql, values![memory, id.as_str()], |row| read(row))
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
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND task = $2 AND (CAST($3 AS text) IS NULL OR id < $3) \
                   ORDER BY id DESC LIMIT $4";
        self.all(sql, values![memory, task.as_str(), before, most], |row| read(row))
    }

    fn of_call(
        &self,
        memory: &MemoryId,
        task: &TaskId,
        call: ExposureCall,
        most: usize,
    ) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT body FROM exposures WHERE mem = $1 AND task = $2 AND body{} ->> 'call' = $3 ORDER BY id DESC LIMIT $4",
            T::DIALECT.as_json
        );
        self.all(&sql, values![memory, task.as_str(), call.as_str(), most], |row| read(row))
    }

    fn list(&self, memory: &MemoryId, after: Option<&ExposureId>, most: usize) -> Result<Vec<Exposure>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or("", ExposureId::as_str);
        let sql = "SELECT body FROM exposures WHERE mem = $1 AND id > $2 ORDER BY id LIMIT $3";
        self.all(sql, values![memory, after, most], |row| read(row))
    }

    fn put(&mut self, exposure: &Exposure) -> Result<()> {
        load(&self.0, self.need(&exposure.memory)?, exposure)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        forget_actor(&self.0, "exposures", memory, actor)
    }
}
