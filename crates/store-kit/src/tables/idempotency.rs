//! The table of idempotency tokens. A row contains a digest of the token and its scope instead of
//! the token, because a token may be long.

use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ports::store::Idempotency;
use loci_model::{Document, MemoryId, Result, Timestamp};

use super::Tables;
use crate::codes::{bytes_of_hex, hex_digits, token_digest};
use crate::fields::Fields;
use crate::row_readers::token_answer;
use crate::sql::SqlTransaction;
use crate::values;

/// An SQL statement that finds or inserts the row of a token, and locks it. A concurrent request
/// with the same token waits for this transaction and then sees its answer. A row without an
/// answer counts as expired.
const TAKEN: &str = "INSERT INTO tokens(mem, digest, expires, parameters, answer) VALUES ($1, $2, 0, '', '{}') \
                     ON CONFLICT (mem, digest) DO UPDATE SET expires = tokens.expires \
                     RETURNING expires, parameters, answer";

/// Returns the internal number of the memory that limits the scope of a token. The token is
/// deleted together with that memory.
fn token_place(tx: &impl SqlTransaction, scope: &TokenScope) -> Result<i64> {
    match MemoryId::parse(scope.place.as_str()) {
        Ok(memory) => Ok(tx.number(&memory)?.unwrap_or(0)),
        Err(_) => Ok(0),
    }
}

impl<T: SqlTransaction> Idempotency for Tables<T> {
    /// The lock on a memory already excludes other writes in it. A token that is valid for the
    /// whole server has no memory, so its own row is locked.
    fn get(&self, scope: &TokenScope, now: Timestamp) -> Result<Option<TokenAnswer>> {
        let (place, digest) = (token_place(&self.0, scope)?, token_digest(scope));
        if place == 0 && self.has_rivals() {
            let found = self.one(TAKEN, values![place, digest], |row| token_answer(row))?;
            return Ok(found.filter(|found| found.expires > now));
        }
        let sql =
            "SELECT expires, parameters, answer FROM tokens WHERE mem = $1 AND digest = $2 AND expires > $3";
        self.one(sql, values![place, digest, now], |row| token_answer(row))
    }

    /// The row that this write replaces has expired, because every write reads its token before
    /// it stores an answer.
    fn put(&mut self, scope: &TokenScope, answer: &TokenAnswer) -> Result<()> {
        self.later(
            "INSERT INTO tokens(mem, digest, expires, parameters, answer) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, digest) DO UPDATE SET \
             (expires, parameters, answer) = (excluded.expires, excluded.parameters, excluded.answer)",
            values![
                token_place(&self.0, scope)?,
                token_digest(scope),
                answer.expires,
                answer.parameters.as_bytes(),
                answer.answer.as_str()
            ],
        )
    }

    fn name(&self, scope: &TokenScope) -> Result<String> {
        Ok(hex_digits(&token_digest(scope)))
    }

    fn list(
        &self,
        memory: &MemoryId,
        after: Option<&str>,
        rows: usize,
    ) -> Result<Vec<(String, TokenAnswer)>> {
        let Some(place) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.and_then(bytes_of_hex).unwrap_or_default();
        let sql = "SELECT expires, parameters, answer, digest FROM tokens WHERE mem = $1 AND digest > $2 \
                   ORDER BY digest LIMIT $3";
        self.all(sql, values![place, after, rows], |row| Ok((hex_digits(row.bytes(3)?), token_answer(row)?)))
    }

    fn rewrite(&mut self, memory: &MemoryId, name: &str, answer: &Document) -> Result<bool> {
        let (Some(place), Some(digest)) = (self.number(memory)?, bytes_of_hex(name)) else {
            return Ok(false);
        };
        let sql = "UPDATE tokens SET answer = $3 WHERE mem = $1 AND digest = $2";
        Ok(self.run(sql, values![place, digest, answer.as_str()])? > 0)
    }

    fn remove(&mut self, memory: &MemoryId, name: &str) -> Result<bool> {
        let (Some(place), Some(digest)) = (self.number(memory)?, bytes_of_hex(name)) else {
            return Ok(false);
        };
        Ok(self.run("DELETE FROM tokens WHERE mem = $1 AND digest = $2", values![place, digest])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        let sql = format!(
            "DELETE FROM tokens WHERE (mem, digest) IN \
             (SELECT mem, digest FROM tokens WHERE expires <= $1 ORDER BY expires LIMIT $2{})",
            T::DIALECT.skip_locked
        );
        self.run(&sql, values![now, rows])
    }
}
