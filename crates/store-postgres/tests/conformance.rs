//! Runs the conformance suite on this store with a real PostgreSQL: once with defaults, and once
//! with every memory searched in the database, like large ones.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use loci_engine_testkit::postgres::{Copies, PostgresServer};
use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};

/// Copies of a database with tables. Creating sixteen partitions of each large table takes longer
/// than the rest of a part.
#[cfg(test)]
static COPIES: LazyLock<Copies> = LazyLock::new(|| {
    let server = PostgresServer::shared().expect("a server");
    let url = server.fresh_database().expect("a database");
    PostgresStore::open(options(&url)).expect("a store").close();
    Copies::of(server, &url).expect("a template")
});

#[cfg(test)]
fn options(url: &str) -> PostgresOptions {
    let mut options = PostgresOptions::parse(url).expect("an address");
    options.partitions = 2;
    options
}

#[cfg(test)]
fn conformance_with(change: fn(&mut PostgresOptions)) {
    // Parts run in sequence: when one starts, the database of the previous one can be dropped.
    let last = RefCell::new(None::<String>);
    loci_store_conformance::run(&|| {
        if let Some(done) = last.take() {
            COPIES.give_back(&done);
        }
        let url = COPIES.take().expect("a database");
        let mut options = options(&url);
        last.replace(Some(url));
        change(&mut options);
        PostgresStore::open(options).expect("a store") as Arc<dyn Store>
    });
}

#[test]
fn conformance() {
    conformance_with(|_| {});
}

#[test]
fn conformance_of_great_memories() {
    conformance_with(|options| options.scan_passages_max = 0);
}
