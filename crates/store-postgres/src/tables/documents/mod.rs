//! The tables of documents: parked objects. Documents themselves are records.

mod objects;
