//! The schema versions: numbered SQL files, applied in order, each in one transaction. Never edited
//! after a release.

use loci_model::{Error, ErrorKind, Result};
use rusqlite::Connection;

use crate::errors::Sql;

/// The files, in order. The version of a file is its index, from 1.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001_tables.sql"),
    include_str!("schema/0002_index_files.sql"),
    include_str!("schema/0003_pipeline.sql"),
    include_str!("schema/0004_servers.sql"),
    include_str!("schema/0005_facts.sql"),
    include_str!("schema/0006_tasks.sql"),
    include_str!("schema/0007_exposures.sql"),
    include_str!("schema/0008_commits.sql"),
    include_str!("schema/0009_prompts.sql"),
    include_str!("schema/0010_task_sessions.sql"),
    include_str!("schema/0011_kinds.sql"),
    include_str!("schema/0012_harms.sql"),
    include_str!("schema/0013_subtypes.sql"),
    include_str!("schema/0014_ledger.sql"),
    include_str!("schema/0015_objects.sql"),
    include_str!("schema/0016_fingerprints.sql"),
    include_str!("schema/0017_job_kinds.sql"),
];

/// Returns the version that this binary writes.
pub(crate) fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Returns the version of an open file; 0 for an empty one.
pub(crate) fn version(connection: &Connection) -> Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).sql()
}

/// Returns an error if a newer version of Loci wrote the database.
pub(crate) fn check_known(version: u32) -> Result<()> {
    if version > newest() {
        return Err(Error::new(
            ErrorKind::Unavailable,
            format!(
                "the data folder was written by a newer version of loci (schema {version}, this one knows {}): upgrade loci",
                newest()
            ),
        ));
    }
    Ok(())
}

/// Migrates the file to the newest version. The caller holds the schema lock exclusively.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    let from = version(connection)?;
    check_known(from)?;
    for (number, sql) in (1_u32..).zip(MIGRATIONS).filter(|(number, _)| *number > from) {
        let transaction = connection.transaction().sql()?;
        transaction.execute_batch(sql).sql()?;
        transaction.pragma_update(None, "user_version", number).sql()?;
        transaction.commit().sql()?;
    }
    Ok(())
}
