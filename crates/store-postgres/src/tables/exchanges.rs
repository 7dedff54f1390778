//! The table of exchanges with language models.

use std::collections::BTreeSet;

use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply, Usage};
use loci_model::ports::store::Exchanges;
use loci_model::{ActorId, ExchangeId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::{among_codes, code_of, json, optional};
use loci_store_kit::reading;
use tokio_postgres::Row;

use super::events::rows::plain;
use crate::columns::Columns;
use crate::connection::Values;
use crate::errors::stored;
use crate::tx::{Column, Owned, PgTx, borrowed, code, limit};

pub(super) const COLUMNS: &str = "x.memory, x.id, x.job, x.step, x.state, x.lease, x.leased_by, x.turn, x.attempts, x.created, x.digest, \
                       x.prompt, x.model, x.grammar, x.reply, x.system, x.input";

/// Removes exchanges of the memory `$1` of jobs of the sessions `$3` of the actors `$2`, and says which jobs lost one. From
/// the exchanges to their jobs: there are few of the former.
pub(super) const DROP_OF_SESSIONS: &str = "DELETE FROM exchanges x WHERE x.mem = $1 AND (SELECT (j.actor, j.session) IN \
     (SELECT s.actor, s.session FROM unnest($2::text[], $3::text[]) AS s(actor, session)) \
     FROM jobs j WHERE j.mem = $1 AND j.id = x.job) RETURNING x.job";

/// A new row, of [`PgTx::values_of_exchange`].
const INSERT: &str = "INSERT INTO exchanges(mem, id, memory, place, job, step, state, lease, leased_by, turn, attempts, \
     created, digest, prompt, model, grammar, reply, system, input) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

/// How often a write looks for an open exchange: again only where a memory was deleted at that moment.
const LOOKS_MAX: usize = 16;

fn read(row: &Row) -> Result<Exchange> {
    reading::exchange(&Columns(row))
}

/// Ids of jobs, each once and in order.
fn jobs(rows: &[Row]) -> Result<Vec<JobId>> {
    let ids = rows.iter().map(|row| row.take(0)).collect::<Result<BTreeSet<String>>>()?;
    ids.into_iter().map(|id| stored(JobId::parse(id), "exchange")).collect()
}

impl PgTx<'_> {
    /// Columns of exchanges that are open, or whose lease has run out, the oldest first.
    fn open_exchanges(columns: &str, steps: &[Step], lock: &str) -> String {
        let of_steps = among_codes("x.step", Step::ALL, steps);
        format!(
            "SELECT {columns} FROM exchanges x JOIN memories m ON m.mem = x.mem AND m.deleted IS NULL \
             WHERE x.state < 2 AND (x.state = 0 OR x.lease <= $1) AND ($2::bigint[] IS NULL OR x.mem = ANY($2)){of_steps} \
             ORDER BY x.created, x.id, x.mem LIMIT 1{lock}"
        )
    }
}

impl PgTx<'_> {
    /// The row of an exchange that is new to the memory of that number.
    fn values_of_exchange(&self, memory: i64, exchange: &Exchange) -> Result<Owned> {
        Ok(vec![
            Box::new(memory),
            Box::new(exchange.id.to_string()),
            Box::new(exchange.memory.to_string()),
            Box::new(self.next_place(&exchange.memory)?),
            Box::new(exchange.job.to_string()),
            Box::new(code(code_of(Step::ALL, exchange.step))),
            Box::new(code(code_of(ExchangeState::ALL, exchange.state))),
            Box::new(exchange.lease_until.map(Timestamp::millis)),
            Box::new(exchange.leased_by.as_deref().map(plain)),
            Box::new(i64::from(exchange.turn)),
            Box::new(i64::from(exchange.attempts)),
            Box::new(exchange.created_at.millis()),
            Box::new(exchange.digest.to_vec()),
            Box::new(exchange.prompt.to_string()),
            Box::new(exchange.model.as_deref().map(plain)),
            Box::new(plain(&exchange.grammar)),
            Box::new(exchange.reply.as_ref().map(json).transpose()?),
            Box::new(plain(&exchange.system)),
            Box::new(plain(&exchange.input)),
        ])
    }

    /// Takes in an exchange from another store; one that is there already stays.
    pub(super) fn load_exchange(&self, memory: i64, exchange: &Exchange) -> Result<()> {
        let values = self.values_of_exchange(memory, exchange)?;
        self.later(format!("{INSERT} ON CONFLICT DO NOTHING"), values);
        Ok(())
    }
}

