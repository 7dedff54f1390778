//! Snapshots: an index as bytes, so that a process need not read every text again (decision 0034).
//!
//! A snapshot is a sequence of blocks of records, each with the words that it uses first. It
//! contains the input from the store: records, terms, vectors. The derived data (postings,
//! sessions, sums, names) is rebuilt by the same code as changes, so that a loaded index is right
//! by construction and a column may change its form freely.
//!
//! Only current records and the words that they use are written: erased data is not in the next
//! snapshot. The store manages files, and selects the snapshot to load.
//!
//! | content | file |
//! |---|---|
//! | numbers and texts as bytes | `bytes` |
//! | blocks, checksums | `frame` |
//! | index → blocks | `save` |
//! | blocks → index | `load` |
//! | the reader thread: reading, checksums, vectors | `blocks` |
//! | the words that a snapshot has numbered so far | `dictionary` |
//!
//! To add data to a record or a passage, extend the functions `save` and `load` next to it
//! (`records`, `columns`, `vectors`, `metadata_sets`, `compact_text`), and increment
//! [`frame::FORMAT`].

mod blocks;
pub(crate) mod bytes;
#[cfg(test)]
mod corrupt_snapshots;
mod dictionary;
mod frame;
mod load;
mod save;

pub use save::SnapshotSaver;
