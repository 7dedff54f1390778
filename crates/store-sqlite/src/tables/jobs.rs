//! The table of jobs: a queue with leases. Of the pending and running jobs of a memory one key is there once.

use std::collections::HashMap;

use loci_model::job::{DueRule, Job, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use loci_model::ports::store::{Events, JobFailure, JobQuery, Jobs};
use loci_model::{ActorId, Error, EventId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use rusqlite::{Row, params, params_from_iter};

use super::events::rows::row_number;
use crate::bound::Bound;
use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, unsigned};
use loci_store_kit::codes::{code_of, json, optional};
use loci_store_kit::job_kinds::{among_kinds, stored_kind};
use loci_store_kit::reading;
use loci_store_kit::unreadable::readable;

/// Of living memories and others: a purge outlives its memory.
pub(super) const COLUMNS: &str = "m.id, j.id, j.state, j.kind, j.unique_key, j.strategy, j.actor, j.session, j.due, j.host, \
                       j.lease, j.rerun, j.attempts, j.created, j.updated, j.failure, j.messages, \
                       j.waits, j.fallback, j.win, j.kind_word FROM jobs j JOIN memories m ON m.num = j.mem";

fn read(row: &Row<'_>) -> Result<Job> {
    reading::job(&Columns(row))
}

/// The job as people see it: one that cannot be read has failed, and says so.
fn shown(row: &Row<'_>) -> Result<Job> {
    reading::shown_job(&Columns(row))
}

impl SqlTx<'_> {
    /// The number of a memory, deleted ones included: its purge is a job of it.
    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        self.one("SELECT num FROM memories WHERE id = ?1", [memory.as_str()], |row| row.take(0))
    }

    /// ` AND column IN (…)` for the numbers of the memories named; nothing for none. `None`: those named do not exist.
    pub(super) fn among(&self, column: &str, memories: &[MemoryId]) -> Result<Option<String>> {
        if memories.is_empty() {
            return Ok(Some(String::new()));
        }
        let mut numbers = Vec::with_capacity(memories.len());
        for memory in memories {
            numbers.extend(self.any_number(memory)?.map(|number| number.to_string()));
        }
        // Numbers of our own making: nothing of a caller's gets into the statement.
        Ok((!numbers.is_empty()).then(|| format!(" AND {column} IN ({})", numbers.join(","))))
    }

    /// The job that is earliest due, or whose lease ran out.
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

impl SqlTx<'_> {
    /// The messages of a job that its strategy's progress has passed: no other job comes to them.
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

