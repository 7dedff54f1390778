//! The conformance suite on this store, over a real PostgreSQL: once as it is, once with every memory searched in the
//! database, as great ones are.

use std::cell::RefCell;
use std::sync::Arc;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};

#[cfg(test)]
fn conformance_with(change: fn(&mut PostgresOptions)) {
    let server = PostgresServer::shared().expect("a server");
    // Parts come one after another: when one begins, the last one's database may go.
    let last = RefCell::new(None::<String>);
    loci_store_conformance::run(&|| {
        let url = server.fresh_database().expect("a database");
        let mut options = PostgresOptions::parse(&url).expect("an address");
        if let Some(done) = last.replace(Some(url)) {
            server.drop_database(&done).expect("nobody needs it");
        }
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
