//! The tables of documents: parked objects. Documents themselves are records.

pub(super) mod objects;
