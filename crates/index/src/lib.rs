//! The in-process retrieval index of one memory: it finds candidates and counts what the
//! signals need. What a candidate is worth is decided in `engine/retrieval`; where records come from is the store's.
//!
//! Pure: no IO, no clock, no locks, and answers that depend on the records only, not on the order they came in.
//!
//! | what | file |
//! |---|---|
//! | what the store hands in | `input` |
//! | the index and its small questions | `memory_index` |
//! | changes | `changes`: `apply` (records, names), `attach` (vectors), `link` (postings, sessions, sums), `bulk`, `compaction` |
//! | columns | `columns`: `records`, `postings`, `groups`, `chains`, `names`, `paths`, `metadata_sets`, `metadata_texts`; `vectors`: `segment`, `sketch` |
//! | what filters read | `filters`: `parts`, `facets`, `metadata_index` from `holders`, `number_column`, `slices` |
//! | searches | `search`: `scope`, `bounds` → `statistics` → `marks` → `lexical`, `sweep`, `dense` → `candidates`, `views`; `neighbours`; `part` of a memory |
//! | checks | `digest` |
//! | as bytes, to begin with at the next start | `snapshot` |
//! | small parts | `primitives`: `bits`, `mask`, `compact_list`, `interner`, `number_table`, `compact_text`, `mix`, `length_class`; `kernels` |
//!
//! Numbers of passages, records, terms and groups are given out here and renamed together, so every column has a value
//! for every number in use; a loop over a column may index by them.
//!
//! To add a column: its file (or a field of `PassageRow` or `RecordRow`), its place in `compaction`, in
//! `MemoryIndex::bytes`, in `digest`, and in the plain twin of `tests/it/twin`. A column that does not follow from the
//! others also in the pair `save` and `load` of its file.

mod changes;
mod columns;
mod digest;
mod filters;
mod input;
mod kernels;
mod memory_index;
mod primitives;
mod search;
mod snapshot;
mod vectors;

pub use columns::groups::Lengths;
pub use input::{IndexPassage, IndexRecord, StoredVector};
pub use memory_index::MemoryIndex;
pub use search::part::Whole;
pub use search::statistics::average;
pub use snapshot::SnapshotSaver;
