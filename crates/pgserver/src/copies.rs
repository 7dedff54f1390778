//! Databases for tests that are copies of one template. A returned copy is emptied and reused,
//! because the files of a new one, some two thousand, cost more than most tests.

use std::io::{Error, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::server::{PostgresServer, database_of};

/// The SQL condition that excludes schemas of the system.
const IS_OWN: &str = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'";

/// Copies of a template on one server.
#[derive(Debug)]
pub struct Copies {
    server: &'static PostgresServer,
    template: String,
    /// Tables of the template with rows. A copy with different rows in them is not reused.
    kept: Vec<String>,
    /// The digest of the template's tables and of the rows of those in `kept`.
    fingerprint: String,
    free: Mutex<Vec<String>>,
}

impl Copies {
    /// Returns the copies of the database at this URL, to which nothing may be connected.
    ///
    /// # Errors
    /// The server does not run, or there is no such database.
    pub fn of(server: &'static PostgresServer, url: &str) -> Result<Self> {
        let template = database_of(url).to_owned();
        let kept = server.sql(&template, &filled_tables())?.lines().map(str::to_owned).collect::<Vec<_>>();
        let fingerprint = server.sql(&template, &fingerprint(&kept))?;
        Ok(Self { server, template, kept, fingerprint, free: Mutex::default() })
    }

    /// Returns the URL of a copy for exclusive use.
    ///
    /// # Errors
    /// The server does not run, or a client stays connected to the template.
    pub fn take(&self) -> Result<String> {
        let given_back = self.free().pop();
        if let Some(name) = given_back {
            let new = self.server.next_name("copy");
            if self.emptied(&name, &new).is_ok() {
                return Ok(self.server.url(&new));
            }
            // A test changed its tables, or is still connected. The database has one of the two
            // names.
            for name in [name, new] {
                let _ = self.server.drop_database(&name);
            }
        }
        self.server.copy_of(&self.template)
    }

    /// Takes a copy back, even if clients are still connected to it.
    pub fn give_back(&self, url: &str) {
        self.free().push(database_of(url).to_owned());
    }

    /// Renames a copy, so that clients of the previous test cannot find it, and empties it.
    fn emptied(&self, name: &str, new: &str) -> Result<()> {
        let end =
            format!("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'");
        self.server.sql("postgres", &format!("{end}; ALTER DATABASE {name} RENAME TO {new}"))?;
        let found =
            self.server.sql(new, &format!("{}; {}", emptying(&self.kept), fingerprint(&self.kept)))?;
        if found == self.fingerprint {
            Ok(())
        } else {
            Err(Error::other(format!("the tables of {new} are not those of {}", self.template)))
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<String>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns statements around `work`, which uses the array `filled` of tables with rows, without
/// those in `kept`.
fn over_filled(kept: &[String], work: &str) -> String {
    let kept = kept.join(",");
    format!(
        "DO $$ DECLARE name text; has_rows boolean; filled text[] := '{{}}'; BEGIN \
         FOR name IN SELECT c.oid::regclass::text FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {IS_OWN} AND c.relkind = 'r' LOOP \
         CONTINUE WHEN name = ANY (string_to_array('{kept}', ',')); \
         EXECUTE 'SELECT EXISTS (SELECT 1 FROM ' || name || ')' INTO has_rows; \
         IF has_rows THEN filled := filled || name; END IF; \
         END LOOP; {work} END $$"
    )
}

/// Returns statements that list the names of tables with rows.
fn filled_tables() -> String {
    let work = over_filled(&[], "INSERT INTO filled_tables SELECT unnest(filled);");
    format!(
        "CREATE TEMP TABLE filled_tables(name text); {work}; SELECT name FROM filled_tables ORDER BY name"
    )
}

/// Returns statements that keep only the rows in the tables of `kept`.
fn emptying(kept: &[String]) -> String {
    over_filled(kept, "IF filled <> '{}' THEN EXECUTE 'TRUNCATE ' || array_to_string(filled, ', '); END IF;")
}

/// Returns a query for the digest of the tables and of the rows of those in `kept`.
fn fingerprint(kept: &[String]) -> String {
    let rows = kept.iter().map(|name| format!(" UNION ALL SELECT '{name} ' || t::text FROM {name} t"));
    format!(
        "SELECT md5(string_agg(line, '/' ORDER BY line)) FROM \
         (SELECT concat_ws(' ', c.oid::regclass, c.relkind, a.attname, a.atttypid, a.attnotnull, \
         pg_get_constraintdef(k.oid)) AS line FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace \
         LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
         LEFT JOIN pg_constraint k ON k.conrelid = c.oid WHERE {IS_OWN}{}) AS lines",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> (&'static PostgresServer, Copies) {
        let server = PostgresServer::shared().unwrap();
        let url = server.fresh_database().unwrap();
        let tables = "CREATE SCHEMA mine; CREATE TABLE mine.versions (n int); \
                      INSERT INTO mine.versions VALUES (7); \
                      CREATE TABLE mine.notes (n int)";
        server.sql(database_of(&url), tables).unwrap();
        (server, Copies::of(server, &url).unwrap())
    }

    const COUNTS: &str = "SELECT (SELECT count(*) FROM mine.versions), (SELECT count(*) FROM mine.notes)";

    /// Takes a copy, runs the statements on it, returns it and checks the next one.
    #[track_caller]
    fn after(statements: &str, expect_same_files: bool) {
        let (server, copies) = template();
        let first = copies.take().unwrap();
        let files = "SELECT oid FROM pg_database WHERE datname = current_database()";
        let of_first = server.sql(database_of(&first), &format!("{statements}; {files}")).unwrap();
        copies.give_back(&first);
        let next = copies.take().unwrap();
        assert_ne!(first, next);
        assert!(server.sql(database_of(&first), "SELECT 1").is_err(), "the old name finds nothing");
        assert_eq!(server.sql(database_of(&next), COUNTS).unwrap(), "1|0\n");
        let of_next = server.sql(database_of(&next), files).unwrap();
        assert_eq!(of_first == of_next, expect_same_files, "{statements}");
        let of_other = server.sql(database_of(&copies.take().unwrap()), files).unwrap();
        assert_ne!(of_other, of_next, "a database that is taken is no other's");
        let is_left = format!("SELECT EXISTS (SELECT 1 FROM pg_database WHERE oid = {})", of_first.trim());
        let expect = if expect_same_files { "t\n" } else { "f\n" };
        assert_eq!(server.sql("postgres", &is_left).unwrap(), expect, "{statements}");
    }

    #[test]
    fn a_copy_is_emptied() {
        after("INSERT INTO mine.notes SELECT generate_series(1, 9)", true);
    }

    #[test]
    fn a_copy_of_other_tables_is_dropped() {
        after("CREATE TABLE mine.more (n int)", false);
        after("ALTER TABLE mine.notes ADD COLUMN m int", false);
        after("ALTER TABLE mine.notes ALTER COLUMN n TYPE bigint", false);
        after("ALTER TABLE mine.notes ADD CHECK (n > 1)", false);
        after("INSERT INTO mine.versions VALUES (8)", false);
    }
}
