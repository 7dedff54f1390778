//! The table of access keys.

use loci_model::ports::store::Keys;
use loci_model::principal::key::AccessKey;
use loci_model::{AccessKeyId, Result};
use loci_store_kit::codes::json;
use loci_store_kit::reading;
use loci_store_kit::unreadable::readable;
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::SqlTx;

fn read(row: &Row<'_>) -> Result<AccessKey> {
    reading::key(&Columns(row))
}

impl Keys for SqlTx<'_> {
    fn get(&self, id: &AccessKeyId) -> Result<Option<AccessKey>> {
        self.one("SELECT body FROM access_keys WHERE id = ?1", [id.as_str()], read)
    }

    fn by_token(&self, digest: &str) -> Result<Option<AccessKey>> {
        self.one("SELECT body FROM access_keys WHERE token = ?1", [digest], read)
    }

    fn list(&self) -> Result<Vec<AccessKey>> {
        let keys = self.all("SELECT body FROM access_keys ORDER BY created, id", [], |row| {
            readable("access key", read(row))
        })?;
        Ok(keys.into_iter().flatten().collect())
    }

    fn any(&self) -> Result<bool> {
        Ok(self.one("SELECT 1 FROM access_keys LIMIT 1", [], |_| Ok(()))?.is_some())
    }

    fn insert(&mut self, key: &AccessKey) -> Result<()> {
        self.run(
            "INSERT INTO access_keys(id, token, created, revoked, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                key.id.as_str(),
                key.token_digest,
                key.created_at.millis(),
                key.revoked_at.map(|at| at.millis()),
                json(key)?
            ],
        )?;
        Ok(())
    }

    fn update(&mut self, key: &AccessKey) -> Result<bool> {
        let changed = self.run(
            "UPDATE access_keys SET token = ?2, revoked = ?3, body = ?4 WHERE id = ?1",
            params![key.id.as_str(), key.token_digest, key.revoked_at.map(|at| at.millis()), json(key)?],
        )?;
        Ok(changed > 0)
    }
}
