//! The table of objects, which agents store outside of their context. Documents themselves are
//! records and have no table.

pub(super) mod objects;
