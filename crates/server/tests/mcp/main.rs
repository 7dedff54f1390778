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
mod fixture;
#[cfg(test)]
mod http;
#[cfg(test)]
mod listen_limits;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod provisional_turns;
#[cfg(test)]
mod requesters;
#[cfg(test)]
mod rounds;
mod safeguards;
#[cfg(test)]
mod stdio;
mod task_search;
#[cfg(test)]
mod tools;
