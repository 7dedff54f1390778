//! The table of jobs: what they are, and what becomes of one that is held. Asking and claiming:
//! `queue`.

mod queue;

use loci_model::job::{Job, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use loci_model::ports::store::{JobFailure, JobQuery, Jobs};
use loci_model::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::{code_of, json, optional};
use loci_store_kit::job_kinds::among_kinds;
use loci_store_kit::reading;
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::connection::Values;
use crate::tx::{Column, PgTx, code, limit, unsigned};

/// Of living memories and others: a purge outlives its memory.
pub(super) const COLUMNS: &str = "j.memory, j.id, j.state, j.kind, j.unique_key, j.strategy, j.actor, j.session, j.due, \
                                  j.host, j.lease, j.rerun, j.attempts, j.created, j.updated, j.failure, j.messages, \
                                  j.waits, j.fallback, j.win, j.kind_word";

/// Jobs `$2` of the memory `$1` are due at `$3`, or run again.
pub(super) const WAKE: &str = "UPDATE jobs SET rerun = rerun OR state = 1, waits = FALSE, due = $3, updated = $3 \
                               WHERE mem = $1 AND id = ANY($2) AND (state = 1 OR (state = 0 AND waits)) RETURNING 1";

/// The job `$2` of the memory `$1`, held by `$3`.
const HELD: &str = "WHERE mem = $1 AND id = $2 AND state = 1 AND host = $3 RETURNING 1";

pub(super) fn read(row: &Row) -> Result<Job> {
    reading::job(&Columns(row))
}

/// The job as people see it: one that cannot be read has failed, and says so.
fn shown(row: &Row) -> Result<Job> {
    reading::shown_job(&Columns(row))
}

impl Jobs for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &JobId) -> Result<Option<Job>> {
        let Some(memory) = self.any_number(memory)? else { return Ok(None) };
        // A claim does not wait for the memory's lock: what a write finds of a job stays so until its end.
        let lock = if self.is_write() { " FOR UPDATE" } else { "" };
        let sql = format!("SELECT {COLUMNS} FROM jobs j WHERE j.mem = $1 AND j.id = $2{lock}");
        self.one(&sql, &[&memory, &id.as_str()], shown)
    }

    fn list(&self, memory: &MemoryId, query: &JobQuery) -> Result<Vec<Job>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (updated, id) =
            query.after.as_ref().map_or((i64::MAX, ""), |(updated, id)| (updated.millis(), id.as_str()));
        let of_kinds = among_kinds("j.", &query.kinds);
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs j WHERE j.mem = $1 AND j.updated <= $2 AND (j.updated < $2 OR j.id > $3){of_kinds} \
             AND ($4::smallint IS NULL OR j.state = $4) AND ($5::text IS NULL OR j.strategy = $5) \
             AND ($6::text IS NULL OR j.actor = $6) AND ($7::text IS NULL OR j.session = $7) \
             ORDER BY j.updated DESC, j.id LIMIT $8"
        );
        let state = query.state.map(|state| code(code_of(JobState::ALL, state)));
        let (strategy, actor) = (optional(query.strategy.as_ref()), optional(query.actor.as_ref()));
        let session = optional(query.session.as_ref());
        let values: Values<'_> =
            &[&memory, &updated, &id, &state, &strategy, &actor, &session, &limit(query.limit)];
        self.all(&sql, values, shown)
    }

    fn counts(
        &self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        kinds: &[JobKind],
    ) -> Result<JobCounts> {
        let Some(memory) = self.number(memory)? else { return Ok(JobCounts::default()) };
        // Of an actor and a session is extraction alone: a part of a memory waits for the others too.
        let awaited = among_kinds("", kinds);
        let sql = format!(
            "SELECT count(*) FILTER (WHERE state < 2), count(*) FILTER (WHERE state = 2), \
             count(*) FILTER (WHERE state = 0 AND waits) FROM jobs WHERE mem = $1 AND state < 3{awaited} AND \
             (kind <> 0 OR (($2::text IS NULL OR actor = $2) AND ($3::text IS NULL OR session = $3)))"
        );
        let counts = self.one(&sql, &[&memory, &optional(actor), &optional(session)], |row| {
            Ok(JobCounts {
                pending: unsigned(row.take(0)?),
                failed: unsigned(row.take(1)?),
                waiting: unsigned(row.take(2)?),
            })
        })?;
        Ok(counts.unwrap_or_default())
    }

    fn has_open(&self, memory: &MemoryId, kind: &JobKind) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        // `state < 3` is what the index of open jobs says of itself.
        let of_kind = among_kinds("", std::slice::from_ref(kind));
        let sql =
            format!("SELECT 1 FROM jobs WHERE mem = $1 AND state < 3 AND state IN (0, 1){of_kind} LIMIT 1");
        Ok(self.one(&sql, &[&memory], |_| Ok(()))?.is_some())
    }

    fn next_due(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>> {
        let sql = "SELECT due FROM jobs WHERE state = 0 AND NOT waits AND ($1::bigint[] IS NULL OR mem = ANY($1)) \
                   ORDER BY due LIMIT 1";
        self.one(sql, &[&Self::among(memories)], |row| Ok(Timestamp::clamped(row.take(0)?)))
    }

    fn put(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        self.enqueue_job(job, now)
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
        self.run(
            "UPDATE jobs SET state = 0, host = NULL, lease = NULL, due = least(due, $2), updated = $2 \
             WHERE (mem, id) IN (SELECT mem, id FROM jobs WHERE state = 1 AND NOT starts_with(host, $1) \
             ORDER BY mem, id FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&host, &now.millis()],
        )
    }

    fn renew(&mut self, memory: &MemoryId, id: &JobId, host: &str, until: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let sql = format!("UPDATE jobs SET lease = $4 {HELD}");
        Ok(self.run(&sql, &[&memory, &id.as_str(), &host, &until.millis()])? > 0)
    }

    fn set_window(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        window: Option<&JobWindow>,
    ) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let sql = format!("UPDATE jobs SET win = $4 {HELD}");
        Ok(self.run(&sql, &[&memory, &id.as_str(), &host, &window.map(json).transpose()?])? > 0)
    }

    fn set_messages(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        messages: &[JobMessage],
    ) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let messages = (!messages.is_empty()).then(|| json(&messages)).transpose()?;
        let sql = format!("UPDATE jobs SET messages = $4 {HELD}");
        Ok(self.run(&sql, &[&memory, &id.as_str(), &host, &messages])? > 0)
    }

    fn wait(&mut self, memory: &MemoryId, id: &JobId, host: &str, at: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let sql = format!(
            "UPDATE jobs SET state = 0, waits = NOT rerun, rerun = FALSE, attempts = greatest(attempts - 1, 0), \
             host = NULL, lease = NULL, updated = $4 {HELD}"
        );
        Ok(self.run(&sql, &[&memory, &id.as_str(), &host, &at.millis()])? > 0)
    }

    fn wake(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        Ok(self.run(WAKE, &[&memory, &vec![id.as_str()], &now.millis()])? > 0)
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
        // `state < 3` is what the index of open jobs says of itself.
        let sql = format!(
            "UPDATE jobs SET rerun = TRUE, due = $5, updated = $5 WHERE mem = $1 AND state < 3 AND state = 1{of_kinds} \
             AND ($2::text IS NULL OR strategy = $2) AND ($3::text IS NULL OR (actor = $3 AND session = $4)) RETURNING 1"
        );
        let (actor, session) = session.unzip();
        let (strategy, actor, session) = (optional(strategy), optional(actor), optional(session));
        self.run(&sql, &[&memory, &strategy, &actor, &session, &now.millis()])
    }

    /// Waits for rows that others hold, in one order: nobody else would wake those jobs.
    fn wake_all(&mut self, memory: Option<&MemoryId>, now: Timestamp) -> Result<usize> {
        let number = memory.map(|memory| self.any_number(memory)).transpose()?.flatten();
        if memory.is_some() && number.is_none() {
            return Ok(0);
        }
        self.run(
            "UPDATE jobs SET waits = FALSE, due = $2, updated = $2 WHERE state = 0 AND waits AND (mem, id) IN \
             (SELECT mem, id FROM jobs WHERE state = 0 AND waits AND ($1::bigint IS NULL OR mem = $1) \
             ORDER BY mem, id FOR UPDATE) RETURNING 1",
            &[&number, &now.millis()],
        )
    }

    fn finish(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        again: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        // Asked for again and asked to go on: the earlier of the two times.
        let sql = format!(
            "UPDATE jobs SET state = CASE WHEN rerun OR $4::bigint IS NOT NULL THEN 0 ELSE 3 END, \
             due = CASE WHEN $4::bigint IS NULL THEN due WHEN rerun THEN least(due, $4) ELSE $4 END, \
             rerun = FALSE, attempts = 0, host = NULL, lease = NULL, failure = NULL, messages = NULL, fallback = FALSE, \
             updated = $5 {HELD}"
        );
        let values: Values<'_> = &[&memory, &id.as_str(), &host, &again.map(Timestamp::millis), &at.millis()];
        Ok(self.run(&sql, values)? > 0)
    }

    fn fail(&mut self, memory: &MemoryId, id: &JobId, host: &str, failure: &JobFailure) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        // A job that gives up but was asked for again meanwhile starts anew: what it was asked for has no other job.
        let sql = format!(
            "UPDATE jobs SET state = CASE WHEN $4::bigint IS NULL AND NOT rerun THEN 2 ELSE 0 END, \
             due = coalesce($4, due), attempts = CASE WHEN $4::bigint IS NULL AND rerun THEN 0 ELSE attempts END, \
             rerun = FALSE, host = NULL, lease = NULL, failure = $5, messages = $6, updated = $7, fallback = $8 {HELD}"
        );
        let changed = self.run(
            &sql,
            &[
                &memory,
                &id.as_str(),
                &host,
                &failure.retry_at.map(Timestamp::millis),
                &super::events::rows::plain(&failure.reason),
                &json(&failure.messages)?,
                &failure.at.millis(),
                &failure.fallback,
            ],
        )?;
        Ok(changed > 0)
    }

    fn restart(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        self.restart_job(memory, id, now)
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
             AND ($2::text IS NULL OR actor = $2) AND ($3::text IS NULL OR session = $3) RETURNING 1",
            &[&memory, &optional(actor), &optional(session), &now.millis()],
        )
    }

    fn cancel(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
    ) -> Result<usize> {
        const WHICH: &str =
            "j.mem = $1 AND ($2::text IS NULL OR j.strategy = $2) AND ($3::text IS NULL OR j.actor = $3)";
        let Some(memory) = self.any_number(memory)? else { return Ok(0) };
        let (strategy, actor) = (optional(strategy), optional(actor));
        self.later(
            format!("DELETE FROM exchanges x WHERE x.mem = $1 AND x.job IN (SELECT j.id FROM jobs j WHERE {WHICH})"),
            vec![Box::new(memory), Box::new(strategy.map(str::to_owned)), Box::new(actor.map(str::to_owned))],
        );
        let sql = format!("DELETE FROM jobs j WHERE {WHICH} RETURNING 1");
        self.run(&sql, &[&memory, &strategy, &actor])
    }

    fn sweep(&mut self, state: JobState, before: Timestamp, rows: usize) -> Result<usize> {
        let ended = match state {
            JobState::Done => 3_i16,
            JobState::Failed => 2,
            JobState::Pending | JobState::Running => return Ok(0),
        };
        // `state > 1` is what the index of ended jobs says of itself.
        self.run(
            "DELETE FROM jobs WHERE (mem, id) IN (SELECT mem, id FROM jobs WHERE state > 1 AND state = $1 AND updated < $2 \
             ORDER BY updated, mem, id LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&ended, &before.millis(), &limit(rows)],
        )
    }
}
