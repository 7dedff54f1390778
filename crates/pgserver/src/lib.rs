//! A real PostgreSQL with pgvector for tests and measurements. It ends with the process that
//! started it, in all cases. It installs nothing (`cargo xtask postgres` does), knows no table of
//! Loci and is never part of the product.
//!
//! Unix only: another user, a shell that guards the server, the states in `postmaster.pid`.
#![expect(
    clippy::disallowed_methods,
    reason = "it finds a program by the environment, and waits for one to start: nothing else tells when a server listens"
)]

mod binaries;
mod copies;
mod guard;
mod server;

pub use binaries::{Binaries, INSTALLED, REMEDY, VARIABLE};
pub use copies::Copies;
pub use server::{PostgresServer, Settings};
