//! Enqueues and claims jobs. Among the pending and running jobs of a memory each key is unique. A
//! claim does not hold the lock of its memory, so every change of a job locks its row too.

use std::collections::BTreeSet;

use loci_model::job::{DueRule, Job, JobMessage, NewJob};
use loci_model::ports::store::Events;
use loci_model::{Error, JobId, MemoryId, Result, Timestamp};
use loci_store_kit::codes::optional;
use loci_store_kit::job_kinds::stored_kind;
use loci_store_kit::row_readers;
use loci_store_kit::tables::jobs::{COLUMNS, JobQueue};
use loci_store_kit::unreadable_rows::readable;

use crate::columns::Columns;
use crate::connection::Values;
use crate::digests::memory_number;
use crate::errors::stored;
use crate::tx::{Column, PgTx, code, limit};

/// The number of candidates for the first attempt of a claim. Each time that others took all of
/// them, [`STEP`] multiplies it.
const CANDIDATES: usize = 16;
const STEP: usize = 4;
const CANDIDATES_MAX: usize = 256;

/// Selects jobs that can be claimed at `$3`.
const CLAIMABLE: &str = "((state = 0 AND NOT waits AND due <= $3) OR (state = 1 AND lease <= $3))";

impl PgTx<'_> {
    /// Returns the numbers of the requested memories; `None`: any.
    pub(in crate::tables) fn among(memories: &[MemoryId]) -> Option<Vec<i64>> {
        (!memories.is_empty()).then(|| memories.iter().map(memory_number).collect())
    }

    /// Fails a job that was just claimed, and cannot be parsed.
    fn fail_unreadable(&self, memory: i64, id: &str) -> Result<()> {
        let sql = "UPDATE jobs SET state = 2, rerun = FALSE, host = NULL, lease = NULL, failure = $3 \
                   WHERE mem = $1 AND id = $2 RETURNING 1";
        self.run(sql, &[&memory, &id, &row_readers::UNREADABLE_JOB]).map(drop)
    }

    /// Returns jobs that are due, or whose lease has expired: due time, id and memory, earliest
    /// first.
    fn candidates(&self, memories: &[MemoryId], now: i64, count: usize) -> Result<Vec<(i64, String, i64)>> {
        let select = |condition: &str| {
            format!(
                "SELECT due, id, mem FROM jobs WHERE {condition} AND ($2::bigint[] IS NULL OR mem = ANY($2)) \
                 ORDER BY due, id, mem LIMIT $3"
            )
        };
        let (due, lost) =
            (select("state = 0 AND NOT waits AND due <= $1"), select("state = 1 AND lease <= $1"));
        let (among, most) = (Self::among(memories), limit(count));
        let values: Values<'_> = &[&now, &among, &most];
        let (due, lost) = self.two((&due, values), (&lost, values))?;
        let rows = due.iter().chain(&lost).map(|row| Ok((row.take(0)?, row.take(1)?, row.take(2)?)));
        let mut rows: Vec<(i64, String, i64)> = rows.collect::<Result<_>>()?;
        rows.sort();
        rows.truncate(count);
        Ok(rows)
    }
}

