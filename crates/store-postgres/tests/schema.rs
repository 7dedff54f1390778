//! A schema created by a script equals the one that servers create, and servers accept it.

use std::sync::Arc;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::ports::store::{Store, StoreExt};
use loci_store_postgres::ddl::{Dialect, script};
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit_ports::block_on;

/// Selects columns, keys and indexes from the catalog.
const SHAPE: &str = "SELECT string_agg(line, chr(10) ORDER BY line) FROM (\
    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS line \
    FROM information_schema.columns WHERE table_schema = 'loci' \
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'loci') shape";

#[test]
fn a_server_takes_over_what_a_script_made() {
    let server = PostgresServer::shared().expect("a server");
    let of_script = server.fresh_database().expect("a database");
    let of_server = server.fresh_database().expect("a database");
    let name =
        |url: &str| url.rsplit('/').next().expect("a name").split('?').next().expect("a name").to_owned();
    let ddl = script(Dialect::Postgresql, "loci", 2).expect("a script");
    server.sql(&name(&of_script), &ddl).expect("the statements");
    let before = server.sql(&name(&of_script), SHAPE).expect("a shape");
    for url in [&of_script, &of_server] {
        let mut options = PostgresOptions::parse(url).expect("an address");
        options.partitions = 2;
        let store: Arc<dyn Store> = PostgresStore::open(options).expect("a store");
        let memories = block_on(store.read(|tx| tx.memories().list(None, 10))).expect("a list");
        assert!(memories.is_empty());
        store.close();
    }
    let shape = |url: &str| server.sql(&name(url), SHAPE).expect("a shape");
    assert!(before.lines().count() > 100, "{before}");
    assert_eq!(before, shape(&of_script), "nothing was made again");
    assert_eq!(before, shape(&of_server));
}
