//! The table of idempotency tokens. A token is kept as a digest of where it counts and of itself: it may be long.

use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ports::store::Idempotency;
use loci_model::{Document, MemoryId, Result, Timestamp};
use loci_store_kit::codes::{bytes_of_hex, hex_digits, token_digest};
use loci_store_kit::reading;
use rusqlite::params;

use crate::columns::Columns;
use crate::tx::{Column, SqlTx, limit};

impl SqlTx<'_> {
    /// The memory's number where the token counts in one, so that it goes with it.
    fn token_place(&self, scope: &TokenScope) -> Result<i64> {
        match MemoryId::parse(scope.place.as_str()) {
            Ok(memory) => Ok(self.number(&memory)?.unwrap_or(0)),
            Err(_) => Ok(0),
        }
    }
}

impl Idempotency for SqlTx<'_> {
    fn get(&self, scope: &TokenScope, now: Timestamp) -> Result<Option<TokenAnswer>> {
        let place = self.token_place(scope)?;
        let sql =
            "SELECT expires, parameters, answer FROM tokens WHERE mem = ?1 AND digest = ?2 AND expires > ?3";
        self.one(sql, params![place, token_digest(scope), now.millis()], |row| {
            reading::token_answer(&Columns(row))
        })
    }

    fn put(&mut self, scope: &TokenScope, answer: &TokenAnswer) -> Result<()> {
        let place = self.token_place(scope)?;
        self.run(
            "INSERT OR REPLACE INTO tokens(mem, digest, expires, parameters, answer) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                place,
                token_digest(scope),
                answer.expires.millis(),
                answer.parameters.as_bytes(),
                answer.answer.as_str()
            ],
        )?;
        Ok(())
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
        let sql = "SELECT expires, parameters, answer, digest FROM tokens WHERE mem = ?1 AND digest > ?2 \
                   ORDER BY digest LIMIT ?3";
        self.all(sql, params![place, after, limit(rows)], |row| {
            Ok((hex_digits(&row.take::<Vec<u8>>(3)?), reading::token_answer(&Columns(row))?))
        })
    }

    fn rewrite(&mut self, memory: &MemoryId, name: &str, answer: &Document) -> Result<bool> {
        let (Some(place), Some(digest)) = (self.number(memory)?, bytes_of_hex(name)) else {
            return Ok(false);
        };
        let sql = "UPDATE tokens SET answer = ?3 WHERE mem = ?1 AND digest = ?2";
        Ok(self.run(sql, params![place, digest, answer.as_str()])? > 0)
    }

    fn remove(&mut self, memory: &MemoryId, name: &str) -> Result<bool> {
        let (Some(place), Some(digest)) = (self.number(memory)?, bytes_of_hex(name)) else {
            return Ok(false);
        };
        Ok(self.run("DELETE FROM tokens WHERE mem = ?1 AND digest = ?2", params![place, digest])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        self.run(
            "DELETE FROM tokens WHERE (mem, digest) IN \
             (SELECT mem, digest FROM tokens WHERE expires <= ?1 ORDER BY expires LIMIT ?2)",
            params![now.millis(), limit(rows)],
        )
    }
}