impl Exchanges for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &ExchangeId) -> Result<Option<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} FROM exchanges x WHERE x.mem = $1 AND x.id = $2");
        self.one(&sql, &[&memory, &id.as_str()], read)
    }

    fn by_digest(&self, memory: &MemoryId, job: &JobId, digest: &[u8; 32]) -> Result<Option<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql =
            format!("SELECT {COLUMNS} FROM exchanges x WHERE x.mem = $1 AND x.job = $2 AND x.digest = $3");
        self.one(&sql, &[&memory, &job.as_str(), &digest.as_slice()], read)
    }

    fn of_job(&self, memory: &MemoryId, job: &JobId) -> Result<Vec<Exchange>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql =
            format!("SELECT {COLUMNS} FROM exchanges x WHERE x.mem = $1 AND x.job = $2 ORDER BY x.place");
        self.all(&sql, &[&memory, &job.as_str()], read)
    }

    /// A write takes the first that nobody else is taking, and then its memory's lock: however many look at once, each finds
    /// another.
    fn next_open(&self, memories: &[MemoryId], steps: &[Step], now: Timestamp) -> Result<Option<Exchange>> {
        let (now, among) = (now.millis(), Self::among(memories));
        if !self.is_write() {
            return self.one(&Self::open_exchanges(COLUMNS, steps, ""), &[&now, &among], read);
        }
        let sql = Self::open_exchanges("x.memory, x.id", steps, " FOR UPDATE OF x SKIP LOCKED");
        for _ in 0..LOOKS_MAX {
            let found = self.one(&sql, &[&now, &among], |row| {
                let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
                Ok((memory, stored(ExchangeId::parse(row.take::<String>(1)?), "exchange")?))
            })?;
            let Some((memory, id)) = found else { return Ok(None) };
            // Nothing, where the memory was deleted while its lock was waited for.
            if let Some(exchange) = Exchanges::get(self, &memory, &id)? {
                return Ok(Some(exchange));
            }
        }
        Ok(None)
    }

    fn insert(&mut self, exchange: &Exchange) -> Result<bool> {
        let memory = self.need(&exchange.memory)?;
        let values = self.values_of_exchange(memory, exchange)?;
        let sql = format!("{INSERT} ON CONFLICT (mem, job, digest) DO NOTHING RETURNING 1");
        Ok(self.run(&sql, &borrowed(&values))? > 0)
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
            "UPDATE exchanges SET state = 1, leased_by = $3, lease = $5, attempts = attempts + 1 \
             WHERE mem = $1 AND id = $2 AND (state = 0 OR (state = 1 AND lease <= $4)) RETURNING 1",
            &[&memory, &id.as_str(), &plain(holder), &now.millis(), &until.millis()],
        )?;
        Ok(changed > 0)
    }

    fn answer(&mut self, memory: &MemoryId, id: &ExchangeId, reply: &StoredReply) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 2, lease = NULL, reply = $3 WHERE mem = $1 AND id = $2 AND state < 2 RETURNING 1",
            &[&memory, &id.as_str(), &json(reply)?],
        )?;
        Ok(changed > 0)
    }

    fn reopen(&mut self, memory: &MemoryId, id: &ExchangeId) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 0, lease = NULL WHERE mem = $1 AND id = $2 AND state = 1 RETURNING 1",
            &[&memory, &id.as_str()],
        )?;
        Ok(changed > 0)
    }

    fn revise(&mut self, memory: &MemoryId, id: &ExchangeId, input: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE exchanges SET state = 0, turn = turn + 1, reply = NULL, input = $3 \
             WHERE mem = $1 AND id = $2 AND state = 2 RETURNING 1",
            &[&memory, &id.as_str(), &plain(input)],
        )?;
        Ok(changed > 0)
    }

    fn fail(&mut self, memory: &MemoryId, id: &ExchangeId, said: Option<&str>) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let said =
            said.map(|text| StoredReply { text: text.to_owned(), model: None, usage: Usage::default() });
        let reply = said.as_ref().map(json).transpose()?;
        let changed = self.run(
            "UPDATE exchanges SET state = 3, lease = NULL, reply = $3 WHERE mem = $1 AND id = $2 AND state < 2 RETURNING 1",
            &[&memory, &id.as_str(), &reply],
        )?;
        Ok(changed > 0)
    }

    fn drop_of_job(&mut self, memory: &MemoryId, job: &JobId) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run("DELETE FROM exchanges WHERE mem = $1 AND job = $2 RETURNING 1", &[&memory, &job.as_str()])
    }

    fn drop_unanswered(&mut self, memory: &MemoryId, job: &JobId, step: Step) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM exchanges WHERE mem = $1 AND job = $2 AND step = $3 AND state < 2 RETURNING 1",
            &[&memory, &job.as_str(), &code(code_of(Step::ALL, step))],
        )
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
            "DELETE FROM exchanges x WHERE x.mem = $1{of_steps} AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM jobs j \
             WHERE j.mem = $1 AND j.id = x.job AND j.strategy = $2)) RETURNING x.job"
        );
        let values: Values<'_> = &[&memory, &optional(strategy)];
        jobs(&self.rows(&sql, values)?)
    }

    fn drop_of_session(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Vec<JobId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let (actors, sessions) = (vec![actor.as_str()], vec![session.as_str()]);
        jobs(&self.rows(DROP_OF_SESSIONS, &[&number, &actors, &sessions])?)
    }

    /// Jobs begin again only by a write that finds no exchange of theirs, or another: one that is removed here is asked anew.
    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize> {
        // Asked exchange by exchange, so that not all jobs are read.
        self.run(
            "DELETE FROM exchanges WHERE (mem, id) IN (SELECT x.mem, x.id FROM exchanges x WHERE x.created < $1 \
             AND (SELECT TRUE FROM jobs j WHERE j.mem = x.mem AND j.id = x.job AND j.state < 2) IS NULL \
             ORDER BY x.created, x.mem, x.id LIMIT $2 FOR UPDATE OF x SKIP LOCKED) RETURNING 1",
            &[&before.millis(), &limit(rows)],
        )
    }
}
