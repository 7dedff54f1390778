//! A cache of the most recently used prepared statements by text: filters create an unlimited
//! number of statements, and the database keeps each one as long as the client does.

use std::collections::HashMap;

/// The maximum number of cached statements. There are fewer statements without filters.
const KEPT_MAX: usize = 400;

/// The most recently used values by text.
pub(crate) struct Recent<T> {
    held: HashMap<String, (T, u64)>,
    uses: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { held: HashMap::new(), uses: 0 }
    }
}

impl<T> Recent<T> {
    /// True if the text is cached. Counts as a use.
    pub(crate) fn uses(&mut self, text: &str) -> bool {
        self.uses += 1;
        let found = self.held.get_mut(text);
        if let Some((_, used)) = found {
            *used = self.uses;
            return true;
        }
        false
    }

    /// Returns the cached value.
    pub(crate) fn get(&self, text: &str) -> Option<&T> {
        self.held.get(text).map(|(value, _)| value)
    }

    /// Adds a value, and drops the least recently used one if there are too many.
    pub(crate) fn insert(&mut self, text: &str, value: T) {
        if self.held.len() >= KEPT_MAX {
            let oldest = self.held.iter().min_by_key(|(_, (_, used))| *used).map(|(text, _)| text.clone());
            oldest.map(|oldest| self.held.remove(&oldest));
        }
        self.held.insert(text.to_owned(), (value, self.uses));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{Connection, ConnectionParameters, ConnectionStep};
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let mut recent = Recent::default();
        for number in 0..KEPT_MAX + 2 {
            assert!(!recent.uses(&number.to_string()));
            recent.insert(&number.to_string(), number);
            assert!(recent.uses("0"), "it is used all the time");
        }
        assert_eq!((recent.held.len(), recent.get("0")), (KEPT_MAX, Some(&0)));
        assert_eq!((recent.get("1"), recent.get("2"), recent.get("3")), (None, None, Some(&3)));
    }

    /// The database deallocates dropped statements, also within a transaction.
    #[test]
    fn the_database_keeps_no_more() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let mut connection =
            Connection::new(ConnectionParameters::new(PostgresOptions::parse(&url).unwrap()).unwrap())
                .unwrap();
        connection.run(&[ConnectionStep::Plain("BEGIN")]).unwrap();
        for number in 0..KEPT_MAX + 100 {
            connection.go_on(&[ConnectionStep::Prepared(&format!("SELECT {number}"), &[])]).unwrap();
        }
        let count = "SELECT count(*) FROM pg_prepared_statements";
        let rows = connection.go_on(&[ConnectionStep::Prepared(count, &[])]).unwrap();
        let kept: i64 = rows[0][0].get(0);
        assert!(usize::try_from(kept).unwrap() <= KEPT_MAX, "{kept}");
    }
}
