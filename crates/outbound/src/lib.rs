//! How Loci calls others: one policy for every request that leaves (docs/decisions/0039).
//!
//! Here is only what a caller says and what comes back ([`request`]); nothing is sent yet. It knows no vendor and no
//! notification: who builds requests sees [`request::Transport`], so that tests give one of their own.

pub mod request;
