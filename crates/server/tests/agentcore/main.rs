//! The AgentCore API against the real engine over the embedded store: transcripts of requests and
//! responses, byte for byte.
//!
//! `UPDATE_EXPECT=1 cargo test -p loci-server --test agentcore` writes the current responses into
//! `golden/*.txt`; read the difference before keeping it. Time and ids are fixed, so a transcript
//! is equal on every run.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod buckets;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod isolation;
#[cfg(test)]
mod isolation_rows;
#[cfg(test)]
mod provisional_pages;
#[cfg(test)]
mod repeats;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod restricted_keys;
#[cfg(test)]
mod sign;
#[cfg(test)]
mod transcript;
#[cfg(test)]
mod users;

use transcript::run;

macro_rules! transcripts {
    ($($name:ident)+) => {$(
        #[test]
        fn $name() {
            run(stringify!($name), include_str!(concat!("golden/", stringify!($name), ".txt")));
        }
    )+};
}

transcripts! {
    access branches events idempotency ingest_and_jobs lessons memories paging read_your_writes
    records refusals retrieval signatures strategies tags
}
