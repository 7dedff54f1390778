//! Small data structures that are independent of memories: bit sets, interned texts, compact lists,
//! a hash.

pub(super) mod bits;
pub(super) mod compact_list;
pub(super) mod compact_text;
pub(super) mod interner;
pub(super) mod length_class;
pub(super) mod mask;
pub(super) mod number_table;
pub(super) mod stable_hash;
