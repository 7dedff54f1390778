//! The table of exchanges with language models: the statements that differ between the stores.

use loci_model::job::exchange::{Exchange, Step};
use loci_model::{MemoryId, Result, Timestamp};
use loci_store_kit::codes::{among_codes, code_of, json};
use loci_store_kit::row_readers;
use loci_store_kit::tables::exchanges::{COLUMNS, ExchangeRows, state_code};
use rusqlite::params;

use crate::columns::Columns;
use crate::tx::SqlTx;

impl ExchangeRows for SqlTx<'_> {
    const EXCHANGE_MEMORY: &'static str = "m.id";
    const EXCHANGES: &'static str = "exchanges x JOIN memories m ON m.num = x.mem AND m.deleted IS NULL";
    const PLACE: &'static str = "x.num";

    fn put_exchange(&self, memory: i64, exchange: &Exchange) -> Result<bool> {
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

    fn open_exchange(
        &self,
        memories: &[MemoryId],
        steps: &[Step],
        now: Timestamp,
    ) -> Result<Option<Exchange>> {
        let Some(among) = self.among("x.mem", memories)? else { return Ok(None) };
        let of_steps = among_codes("x.step", Step::ALL, steps);
        let sql = format!(
            "SELECT m.id, {COLUMNS} FROM {} WHERE x.state < 2 AND (x.state = 0 OR x.lease <= ?1){among}{of_steps} \
             ORDER BY x.created, x.id LIMIT 1",
            Self::EXCHANGES
        );
        self.one(&sql, [now.millis()], |row| row_readers::exchange(&Columns(row)))
    }
}