impl JobQueue for PgTx<'_> {
    const JOB_MEMORY: &'static str = "j.memory";
    const JOBS: &'static str = "jobs j";

    fn next_due_job(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>> {
        let sql = "SELECT due FROM jobs WHERE state = 0 AND NOT waits AND ($1::bigint[] IS NULL OR mem = ANY($1)) \
                   ORDER BY due LIMIT 1";
        self.one(sql, &[&Self::among(memories)], |row| Ok(Timestamp::clamped(row.take(0)?)))
    }

    fn put_job(&self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        let Some(memory) = self.any_number(&job.memory)? else {
            return Err(Error::not_found("the memory does not exist"));
        };
        // A pending job that does not wait will run. Any other one is running or waits: it runs
        // again when the new requests would have been due. After a failed attempt the pause is
        // kept, because requests would otherwise use up the remaining attempts.
        let due = match job.due_rule {
            DueRule::Earlier => {
                "CASE WHEN j.state = 0 AND NOT j.waits THEN \
                 CASE WHEN j.attempts > 0 AND j.failure IS NOT NULL THEN j.due ELSE least(j.due, excluded.due) END \
                 WHEN j.rerun THEN least(j.due, excluded.due) ELSE excluded.due END"
            }
            DueRule::Later => {
                "CASE WHEN (j.state = 0 AND NOT j.waits) OR j.rerun THEN greatest(j.due, excluded.due) \
                 ELSE excluded.due END"
            }
        };
        let sql = format!(
            "INSERT INTO jobs AS j (mem, id, memory, state, kind, unique_key, strategy, actor, session, due, created, updated, \
             kind_word) VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $10, $11) \
             ON CONFLICT (mem, unique_key) WHERE state < 2 DO UPDATE SET due = {due}, \
             rerun = j.rerun OR j.state <> 0 OR j.waits RETURNING j.id"
        );
        let (kind, word) = stored_kind(&job.kind);
        let id = self.one(
            &sql,
            &[
                &memory,
                &job.id.as_str(),
                &job.memory.as_str(),
                &code(kind),
                &job.unique_key,
                &optional(job.strategy.as_ref()),
                &optional(job.actor.as_ref()),
                &optional(job.session.as_ref()),
                &job.due.millis(),
                &now.millis(),
                &word,
            ],
            |row| stored(JobId::parse(row.take::<String>(0)?), "job id"),
        )?;
        id.ok_or_else(|| Error::bug("a job that was asked for is not there"))
    }

    /// Looks without locks, then takes the first job that no other claim has taken. The second step
    /// concerns only one memory.
    fn claim_job(
        &self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>> {
        let sql = format!(
            "UPDATE jobs AS j SET state = 1, host = $4, lease = $5, attempts = attempts + 1, updated = $3 \
             WHERE j.mem = $1 AND j.id = (SELECT id FROM jobs WHERE mem = $1 AND id = $2 AND {CLAIMABLE} \
             FOR UPDATE SKIP LOCKED) RETURNING j.memory, {COLUMNS}"
        );
        let (now, until) = (now.millis(), now.plus_millis(lease_ms).millis());
        let mut tried = BTreeSet::new();
        let mut count = CANDIDATES;
        loop {
            let candidates = self.candidates(memories, now, count)?;
            let found = candidates.len();
            for (_, id, memory) in candidates {
                if !tried.insert((memory, id.clone())) {
                    continue;
                }
                let values: Values<'_> = &[&memory, &id, &now, &host, &until];
                match self.one(&sql, values, |row| readable("job", row_readers::job(&Columns(row))))? {
                    Some(Some(job)) => return Ok(Some(job)),
                    // Fail this job alone, so that it does not block the jobs after it.
                    Some(None) => self.fail_unreadable(memory, &id)?,
                    None => {}
                }
            }
            count *= STEP;
            if found < count / STEP || count > CANDIDATES_MAX {
                return Ok(None);
            }
        }
    }

    fn free_job_leases(&self, host: &str, now: Timestamp) -> Result<usize> {
        self.run(
            "UPDATE jobs SET state = 0, host = NULL, lease = NULL, due = least(due, $2), updated = $2 \
             WHERE (mem, id) IN (SELECT mem, id FROM jobs WHERE state = 1 AND NOT starts_with(host, $1) \
             ORDER BY mem, id FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&host, &now.millis()],
        )
    }

    /// Waits for locked rows in a fixed order, because nothing else would wake those jobs.
    fn wake_jobs(&self, memory: Option<i64>, now: Timestamp) -> Result<usize> {
        self.run(
            "UPDATE jobs SET waits = FALSE, due = $2, updated = $2 WHERE state = 0 AND waits AND (mem, id) IN \
             (SELECT mem, id FROM jobs WHERE state = 0 AND waits AND ($1::bigint IS NULL OR mem = $1) \
             ORDER BY mem, id FOR UPDATE) RETURNING 1",
            &[&memory, &now.millis()],
        )
    }

    fn read_before(&self, job: &Job) -> Result<Vec<JobMessage>> {
        let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
            return Ok(Vec::new());
        };
        let Some(memory) = self.number(&job.memory)? else { return Ok(Vec::new()) };
        let progress = crate::tx::signed(self.progress(&job.memory, strategy, actor, session)?);
        let events: Vec<&str> = job.messages.iter().map(|message| message.event.as_str()).collect();
        let sql = "SELECT id FROM events WHERE mem = $1 AND id = ANY($2) AND arrival <= $3 AND NOT deleted";
        let read = self.all(sql, &[&memory, &events, &progress], |row| row.take::<String>(0))?;
        let read: BTreeSet<&str> = read.iter().map(String::as_str).collect();
        let before = job.messages.iter().filter(|message| read.contains(message.event.as_str()));
        Ok(before.cloned().collect())
    }
}
