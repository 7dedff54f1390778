//! The database checks of `doctor`: its version, pgvector, the privileges of the user, and the
//! schema that the server would open.

use loci_model::Result;
use loci_model::ports::store::StoreCheck;

use crate::connection::Connection;
use crate::migrate;
use crate::transaction_retry;
use crate::tx::{Column, PgTx};

/// The oldest tested version of PostgreSQL.
const SERVER_MIN: i32 = 160_000;
/// The oldest supported version of pgvector. It has `halfvec` and iterative scans, which filtered
/// searches of a large memory need.
const VECTOR_MIN: (u32, u32) = (0, 8);

/// Runs all checks.
pub(crate) fn checks(connection: &mut Connection) -> Result<Vec<StoreCheck>> {
    let threads = connection.options().connections();
    let newest = migrate::newest();
    let found = migrate::version(connection)?;
    let schema = connection.options().schema.clone();
    transaction_retry::read(connection, |tx| {
        let mut all = vec![server(tx)?, pgvector(tx)?, privileges(tx, &schema)?, connections(tx, threads)?];
        all.push(StoreCheck {
            name: "schema",
            ok: true,
            detail: match found {
                Some(found) if found.version > newest => format!(
                    "version {}, of a newer loci; this one knows {newest} and works beside it",
                    found.version
                ),
                Some(found) => format!("version {}", found.version),
                None => "none".to_owned(),
            },
        });
        Ok(all)
    })
}

fn setting(tx: &PgTx<'_>, name: &str) -> Result<String> {
    Ok(tx
        .one("SELECT current_setting($1, true)", &[&name], |row| row.take::<Option<String>>(0))?
        .flatten()
        .unwrap_or_default())
}

fn server(tx: &PgTx<'_>) -> Result<StoreCheck> {
    let number: i32 = setting(tx, "server_version_num")?.parse().unwrap_or(0);
    let version = setting(tx, "server_version")?;
    let (durable, synchronous) = (setting(tx, "fsync")?, setting(tx, "synchronous_commit")?);
    let mut ok = number >= SERVER_MIN;
    let mut detail = format!("PostgreSQL {version}");
    if !ok {
        detail += "; 16 or newer is needed";
    }
    if durable == "off" || synchronous == "off" {
        ok = false;
        detail += &format!(
            "; fsync = {durable}, synchronous_commit = {synchronous}: an acknowledged write can be lost; set both to on"
        );
    }
    Ok(StoreCheck { name: "database", ok, detail })
}

fn pgvector(tx: &PgTx<'_>) -> Result<StoreCheck> {
    let version = tx
        .one("SELECT extversion FROM pg_extension WHERE extname = 'vector'", &[], |row| {
            row.take::<String>(0)
        })?
        .unwrap_or_default();
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let (ok, detail) = if version.is_empty() {
        (
            false,
            "pgvector is not there: install 0.8 or newer on the server, then CREATE EXTENSION vector"
                .to_owned(),
        )
    } else if found < VECTOR_MIN {
        let remedy =
            "install 0.8 or newer on the server, then ALTER EXTENSION vector UPDATE in this database";
        (false, format!("pgvector {version} is too old: {remedy}"))
    } else {
        (true, format!("pgvector {version}"))
    };
    Ok(StoreCheck { name: "pgvector", ok, detail })
}

/// Checks for tables of the schema that this user cannot read or change.
fn privileges(tx: &PgTx<'_>, schema: &str) -> Result<StoreCheck> {
    let denied = tx.all(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT (has_table_privilege(c.oid, 'SELECT') \
         AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') \
         AND has_table_privilege(c.oid, 'DELETE')) ORDER BY c.relname LIMIT 5",
        &[&schema],
        |row| row.take::<String>(0),
    )?;
    let makes = tx
        .one("SELECT has_schema_privilege($1, 'CREATE')", &[&schema], |row| row.take::<bool>(0))?
        .unwrap_or(false);
    let mut detail = if denied.is_empty() {
        "all tables can be read and changed".to_owned()
    } else {
        format!(
            "not allowed on {}: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema}",
            denied.join(", ")
        )
    };
    if !makes {
        detail += &format!(
            "; this user cannot bring the schema up to date: GRANT CREATE ON SCHEMA {schema}, or let its owner start the first server of a new version"
        );
    }
    Ok(StoreCheck { name: "privileges", ok: denied.is_empty(), detail })
}

fn connections(tx: &PgTx<'_>, threads: usize) -> Result<StoreCheck> {
    let most: usize = setting(tx, "max_connections")?.parse().unwrap_or(0);
    let servers = most / threads.max(1);
    Ok(StoreCheck {
        name: "connections",
        ok: servers > 0,
        detail: format!(
            "this server opens {threads} at most, the database allows {most}: room for {servers} servers"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::ConnectionParameters;
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;

    fn connection(url: &str) -> Connection {
        Connection::new(ConnectionParameters::new(PostgresOptions::parse(url).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_user_who_may_only_read_is_noticed() {
        let server = PostgresServer::shared().unwrap();
        let url = server.fresh_database().unwrap() + "?partitions=0";
        crate::migrate::migrate(&mut connection(&url)).unwrap();
        let database = url.rsplit('/').next().unwrap().split('?').next().unwrap();
        let privileges = |grant: &str| {
            server.sql(database, grant).unwrap();
            let found = checks(&mut connection(&url.replace("//loci@", "//of_checks@"))).unwrap();
            found.into_iter().find(|check| check.name == "privileges").unwrap()
        };
        let reads = privileges(
            "CREATE ROLE of_checks LOGIN; GRANT USAGE ON SCHEMA loci TO of_checks; \
             GRANT SELECT ON ALL TABLES IN SCHEMA loci TO of_checks",
        );
        assert!(!reads.ok && reads.detail.contains("not allowed on access_keys"), "{}", reads.detail);
        let all = privileges("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA loci TO of_checks");
        assert!(all.ok, "{}", all.detail);
    }
}
