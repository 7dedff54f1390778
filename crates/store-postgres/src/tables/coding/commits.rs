//! The table of commits.

use loci_model::facts::code::ObjectId;
use loci_model::ports::store::Commits;
use loci_model::tasks::commit::TaskCommit;
use loci_model::{ActorId, MemoryId, Result, TaskId};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, limit};

fn read(row: &Row) -> Result<TaskCommit> {
    body(&Columns(row), "commit")
}

const BY_ID: &str = "SELECT body FROM commits WHERE mem = $1 AND actor = $2 AND sha = $3";

impl PgTx<'_> {
    /// Takes in a commit from another store; one that is there already stays.
    pub(in crate::tables) fn load_commit(&self, memory: i64, commit: &TaskCommit) -> Result<()> {
        let sha = commit.sha.to_string();
        let there = self.one(BY_ID, &[&memory, &commit.actor.as_str(), &sha], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_commit(memory, commit) }
    }

    /// Writes a commit of the memory of that number.
    fn put_commit(&self, memory: i64, commit: &TaskCommit) -> Result<()> {
        self.later(
            "INSERT INTO commits(mem, actor, sha, task, patch, reported, body) VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (mem, actor, sha) DO UPDATE SET task = excluded.task, patch = excluded.patch, \
             reported = excluded.reported, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(commit.actor.to_string()),
                Box::new(commit.sha.to_string()),
                Box::new(commit.task.as_ref().map(ToString::to_string)),
                Box::new(commit.patch_id.as_ref().map(|patch| plain(patch))),
                Box::new(commit.reported_at.millis()),
                Box::new(json(commit)?),
            ],
        );
        Ok(())
    }
}

impl Commits for PgTx<'_> {
    fn get(&self, memory: &MemoryId, actor: &ActorId, sha: &ObjectId) -> Result<Option<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, &[&memory, &actor.as_str(), &sha.to_string()], read)
    }

    fn of_sha(&self, memory: &MemoryId, sha: &ObjectId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = $1 AND sha = $2 ORDER BY actor LIMIT $3";
        self.all(sql, &[&memory, &sha.to_string(), &limit(most)], read)
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
        self.all(sql, &[&memory, &actor.as_str(), &plain(patch_id), &limit(most)], read)
    }

    fn of_task(&self, memory: &MemoryId, task: &TaskId, most: usize) -> Result<Vec<TaskCommit>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM commits WHERE mem = $1 AND task = $2 ORDER BY reported, sha LIMIT $3";
        self.all(sql, &[&memory, &task.as_str(), &limit(most)], read)
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
        self.all(sql, &[&memory, &actor, &sha, &limit(most)], read)
    }

    fn put(&mut self, commit: &TaskCommit) -> Result<()> {
        let memory = self.need(&commit.memory)?;
        self.put_commit(memory, commit)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let gone = self.run(
            "DELETE FROM commits WHERE mem = $1 AND actor = $2 RETURNING 1",
            &[&memory, &actor.as_str()],
        )?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
