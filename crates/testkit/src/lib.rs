//! For tests and benchmarks: clock, ids, the conformance suite of stores, a plain search to measure others by.

pub mod plain_corpus;
