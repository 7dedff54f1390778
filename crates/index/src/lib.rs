//! The in-process retrieval index of one memory: it finds candidates and counts the inputs of the
//! ranking signals. `engine/retrieval` scores the candidates, and the store supplies the records.
//!
//! Pure: no IO, no clock, no locks. Results depend only on the records, not on the order in which
//! they arrived.
//!
//! | content | file |
//! |---|---|
//! | input from the store | `input` |
//! | the index and simple queries | `memory_index` |
//! | changes of records and names | `changes`: `apply`, `bulk`, `compaction` |
//! | changes of vectors | `changes`: `attach` |
//! | changes of postings, sessions and sums | `changes`: `link` |
//! | columns | `columns`: `records`, `postings`, `groups`, `chains`, `names`, `paths` |
//! | columns of metadata | `columns`: `metadata_sets`, `metadata_texts` |
//! | vectors | `vectors`: `segment`, `sketch` |
//! | indexes for filters | `filters`: `parts`, `facets` |
//! | metadata filters | `filters`: `metadata_index` from `holders`, `number_column`, `slices` |
//! | search: scope and statistics | `search`: `scope`, `bounds` → `statistics` → `marks` |
//! | search: lists | `search`: `lexical`, `sweep`, `dense` → `candidates`, `views` |
//! | search: other | `search`: `neighbours`; `part` of a memory |
//! | checks | `digest` |
//! | serialised form for the next start | `snapshot` |
//! | sets and numbers | `primitives`: `bits`, `mask`, `compact_list`, `number_table` |
//! | texts and lengths | `primitives`: `interner`, `compact_text`, `mix`, `length_class` |
//! | inner loops | `kernels` |
//!
//! The index assigns numbers to passages, records, terms and groups, and may renumber all of them.
//! Every column has a value for each number in use, so a loop over the numbers may index into any
//! column.
//!
//! To add a column, add its file (or a field of `PassageRow` or `RecordRow`), and update
//! `compaction`, `MemoryIndex::bytes`, `digest`, and the reference implementation in
//! `tests/it/twin`. A column that cannot be derived from the others also needs the functions `save`
//! and `load` in its file.

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
