//! Imports, one module for each language: the syntax of imports (`scan`), and the files that they
//! resolve to (`resolve`). Pure. To add a language: a file here, one line in `Language`, and one in
//! each of the two matches on it.

pub(super) mod c_family;
pub(super) mod go;
pub(super) mod java_virtual_machine;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod rust;
