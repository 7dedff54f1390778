//! The table of commits.

use loci_model::facts::code::ObjectId;
use loci_model::ports::store::Commits;
use loci_model::tasks::commit::TaskCommit;
use loci_model::{ActorId, MemoryId, Result, TaskId};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

fn read(row: &Row<'_>) -> Result<TaskCommit> {
    body(&Columns(row), "commit")
}

impl SqlTx<'_> {
    /// Writes a commit of the memory of that number.
    pub(in crate::tables) fn put_commit(&self, memory: i64, commit: &TaskCommit) -> Result<()> {
        self.run(
            "INSERT INTO commits(mem, actor, sha, task, patch, reported, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT(mem, actor, sha) DO UPDATE SET task = excluded.task, patch = excluded.patch, \
             reported = excluded.reported, body = excluded.body",
            params![
                memory,
                commit.actor.as_str(),
                commit.sha.to_string(),
                commit.task.as_ref().map(TaskId::as_str),
                commit.patch_id,
                commit.reported_at.millis(),
                json(commit)?
            ],
        )?;
        Ok(())
    }
}

impl Commits for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, actor: &ActorId, sha: &ObjectId) -> Result<Option<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM commits WHERE mem = ?1 AND actor = ?2 AND sha = ?3";
        self.one(sql, params![memory, actor.as_str(), sha.to_string()], read)
    }

    fn of_sha(&self, memory: &MemoryId, sha: &ObjectId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = ?1 AND sha = ?2 ORDER BY actor LIMIT ?3";
        self.all(sql, params![memory, sha.to_string(), limit(most)], read)
    }

    fn by_patch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        patch_id: &str,
        most: usize,
    ) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = ?1 AND actor = ?2 AND patch = ?3 ORDER BY reported, sha LIMIT ?4";
        self.all(sql, params![memory, actor.as_str(), patch_id, limit(most)], read)
    }

    fn of_task(&self, memory: &MemoryId, task: &TaskId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = ?1 AND task = ?2 ORDER BY reported, sha LIMIT ?3";
        self.all(sql, params![memory, task.as_str(), limit(most)], read)
    }

    fn list(
        &self,
        memory: &MemoryId,
        after: Option<(&ActorId, &ObjectId)>,
        most: usize,
    ) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (actor, sha) = after.map(|(actor, sha)| (actor.as_str(), sha.to_string())).unwrap_or_default();
        let sql = "SELECT body FROM commits WHERE mem = ?1 AND (actor, sha) > (?2, ?3) ORDER BY actor, sha LIMIT ?4";
        self.all(sql, params![memory, actor, sha, limit(most)], read)
    }

    fn put(&mut self, commit: &TaskCommit) -> Result<()> {
        let memory = self.need(&commit.memory)?;
        self.put_commit(memory, commit)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let gone =
            self.run("DELETE FROM commits WHERE mem = ?1 AND actor = ?2", params![memory, actor.as_str()])?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
