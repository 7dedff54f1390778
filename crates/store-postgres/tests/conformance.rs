//! The conformance suite on this store, over a real PostgreSQL: once as it is, once with every memory searched in the
//! database, as great ones are.

use std::sync::Arc;

use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit::postgres::PostgresServer;

#[cfg(test)]
fn conformance_with(change: fn(&mut PostgresOptions)) {
    let server = PostgresServer::shared().expect("a server");
    loci_testkit::conformance::run(&|| {
        let mut options =
            PostgresOptions::parse(&server.fresh_database().expect("a database")).expect("an address");
        // Making sixteen of each great table takes longer than all the rest of a part.
        options.partitions = 2;
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
