//! The schema as a script, in the SQL dialect of each supported database, for installations where
//! the server may not create its own tables. It is derived from the migrations, so that no table is
//! missing.
//!
//! It executes nothing. If a script created the schema, servers find its version and create
//! nothing.

use loci_model::Result;

use crate::migrate;
use crate::options::schema_name;

/// The SQL dialects for which a schema script can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL with pgvector.
    Postgresql,
    /// PostgreSQL with tables distributed over nodes by Citus.
    Citus,
    /// YSQL, the PostgreSQL dialect of YugabyteDB.
    Yugabytedb,
    /// Tables only: CockroachDB has no `halfvec`, which searches of large memories need.
    Cockroachdb,
}

/// Small tables whose key does not begin with the memory, replicated to all nodes.
pub(crate) const EVERYWHERE: [&str; 6] =
    ["memories", "models", "access_keys", "probes", "leases", "versions"];

/// Returns the statements that create the newest schema under this name. `partitions` has an effect
/// on PostgreSQL only.
///
/// # Errors
/// `Invalid` if the name is not a valid schema name.
pub fn script(dialect: Dialect, schema: &str, partitions: u32) -> Result<String> {
    let schema = &schema_name(schema)?;
    let mut out = format!("BEGIN;\nCREATE SCHEMA {schema};\n");
    if dialect != Dialect::Cockroachdb {
        out.push_str("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;\n");
    }
    out.push_str(&format!("SET LOCAL search_path = {schema}, public;\n"));
    out.push_str("CREATE TABLE versions(version INTEGER NOT NULL PRIMARY KEY, oldest INTEGER NOT NULL);\n");
    let partitions = if dialect == Dialect::Postgresql { partitions } else { 0 };
    for (version, sql, oldest) in migrate::scripts(partitions) {
        for statement in sql.split_inclusive(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            out.push_str(&in_words_of(dialect, statement));
            out.push('\n');
        }
        out.push_str(&format!("INSERT INTO versions(version, oldest) VALUES ({version}, {oldest});\n"));
    }
    out.push_str("COMMIT;\n");
    if dialect == Dialect::Citus {
        out.push_str(&distributed(schema));
    }
    Ok(out)
}

/// Returns the tables of the schema, in the order of creation.
fn tables() -> Vec<String> {
    let sql: String = migrate::scripts(0).map(|(_, sql, _)| sql).collect();
    let names = sql.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split_once('('));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

/// Returns the statements that place all rows of a memory on one node.
fn distributed(schema: &str) -> String {
    let mut out = format!("SET search_path = {schema}, public;\n");
    for name in EVERYWHERE {
        out.push_str(&format!("SELECT create_reference_table('{name}');\n"));
    }
    let mut first = true;
    for name in tables().iter().filter(|name| !EVERYWHERE.contains(&name.as_str())) {
        let beside = if first { "'none', shard_count => 64" } else { "'counters'" };
        first = false;
        out.push_str(&format!(
            "SELECT create_distributed_table('{name}', 'mem', colocate_with => {beside});\n"
        ));
    }
    out
}

fn in_words_of(dialect: Dialect, statement: &str) -> String {
    match dialect {
        Dialect::Postgresql | Dialect::Citus => statement.to_owned(),
        Dialect::Yugabytedb => hashed(statement).replace(GIN, "USING ybgin (words)"),
        Dialect::Cockroachdb => statement
            .replace(" COLLATE \"C\"", "")
            .replace("HALFVEC", "VECTOR")
            .replace("ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;", "")
            .replace(GIN, "USING gin (words)"),
    }
}

const GIN: &str = "USING gin (words) WITH (fastupdate = off)";

/// Rows are distributed by memory, and sorted within it. Tables whose key does not begin with the
/// memory are sorted as a whole, because sweeps and queues read them in order.
fn hashed(statement: &str) -> String {
    let statement = statement.replace("PRIMARY KEY (mem)", "PRIMARY KEY (mem HASH)");
    let statement = statement.replace("PRIMARY KEY (mem,", "PRIMARY KEY (mem HASH,");
    if !statement.starts_with("CREATE INDEX") && !statement.starts_with("CREATE UNIQUE INDEX") {
        return statement;
    }
    let Some((head, columns)) = statement.split_once('(') else { return statement };
    if head.contains(" USING ") {
        return statement;
    }
    let end = columns.find([',', ')']).unwrap_or(columns.len());
    let (first, rest) = columns.split_at(end);
    let order = match first {
        "mem" => " HASH",
        first if first.ends_with(" DESC") => "",
        _ => " ASC",
    };
    format!("{head}({first}{order}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_in_the_words_of_others() {
        let check = |dialect, statement, expect| assert_eq!(in_words_of(dialect, statement), expect);
        let index = "CREATE INDEX a ON t(mem, b DESC);";
        check(Dialect::Yugabytedb, index, "CREATE INDEX a ON t(mem HASH, b DESC);");
        check(Dialect::Yugabytedb, "CREATE INDEX a ON t(due, id);", "CREATE INDEX a ON t(due ASC, id);");
        check(Dialect::Yugabytedb, "CREATE INDEX a ON t(due DESC);", "CREATE INDEX a ON t(due DESC);");
        check(
            Dialect::Yugabytedb,
            "CREATE TABLE t(mem BIGINT, PRIMARY KEY (mem, a));",
            "CREATE TABLE t(mem BIGINT, PRIMARY KEY (mem HASH, a));",
        );
        check(Dialect::Citus, index, index);
        check(Dialect::Cockroachdb, "a TEXT COLLATE \"C\", v HALFVEC;", "a TEXT, v VECTOR;");
    }

    /// Every table is created, and Citus distributes each one: replicated, or by memory and
    /// colocated with the first one.
    #[test]
    fn no_table_is_forgotten() {
        let tables = tables();
        assert!(tables.len() > 25, "{tables:?}");
        for dialect in [Dialect::Postgresql, Dialect::Citus, Dialect::Yugabytedb, Dialect::Cockroachdb] {
            let script = script(dialect, "loci", 4).expect("a script");
            for table in &tables {
                assert!(script.contains(&format!("CREATE TABLE {table}(")), "{dialect:?} {table}");
            }
        }
        let citus = script(Dialect::Citus, "loci", 4).expect("a script");
        for table in tables.iter().map(String::as_str).chain(["versions"]) {
            let everywhere = citus.contains(&format!("create_reference_table('{table}')"));
            let by_memory = citus.contains(&format!("create_distributed_table('{table}', 'mem'"));
            assert!(everywhere != by_memory, "{table}");
        }
        let first = citus.lines().find(|line| line.contains("create_distributed_table")).unwrap_or_default();
        assert!(first.contains("'counters'"), "{first}");
    }
}
