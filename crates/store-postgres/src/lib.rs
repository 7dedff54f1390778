//! The scalable store: PostgreSQL with pgvector, for one or more servers.
//!
//! It contains no rules of memory: it stores, orders and returns rows. Every table and every
//! transaction belongs to one memory, so that Citus, YugabyteDB and CockroachDB can distribute the
//! schema. SQL is in `tables/`, one accessor trait per file; `schema/` has the migrations.
//!
//! | content | file |
//! |---|---|
//! | options | `options`, `tls` |
//! | a connection, its statements and their rows | `connection`, `recent`, `columns`, `errors` |
//! | a transaction, its locks and counters | `tx`, `writing`, `gate` |
//! | the schema | `migrate`, `schema/*.sql`; as a script: `ddl` |
//! | computed names | `digests` |
//! | statements of the tables shared by both stores | `statements` |
//! | input of indexes | `rows` |
//! | searches: in-process indexes, and large memories in the database | `search`, `great` |

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
