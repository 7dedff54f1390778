//! The tables of the stored sessions of tasks, and of the items of these sessions.

use loci_model::ports::store::{SessionItemQuery, TaskSessions};
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::{ActorId, MemoryId, Result, TaskId, Timestamp};

use crate::body_rows::body;
use crate::codes::json;
use crate::fields::Fields;
use crate::session_rules;
use crate::sql::{BoundParameters, SqlTransaction};
use crate::tables::{Tables, forget_actor};
use crate::task_rules::number;
use crate::values;

const BY_TASK: &str = "SELECT body FROM task_sessions WHERE mem = $1 AND task = $2";
const BY_SEQ: &str = "SELECT body FROM session_items WHERE mem = $1 AND task = $2 AND seq = $3";

fn read_item(row: &impl Fields) -> Result<SessionItem> {
    body(row, "session item")
}

/// Imports a session from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, session: &TaskSession) -> Result<()> {
    let is_there = tx.has(BY_TASK, values![memory, session.task.as_str()])?;
    if is_there { Ok(()) } else { put(tx, memory, session) }
}

/// Imports an item from another store; an existing one is kept.
pub(crate) fn load_item(tx: &impl SqlTransaction, memory: i64, item: &SessionItem) -> Result<()> {
    let is_there = tx.has(BY_SEQ, values![memory, item.task.as_str(), item.seq])?;
    if is_there { Ok(()) } else { put_item(tx, memory, item) }
}

/// Writes a session of the memory with this internal number.
fn put(tx: &impl SqlTransaction, memory: i64, session: &TaskSession) -> Result<()> {
    tx.later(
        "INSERT INTO task_sessions(mem, task, actor, said, body) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (mem, task) DO UPDATE SET actor = excluded.actor, said = excluded.said, body = excluded.body",
        values![
            memory,
            session.task.as_str(),
            session.actor.as_str(),
            session_rules::said_of(session),
            json(session)?
        ],
    )
}

/// Writes a session item of the memory with this internal number.
fn put_item(tx: &impl SqlTransaction, memory: i64, item: &SessionItem) -> Result<()> {
    tx.later(
        "INSERT INTO session_items(mem, task, seq, actor, kind, tool, expires, said, body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         ON CONFLICT (mem, task, seq) DO UPDATE SET actor = excluded.actor, kind = excluded.kind, \
         tool = excluded.tool, expires = excluded.expires, said = excluded.said, body = excluded.body",
        values![
            memory,
            item.task.as_str(),
            item.seq,
            item.actor.as_str(),
            session_rules::kind_code(item.kind),
            i64::from(item.tool.is_some()),
            item.expires_at,
            session_rules::said_in(item),
            json(item)?
        ],
    )
}

impl<T: SqlTransaction> TaskSessions for Tables<T> {
    fn get(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<TaskSession>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_TASK, values![memory, task.as_str()], |row| body(row, "session"))
    }

    fn list(&self, memory: &MemoryId, after: Option<&TaskId>, most: usize) -> Result<Vec<TaskSession>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or("", TaskId::as_str);
        let sql = "SELECT body FROM task_sessions WHERE mem = $1 AND task > $2 ORDER BY task LIMIT $3";
        self.all(sql, values![memory, after, most], |row| body(row, "session"))
    }

    fn put(&mut self, session: &TaskSession) -> Result<()> {
        put(&self.0, self.need(&session.memory)?, session)
    }

    fn item(&self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<Option<SessionItem>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_SEQ, values![memory, task.as_str(), seq], |row| read_item(row))
    }

    fn items(&self, query: &SessionItemQuery) -> Result<Vec<SessionItem>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let mut bound = BoundParameters::default();
        let (of, task) = (bound.put(memory), bound.put(query.task.as_str()));
        let conditions = session_rules::conditions(query, T::DIALECT.position, &mut bound);
        let sql = format!(
            "SELECT i.body FROM session_items i WHERE i.mem = {of} AND i.task = {task}{conditions} \
             ORDER BY i.seq LIMIT {}",
            bound.put(query.limit)
        );
        self.all(&sql, bound.values(), |row| read_item(row))
    }

    fn last_seq(&self, memory: &MemoryId, task: &TaskId) -> Result<Option<u64>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT seq FROM session_items WHERE mem = $1 AND task = $2 ORDER BY seq DESC LIMIT 1";
        self.one(sql, values![memory, task.as_str()], |row| row.count(0))
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
        self.all(sql, values![memory, task, seq, most], |row| read_item(row))
    }

    fn put_item(&mut self, item: &SessionItem) -> Result<()> {
        put_item(&self.0, self.need(&item.memory)?, item)
    }

    fn drop_item(&mut self, memory: &MemoryId, task: &TaskId, seq: u64) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM session_items WHERE mem = $1 AND task = $2 AND seq = $3";
        Ok(self.run(sql, values![memory, task.as_str(), seq])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        let which = "expires <= $1 ORDER BY expires LIMIT $2";
        self.run(&T::DIALECT.removal("session_items", "mem, task, seq", which), values![now, rows])
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        forget_actor(&self.0, "task_sessions", memory, actor)?;
        forget_actor(&self.0, "session_items", memory, actor)
    }
}
