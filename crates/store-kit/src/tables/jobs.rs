//! The table of jobs: a queue with leases. A memory has at most one pending or running job with
//! the same key. Enqueueing and claiming are implemented in each store, because with PostgreSQL
//! several servers do both without waiting for each other.

use loci_model::job::{Job, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use loci_model::ports::store::{JobFailure, JobQuery, Jobs};
use loci_model::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

use super::Tables;
use crate::codes::{code_of, json, optional};
use crate::fields::Fields;
use crate::job_kinds::among_kinds;
use crate::row_readers::shown_job;
use crate::sql::{SqlTransaction, SqlValue};
use crate::values;

/// The columns that [`crate::row_readers::job`] reads, after the id of the memory. In the
/// statement, `j` is the table of jobs.
pub const COLUMNS: &str = "j.id, j.state, j.kind, j.unique_key, j.strategy, j.actor, j.session, j.due, j.host, j.lease, \
                           j.rerun, j.attempts, j.created, j.updated, j.failure, j.messages, j.waits, j.fallback, j.win, \
                           j.kind_word";

/// The statements on jobs that differ between the stores.
pub trait JobQueue {
    /// The SQL expression for the id of the memory of a job.
    const JOB_MEMORY: &'static str;
    /// The SQL table expression that gives jobs the alias `j`. It includes jobs of deleted
    /// memories, because a purge runs after the deletion.
    const JOBS: &'static str;

    /// Returns the time at which the next job is due, as [`Jobs::next_due`].
    ///
    /// # Errors
    /// Errors of the database, as in all other methods.
    fn next_due_job(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>>;

    /// Adds a job, as [`Jobs::put`].
    ///
    /// # Errors
    /// See there.
    fn put_job(&self, job: &NewJob, now: Timestamp) -> Result<JobId>;

    /// Claims a job that is due, as [`Jobs::claim`].
    ///
    /// # Errors
    /// See above.
    fn claim_job(
        &self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>>;

    /// Ends the leases of a host, as [`Jobs::free_leases`].
    ///
    /// # Errors
    /// See above.
    fn free_job_leases(&self, host: &str, now: Timestamp) -> Result<usize>;

    /// Makes all waiting jobs of one memory, or of all memories, due now. Returns the number of
    /// jobs.
    ///
    /// # Errors
    /// See above.
    fn wake_jobs(&self, memory: Option<i64>, now: Timestamp) -> Result<usize>;

    /// Returns the messages of a job that its strategy has already passed, so that no other job
    /// will read them.
    ///
    /// # Errors
    /// See above.
    fn read_before(&self, job: &Job) -> Result<Vec<JobMessage>>;
}

/// Returns a job by id. If other writes may run at the same time, the row is locked, so that the
/// job does not change until the end of this transaction.
fn locked<T: SqlTransaction + JobQueue>(tx: &T, memory: &MemoryId, id: &JobId) -> Result<Option<Job>> {
    let Some(memory) = tx.any_number(memory)? else { return Ok(None) };
    // A claim does not wait for the memory's lock.
    let sql = format!("{} WHERE j.mem = $1 AND j.id = $2{}", select::<T>(), lock(tx));
    tx.one(&sql, values![memory, id.as_str()], |row| shown_job(row))
}

/// Returns the start of a query on jobs with the alias `j`.
fn select<T: JobQueue>() -> String {
    format!("SELECT {}, {COLUMNS} FROM {}", T::JOB_MEMORY, T::JOBS)
}

fn lock(tx: &impl SqlTransaction) -> &'static str {
    if tx.has_rivals() { " FOR UPDATE" } else { "" }
}

/// Makes a waiting job due now, or marks a running job to run once more. Returns false if the job
/// is in neither state.
///
/// # Errors
/// Errors of the database.
pub fn wake(tx: &impl SqlTransaction, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
    let Some(memory) = tx.any_number(memory)? else { return Ok(false) };
    let sql = "UPDATE jobs SET rerun = rerun OR state = 1, waits = FALSE, due = $3, updated = $3 \
               WHERE mem = $1 AND id = $2 AND (state = 1 OR (state = 0 AND waits))";
    Ok(tx.run(sql, values![memory, id.as_str(), now])? > 0)
}

/// Updates the running job with the id `$2` of the memory `$1`, if the host `$3` has its lease.
/// Returns false otherwise.
fn change_held(
    tx: &impl SqlTransaction,
    (memory, id, host): (&MemoryId, &JobId, &str),
    set: &str,
    further: &[SqlValue<'_>],
) -> Result<bool> {
    let Some(memory) = tx.any_number(memory)? else { return Ok(false) };
    let sql = format!("UPDATE jobs SET {set} WHERE mem = $1 AND id = $2 AND state = 1 AND host = $3");
    let mut values = vec![SqlValue::from(memory), id.as_str().into(), host.into()];
    values.extend(further.iter().map(SqlValue::borrowed));
    Ok(tx.run(&sql, &values)? > 0)
}

impl<T: SqlTransaction + JobQueue> Jobs for Tables<T> {
    fn get(&self, memory: &MemoryId, id: &JobId) -> Result<Option<Job>> {
        locked(&self.0, memory, id)
    }

    fn list(&self, memory: &MemoryId, query: &JobQuery) -> Result<Vec<Job>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (updated, id) =
            query.after.as_ref().map_or((i64::MAX, ""), |(updated, id)| (updated.millis(), id.as_str()));
        let sql = format!(
            "{} WHERE j.mem = $1 AND j.updated <= $2 AND (j.updated < $2 OR j.id > $3){} \
             AND (CAST($4 AS smallint) IS NULL OR j.state = $4) AND (CAST($5 AS text) IS NULL OR j.strategy = $5) \
             AND (CAST($6 AS text) IS NULL OR j.actor = $6) AND (CAST($7 AS text) IS NULL OR j.session = $7) \
             ORDER BY j.updated DESC, j.id LIMIT $8",
            select::<T>(),
            among_kinds("j.", &query.kinds)
        );
        let values = values![
            memory,
            updated,
            id,
            query.state.map(|state| code_of(JobState::ALL, state)),
            optional(query.strategy.as_ref()),
            optional(query.actor.as_ref()),
            optional(query.session.as_ref()),
            query.limit
        ];
        self.all(&sql, values, |row| shown_job(row))
    }

    fn counts(
        &self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        kinds: &[JobKind],
    ) -> Result<JobCounts> {
        let Some(memory) = self.number(memory)? else { return Ok(JobCounts::default()) };
        // Only extraction jobs have an actor and a session: waiting for a part of a memory includes
        // the other jobs too.
        let awaited = among_kinds("", kinds);
        let sql = format!(
            "SELECT count(*) FILTER (WHERE state < 2), count(*) FILTER (WHERE state = 2), \
             count(*) FILTER (WHERE state = 0 AND waits) FROM jobs WHERE mem = $1 AND state < 3{awaited} AND \
             (kind <> 0 OR ((CAST($2 AS text) IS NULL OR actor = $2) AND (CAST($3 AS text) IS NULL OR session = $3)))"
        );
        let counts = self.one(&sql, values![memory, optional(actor), optional(session)], |row| {
            Ok(JobCounts { pending: row.count(0)?, failed: row.count(1)?, waiting: row.count(2)? })
        })?;
        Ok(counts.unwrap_or_default())
    }

    fn has_open(&self, memory: &MemoryId, kind: &JobKind) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        // `state < 3` matches the condition of the index of open jobs.
        let of_kind = among_kinds("", std::slice::from_ref(kind));
        let sql =
            format!("SELECT 1 FROM jobs WHERE mem = $1 AND state < 3 AND state IN (0, 1){of_kind} LIMIT 1");
        self.has(&sql, values![memory])
    }

    fn next_due(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>> {
        self.next_due_job(memories)
    }

    fn put(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        self.put_job(job, now)
    }

    fn claim(
        &mut self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>> {
        self.claim_job(host, memories, now, lease_ms)
    }

    fn free_leases(&mut self, host: &str, now: Timestamp) -> Result<usize> {
        self.free_job_leases(host, now)
    }

    fn renew(&mut self, memory: &MemoryId, id: &JobId, host: &str, until: Timestamp) -> Result<bool> {
        change_held(&self.0, (memory, id, host), "lease = $4", values![until])
    }

    fn set_window(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        window: Option<&JobWindow>,
    ) -> Result<bool> {
        change_held(&self.0, (memory, id, host), "win = $4", values![window.map(json).transpose()?])
    }

    fn set_messages(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        messages: &[JobMessage],
    ) -> Result<bool> {
        let messages = (!messages.is_empty()).then(|| json(&messages)).transpose()?;
        change_held(&self.0, (memory, id, host), "messages = $4", values![messages])
    }

    fn wait(&mut self, memory: &MemoryId, id: &JobId, host: &str, at: Timestamp) -> Result<bool> {
        let set = format!(
            "state = 0, waits = NOT rerun, rerun = FALSE, attempts = {}(attempts - 1, 0), host = NULL, \
             lease = NULL, updated = $4",
            T::DIALECT.greatest
        );
        change_held(&self.0, (memory, id, host), &set, values![at])
    }

    fn wake(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        wake(&self.0, memory, id, now)
    }

    fn wake_running(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        session: Option<(&ActorId, &SessionId)>,
        now: Timestamp,
    ) -> Result<usize> {
        let Some(memory) = self.any_number(memory)? else { return Ok(0) };
        let of_kinds = among_kinds("", &[JobKind::EXTRACT, JobKind::REFLECT]);
        // `state < 3` matches the condition of the index of open jobs.
        let sql = format!(
            "UPDATE jobs SET rerun = TRUE, due = $5, updated = $5 WHERE mem = $1 AND state < 3 AND state = 1{of_kinds} \
             AND (CAST($2 AS text) IS NULL OR strategy = $2) \
             AND (CAST($3 AS text) IS NULL OR (actor = $3 AND session = $4))"
        );
        let (actor, session) = session.unzip();
        self.run(&sql, values![memory, optional(strategy), optional(actor), optional(session), now])
    }

    fn wake_all(&mut self, memory: Option<&MemoryId>, now: Timestamp) -> Result<usize> {
        let number = memory.map(|memory| self.any_number(memory)).transpose()?.flatten();
        if memory.is_some() && number.is_none() {
            return Ok(0);
        }
        self.wake_jobs(number, now)
    }

    fn finish(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        again: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        // If it was requested again and also continues: the earlier of the two times.
        let set = format!(
            "state = CASE WHEN rerun OR CAST($4 AS bigint) IS NOT NULL THEN 0 ELSE 3 END, \
             due = CASE WHEN CAST($4 AS bigint) IS NULL THEN due WHEN rerun THEN {}(due, $4) ELSE $4 END, \
             rerun = FALSE, attempts = 0, host = NULL, lease = NULL, failure = NULL, messages = NULL, fallback = FALSE, \
             updated = $5",
            T::DIALECT.least
        );
        change_held(&self.0, (memory, id, host), &set, values![again, at])
    }

    fn fail(&mut self, memory: &MemoryId, id: &JobId, host: &str, failure: &JobFailure) -> Result<bool> {
        let JobFailure { reason, messages, retry_at, fallback, at } = failure;
        // A job that gives up but was requested again meanwhile restarts, because no other job
        // covers the request.
        let set = "state = CASE WHEN CAST($4 AS bigint) IS NULL AND NOT rerun THEN 2 ELSE 0 END, \
                   due = coalesce($4, due), \
                   attempts = CASE WHEN CAST($4 AS bigint) IS NULL AND rerun THEN 0 ELSE attempts END, \
                   rerun = FALSE, host = NULL, lease = NULL, failure = $5, messages = $6, updated = $7, fallback = $8";
        let further = values![*retry_at, reason, json(messages)?, *at, *fallback];
        change_held(&self.0, (memory, id, host), set, further)
    }

    fn restart(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        let Some(number) = self.any_number(memory)? else { return Ok(false) };
        let Some(job) = locked(&self.0, memory, id)? else { return Ok(false) };
        // Read the row and not the parsed job: one that cannot be parsed is shown as failed, in any
        // state.
        let failed = "SELECT 1 FROM jobs WHERE mem = $1 AND id = $2 AND state = 2";
        if !self.has(failed, values![number, id.as_str()])? {
            return Ok(true);
        }
        let sql =
            format!("SELECT 1 FROM jobs WHERE mem = $1 AND unique_key = $2 AND state < 2{}", lock(&self.0));
        let is_open = self.has(&sql, values![number, &job.unique_key])?;
        let owed = if is_open { self.read_before(&job)? } else { Vec::new() };
        if !owed.is_empty() {
            // The newer job continues. The messages that this one must read again get a separate
            // job key.
            self.later(
                "UPDATE jobs SET unique_key = $3, messages = $4 WHERE mem = $1 AND id = $2",
                values![number, id.as_str(), format!("{} again {id}", job.unique_key), json(&owed)?],
            )?;
        } else if is_open {
            // A newer job with the same key covers the work of the failed one.
            let sql = format!(
                "UPDATE jobs SET due = {}(due, $3) WHERE mem = $1 AND unique_key = $2 AND state = 0",
                T::DIALECT.least
            );
            self.later(&sql, values![number, &job.unique_key, now])?;
            self.later(
                "UPDATE jobs SET state = 3, updated = $3 WHERE mem = $1 AND id = $2",
                values![number, id.as_str(), now],
            )?;
            return Ok(true);
        }
        self.later(
            "UPDATE jobs SET state = 0, due = $3, attempts = 0, updated = $3 WHERE mem = $1 AND id = $2",
            values![number, id.as_str(), now],
        )?;
        Ok(true)
    }

    fn make_due(
        &mut self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        now: Timestamp,
    ) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "UPDATE jobs SET due = $4 WHERE mem = $1 AND state < 2 AND kind = 0 AND due > $4 \
             AND CASE state WHEN 0 THEN NOT waits ELSE rerun END \
             AND (CAST($2 AS text) IS NULL OR actor = $2) AND (CAST($3 AS text) IS NULL OR session = $3)",
            values![memory, optional(actor), optional(session), now],
        )
    }

    fn cancel(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
    ) -> Result<usize> {
        const WHICH: &str = "j.mem = $1 AND (CAST($2 AS text) IS NULL OR j.strategy = $2) \
                             AND (CAST($3 AS text) IS NULL OR j.actor = $3)";
        let Some(memory) = self.any_number(memory)? else { return Ok(0) };
        let values: &[SqlValue<'_>] = values![memory, optional(strategy), optional(actor)];
        let exchanges = format!(
            "DELETE FROM exchanges WHERE mem = $1 AND job IN (SELECT j.id FROM jobs j WHERE {WHICH})"
        );
        self.later(&exchanges, values)?;
        self.run(&format!("DELETE FROM jobs AS j WHERE {WHICH}"), values)
    }

    fn sweep(&mut self, state: JobState, before: Timestamp, rows: usize) -> Result<usize> {
        // Each state has its own partial index, selected by the literal state.
        let ended = match state {
            JobState::Done => 3,
            JobState::Failed => 2,
            JobState::Pending | JobState::Running => return Ok(0),
        };
        let which = format!("state = {ended} AND updated < $1 ORDER BY updated, mem, id LIMIT $2");
        self.run(&T::DIALECT.removal("jobs", "mem, id", &which), values![before, rows])
    }
}
