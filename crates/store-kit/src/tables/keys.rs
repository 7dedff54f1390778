//! The table of access keys.

use loci_model::ports::store::Keys;
use loci_model::principal::key::AccessKey;
use loci_model::{AccessKeyId, Result};

use super::Tables;
use crate::codes::json;
use crate::row_readers;
use crate::sql::SqlTransaction;
use crate::unreadable_rows::readable;
use crate::values;

/// Imports a key from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, key: &AccessKey) -> Result<()> {
    put(tx, key, " ON CONFLICT DO NOTHING").map(drop)
}

/// Adds a key; `otherwise` is the SQL for a key whose id exists.
fn put(tx: &impl SqlTransaction, key: &AccessKey, otherwise: &str) -> Result<usize> {
    let sql = format!(
        "INSERT INTO access_keys(id, token, created, revoked, body) VALUES ($1, $2, $3, $4, $5){otherwise}"
    );
    tx.run(&sql, values![key.id.as_str(), &key.token_digest, key.created_at, key.revoked_at, json(key)?])
}

impl<T: SqlTransaction> Keys for Tables<T> {
    fn get(&self, id: &AccessKeyId) -> Result<Option<AccessKey>> {
        self.one("SELECT body FROM access_keys WHERE id = $1", values![id.as_str()], |row| {
            row_readers::key(row)
        })
    }

    fn by_token(&self, digest: &str) -> Result<Option<AccessKey>> {
        self.one("SELECT body FROM access_keys WHERE token = $1", values![digest], |row| {
            row_readers::key(row)
        })
    }

    fn list(&self) -> Result<Vec<AccessKey>> {
        let keys = self.all("SELECT body FROM access_keys ORDER BY created, id", &[], |row| {
            readable("access key", row_readers::key(row))
        })?;
        Ok(keys.into_iter().flatten().collect())
    }

    fn any(&self) -> Result<bool> {
        self.has("SELECT 1 FROM access_keys LIMIT 1", &[])
    }

    fn insert(&mut self, key: &AccessKey) -> Result<()> {
        put(&self.0, key, "").map(drop)
    }

    fn update(&mut self, key: &AccessKey) -> Result<bool> {
        let sql = "UPDATE access_keys SET token = $2, revoked = $3, body = $4 WHERE id = $1";
        Ok(self.run(sql, values![key.id.as_str(), &key.token_digest, key.revoked_at, json(key)?])? > 0)
    }
}
