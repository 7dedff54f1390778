//! The store that grows: PostgreSQL with pgvector, for one server or many.
//!
//! Decides nothing about memory: it keeps rows, orders them and hands them out. Every table and every transaction belongs
//! to one memory, so that Citus, YugabyteDB and CockroachDB can distribute the schema. SQL lives in `tables/`, one accessor
//! trait per file; `schema/` holds the migrations.
//!
//! | what | file |
//! |---|---|
//! | what it is opened with | `options`, `tls` |
//! | a connection, its statements and their rows | `connection`, `recent`, `columns`, `errors` |
//! | a transaction, its locks and counters | `tx`, `writing`, `gate` |
//! | the schema | `migrate`, `schema/*.sql`; as a script for others to run: `ddl` |
//! | names that are computed, not looked up | `digests` |
//! | statements of the tables that both stores have | `statements` |
//! | what indexes are made from | `rows` |
//! | searches: in this process's indexes, or of great memories in the database | `search`, `great` |

mod bound;
mod checks;
mod columns;
mod connection;
pub mod ddl;
mod digests;
mod errors;
mod gate;
mod great;
mod halves;
mod migrate;
mod options;
mod recent;
mod rows;
mod search;
mod statements;
mod store;
mod tables;
mod tls;
mod tx;
mod writing;

pub use options::PostgresOptions;
pub use store::PostgresStore;
