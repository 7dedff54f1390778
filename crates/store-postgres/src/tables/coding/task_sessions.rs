//! The tables of sessions of tasks and of what was said in them.

use loci_model::ports::store::{SessionItemQuery, TaskSessions};
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::{ActorId, MemoryId, Result, TaskId, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::fields::Fields as _;
use loci_store_kit::session_rules;
use loci_store_kit::task_rules::{TaskValue, number};
use tokio_postgres::Row;

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, code, limit};

fn read(row: &Row) -> Result<TaskSession> {
    body(&Columns(row), "session")
}

fn read_item(row: &Row) -> Result<SessionItem> {
    body(&Columns(row), "session item")
}

const BY_TASK: &str = "SELECT body FROM task_sessions WHERE mem = $1 AND task = $2";
const BY_SEQ: &str = "SELECT body FROM session_items WHERE mem = $1 AND task = $2 AND seq = $3";

impl PgTx<'_> {
    /// Takes in a session from another store; one that is there already stays.
    pub(in crate::tables) fn load_task_session(&self, memory: i64, session: &TaskSession) -> Result<()> {
        let there = self.one(BY_TASK, &[&memory, &session.task.as_str()], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_task_session(memory, session) }
    }

    /// Takes in an item from another store; one that is there already stays.
    pub(in crate::tables) fn load_session_item(&self, memory: i64, item: &SessionItem) -> Result<()> {
        let there = self.one(BY_SEQ, &[&memory, &item.task.as_str(), &number(item.seq)], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_session_item(memory, item) }
    }

    /// Writes a session of the memory of that number.
    fn put_task_session(&self, memory: i64, session: &TaskSession) -> Result<()> {
        self.later(
            "INSERT INTO task_sessions(mem, task, actor, said, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, task) DO UPDATE SET actor = excluded.actor, said = excluded.said, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(session.task.to_string()),
                Box::new(session.actor.to_string()),
                Box::new(plain(&session_rules::said_of(session))),
                Box::new(json(session)?),
            ],
        );
        Ok(())
    }

    /// Writes an item of the memory of that number.
    fn put_session_item(&self, memory: i64, item: &SessionItem) -> Result<()> {
        self.later(
            "INSERT INTO session_items(mem, task, seq, actor, kind, tool, expires, said, body) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             ON CONFLICT (mem, task, seq) DO UPDATE SET actor = excluded.actor, kind = excluded.kind, \
             tool = excluded.tool, expires = excluded.expires, said = excluded.said, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(item.task.to_string()),
                Box::new(number(item.seq)),
                Box::new(item.actor.to_string()),
                Box::new(code(session_rules::kind_code(item.kind))),
                Box::new(code(i64::from(item.tool.is_some()))),
                Box::new(item.expires_at.millis()),
                Box::new(plain(&session_rules::said_in(item))),
                Box::new(json(item)?),
            ],
        );
        Ok(())
    }
}

impl TaskSessions for PgTx<'_> {
    fn get(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<TaskSession>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_TASK, &[&memory, &task.as_str()], read)
    }

    fn list(&self, memory: &MemoryId, after: Option<&TaskId>, most: usize) -> Result<Vec<TaskSession>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or("", TaskId::as_str);
        let sql = "SELECT body FROM task_sessions WHERE mem = $1 AND task > $2 ORDER BY task LIMIT $3";
        self.all(sql, &[&memory, &after, &limit(most)], read)
    }

    fn put(&mut self, session: &TaskSession) -> Result<()> {
        let memory = self.need(&session.memory)?;
        self.put_task_session(memory, session)
    }

    fn item(&self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<Option<SessionItem>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_SEQ, &[&memory, &task.as_str(), &number(seq)], read_item)
    }

    fn items(&self, query: &SessionItemQuery) -> Result<Vec<SessionItem>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let mut bound = Bound::default();
        let (of, task) = (bound.put(memory), bound.put(query.task.to_string()));
        let conditions = session_rules::conditions(query, "strpos", &mut |value| match value {
            TaskValue::Text(text) => bound.put(plain(&text)),
            TaskValue::Number(number) => format!("{}::bigint", bound.put(number)),
        });
        let most = bound.put(limit(query.limit));
        let sql = format!(
            "SELECT i.body FROM session_items i WHERE i.mem = {of} AND i.task = {task}{conditions} \
             ORDER BY i.seq LIMIT {most}"
        );
        self.all(&sql, &bound.values(), read_item)
    }

    fn last_seq(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<u64>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT seq FROM session_items WHERE mem = $1 AND task = $2 ORDER BY seq DESC LIMIT 1";
        self.one(sql, &[&memory, &task.as_str()], |row| Columns(row).count(0))
    }

    fn list_items(
        &self,
        memory: &MemoryId,
        after: Option<(&TaskId, u64)>,
        most: usize,
    ) -> Result<Vec<SessionItem>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (task, seq) = after.map_or(("", -1), |(task, seq)| (task.as_str(), number(seq)));
        let sql = "SELECT body FROM session_items WHERE mem = $1 AND (task, seq) > ($2, $3) ORDER BY task, seq LIMIT $4";
        self.all(sql, &[&memory, &task, &seq, &limit(most)], read_item)
    }

    fn put_item(&mut self, item: &SessionItem) -> Result<()> {
        let memory = self.need(&item.memory)?;
        self.put_session_item(memory, item)
    }

    fn drop_item(&mut self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM session_items WHERE mem = $1 AND task = $2 AND seq = $3 RETURNING 1";
        Ok(self.run(sql, &[&memory, &task.as_str(), &number(seq)])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        self.run(
            "DELETE FROM session_items WHERE (mem, task, seq) IN (SELECT mem, task, seq FROM session_items \
             WHERE expires <= $1 ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&now.millis(), &limit(rows)],
        )
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let of = |table: &str| format!("DELETE FROM {table} WHERE mem = $1 AND actor = $2 RETURNING 1");
        self.run(&of("task_sessions"), &[&memory, &actor.as_str()])?;
        let gone = self.run(&of("session_items"), &[&memory, &actor.as_str()])?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
