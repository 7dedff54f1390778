//! The table of jobs: the statements that differ between the stores, for enqueueing and claiming.

use std::collections::HashMap;

use loci_model::job::{DueRule, Job, JobMessage, NewJob};
use loci_model::ports::store::Events;
use loci_model::{Error, EventId, JobId, MemoryId, Result, Timestamp};
use loci_store_kit::codes::optional;
use loci_store_kit::job_kinds::stored_kind;
use loci_store_kit::row_readers;
use loci_store_kit::sql::SqlTransaction as _;
use loci_store_kit::tables::jobs::{COLUMNS, JobQueue};
use loci_store_kit::unreadable_rows::readable;
use rusqlite::params;

use super::events::rows::row_number;
use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, SqlTx};

impl SqlTx<'_> {
    /// Returns ` AND column IN (…)` for the numbers of the named memories; empty if none is named.
    /// `None` if the named ones do not exist.
    pub(super) fn among(&self, column: &str, memories: &[MemoryId]) -> Result<Option<String>> {
        if memories.is_empty() {
            return Ok(Some(String::new()));
        }
        let mut numbers = Vec::with_capacity(memories.len());
        for memory in memories {
            numbers.extend(self.any_number(memory)?.map(|number| number.to_string()));
        }
        // The numbers come from the database: no input of a caller is in the statement.
        Ok((!numbers.is_empty()).then(|| format!(" AND {column} IN ({})", numbers.join(","))))
    }

    /// Returns the job with the earliest due time, or one whose lease has expired.
    fn claimable(&self, memories: &[MemoryId], now: Timestamp) -> Result<Option<i64>> {
        let Some(among) = self.among("j.mem", memories)? else { return Ok(None) };
        let find = |sql: String| {
            self.one(&sql, [now.millis()], |row| {
                Ok((row.take::<i64>(0)?, row.take::<String>(1)?, row.take::<i64>(2)?))
            })
        };
        let due = find(format!(
            "SELECT j.due, j.id, j.num FROM jobs j WHERE j.state = 0 AND j.due <= ?1 AND j.waits = 0{among} \
             ORDER BY j.due, j.id LIMIT 1"
        ))?;
        let lost = find(format!(
            "SELECT j.due, j.id, j.num FROM jobs j WHERE j.state = 1 AND j.lease <= ?1{among} \
             ORDER BY j.due, j.id LIMIT 1"
        ))?;
        Ok(due.into_iter().chain(lost).min().map(|(_, _, number)| number))
    }
}

