//! The table of tasks.

use loci_model::ports::store::{TaskQuery, Tasks};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, RecordId, Result, TaskId, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::fields::Fields as _;
use loci_store_kit::task_rules::{self, TaskValue};
use loci_store_kit::unreadable;
use tokio_postgres::Row;

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, code, limit};

fn read(row: &Row) -> Result<Task> {
    body(&Columns(row), "task")
}

fn optional(text: Option<&String>) -> Option<String> {
    text.map(|text| plain(text))
}

const BY_ID: &str = "SELECT body FROM tasks WHERE mem = $1 AND id = $2";

impl PgTx<'_> {
    /// Takes in a task from another store; one that is there already stays.
    pub(in crate::tables) fn load_task(&self, memory: i64, task: &Task) -> Result<()> {
        let there = self.one(BY_ID, &[&memory, &task.id.as_str()], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_task(memory, task) }
    }

    /// Writes a task of the memory of that number.
    fn put_task(&self, memory: i64, task: &Task) -> Result<()> {
        self.later(
            "INSERT INTO tasks(mem, id, actor, person, status, issue, pr, branch, prompt_version, variant, created, said, body) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
             ON CONFLICT (mem, id) DO UPDATE SET actor = excluded.actor, person = excluded.person, \
             status = excluded.status, issue = excluded.issue, pr = excluded.pr, branch = excluded.branch, \
             prompt_version = excluded.prompt_version, variant = excluded.variant, created = excluded.created, \
             said = excluded.said, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(task.id.to_string()),
                Box::new(task.actor.to_string()),
                Box::new(optional(task.user.as_ref())),
                Box::new(code(task_rules::status_code(task.status))),
                Box::new(task.issue.map(task_rules::number)),
                Box::new(task.pr.as_ref().map(|pr| task_rules::number(pr.number))),
                Box::new(optional(task.branch.as_ref())),
                Box::new(optional(task.prompt_version.as_ref())),
                Box::new(optional(task.variant.as_ref())),
                Box::new(task.created_at.millis()),
                Box::new(plain(&task_rules::searched(&task.description))),
                Box::new(json(task)?),
            ],
        );
        for (record, at) in task.feedback.harmed() {
            self.later(
                "INSERT INTO task_harms(mem, record, actor, task, at) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (mem, record, actor, task) DO UPDATE SET at = excluded.at",
                vec![
                    Box::new(memory),
                    Box::new(record.to_string()),
                    Box::new(task.actor.to_string()),
                    Box::new(task.id.to_string()),
                    Box::new(at),
                ],
            );
        }
        Ok(())
    }
}

impl Tasks for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, &[&memory, &id.as_str()], read)
    }

    fn list(&self, query: &TaskQuery) -> Result<Vec<Task>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        unreadable::page(query.limit, |count| {
            let mut bound = Bound::default();
            let of = bound.put(memory);
            let conditions = task_rules::conditions(query, "strpos", &mut |value| match value {
                TaskValue::Text(text) => bound.put(plain(&text)),
                TaskValue::Number(number) => format!("{}::bigint", bound.put(number)),
            });
            let most = bound.put(limit(count));
            let sql = format!(
                "SELECT t.body FROM tasks t WHERE t.mem = {of}{conditions} ORDER BY t.created DESC, t.id \
                 LIMIT {most}"
            );
            self.all(&sql, &bound.values(), |row| unreadable::readable("task", read(row)))
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
        self.all(sql, &[&memory, &record.as_str(), &actor.as_str(), &after, &limit(most)], |row| {
            Columns(row).parsed(0, TaskId::parse, "task")
        })
    }

    fn put(&mut self, task: &Task) -> Result<()> {
        let memory = self.need(&task.memory)?;
        self.put_task(memory, task)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM task_harms WHERE mem = $1 AND actor = $2 RETURNING 1",
            &[&memory, &actor.as_str()],
        )?;
        let gone = self.run(
            "DELETE FROM tasks WHERE mem = $1 AND actor = $2 RETURNING 1",
            &[&memory, &actor.as_str()],
        )?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
