//! The table of exchanges with language models: the statements that differ between the stores.

use loci_model::job::exchange::{Exchange, Step};
use loci_model::{ExchangeId, MemoryId, Result, Timestamp};
use loci_store_kit::codes::{among_codes, code_of, json};
use loci_store_kit::row_readers;
use loci_store_kit::tables::exchanges::{self, COLUMNS, ExchangeRows, state_code};

use super::events::rows::plain;
use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, OwnedValues, PgTx, borrowed, code};

/// Inserts a row of [`PgTx::values_of_exchange`].
const INSERT: &str = "INSERT INTO exchanges(mem, id, memory, place, job, step, state, lease, leased_by, turn, attempts, \
     created, digest, prompt, model, grammar, reply, system, input) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

/// The maximum number of times that a write looks for an open exchange. It retries only if a memory
/// was deleted concurrently.
const LOOKS_MAX: usize = 16;

impl PgTx<'_> {
    /// Returns the query for exchanges that are open, or whose lease has expired, oldest first.
    fn open_exchanges(columns: &str, steps: &[Step], lock: &str) -> String {
        let of_steps = among_codes("x.step", Step::ALL, steps);
        format!(
            "SELECT {columns} FROM exchanges x JOIN memories m ON m.mem = x.mem AND m.deleted IS NULL \
             WHERE x.state < 2 AND (x.state = 0 OR x.lease <= $1) AND ($2::bigint[] IS NULL OR x.mem = ANY($2)){of_steps} \
             ORDER BY x.created, x.id, x.mem LIMIT 1{lock}"
        )
    }

    /// Returns the row of a new exchange in the memory with that number.
    fn values_of_exchange(&self, memory: i64, exchange: &Exchange) -> Result<OwnedValues> {
        Ok(vec![
            Box::new(memory),
            Box::new(exchange.id.to_string()),
            Box::new(exchange.memory.to_string()),
            Box::new(self.next_place(&exchange.memory)?),
            Box::new(exchange.job.to_string()),
            Box::new(code(code_of(Step::ALL, exchange.step))),
            Box::new(code(state_code(exchange.state))),
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

    /// Imports an exchange from another store; an existing one is kept.
    pub(super) fn load_exchange(&self, memory: i64, exchange: &Exchange) -> Result<()> {
        let values = self.values_of_exchange(memory, exchange)?;
        self.later(format!("{INSERT} ON CONFLICT DO NOTHING"), values);
        Ok(())
    }
}

impl ExchangeRows for PgTx<'_> {
    const EXCHANGE_MEMORY: &'static str = "x.memory";
    const EXCHANGES: &'static str = "exchanges x";
    const PLACE: &'static str = "x.place";

    fn put_exchange(&self, memory: i64, exchange: &Exchange) -> Result<bool> {
        let values = self.values_of_exchange(memory, exchange)?;
        let sql = format!("{INSERT} ON CONFLICT (mem, job, digest) DO NOTHING RETURNING 1");
        Ok(self.run(&sql, &borrowed(&values))? > 0)
    }

    /// Locks the first exchange that no other write has taken, and then its memory. Concurrent
    /// calls each find a different one.
    fn open_exchange(
        &self,
        memories: &[MemoryId],
        steps: &[Step],
        now: Timestamp,
    ) -> Result<Option<Exchange>> {
        let (now, among) = (now.millis(), Self::among(memories));
        if !self.is_write() {
            return self.one(
                &Self::open_exchanges(&format!("x.memory, {COLUMNS}"), steps, ""),
                &[&now, &among],
                |row| row_readers::exchange(&Columns(row)),
            );
        }
        let sql = Self::open_exchanges("x.memory, x.id", steps, " FOR UPDATE OF x SKIP LOCKED");
        for _ in 0..LOOKS_MAX {
            let found = self.one(&sql, &[&now, &among], |row| {
                let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
                Ok((memory, stored(ExchangeId::parse(row.take::<String>(1)?), "exchange")?))
            })?;
            let Some((memory, id)) = found else { return Ok(None) };
            // `None` if the memory was deleted while the write waited for its lock.
            if let Some(exchange) = exchanges::get(self, &memory, &id)? {
                return Ok(Some(exchange));
            }
        }
        Ok(None)
    }
}
