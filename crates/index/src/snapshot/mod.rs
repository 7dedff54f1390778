//! Snapshots: an index as bytes, so that a process need not read every text again (decision 0034).
//!
//! A snapshot is a sequence of blocks of records, each with the words it is the first to use. What it says is what the
//! store said: records, terms, vectors. Everything else (postings, sessions, sums, names) is made anew by the same code
//! that takes in a change, so that a loaded index is right by construction and a column may change its form freely.
//!
//! Only records that are held are written, and only words they use: what was erased is not in the next snapshot.
//! Files, and which snapshot may be used, are the store's matter.
//!
//! | what | file |
//! |---|---|
//! | numbers and texts as bytes | `bytes` |
//! | blocks, checksums | `frame` |
//! | index → blocks | `save` |
//! | blocks → index | `load` |
//! | the same beside it: reading, checksums, vectors | `blocks` |
//! | the words a snapshot has numbered so far | `dictionary` |
//!
//! To add something to a record or a passage: its pair of functions `save` and `load` beside its data (`records`,
//! `columns`, `vectors`, `metadata_sets`, `compact_text`), and [`frame::FORMAT`] raised by one.

mod blocks;
pub(crate) mod bytes;
mod dictionary;
mod frame;
mod load;
mod save;
#[cfg(test)]
mod wild;

pub use save::SnapshotSaver;
