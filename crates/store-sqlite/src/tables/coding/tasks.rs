//! The table of tasks.

use loci_model::ports::store::{TaskQuery, Tasks};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, RecordId, Result, TaskId, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::fields::Fields as _;
use loci_store_kit::task_rules::{self, TaskValue};
use loci_store_kit::unreadable;
use rusqlite::{Row, params, params_from_iter};

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

fn read(row: &Row<'_>) -> Result<Task> {
    body(&Columns(row), "task")
}

impl SqlTx<'_> {
    /// Writes a task of the memory of that number.
    pub(in crate::tables) fn put_task(&self, memory: i64, task: &Task) -> Result<()> {
        self.run(
            "INSERT INTO tasks(mem, id, actor, person, status, issue, pr, branch, prompt_version, variant, created, said, body) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
             ON CONFLICT(mem, id) DO UPDATE SET actor = excluded.actor, person = excluded.person, \
             status = excluded.status, issue = excluded.issue, pr = excluded.pr, branch = excluded.branch, \
             prompt_version = excluded.prompt_version, variant = excluded.variant, created = excluded.created, \
             said = excluded.said, body = excluded.body",
            params![
                memory,
                task.id.as_str(),
                task.actor.as_str(),
                task.user,
                task_rules::status_code(task.status),
                task.issue.map(task_rules::number),
                task.pr.as_ref().map(|pr| task_rules::number(pr.number)),
                task.branch,
                task.prompt_version,
                task.variant,
                task.created_at.millis(),
                task_rules::searched(&task.description),
                json(task)?
            ],
        )?;
        for (record, at) in task.feedback.harmed() {
            self.run(
                "INSERT INTO task_harms(mem, record, actor, task, at) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT(mem, record, actor, task) DO UPDATE SET at = excluded.at",
                params![memory, record.as_str(), task.actor.as_str(), task.id.as_str(), at],
            )?;
        }
        Ok(())
    }
}

impl Tasks for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one("SELECT body FROM tasks WHERE mem = ?1 AND id = ?2", params![memory, id.as_str()], read)
    }

    fn list(&self, query: &TaskQuery) -> Result<Vec<Task>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let mut bound = Bound::default();
        let of = bound.put(memory);
        let conditions = task_rules::conditions(query, "instr", &mut |value| match value {
            TaskValue::Text(text) => bound.put(text),
            TaskValue::Number(number) => bound.put(number),
        });
        unreadable::page(query.limit, |count| {
            let mut bound = bound.clone();
            let most = bound.put(limit(count));
            let sql = format!(
                "SELECT t.body FROM tasks t WHERE t.mem = {of}{conditions} ORDER BY t.created DESC, t.id \
                 LIMIT {most}"
            );
            self.all(&sql, params_from_iter(bound.values()), |row| unreadable::readable("task", read(row)))
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
        let sql = "SELECT task FROM task_harms WHERE mem = ?1 AND record = ?2 AND actor = ?3 AND at > ?4 \
                   ORDER BY task LIMIT ?5";
        let which = params![memory, record.as_str(), actor.as_str(), after, limit(most)];
        self.all(sql, which, |row| Columns(row).parsed(0, TaskId::parse, "task"))
    }

    fn put(&mut self, task: &Task) -> Result<()> {
        let memory = self.need(&task.memory)?;
        self.put_task(memory, task)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let which = params![memory, actor.as_str()];
        self.run("DELETE FROM task_harms WHERE mem = ?1 AND actor = ?2", which)?;
        let gone = self.run("DELETE FROM tasks WHERE mem = ?1 AND actor = ?2", which)?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
