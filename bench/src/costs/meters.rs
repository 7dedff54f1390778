//! Meters of the resources that processes use: processor time from `/proc`, and the log and the
//! size of a database.

use anyhow::{Context, Result};
use loci_engine_testkit::postgres::PostgresServer;

use crate::server::Server;

/// The length of a tick in milliseconds, on all relevant Linux machines.
const TICK_MS: f64 = 10.0;

/// One reading of all meters, which only grow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MeterReading {
    pub(super) server_ms: f64,
    pub(super) database_ms: f64,
    pub(super) log_bytes: f64,
    pub(super) stored_bytes: f64,
}

impl MeterReading {
    /// Returns the usage since `before`, per operation.
    pub(super) fn each(self, before: Self, operations: f64) -> Self {
        Self {
            server_ms: (self.server_ms - before.server_ms) / operations,
            database_ms: (self.database_ms - before.database_ms) / operations,
            log_bytes: (self.log_bytes - before.log_bytes) / operations,
            stored_bytes: (self.stored_bytes - before.stored_bytes) / operations,
        }
    }
}

/// A database on this machine.
pub(super) struct Database {
    server: PostgresServer,
    name: String,
    postmaster: u32,
}

impl Database {
    pub(super) fn start() -> Result<Self> {
        let settings = loci_engine_testkit::postgres::Settings { durable: true, further: Vec::new() };
        let server = PostgresServer::start(&settings)?;
        let url = server.fresh_database()?;
        let name = url.rsplit('/').next().context("no name of a database")?.to_owned();
        let file = server.sql(&name, "SELECT pg_read_file('postmaster.pid')")?;
        let postmaster = file.lines().next().unwrap_or_default().trim().parse().context("postmaster.pid")?;
        Ok(Self { server, name, postmaster })
    }

    pub(super) fn url(&self) -> String {
        self.server.url(&self.name)
    }

    fn number(&self, sql: &str) -> Result<f64> {
        self.server.sql(&self.name, sql)?.trim().parse().with_context(|| format!("reading {sql}"))
    }
}

/// Reads all meters. The size of a database is read only after its pages are written to disk.
pub(super) fn read(server: &Server, database: Option<&Database>) -> Result<MeterReading> {
    let mut reading =
        MeterReading { server_ms: processor_ms(server.id())?.of_itself, ..MeterReading::default() };
    if let Some(database) = database {
        reading.log_bytes = database.number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")?;
        reading.stored_bytes = database.number("SELECT pg_database_size(current_database())")?;
        reading.database_ms = family_ms(database.postmaster)?;
    }
    Ok(reading)
}

struct ResourceUse {
    parent: u32,
    of_itself: f64,
    /// The processor time of children that have ended, in milliseconds.
    of_children: f64,
}

fn processor_ms(process: u32) -> Result<ResourceUse> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    parsed(&text).with_context(|| format!("reading the times of process {process}"))
}

/// Parses the fields after the name, which ends at the last parenthesis and may contain any
/// character.
fn parsed(text: &str) -> Option<ResourceUse> {
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some(ResourceUse {
        parent: fields.get(1)?.parse().ok()?,
        of_itself: (ticks(11)? + ticks(12)?) * TICK_MS,
        of_children: (ticks(13)? + ticks(14)?) * TICK_MS,
    })
}

/// Returns the processor time of a process and its children, running or ended, in milliseconds.
fn family_ms(parent: u32) -> Result<f64> {
    let own = processor_ms(parent)?;
    let mut total = own.of_itself + own.of_children;
    for entry in std::fs::read_dir("/proc")? {
        let Ok(process) = entry?.file_name().to_string_lossy().parse::<u32>() else { continue };
        // A process that has just ended counts as an ended child in the next reading.
        let Ok(used) = processor_ms(process) else { continue };
        if used.parent == parent {
            total += used.of_itself;
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let text = "71 (a ) b) S 70 71 71 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0";
        let used = parsed(text).expect("a line");
        assert_eq!((used.parent, used.of_itself, used.of_children), (70, 2_000.0, 500.0));
    }
}