impl JobQueue for SqlTx<'_> {
    const JOB_MEMORY: &'static str = "m.id";
    const JOBS: &'static str = "jobs j JOIN memories m ON m.num = j.mem";

    fn next_due_job(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>> {
        let Some(among) = self.among("j.mem", memories)? else { return Ok(None) };
        let sql = format!(
            "SELECT j.due FROM jobs j WHERE j.state = 0 AND j.waits = 0{among} ORDER BY j.due LIMIT 1"
        );
        self.one(&sql, [], |row| Ok(Timestamp::clamped(row.take(0)?)))
    }

    fn put_job(&self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        let Some(memory) = self.any_number(&job.memory)? else {
            return Err(Error::not_found("the memory does not exist"));
        };
        let sql = "SELECT num, id, state = 0 AND waits = 0, due, attempts > 0 AND failure IS NOT NULL FROM jobs \
                   WHERE mem = ?1 AND unique_key = ?2 AND state < 2";
        let open = self.one(sql, params![memory, job.unique_key], |row| {
            let (id, will_run) = (row.take::<String>(1)?, row.take::<bool>(2)?);
            Ok((row.take::<i64>(0)?, id, will_run, row.take::<i64>(3)?, row.take::<bool>(4)?))
        })?;
        let Some((number, id, will_run, due, backs_off)) = open else {
            let (kind, word) = stored_kind(&job.kind);
            self.run(
                "INSERT INTO jobs(mem, id, state, kind, unique_key, strategy, actor, session, due, created, updated, \
                 kind_word) VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10)",
                params![
                    memory,
                    job.id.as_str(),
                    kind,
                    job.unique_key,
                    optional(job.strategy.as_ref()),
                    optional(job.actor.as_ref()),
                    optional(job.session.as_ref()),
                    job.due.millis(),
                    now.millis(),
                    word
                ],
            )?;
            return Ok(job.id.clone());
        };
        if will_run {
            let wanted = match job.due_rule {
                // After a failed attempt the pause is kept, because requests would otherwise use up
                // the remaining attempts.
                DueRule::Earlier if backs_off => due,
                DueRule::Earlier => due.min(job.due.millis()),
                DueRule::Later => due.max(job.due.millis()),
            };
            if wanted != due {
                self.run("UPDATE jobs SET due = ?2 WHERE num = ?1", params![number, wanted])?;
            }
        } else {
            // It is running or waits: it runs again when the new requests would have been due.
            let sql = match job.due_rule {
                DueRule::Earlier => {
                    "UPDATE jobs SET due = CASE WHEN rerun THEN min(due, ?2) ELSE ?2 END, rerun = 1 WHERE num = ?1"
                }
                DueRule::Later => {
                    "UPDATE jobs SET due = CASE WHEN rerun THEN max(due, ?2) ELSE ?2 END, rerun = 1 WHERE num = ?1"
                }
            };
            self.run(sql, params![number, job.due.millis()])?;
        }
        stored(JobId::parse(id), "job id")
    }

    fn claim_job(
        &self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>> {
        while let Some(number) = self.claimable(memories, now)? {
            self.run(
                "UPDATE jobs SET state = 1, host = ?2, lease = ?3, attempts = attempts + 1, updated = ?4 \
                 WHERE num = ?1",
                params![number, host, now.plus_millis(lease_ms).millis(), now.millis()],
            )?;
            let job = self.one(
                &format!("SELECT m.id, {COLUMNS} FROM {} WHERE j.num = ?1", Self::JOBS),
                [number],
                |row| readable("job", row_readers::job(&Columns(row))),
            )?;
            if let Some(job) = job.flatten() {
                return Ok(Some(job));
            }
            // Fail this job alone, so that it does not block the jobs after it.
            self.run(
                "UPDATE jobs SET state = 2, rerun = 0, host = NULL, lease = NULL, failure = ?2 WHERE num = \
                 ?1",
                params![number, row_readers::UNREADABLE_JOB],
            )?;
        }
        Ok(None)
    }

    fn free_job_leases(&self, host: &str, now: Timestamp) -> Result<usize> {
        self.run(
            "UPDATE jobs SET state = 0, host = NULL, lease = NULL, due = min(due, ?2), updated = ?2 \
             WHERE state = 1 AND substr(host, 1, length(?1)) <> ?1",
            params![host, now.millis()],
        )
    }

    fn wake_jobs(&self, memory: Option<i64>, now: Timestamp) -> Result<usize> {
        self.run(
            "UPDATE jobs SET waits = 0, due = ?2, updated = ?2 \
             WHERE state = 0 AND waits = 1 AND (?1 IS NULL OR mem = ?1)",
            params![memory, now.millis()],
        )
    }

    fn read_before(&self, job: &Job) -> Result<Vec<JobMessage>> {
        let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
            return Ok(Vec::new());
        };
        let Some(memory) = self.number(&job.memory)? else { return Ok(Vec::new()) };
        let progress = row_number(memory, self.progress(&job.memory, strategy, actor, session)?);
        let mut known: HashMap<&EventId, bool> = HashMap::new();
        let mut before = Vec::new();
        for message in &job.messages {
            let is_read = match known.get(&message.event) {
                Some(is_read) => *is_read,
                None => {
                    let sql = "SELECT 1 FROM events WHERE mem = ?1 AND id = ?2 AND num <= ?3 AND deleted = 0";
                    let values = params![memory, message.event.as_str(), progress];
                    self.one(sql, values, |_| Ok(()))?.is_some()
                }
            };
            known.insert(&message.event, is_read);
            if is_read {
                before.push(message.clone());
            }
        }
        Ok(before)
    }
}
