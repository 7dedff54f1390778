//! Reads the state of memories that PostgreSQL searches from its tables, because no API shows it:
//! if all passages are present, and if a graph is complete. It uses `psql`, which is part of every
//! PostgreSQL.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use loci_pgserver::Binaries;

/// Counts memories whose passages are all present.
const TAKEN_IN: &str =
    "SELECT count(*) FROM loci.great g JOIN loci.counters c ON c.mem = g.mem AND g.sequence >= c.sequence";
/// Counts complete graphs.
const DRAWN: &str = "SELECT count(*) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid \
                     WHERE c.relname LIKE 'graph\\_%'";

/// Returns the number of memories whose passages are all in the database.
pub(crate) fn taken_in(address: &str) -> Result<usize> {
    count(address, TAKEN_IN)
}

/// Returns the number of usable graphs of vectors.
pub(crate) fn drawn(address: &str) -> Result<usize> {
    count(address, DRAWN)
}

/// Returns the address with Loci's own parameters appended.
pub(crate) fn with_members(address: &str, members: &str) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    if members.is_empty() { address.to_owned() } else { format!("{address}{mark}{members}") }
}

fn count(address: &str, statement: &str) -> Result<usize> {
    // `psql` does not know Loci's own parameters.
    let plain = address.split_once('?').map_or(address, |(plain, _)| plain);
    let mut command = Command::new(Binaries::find()?.program("psql"));
    command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", plain]);
    let output = command.args(["--command", statement]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().context("reading what psql counted")
}
