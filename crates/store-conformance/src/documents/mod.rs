//! Cases of documents: parked objects. Documents themselves are records.

pub(crate) mod parked_objects;
