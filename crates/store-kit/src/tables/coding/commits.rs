//! The table of the commits that belong to tasks of coding agents.

use loci_model::facts::code::ObjectId;
use loci_model::ports::store::Commits;
use loci_model::tasks::commit::TaskCommit;
use loci_model::{ActorId, MemoryId, Result, TaskId};

use crate::body_rows::body;
use crate::codes::json;
use crate::fields::Fields;
use crate::sql::SqlTransaction;
use crate::tables::{Tables, forget_actor};
use crate::values;

const BY_ID: &str = "SELECT body FROM commits WHERE mem = $1 AND actor = $2 AND sha = $3";

fn read(row: &impl Fields) -> Result<TaskCommit> {
    body(row, "commit")
}

/// Imports a commit from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, commit: &TaskCommit) -> Result<()> {
    let is_there = tx.has(BY_ID, values![memory, commit.actor.as_str(), commit.sha.to_string()])?;
    if is_there { Ok(()) } else { put(tx, memory, commit) }
}

/// Writes a commit of the memory with this internal number.
fn put(tx: &impl SqlTransaction, memory: i64, commit: &TaskCommit) -> Result<()> {
    tx.later(
        "INSERT INTO commits(mem, actor, sha, task, patch, reported, body) VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (mem, actor, sha) DO UPDATE SET task = excluded.task, patch = excluded.patch, \
         reported = excluded.reported, body = excluded.body",
        values![
            memory,
            commit.actor.as_str(),
            commit.sha.to_string(),
            commit.task.as_ref().map(TaskId::as_str),
            commit.patch_id.as_ref(),
            commit.reported_at,
            json(commit)?
        ],
    )
}

impl<T: SqlTransaction> Commits for Tables<T> {
    fn get(&self, memory: &MemoryId, actor: &ActorId, sha: &ObjectId) -> Result<Option<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, values![memory, actor.as_str(), sha.to_string()], |row| read(row))
    }

    fn of_sha(&self, memory: &MemoryId, sha: &ObjectId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = $1 AND sha = $2 ORDER BY actor LIMIT $3";
        self.all(sql, values![memory, sha.to_string(), most], |row| read(row))
    }

    fn by_patch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        patch_id: &str,
        most: usize,
    ) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = $1 AND actor = $2 AND patch = $3 ORDER BY reported, sha LIMIT $4";
        self.all(sql, values![memory, actor.as_str(), patch_id, most], |row| read(row))
    }

    fn of_task(&self, memory: &MemoryId, task: &TaskId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = $1 AND task = $2 ORDER BY reported, sha LIMIT $3";
        self.all(sql, values![memory, task.as_str(), most], |row| read(row))
    }

    fn list(
        &self,
        memory: &MemoryId,
        after: Option<(&ActorId, &ObjectId)>,
        most: usize,
    ) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (actor, sha) = after.map(|(actor, sha)| (actor.as_str(), sha.to_string())).unwrap_or_default();
        let sql = "SELECT body FROM commits WHERE mem = $1 AND (actor, sha) > ($2, $3) ORDER BY actor, sha LIMIT $4";
        self.all(sql, values![memory, actor, sha, most], |row| read(row))
    }

    fn put(&mut self, commit: &TaskCommit) -> Result<()> {
        put(&self.0, self.need(&commit.memory)?, commit)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        forget_actor(&self.0, "commits", memory, actor)
    }
}
