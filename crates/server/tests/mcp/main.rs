//! MCP over HTTP and over standard input and output, against the real engine over the embedded
//! store: transcripts in both kinds of revisions, and the checks of origin and caller.
//!
//! `UPDATE_EXPECT=1 cargo test -p loci-server --test mcp` writes the current responses into
//! `golden/`; read the difference before keeping it. Time and ids are fixed.

#[cfg(test)]
mod coding;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod files;
#[cfg(test)]
mod http;
#[cfg(test)]
mod listening;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod requesters;
#[cfg(test)]
mod rounds;
mod safeguards;
mod searching;
#[cfg(test)]
mod sre;
#[cfg(test)]
mod stdio;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod waiting;
#[cfg(test)]
mod world;
