//! The table of the tasks of coding agents.

use loci_model::ports::store::{TaskQuery, Tasks};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, RecordId, Result, TaskId, Timestamp};

use crate::body_rows::body;
use crate::codes::json;
use crate::fields::Fields;
use crate::sql::{BoundParameters, SqlTransaction};
use crate::tables::{Tables, forget_actor};
use crate::task_rules;
use crate::unreadable_rows::{page, readable};
use crate::values;

const BY_ID: &str = "SELECT body FROM tasks WHERE mem = $1 AND id = $2";

fn read(row: &impl Fields) -> Result<Task> {
    body(row, "task")
}

/// Imports a task from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, task: &Task) -> Result<()> {
    let is_there = tx.has(BY_ID, values![memory, task.id.as_str()])?;
    if is_there { Ok(()) } else { put(tx, memory, task) }
}

/// Writes a task of the memory with this internal number.
fn put(tx: &impl SqlTransaction, memory: i64, task: &Task) -> Result<()> {
    tx.later(
        "INSERT INTO tasks(mem, id, actor, person, status, issue, pr, branch, prompt_version, variant, created, said, body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
         ON CONFLICT (mem, id) DO UPDATE SET actor = excluded.actor, person = excluded.person, \
         status = excluded.status, issue = excluded.issue, pr = excluded.pr, branch = excluded.branch, \
         prompt_version = excluded.prompt_version, variant = excluded.variant, created = excluded.created, \
         said = excluded.said, body = excluded.body",
        values![
            memory,
            task.id.as_str(),
            task.actor.as_str(),
            task.user.as_ref(),
            task_rules::status_code(task.status),
            task.issue,
            task.pr.as_ref().map(|pr| pr.number),
            task.branch.as_ref(),
            task.prompt_version.as_ref(),
            task.variant.as_ref(),
            task.created_at,
            task_rules::searched(&task.description),
            json(task)?
        ],
    )?;
    for (record, at) in task.feedback.harmed() {
        tx.later(
            "INSERT INTO task_harms(mem, record, actor, task, at) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, record, actor, task) DO UPDATE SET at = excluded.at",
            values![memory, record.as_str(), task.actor.as_str(), task.id.as_str(), at],
        )?;
    }
    Ok(())
}

impl<T: SqlTransaction> Tasks for Tables<T> {
    fn get(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, values![memory, id.as_str()], |row| read(row))
    }

    fn list(&self, query: &TaskQuery) -> Result<Vec<Task>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let mut bound = BoundParameters::default();
        let of = bound.put(memory);
        let conditions = task_rules::conditions(query, T::DIALECT.position, &mut bound);
        page(query.limit, |count| {
            let mut bound = bound.clone();
            let sql = format!(
                "SELECT t.body FROM tasks t WHERE t.mem = {of}{conditions} ORDER BY t.created DESC, t.id LIMIT {}",
                bound.put(count)
            );
            self.all(&sql, bound.values(), |row| readable("task", read(row)))
        })
    }

    fn harmed_by(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        actor: &ActorId,
        after: Option<Timestamp>,
        most: usize,
    ) -> Result<Vec<TaskId>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or(i64::MIN, |after| after.millis());
        let sql = "SELECT task FROM task_harms WHERE mem = $1 AND record = $2 AND actor = $3 AND at > $4 \
                   ORDER BY task LIMIT $5";
        self.all(sql, values![memory, record.as_str(), actor.as_str(), after, most], |row| {
            row.parsed(0, TaskId::parse, "task")
        })
    }

    fn put(&mut self, task: &Task) -> Result<()> {
        put(&self.0, self.need(&task.memory)?, task)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        forget_actor(&self.0, "task_harms", memory, actor)?;
        forget_actor(&self.0, "tasks", memory, actor)
    }
}