impl Jobs for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, id: &JobId) -> Result<Option<Job>> {
        let Some(memory) = self.any_number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} WHERE j.mem = ?1 AND j.id = ?2");
        self.one(&sql, params![memory, id.as_str()], shown)
    }

    fn list(&self, memory: &MemoryId, query: &JobQuery) -> Result<Vec<Job>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let (updated, id) = query
            .after
            .as_ref()
            .map_or((i64::MAX, String::new()), |(updated, id)| (updated.millis(), id.as_str().to_owned()));
        let of_kinds = among_kinds("j.", &query.kinds);
        let sql = format!(
            "SELECT {COLUMNS} WHERE j.mem = ?1 AND j.updated <= ?2 AND (j.updated < ?2 OR j.id > ?3){of_kinds} \
             AND (?4 IS NULL OR j.state = ?4) AND (?5 IS NULL OR j.strategy = ?5) \
             AND (?6 IS NULL OR j.actor = ?6) AND (?7 IS NULL OR j.session = ?7) \
             ORDER BY j.updated DESC, j.id LIMIT ?8"
        );
        let state = query.state.map(|state| code_of(JobState::ALL, state));
        let (strategy, actor) = (optional(query.strategy.as_ref()), optional(query.actor.as_ref()));
        let session = optional(query.session.as_ref());
        let values = params![memory, updated, id, state, strategy, actor, session, limit(query.limit)];
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
            "SELECT coalesce(sum(state < 2), 0), coalesce(sum(state = 2), 0), \
             coalesce(sum(state = 0 AND waits), 0) FROM jobs WHERE mem = ?1 AND state < 3{awaited} AND \
             (kind <> 0 OR ((?2 IS NULL OR actor = ?2) AND (?3 IS NULL OR session = ?3)))"
        );
        let counts = self.one(&sql, params![memory, optional(actor), optional(session)], |row| {
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
            format!("SELECT 1 FROM jobs WHERE mem = ?1 AND state < 3 AND state IN (0, 1){of_kind} LIMIT 1");
        Ok(self.one(&sql, params![memory], |_| Ok(()))?.is_some())
    }

    fn next_due(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>> {
        let Some(among) = self.among("j.mem", memories)? else { return Ok(None) };
        let sql = format!(
            "SELECT j.due FROM jobs j WHERE j.state = 0 AND j.waits = 0{among} ORDER BY j.due LIMIT 1"
        );
        self.one(&sql, [], |row| Ok(Timestamp::clamped(row.take(0)?)))
    }

    fn put(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId> {
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
                // After a try that failed its pause is kept: requests would use up the tries that are left.
                DueRule::Earlier if backs_off => due,
                DueRule::Earlier => due.min(job.due.millis()),
                DueRule::Later => due.max(job.due.millis()),
            };
            if wanted != due {
                self.run("UPDATE jobs SET due = ?2 WHERE num = ?1", params![number, wanted])?;
            }
        } else {
            // It runs, or waits: it runs again when the new requests would have been due.
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

    fn claim(
        &mut self,
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
            let job = self.one(&format!("SELECT {COLUMNS} WHERE j.num = ?1"), [number], |row| {
                readable("job", read(row))
            })?;
            if let Some(job) = job.flatten() {
                return Ok(Some(job));
            }
            // It fails by itself: it must not hold up the jobs behind it.
            self.run(
                "UPDATE jobs SET state = 2, rerun = 0, host = NULL, lease = NULL, failure = ?2 WHERE num = \
                 ?1",
                params![number, reading::UNREADABLE_JOB],
            )?;
        }
        Ok(None)
    }

    fn free_leases(&mut self, host: &str, now: Timestamp) -> Result<usize> {
        self.run(
            "UPDATE jobs SET state = 0, host = NULL, lease = NULL, due = min(due, ?2), updated = ?2 \
             WHERE state = 1 AND substr(host, 1, length(?1)) <> ?1",
            params![host, now.millis()],
        )
    }

    fn renew(&mut self, memory: &MemoryId, id: &JobId, host: &str, until: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE jobs SET lease = ?4 WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![memory, id.as_str(), host, until.millis()],
        )?;
        Ok(changed > 0)
    }

    fn set_window(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        window: Option<&JobWindow>,
    ) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE jobs SET win = ?4 WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![memory, id.as_str(), host, window.map(json).transpose()?],
        )?;
        Ok(changed > 0)
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
        let changed = self.run(
            "UPDATE jobs SET messages = ?4 WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![memory, id.as_str(), host, messages],
        )?;
        Ok(changed > 0)
    }

    fn wait(&mut self, memory: &MemoryId, id: &JobId, host: &str, at: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE jobs SET state = 0, waits = NOT rerun, rerun = 0, attempts = max(attempts - 1, 0), host = NULL, \
             lease = NULL, updated = ?4 \
             WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![memory, id.as_str(), host, at.millis()],
        )?;
        Ok(changed > 0)
    }

    fn wake(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE jobs SET rerun = rerun OR state = 1, waits = 0, due = ?3, updated = ?3 \
             WHERE mem = ?1 AND id = ?2 AND (state = 1 OR (state = 0 AND waits = 1))",
            params![memory, id.as_str(), now.millis()],
        )?;
        Ok(changed > 0)
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
            "UPDATE jobs SET rerun = 1, due = ?5, updated = ?5 WHERE mem = ?1 AND state < 3 AND state = 1{of_kinds} \
             AND (?2 IS NULL OR strategy = ?2) AND (?3 IS NULL OR (actor = ?3 AND session = ?4))"
        );
        let (actor, session) = session.unzip();
        let (strategy, actor, session) = (optional(strategy), optional(actor), optional(session));
        self.run(&sql, params![memory, strategy, actor, session, now.millis()])
    }

    fn wake_all(&mut self, memory: Option<&MemoryId>, now: Timestamp) -> Result<usize> {
        let number = memory.map(|memory| self.any_number(memory)).transpose()?.flatten();
        if memory.is_some() && number.is_none() {
            return Ok(0);
        }
        self.run(
            "UPDATE jobs SET waits = 0, due = ?2, updated = ?2 \
             WHERE state = 0 AND waits = 1 AND (?1 IS NULL OR mem = ?1)",
            params![number, now.millis()],
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
        let changed = self.run(
            "UPDATE jobs SET state = CASE WHEN rerun OR ?4 IS NOT NULL THEN 0 ELSE 3 END, \
             due = CASE WHEN ?4 IS NULL THEN due WHEN rerun THEN min(due, ?4) ELSE ?4 END, \
             rerun = 0, attempts = 0, host = NULL, lease = NULL, failure = NULL, messages = NULL, fallback = 0, \
             updated = ?5 \
             WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![memory, id.as_str(), host, again.map(|due| due.millis()), at.millis()],
        )?;
        Ok(changed > 0)
    }

    fn fail(&mut self, memory: &MemoryId, id: &JobId, host: &str, failure: &JobFailure) -> Result<bool> {
        let Some(memory) = self.any_number(memory)? else { return Ok(false) };
        let messages = serde_json::to_string(&failure.messages)
            .map_err(|error| Error::bug("a failure that cannot be written").caused_by(error))?;
        // A job that gives up but was asked for again meanwhile starts anew: what it was asked for has no other job.
        let changed = self.run(
            "UPDATE jobs SET state = CASE WHEN ?4 IS NULL AND NOT rerun THEN 2 ELSE 0 END, due = coalesce(?4, due), \
             attempts = CASE WHEN ?4 IS NULL AND rerun THEN 0 ELSE attempts END, rerun = 0, \
             host = NULL, lease = NULL, failure = ?5, messages = ?6, updated = ?7, fallback = ?8 \
             WHERE mem = ?1 AND id = ?2 AND state = 1 AND host = ?3",
            params![
                memory,
                id.as_str(),
                host,
                failure.retry_at.map(|due| due.millis()),
                failure.reason,
                messages,
                failure.at.millis(),
                failure.fallback
            ],
        )?;
        Ok(changed > 0)
    }

    fn restart(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool> {
        let Some(number) = self.any_number(memory)? else { return Ok(false) };
        let Some(job) = Jobs::get(self, memory, id)? else { return Ok(false) };
        if job.state != JobState::Failed {
            return Ok(true);
        }
        let sql = "SELECT 1 FROM jobs WHERE mem = ?1 AND unique_key = ?2 AND state < 2";
        let is_open = self.one(sql, params![number, job.unique_key], |_| Ok(()))?.is_some();
        let owed = if is_open { self.read_before(&job)? } else { Vec::new() };
        if !owed.is_empty() {
            // The younger one reads on; what this one has to read again it reads beside it, under a key of its own.
            let key = format!("{} again {id}", job.unique_key);
            self.run(
                "UPDATE jobs SET unique_key = ?3, messages = ?4 WHERE mem = ?1 AND id = ?2",
                params![number, id.as_str(), key, json(&owed)?],
            )?;
        } else if is_open {
            // A younger job of the same key reads what this one failed on: this one's work is in its hands.
            self.run(
                "UPDATE jobs SET due = min(due, ?3) WHERE mem = ?1 AND unique_key = ?2 AND state = 0",
                params![number, job.unique_key, now.millis()],
            )?;
            self.run(
                "UPDATE jobs SET state = 3, updated = ?3 WHERE mem = ?1 AND id = ?2",
                params![number, id.as_str(), now.millis()],
            )?;
            return Ok(true);
        }
        self.run(
            "UPDATE jobs SET state = 0, due = ?3, attempts = 0, updated = ?3 WHERE mem = ?1 AND id = ?2",
            params![number, id.as_str(), now.millis()],
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
            "UPDATE jobs SET due = ?4 WHERE mem = ?1 AND state < 2 AND kind = 0 AND due > ?4 \
             AND CASE state WHEN 0 THEN waits = 0 ELSE rerun END AND (?2 IS NULL OR actor = ?2) AND (?3 IS NULL OR session = ?3)",
            params![memory, optional(actor), optional(session), now.millis()],
        )
    }

    fn cancel(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
    ) -> Result<usize> {
        let Some(memory) = self.any_number(memory)? else { return Ok(0) };
        let mut bound = Bound::default();
        let memory = bound.put(memory);
        let mut which = format!("j.mem = {memory}");
        if let Some(strategy) = strategy {
            which.push_str(&format!(" AND j.strategy = {}", bound.put(strategy.as_str().to_owned())));
        }
        if let Some(actor) = actor {
            which.push_str(&format!(" AND j.actor = {}", bound.put(actor.as_str().to_owned())));
        }
        let exchanges = format!(
            "DELETE FROM exchanges WHERE mem = {memory} AND EXISTS (SELECT 1 FROM jobs j WHERE {which} \
             AND j.id = exchanges.job)"
        );
        self.run(&exchanges, params_from_iter(bound.values()))?;
        self.run(&format!("DELETE FROM jobs AS j WHERE {which}"), params_from_iter(bound.values()))
    }

    fn sweep(&mut self, state: JobState, before: Timestamp, rows: usize) -> Result<usize> {
        // Each has its index, which is found by the state as written.
        let condition = match state {
            JobState::Done => "state = 3",
            JobState::Failed => "state = 2",
            JobState::Pending | JobState::Running => return Ok(0),
        };
        self.run(
            &format!(
                "DELETE FROM jobs WHERE num IN (SELECT num FROM jobs WHERE {condition} AND updated < ?1 LIMIT ?2)"
            ),
            params![before.millis(), limit(rows)],
        )
    }
}
