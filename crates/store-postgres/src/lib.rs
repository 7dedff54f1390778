//! The scalable store: PostgreSQL with pgvector, for one or more servers.
//!
//! It contains no rules of memory: it stores, orders and returns rows. Every table and every
//! transaction belongs to one memory, so that Citus, YugabyteDB and CockroachDB can distribute the
//! schema. SQL is in `tables/`, one accessor trait per file; `schema/` has the migrations.
//!
//! | content | file |
//! |---|---|
//! | options | `options`, `tls` |
//! | a connection, its statements and their rows | `connection`, `statement_cache`, `columns`, `errors` |
//! | a transaction, its locks and counters | `tx`, `transaction_retry`, `gate` |
//! | the schema | `migrate`, `schema/*.sql`; as a script: `ddl` |
//! | computed names | `digests` |
//! | statements of the tables shared by both stores | `statements` |
//! | input of indexes | `rows` |
//! | searches: in-process indexes, and large memories in the database | `search`, `large_memories` |

mod bound_values;
mod checks;
mod columns;
mod connection;
pub mod ddl;
mod digests;
mod errors;
mod gate;
mod half_vectors;
mod large_memories;
mod migrate;
mod options;
mod rows;
mod search;
mod statement_cache;
mod statements;
mod store;
mod tables;
mod tls;
mod transaction_retry;
mod tx;

pub use options::PostgresOptions;
pub use store::PostgresStore;
