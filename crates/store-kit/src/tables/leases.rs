//! The table of named leases: locks that one process holds for a limited time.

use loci_model::ports::store::Leases;
use loci_model::{Result, Timestamp};

use super::Tables;
use crate::fields::Fields;
use crate::sql::SqlTransaction;
use crate::values;

impl<T: SqlTransaction> Leases for Tables<T> {
    fn holder(&self, name: &str, now: Timestamp) -> Result<Option<String>> {
        let sql = "SELECT host FROM leases WHERE name = $1 AND until > $2";
        self.one(sql, values![name, now], |row| Ok(row.text(0)?.to_owned()))
    }

    fn take(&mut self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool> {
        let taken = self.run(
            "INSERT INTO leases(name, host, until) VALUES ($1, $2, $4) ON CONFLICT (name) DO UPDATE \
             SET host = excluded.host, until = excluded.until WHERE leases.host = excluded.host OR leases.until <= $3",
            values![name, holder, now, until],
        )?;
        Ok(taken > 0)
    }

    fn release(&mut self, name: &str, holder: &str) -> Result<bool> {
        Ok(self.run("DELETE FROM leases WHERE name = $1 AND host = $2", values![name, holder])? > 0)
    }
}
