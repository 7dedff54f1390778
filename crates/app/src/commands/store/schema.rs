//! `loci schema`: prints the statements that create the tables of a database. It opens no store.

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_store_postgres::ddl::{self, Dialect};

use crate::cli::Globals;
use crate::exit::Usage;
use crate::output;

/// Print the statements that create the tables of a database
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The target database
    #[arg(long, value_enum, default_value_t = Database::Postgresql)]
    database: Database,
    /// The schema of the tables
    #[arg(long, default_value = "loci")]
    name: String,
    /// The number of partitions of each large table, on PostgreSQL
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=1024))]
    partitions: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Database {
    /// With pgvector
    Postgresql,
    /// Tables distributed by memory
    Citus,
    /// YSQL, rows hashed by memory
    Yugabytedb,
    /// Tables only: this version of Loci does not run on it
    Cockroachdb,
}

impl Schema {
    pub(crate) fn run(&self, globals: &Globals) -> Result<()> {
        let dialect = match self.database {
            Database::Postgresql => Dialect::Postgresql,
            Database::Citus => Dialect::Citus,
            Database::Yugabytedb => Dialect::Yugabytedb,
            Database::Cockroachdb => Dialect::Cockroachdb,
        };
        let sql = ddl::script(dialect, &self.name, self.partitions).map_err(|error| Usage(error.message))?;
        output::result(globals.json, &serde_json::json!({ "sql": sql }), |_| output::line(sql.trim_end()))
    }
}
