//! The table of exchanges: questions to language models and their answers.

use std::collections::BTreeSet;

use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply, Usage};
use loci_model::ports::store::Exchanges;
use loci_model::{ActorId, ExchangeId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

use super::Tables;
use crate::codes::{among_codes, code_of, json};
use crate::fields::Fields;
use crate::row_readers::exchange as read;
use crate::sql::{SqlTransaction, SqlValue};
use crate::values;

/// The columns that [`crate::row_readers::exchange`] reads, after the id of the memory. In the
/// statement, `x` is the table of exchanges.
pub const COLUMNS: &str = "x.id, x.job, x.step, x.state, x.lease, x.leased_by, x.turn, x.attempts, x.created, x.digest, \
                           x.prompt, x.model, x.grammar, x.reply, x.system, x.input";

/// The SQL for exchanges that differs between the stores: the tables to read from, and the order
/// in which exchanges arrived.
pub trait ExchangeRows {
    /// The SQL expression for the id of the memory of an exchange.
    const EXCHANGE_MEMORY: &'static str;
    /// The SQL table expression that gives exchanges the alias `x`.
    const EXCHANGES: &'static str;
    /// The column that increases with each new exchange.
    const PLACE: &'static str;

    /// Adds an exchange to the memory with this internal number. Returns false if the same job
    /// already has an exchange with the same digest.
    ///
    /// # Errors
    /// Errors of the database.
    fn put_exchange(&self, memory: i64, exchange: &Exchange) -> Result<bool>;

    /// Returns the oldest exchange that a client may claim, as [`Exchanges::next_open`].
    ///
    /// # Errors
    /// Errors of the database.
    fn open_exchange(
        &self,
        memories: &[MemoryId],
        steps: &[Step],
        now: Timestamp,
    ) -> Result<Option<Exchange>>;
}

/// Returns the start of a query on exchanges with the alias `x`.
fn select<T: ExchangeRows>() -> String {
    format!("SELECT {}, {COLUMNS} FROM {}", T::EXCHANGE_MEMORY, T::EXCHANGES)
}

/// Returns an exchange by id.
///
/// # Errors
/// Errors of the database.
pub fn get<T: SqlTransaction + ExchangeRows>(
    tx: &T,
    memory: &MemoryId,
    id: &ExchangeId,
) -> Result<Option<Exchange>> {
    let Some(memory) = tx.number(memory)? else { return Ok(None) };
    let sql = format!("{} WHERE x.mem = $1 AND x.id = $2", select::<T>());
    tx.one(&sql, values![memory, id.as_str()], |row| read(row))
}

/// Removes the exchanges that belong to jobs of a session, as [`Exchanges::drop_of_session`].
///
/// # Errors
/// Errors of the database.
pub fn drop_of_session(
    tx: &impl SqlTransaction,
    memory: &MemoryId,
    actor: &ActorId,
    session: &SessionId,
) -> Result<Vec<JobId>> {
    let Some(memory) = tx.number(memory)? else { return Ok(Vec::new()) };
    // Join from the few exchanges to their jobs.
    let sql = "DELETE FROM exchanges AS x WHERE x.mem = $1 AND (SELECT j.actor = $2 AND j.session = $3 FROM jobs j \
               WHERE j.mem = $1 AND j.id = x.job) RETURNING job";
    jobs(tx, sql, values![memory, actor.as_str(), session.as_str()])
}

/// Returns the ids of jobs that a query returns, sorted and without duplicates.
fn jobs(tx: &impl SqlTransaction, sql: &str, values: &[SqlValue<'_>]) -> Result<Vec<JobId>> {
    let ids: BTreeSet<JobId> =
        tx.all(sql, values, |row| row.parsed(0, JobId::parse, "exchange"))?.into_iter().collect();
    Ok(ids.into_iter().collect())
}

/// Updates the exchange with the id `$2` of the memory `$1`. Returns false if the exchange is not
/// in the state that the condition requires.
fn change<T: SqlTransaction>(
    tx: &T,
    memory: &MemoryId,
    id: &ExchangeId,
    (sql, further): (&str, &[SqlValue<'_>]),
) -> Result<bool> {
    let Some(memory) = tx.number(memory)? else { return Ok(false) };
    let mut values = vec![SqlValue::from(memory), id.as_str().into()];
    values.extend(further.iter().map(SqlValue::borrowed));
    Ok(tx.run(sql, &values)? > 0)
}

impl<T: SqlTransaction + ExchangeRows> Exchanges for Tables<T> {
    fn get(&self, memory: &MemoryId, id: &ExchangeId) -> Result<Option<Exchange>> {
        get(&self.0, memory, id)
    }

    fn by_digest(&self, memory: &MemoryId, job: &JobId, digest: &[u8; 32]) -> Result<Option<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = format!("{} WHERE x.mem = $1 AND x.job = $2 AND x.digest = $3", select::<T>());
        self.one(&sql, values![memory, job.as_str(), digest.as_slice()], |row| read(row))
    }

    fn of_job(&self, memory: &MemoryId, job: &JobId) -> Result<Vec<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!("{} WHERE x.mem = $1 AND x.job = $2 ORDER BY {}", select::<T>(), T::PLACE);
        self.all(&sql, values![memory, job.as_str()], |row| read(row))
    }

    fn next_open(&self, memories: &[MemoryId], steps: &[Step], now: Timestamp) -> Result<Option<Exchange>> {
        self.open_exchange(memories, steps, now)
    }

    fn insert(&mut self, exchange: &Exchange) -> Result<bool> {
        self.put_exchange(self.need(&exchange.memory)?, exchange)
    }

    fn lease(
        &mut self,
        memory: &MemoryId,
        id: &ExchangeId,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        let sql = "UPDATE exchanges SET state = 1, leased_by = $3, lease = $5, attempts = attempts + 1 \
                   WHERE mem = $1 AND id = $2 AND (state = 0 OR (state = 1 AND lease <= $4))";
        change(&self.0, memory, id, (sql, values![holder, now, until]))
    }

    fn answer(&mut self, memory: &MemoryId, id: &ExchangeId, reply: &StoredReply) -> Result<bool> {
        let sql = "UPDATE exchanges SET state = 2, lease = NULL, reply = $3 WHERE mem = $1 AND id = $2 AND state < 2";
        change(&self.0, memory, id, (sql, values![json(reply)?]))
    }

    fn reopen(&mut self, memory: &MemoryId, id: &ExchangeId) -> Result<bool> {
        let sql = "UPDATE exchanges SET state = 0, lease = NULL WHERE mem = $1 AND id = $2 AND state = 1";
        change(&self.0, memory, id, (sql, &[]))
    }

    fn revise(&mut self, memory: &MemoryId, id: &ExchangeId, input: &str) -> Result<bool> {
        let sql = "UPDATE exchanges SET state = 0, turn = turn + 1, reply = NULL, input = $3 \
                   WHERE mem = $1 AND id = $2 AND state = 2";
        change(&self.0, memory, id, (sql, values![input]))
    }

    fn fail(&mut self, memory: &MemoryId, id: &ExchangeId, said: Option<&str>) -> Result<bool> {
        let said =
            said.map(|text| StoredReply { text: text.to_owned(), model: None, usage: Usage::default() });
        let reply = said.as_ref().map(json).transpose()?;
        let sql = "UPDATE exchanges SET state = 3, lease = NULL, reply = $3 WHERE mem = $1 AND id = $2 AND state < 2";
        change(&self.0, memory, id, (sql, values![reply]))
    }

    fn drop_of_job(&mut self, memory: &MemoryId, job: &JobId) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run("DELETE FROM exchanges WHERE mem = $1 AND job = $2", values![memory, job.as_str()])
    }

    fn drop_unanswered(&mut self, memory: &MemoryId, job: &JobId, step: Step) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "DELETE FROM exchanges WHERE mem = $1 AND job = $2 AND step = $3 AND state < 2";
        self.run(sql, values![memory, job.as_str(), code_of(Step::ALL, step)])
    }

    fn drop_of_steps(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        steps: &[Step],
    ) -> Result<Vec<JobId>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let of_steps = among_codes("x.step", Step::ALL, steps);
        let sql = format!(
            "DELETE FROM exchanges AS x WHERE x.mem = $1{of_steps} AND (CAST($2 AS text) IS NULL OR EXISTS \
             (SELECT 1 FROM jobs j WHERE j.mem = $1 AND j.id = x.job AND j.strategy = $2)) RETURNING job"
        );
        jobs(&self.0, &sql, values![memory, strategy.map(StrategyId::as_str)])
    }

    fn drop_of_session(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Vec<JobId>> {
        drop_of_session(&self.0, memory, actor, session)
    }

    /// A job continues only when a write finds that its exchange is gone or different, so a job
    /// whose open question is swept asks the question again.
    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize> {
        // Looked up per exchange, so that not all jobs are read.
        let which = "created < $1 AND (SELECT TRUE FROM jobs j WHERE j.mem = exchanges.mem AND j.id = exchanges.job \
                     AND j.state < 2) IS NULL ORDER BY created, mem, id LIMIT $2";
        self.run(&T::DIALECT.removal("exchanges", "mem, id", which), values![before, rows])
    }
}

/// Returns the stored code of an exchange's state.
pub fn state_code(state: ExchangeState) -> i64 {
    code_of(ExchangeState::ALL, state)
}
