//! The table of leases by name.

use loci_model::ports::store::Leases;
use loci_model::{Result, Timestamp};

use crate::tx::{Column, PgTx};

impl Leases for PgTx<'_> {
    fn holder(&self, name: &str, now: Timestamp) -> Result<Option<String>> {
        let sql = "SELECT host FROM leases WHERE name = $1 AND until > $2";
        self.one(sql, &[&name, &now.millis()], |row| row.take(0))
    }

    fn take(&mut self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool> {
        let taken = self.run(
            "INSERT INTO leases(name, host, until) VALUES ($1, $2, $4) ON CONFLICT (name) DO UPDATE \
             SET host = excluded.host, until = excluded.until WHERE leases.host = excluded.host OR leases.until <= $3 \
             RETURNING 1",
            &[&name, &holder, &now.millis(), &until.millis()],
        )?;
        Ok(taken > 0)
    }

    fn release(&mut self, name: &str, holder: &str) -> Result<bool> {
        Ok(self.run("DELETE FROM leases WHERE name = $1 AND host = $2 RETURNING 1", &[&name, &holder])? > 0)
    }
}
