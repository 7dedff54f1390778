//! What the tables of a PostgreSQL say of memories that are searched in it, which no door shows: whether all passages are
//! there, whether a graph is. Asked by `psql`, that whoever starts a PostgreSQL has.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use loci_pgserver::Binaries;

/// Memories whose passages are all there.
const TAKEN_IN: &str =
    "SELECT count(*) FROM loci.great g JOIN loci.counters c ON c.mem = g.mem AND g.sequence >= c.sequence";
/// Graphs that are whole.
const DRAWN: &str = "SELECT count(*) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid \
                     WHERE c.relname LIKE 'graph\\_%'";

/// Memories whose passages are all in the database.
pub(crate) fn taken_in(address: &str) -> Result<usize> {
    count(address, TAKEN_IN)
}

/// Graphs of vectors that may be walked.
pub(crate) fn drawn(address: &str) -> Result<usize> {
    count(address, DRAWN)
}

/// The address with members of our own behind it.
pub(crate) fn with_members(address: &str, members: &str) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    if members.is_empty() { address.to_owned() } else { format!("{address}{mark}{members}") }
}

fn count(address: &str, statement: &str) -> Result<usize> {
    // Members of our own `psql` does not know.
    let plain = address.split_once('?').map_or(address, |(plain, _)| plain);
    let mut command = Command::new(Binaries::find()?.program("psql"));
    command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", plain]);
    let output = command.args(["--command", statement]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().context("reading what psql counted")
}
