//! The table of exchanges with language models.

use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply, Usage};
use loci_model::ports::store::Exchanges;
use loci_model::{ActorId, ExchangeId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit};
use loci_store_kit::codes::{among_codes, code_of, json};
use loci_store_kit::reading;

pub(super) const COLUMNS: &str = "m.id, x.id, x.job, x.step, x.state, x.lease, x.leased_by, x.turn, x.attempts, x.created, x.digest, \
                       x.prompt, x.model, x.grammar, x.reply, x.system, x.input \
                       FROM exchanges x JOIN memories m ON m.num = x.mem AND m.deleted IS NULL";

fn read(row: &Row<'_>) -> Result<Exchange> {
    reading::exchange(&Columns(row))
}

fn state_code(state: ExchangeState) -> i64 {
    code_of(ExchangeState::ALL, state)
}

impl SqlTx<'_> {
    /// Adds an exchange to the memory of that number; false if its job has one with that digest.
    pub(super) fn put_exchange(&self, memory: i64, exchange: &Exchange) -> Result<bool> {
        let reply = exchange.reply.as_ref().map(json).transpose()?;
        let inserted = self.run(
            "INSERT INTO exchanges(mem, job, id, step, state, lease, leased_by, turn, attempts, created, digest, prompt, \
             model, grammar, reply, system, input) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
             ON CONFLICT(mem, job, digest) DO NOTHING",
            params![
                memory,
                exchange.job.as_str(),
                exchange.id.as_str(),
                code_of(Step::ALL, exchange.step),
                state_code(exchange.state),
                exchange.lease_until.map(Timestamp::millis),
                exchange.leased_by,
                exchange.turn,
                exchange.attempts,
                exchange.created_at.millis(),
                exchange.digest,
                exchange.prompt.as_str(),
                exchange.model,
                exchange.grammar,
                reply,
                exchange.system,
                exchange.input
            ],
        )?;
        Ok(inserted > 0)
    }
}

impl Exchanges for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, id: &ExchangeId) -> Result<Option<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} WHERE x.mem = ?1 AND x.id = ?2");
        self.one(&sql, params![memory, id.as_str()], read)
    }

    fn by_digest(&self, memory: &MemoryId, job: &JobId, digest: &[u8; 32]) -> Result<Option<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} WHERE x.mem = ?1 AND x.job = ?2 AND x.digest = ?3");
        self.one(&sql, params![memory, job.as_str(), digest], read)
    }

    fn of_job(&self, memory: &MemoryId, job: &JobId) -> Result<Vec<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!("SELECT {COLUMNS} WHERE x.mem = ?1 AND x.job = ?2 ORDER BY x.num");
        self.all(&sql, params![memory, job.as_str()], read)
    }

    fn next_open(&self, memories: &[MemoryId], steps: &[Step], now: Timestamp) -> Result<Option<Exchange>> {
        let Some(among) = self.among("x.mem", memories)? else { return Ok(None) };
        let of_steps = among_codes("x.step", Step::ALL, steps);
        let sql = format!(
            "SELECT {COLUMNS} WHERE x.state < 2 AND (x.state = 0 OR x.lease <= ?1){among}{of_steps} \
             ORDER BY x.created, x.id LIMIT 1"
        );
        self.one(&sql, [now.millis()], read)
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
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 1, leased_by = ?3, lease = ?5, attempts = attempts + 1 \
             WHERE mem = ?1 AND id = ?2 AND (state = 0 OR (state = 1 AND lease <= ?4))",
            params![memory, id.as_str(), holder, now.millis(), until.millis()],
        )?;
        Ok(changed > 0)
    }

    fn answer(&mut self, memory: &MemoryId, id: &ExchangeId, reply: &StoredReply) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 2, lease = NULL, reply = ?3 WHERE mem = ?1 AND id = ?2 AND state < 2",
            params![memory, id.as_str(), json(reply)?],
        )?;
        Ok(changed > 0)
    }

    fn reopen(&mut self, memory: &MemoryId, id: &ExchangeId) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 0, lease = NULL WHERE mem = ?1 AND id = ?2 AND state = 1",
            params![memory, id.as_str()],
        )?;
        Ok(changed > 0)
    }

    fn revise(&mut self, memory: &MemoryId, id: &ExchangeId, input: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 0, turn = turn + 1, reply = NULL, input = ?3 \
             WHERE mem = ?1 AND id = ?2 AND state = 2",
            params![memory, id.as_str(), input],
        )?;
        Ok(changed > 0)
    }

    fn fail(&mut self, memory: &MemoryId, id: &ExchangeId, said: Option<&str>) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let said =
            said.map(|text| StoredReply { text: text.to_owned(), model: None, usage: Usage::default() });
        let reply = said.as_ref().map(json).transpose()?;
        let changed = self.run(
            "UPDATE exchanges SET state = 3, lease = NULL, reply = ?3 WHERE mem = ?1 AND id = ?2 AND state < 2",
            params![memory, id.as_str(), reply],
        )?;
        Ok(changed > 0)
    }

    fn drop_of_job(&mut self, memory: &MemoryId, job: &JobId) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run("DELETE FROM exchanges WHERE mem = ?1 AND job = ?2", params![memory, job.as_str()])
    }

    fn drop_unanswered(&mut self, memory: &MemoryId, job: &JobId, step: Step) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM exchanges WHERE mem = ?1 AND job = ?2 AND step = ?3 AND state < 2",
            params![memory, job.as_str(), code_of(Step::ALL, step)],
        )
    }

    fn drop_of_steps(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        steps: &[Step],
    ) -> Result<Vec<JobId>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let of_steps = among_codes("exchanges.step", Step::ALL, steps);
        let which = format!(
            "FROM exchanges WHERE mem = ?1{of_steps} AND (?2 IS NULL OR EXISTS (SELECT 1 FROM jobs j \
             WHERE j.mem = exchanges.mem AND j.id = exchanges.job AND j.strategy = ?2))"
        );
        let strategy = strategy.map(StrategyId::as_str);
        let sql = format!("SELECT DISTINCT job {which} ORDER BY job");
        let jobs = self.all(&sql, params![memory, strategy], |row| {
            stored(JobId::parse(row.take::<String>(0)?), "exchange")
        })?;
        if !jobs.is_empty() {
            self.run(&format!("DELETE {which}"), params![memory, strategy])?;
        }
        Ok(jobs)
    }

    fn drop_of_session(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Vec<JobId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        // From the exchanges to their jobs: there are few of the former.
        let jobs = self.all(
            "SELECT DISTINCT x.job FROM exchanges x CROSS JOIN jobs j ON j.mem = x.mem AND j.id = x.job \
             WHERE x.mem = ?1 AND j.actor = ?2 AND j.session = ?3 ORDER BY x.job",
            params![number, actor.as_str(), session.as_str()],
            |row| stored(JobId::parse(row.take::<String>(0)?), "exchange"),
        )?;
        for job in &jobs {
            self.drop_of_job(memory, job)?;
        }
        Ok(jobs)
    }

    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize> {
        self.run(
            "DELETE FROM exchanges WHERE num IN (SELECT x.num FROM exchanges x WHERE x.created < ?1 AND NOT EXISTS \
             (SELECT 1 FROM jobs j WHERE j.mem = x.mem AND j.id = x.job AND j.state < 2) LIMIT ?2)",
            params![before.millis(), limit(rows)],
        )
    }
}
